"""Names in Kueue's API, and the names that the platform gives its queues."""

from collections.abc import Mapping
from types import MappingProxyType

from ...catalog.api_versions import KUEUE

API_VERSION = KUEUE
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""On jobs: the LocalQueue in which the job waits."""
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
"""On jobs: the WorkloadPriorityClass."""
DEFAULT_QUEUE = "default"
"""The LocalQueue of a tenant. Kueue puts each job without a queue name into a LocalQueue of this name."""
BUDGET = "budget.gpu-blueprint"
"""The flavor that counts dollars. No pool has this name, since names of pools hold no dot."""
MONEY = "gpu-blueprint/millidollars"
"""The resource that Kueue adds to a job's requests: thousandths of a US dollar an hour.

Kueue counts whole numbers only, and rounds parts up for each pod.
"""
PRIORITIES: Mapping[str, int] = MappingProxyType(
    {"interactive": 1000, "training": 500, "batch": 100, "checkpointed": -100}
)
"""WorkloadPriorityClass → value. A job without class counts 0; ``checkpointed`` work gives way first, because it
resumes where it was."""
