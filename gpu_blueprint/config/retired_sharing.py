"""The section ``retiredSharing``: sharing modes that no pool has any more, but that running nodes still use."""

from collections.abc import Iterator
from functools import cached_property

from ..catalog import AL2023, find_gpu
from ..model import Model
from ..problem import Problem
from ..sharing import Sharing, SharingProfile, derive_profile, find_refusals
from .aws_names import GpuModel


class RetiredSharing(Model):
    """A former sharing of a pool on AL2023. Its files stay until no node names them, since a node reads its files again
    whenever a pod of the GPU Operator starts there."""

    gpu: GpuModel
    """GPU model of these nodes, such as `l4`."""
    sharing: Sharing
    """The sharing, as the pool had it. `exclusive` keeps only the GPU Operator, for nodes that still run after the last
    pool moved to Bottlerocket."""

    def problems(self) -> Iterator[Problem]:
        yield from find_refusals(find_gpu(self.gpu), AL2023, self.sharing, fractional=False)

    @cached_property
    def profile(self) -> SharingProfile:
        """The resources, labels and files of this sharing; only for a sharing without problems."""
        return derive_profile("retired", find_gpu(self.gpu), AL2023, self.sharing)
