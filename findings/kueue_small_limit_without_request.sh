#!/usr/bin/env bash
# Kueue 0.19.2 holds a Job for ever whose container states a limit of memory below the LimitRange's default request, and
# no request. Kubernetes itself runs such a pod: it takes the limit for the request before a LimitRange is asked.
#
# Expected: the same order in Kueue, which counts what the pods will ask for.
# Seen: Kueue gives the container the LimitRange's request first, finds it above the limit, and calls the workload
# inadmissible with "requests must not exceed its limits", although the Job requests nothing. A stated request, or a
# LimitRange without a default request, makes it admissible. A request above the LimitRange's default limit is held as
# well; Kubernetes refuses the pods of such a Job, and Kueue says so before.
#
# Needs Go. Run: findings/kueue_small_limit_without_request.sh
set -euo pipefail
version=v0.19.2
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
cd "$work"
printf 'module finding\n\ngo 1.26\n\nrequire sigs.k8s.io/kueue %s\n' "$version" >go.mod
export GOPATH=$work/go GOFLAGS='-mod=mod -modcacherw'
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/workload"
)

// memory returns a list with one amount; an empty amount gives no list.
func memory(amount string) corev1.ResourceList {
	if amount == "" {
		return nil
	}
	return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
}

// judge returns what Kueue says of a container in a namespace with a LimitRange.
func judge(request, limit, usualRequest, usualLimit string) string {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "usual", Namespace: "team"}}
	limits.Spec.Limits = []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, DefaultRequest: memory(usualRequest), Default: memory(usualLimit),
	}}
	reader := fake.NewClientBuilder().WithScheme(scheme).WithObjects(limits).
		WithIndex(&corev1.LimitRange{}, indexer.LimitRangeHasContainerOrPodType, indexer.IndexLimitRangeHasContainerOrPodType).
		Build()
	container := corev1.Container{Name: "main"}
	container.Resources = corev1.ResourceRequirements{Requests: memory(request), Limits: memory(limit)}
	asked := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: "job", Namespace: "team"}}
	asked.Spec.PodSets = []kueue.PodSet{{Name: "main", Count: 1}}
	asked.Spec.PodSets[0].Template.Spec.Containers = []corev1.Container{container}
	workload.AdjustResources(context.Background(), reader, asked)
	if found := workload.ValidateResources(workload.NewInfo(asked)); len(found) > 0 {
		return "held: " + found[0].Detail
	}
	return "admissible"
}

func main() {
	failed := 0
	const held = "held: requests must not exceed its limits"
	for _, each := range []struct{ request, limit, usualRequest, usualLimit, expected string }{
		{"", "128Mi", "256Mi", "4Gi", held},
		{"64Mi", "128Mi", "256Mi", "4Gi", "admissible"},
		{"", "128Mi", "", "4Gi", "admissible"},
		{"", "512Mi", "256Mi", "4Gi", "admissible"},
		{"64Gi", "", "256Mi", "4Gi", held},
	} {
		seen := judge(each.request, each.limit, each.usualRequest, each.usualLimit)
		fmt.Printf("request %-5s limit %-6s beside a LimitRange of request %-6s limit %-4s %s\n",
			or(each.request), or(each.limit), or(each.usualRequest), or(each.usualLimit), seen)
		if seen != each.expected {
			failed = 1
		}
	}
	os.Exit(failed)
}

func or(amount string) string {
	if amount == "" {
		return "none"
	}
	return amount
}
GO
echo "Kueue $version"
go run .
