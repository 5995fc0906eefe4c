"""GPU models of EC2 instance types.

Sources: aws/karpenter-provider-aws v1.14.1 (label karpenter.k8s.aws/instance-gpu-name), EC2 DescribeInstanceTypes,
awslabs/amazon-eks-ami v20260724 (drivers), Bottlerocket settings 1.54.x (MIG keys). Read 2026-11-20.
Speed: NVIDIA data sheets, as other sites repeat them. The numbers are without sparsity (sheets of Ada and later print
twice as much), and of the SXM module if a model has several modules. Read in winston-zhang-orz/gpu-specs (V100 to
L40S), glennklockwood.com (B200 to GB300), and datacrunch.io (bandwidth of the B200 of 180 GB). A10G: 70 TFLOPS, where
the A10 has 125 (baseten.co). T4G: the numbers of the T4, since no sheet was found. RTX PRO 6000 Server: four times its
120 TFLOPS of FP32, as in the sheet of the workstation card. RTX PRO 4500 Server: no dense figure was found.
Compute capability: NVIDIA, CUDA GPUs. Read 2026-11-21.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import CatalogError
from ..records import Record
from .mig import MigTable, build_four_slices, build_seven_slices


class Gpu(Record, kw_only=True):
    """One GPU model; instances.csv has its memory."""

    name: str
    product: str
    karpenter_name: str | None
    """Value of ``karpenter.k8s.aws/instance-gpu-name``; None if Karpenter cannot launch the model."""
    mig: MigTable | None = None
    mig_needs_reboot: bool = False
    """True if a node reboots to change MIG mode: Ampere needs a GPU reset, which a virtual machine cannot do."""
    bottlerocket_mig_key: str | None = None
    """Key in Bottlerocket's ``settings.kubelet-device-plugins.nvidia.mig.profile``; None if Bottlerocket has no key."""
    tensor_tflops: float | None
    """Dense FP16 or BF16 throughput of the tensor cores; None if it is unknown."""
    bandwidth_gb_per_s: float
    """Memory bandwidth in GB/s."""
    compute_capability: float
    """CUDA compute capability: 8.0 brought BF16, 8.9 FP8, 10.0 FP4."""
    min_driver: int = 0
    """Oldest driver branch that supports this GPU; 0 if every branch in use supports it."""


_ROWS = (
    Gpu(
        name="v100",
        product="Tesla V100",
        karpenter_name="v100",
        tensor_tflops=125,
        bandwidth_gb_per_s=900,
        compute_capability=7.0,
    ),
    Gpu(name="t4", product="T4", karpenter_name="t4", tensor_tflops=65, bandwidth_gb_per_s=320, compute_capability=7.5),
    Gpu(
        name="t4g",
        product="T4G",
        karpenter_name="t4g",
        tensor_tflops=65,
        bandwidth_gb_per_s=320,
        compute_capability=7.5,
    ),
    Gpu(
        name="a10g",
        product="A10G",
        karpenter_name="a10g",
        tensor_tflops=70,
        bandwidth_gb_per_s=600,
        compute_capability=8.6,
    ),
    Gpu(
        name="l4", product="L4", karpenter_name="l4", tensor_tflops=121, bandwidth_gb_per_s=300, compute_capability=8.9
    ),
    Gpu(
        name="l40s",
        product="L40S",
        karpenter_name="l40s",
        tensor_tflops=362,
        bandwidth_gb_per_s=864,
        compute_capability=8.9,
    ),
    Gpu(
        name="a100-40gb",
        product="A100 40 GB",
        karpenter_name="a100",
        tensor_tflops=312,
        bandwidth_gb_per_s=1555,
        compute_capability=8.0,
        mig=build_seven_slices(5, 10, 20, 40),
        mig_needs_reboot=True,
        bottlerocket_mig_key="a100.40gb",
    ),
    Gpu(
        name="a100-80gb",
        product="A100 80 GB",
        karpenter_name="a100",
        tensor_tflops=312,
        bandwidth_gb_per_s=2039,
        compute_capability=8.0,
        mig=build_seven_slices(10, 20, 40, 80),
        mig_needs_reboot=True,
        bottlerocket_mig_key="a100.80gb",
    ),
    Gpu(
        name="h100-80gb",
        product="H100 80 GB",
        karpenter_name="h100",
        tensor_tflops=989,
        bandwidth_gb_per_s=3350,
        compute_capability=9.0,
        mig=build_seven_slices(10, 20, 40, 80),
        bottlerocket_mig_key="h100.80gb",
    ),
    Gpu(
        name="h200-141gb",
        product="H200 141 GB",
        karpenter_name="h200",
        tensor_tflops=989,
        bandwidth_gb_per_s=4800,
        compute_capability=9.0,
        mig=build_seven_slices(18, 35, 71, 141),
        bottlerocket_mig_key="h200.141gb",
    ),
    Gpu(
        name="b200-180gb",
        product="B200 180 GB",
        karpenter_name="b200",
        tensor_tflops=2250,
        bandwidth_gb_per_s=7700,
        compute_capability=10.0,
        mig=build_seven_slices(23, 45, 90, 180),
    ),
    Gpu(
        name="b300",
        product="B300",
        karpenter_name="b300",
        tensor_tflops=2250,
        bandwidth_gb_per_s=8000,
        compute_capability=10.3,
        mig=build_seven_slices(34, 67, 135, 269),
    ),
    Gpu(
        name="gb200",
        product="GB200",
        karpenter_name=None,
        tensor_tflops=2500,
        bandwidth_gb_per_s=8000,
        compute_capability=10.0,
        mig=build_seven_slices(23, 47, 93, 186),
    ),
    Gpu(
        name="gb300",
        product="GB300",
        karpenter_name=None,
        tensor_tflops=2500,
        bandwidth_gb_per_s=8000,
        compute_capability=10.3,
        mig=build_seven_slices(35, 70, 139, 278),
    ),
    Gpu(
        name="rtx-pro-6000-96gb",
        product="RTX PRO 6000 Server",
        karpenter_name="rtx-pro-server-6000",
        tensor_tflops=480,
        bandwidth_gb_per_s=1597,
        compute_capability=12.0,
        mig=build_four_slices(24),
    ),
    Gpu(
        name="rtx-pro-4500",
        product="RTX PRO 4500 Server",
        karpenter_name="rtx-pro-4500",
        tensor_tflops=None,
        bandwidth_gb_per_s=800,
        compute_capability=12.0,
        min_driver=595,
    ),
)

GPUS: Mapping[str, Gpu] = MappingProxyType({row.name: row for row in _ROWS})


def find_gpu(name: str) -> Gpu:
    """Return the GPU model of a name."""
    try:
        return GPUS[name]
    except KeyError:
        raise CatalogError.unknown("GPU model", name, GPUS) from None
