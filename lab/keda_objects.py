"""KEDA's custom resource definitions and webhooks; its operator ends if the API server does not serve all its kinds."""

from .copied_objects import CopiedObjects
from .engines import Effort

KEDA_OBJECTS = CopiedObjects(
    subject="KEDA",
    folder="keda",
    module="github.com/kedacore/keda/v2",
    definitions=tuple(
        f"config/crd/bases/{name}.yaml"
        for name in (
            *("eventing.keda.sh_cloudeventsources", "eventing.keda.sh_clustercloudeventsources"),
            *("keda.sh_clustertriggerauthentications", "keda.sh_triggerauthentications"),
            *("keda.sh_scaledjobs", "keda.sh_scaledobjects"),
        )
    ),
    webhooks="config/webhooks/validation_webhooks.yaml",
    bundle="scaling",
    effort=Effort(1, 0, 0, 1),
)
