// Command crds writes Karpenter's custom resource definitions, one YAML file each, into the folder of its argument.
//
// The definitions are those of the AWS provider, as its chart karpenter-crd installs them: they restrict the labels
// under karpenter.k8s.aws, which the definitions of Karpenter's own module do not know.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: crds FOLDER"))
	}
	for _, definition := range apis.CRDs {
		if err := write(os.Args[1], definition); err != nil {
			fail(err)
		}
	}
}

// write leaves out the status: only an API server may fill it.
func write(folder string, definition *apiextensions.CustomResourceDefinition) error {
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": definition.APIVersion,
		"kind":       definition.Kind,
		"metadata":   map[string]any{"name": definition.Name, "annotations": definition.Annotations},
		"spec":       definition.Spec,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, definition.Name+".yaml"), text, 0o644)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
