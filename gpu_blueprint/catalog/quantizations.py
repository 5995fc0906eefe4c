"""Formats of weights and of the KV cache in vLLM: their size, and the GPUs that run them.

Sources: vLLM 0.18.0 to 0.33.0, model_executor/layers/quantization (get_min_capability), config/quantization.py,
docs/features/quantization (FP8 W8A8, INT8 W8A8, online, quantized_kvcache, modelopt, bnb), v1/attention/backends,
platforms/cuda.py. Read 2026-11-23.
Bytes follow from the format: value bits / 8 + bytes of the scales / values for each scale.

The formats cover the linear layers, or the experts alone in rows with ``experts``. Embeddings and the output head have
the dtype of the model: 1.05e9 of the 8.03e9 parameters of Llama 3.1 8B, 2.1e9 of the 70.6e9 of Llama 3.1 70B.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ..errors import CatalogError, suggest
from ..records import Record
from .server_images import read_version

_GROUP = 128
"""Values that share a scale in most checkpoints of AWQ, GPTQ and compressed-tensors."""


class Quantization(Record, kw_only=True):
    """One format of weights."""

    name: str
    made: Literal["load", "checkpoint"]
    """Load: vLLM makes the format from 16-bit weights, and ``--quantization`` takes its name. Checkpoint: the weights
    must be stored in it, and vLLM reads their format from ``config.json``; it refuses a flag that says another."""
    stored_as: tuple[str, ...] = ()
    """Formats of checkpoints: ``quant_method`` of config.json, then the type and the bits of a weight."""
    bytes_per_parameter: float
    """Size of the weights that the format covers, with their scales, in groups of the usual size."""
    group_bytes: float = 0.0
    """Bytes of the scales of one group of 128 values, in formats whose groups may have another size; else 0."""
    min_compute_capability: float
    """Oldest CUDA compute capability that computes in the format, or for which vLLM has kernels of the format."""
    fallback_capability: float | None = None
    """Oldest capability on which vLLM keeps the weights small and computes in 16 bits (Marlin); None: nowhere."""
    max_compute_capability: float | None = None
    """Newest capability that runs the format; None if there is no limit."""
    covers: Literal["linear", "experts"] = "linear"
    """Experts: the format leaves every layer outside a mixture of experts in 16 bits."""
    since: str = "0.18.0"
    """First release of vLLM that takes the format, or the oldest release that was read."""
    until: str = ""
    """First release of vLLM that refuses the format; empty if the newest release that was read takes it."""
    source: str

    def count_bytes(self, group_size: int | None) -> float:
        """Return the bytes of a parameter with its scales in groups of some values; None for the usual size."""
        size = group_size or _GROUP
        return self.bytes_per_parameter + self.group_bytes / size - self.group_bytes / _GROUP

    def is_known_at(self, tag: str) -> bool:
        """Return whether the release of an image tag takes the format."""
        version = read_version(tag)
        return read_version(self.since) <= version and (not self.until or version < read_version(self.until))


class KvCacheFormat(Record, kw_only=True):
    """One value of vLLM's ``--kv-cache-dtype``."""

    name: str
    bytes_per_value: float | None
    """Size of a value; None for ``auto``, which takes the dtype of the model."""
    min_compute_capability: float = 0.0


class WeightType(Record, kw_only=True):
    """One value of vLLM's ``--dtype``."""

    name: str
    bytes_per_parameter: float
    min_compute_capability: float = 0.0


_LAYERS = "vllm/model_executor/layers/quantization"
_SCHEMES = f"{_LAYERS}/compressed_tensors/schemes"
_DOCS = "docs/features/quantization"
_ONLINE = f"vllm/config/quantization.py and {_DOCS}/online.md"
_FP8_GPUS = f"{_DOCS}/llm_compressor/fp8.md: W8A8 from 8.9, weights alone (Marlin) from 7.5"

_ROWS = (
    Quantization(
        name="fp8_per_tensor",
        made="load",
        bytes_per_parameter=1.0,
        min_compute_capability=8.9,
        fallback_capability=7.5,
        since="0.20.0",
        source=f"{_ONLINE}; {_FP8_GPUS}",
    ),
    Quantization(
        name="fp8_per_block",
        made="load",
        bytes_per_parameter=1 + 4 / 128**2,
        min_compute_capability=8.9,
        fallback_capability=7.5,
        since="0.20.0",
        source=f"{_ONLINE}: one scale of 4 bytes for 128 x 128 values; {_FP8_GPUS}",
    ),
    Quantization(
        name="mxfp8",
        made="load",
        bytes_per_parameter=1 + 1 / 32,
        min_compute_capability=10.0,
        fallback_capability=8.0,
        since="0.20.0",
        source=f"{_ONLINE}: one scale of 1 byte for 32 values; W8A8 from 10.0; {_LAYERS}/modelopt.py: Marlin from 8.0",
    ),
    Quantization(
        name="int8_per_channel_weight_only",
        made="load",
        bytes_per_parameter=1.0,
        min_compute_capability=8.0,
        covers="experts",
        since="0.20.0",
        source=f"{_ONLINE}: experts alone; {_LAYERS}/experts_int8.py: 8.0",
    ),
    Quantization(
        name="fp8",
        made="checkpoint",
        stored_as=("fp8 float8", "compressed-tensors float8", "modelopt float8"),
        bytes_per_parameter=1.0,
        min_compute_capability=8.9,
        fallback_capability=7.5,
        source=f"{_FP8_GPUS}; {_LAYERS}/fp8.py, compressed_tensors.py and modelopt.py",
    ),
    Quantization(
        name="int8",
        made="checkpoint",
        stored_as=("compressed-tensors int8",),
        bytes_per_parameter=1.0,
        min_compute_capability=7.5,
        max_compute_capability=9.0,
        source=f"{_SCHEMES}/compressed_tensors_w8a8_int8.py; {_DOCS}/llm_compressor/int8_w8a8.md: not from 10.0",
    ),
    Quantization(
        name="compressed-tensors-int4",
        made="checkpoint",
        stored_as=("compressed-tensors int4",),
        bytes_per_parameter=0.5 + 2 / 128,
        group_bytes=2,
        min_compute_capability=7.5,
        source=f"{_SCHEMES}/compressed_tensors_wNa16.py; groups of 128 values with a scale of 2 bytes",
    ),
    Quantization(
        name="awq",
        made="checkpoint",
        stored_as=("awq int4",),
        bytes_per_parameter=0.5 + 2.5 / 128,
        group_bytes=2.5,
        min_compute_capability=7.5,
        source=f"{_LAYERS}/auto_awq.py; groups of 128 values with a scale of 2 bytes and a zero of 4 bits",
    ),
    Quantization(
        name="gptq",
        made="checkpoint",
        stored_as=("gptq int4",),
        bytes_per_parameter=0.5 + 2.5 / 128,
        group_bytes=2.5,
        min_compute_capability=6.0,
        source=f"{_LAYERS}/auto_gptq.py; 4 bits in groups of 128 values",
    ),
    Quantization(
        name="gptq-int8",
        made="checkpoint",
        stored_as=("gptq int8",),
        bytes_per_parameter=1 + 3 / 128,
        group_bytes=3,
        min_compute_capability=7.5,
        source=f"{_LAYERS}/gptq_marlin.py of 0.20.0: 7.5; 8 bits, groups of 128 values with 3 bytes",
    ),
    Quantization(
        name="mxfp4",
        made="checkpoint",
        stored_as=("mxfp4 float4",),
        bytes_per_parameter=0.5 + 1 / 32,
        min_compute_capability=10.0,
        fallback_capability=8.0,
        covers="experts",
        source=f"{_LAYERS}/mxfp4.py: 8.0; one scale of 1 byte for 32 values",
    ),
    Quantization(
        name="nvfp4",
        made="checkpoint",
        stored_as=("modelopt float4", "compressed-tensors float4"),
        bytes_per_parameter=0.5 + 1 / 16,
        min_compute_capability=10.0,
        fallback_capability=7.5,
        source=f"{_LAYERS}/modelopt.py: 7.5; {_DOCS}/modelopt.md: Marlin without FP4 kernels",
    ),
    Quantization(
        name="bitsandbytes",
        made="load",
        stored_as=("bitsandbytes int4",),
        bytes_per_parameter=0.5 + 4 / 64,
        min_compute_capability=7.0,
        until="0.28.0",
        source=f"{_LAYERS}/bitsandbytes.py of 0.27.1; {_DOCS}/bnb.md: a plugin outside the image since 0.28.0",
    ),
)

QUANTIZATIONS: Mapping[str, Quantization] = MappingProxyType({row.name: row for row in _ROWS})

_FP8_CACHE = 8.0
"""FlashInfer takes an FP8 cache from 8.0 (flashinfer.py); Triton's attention, the choice for older GPUs, from 8.9."""

KV_CACHE_FORMATS: Mapping[str, KvCacheFormat] = MappingProxyType(
    {
        "auto": KvCacheFormat(name="auto", bytes_per_value=None),
        "float16": KvCacheFormat(name="float16", bytes_per_value=2),
        "bfloat16": KvCacheFormat(name="bfloat16", bytes_per_value=2, min_compute_capability=8.0),
        "fp8": KvCacheFormat(name="fp8", bytes_per_value=1, min_compute_capability=_FP8_CACHE),
        "fp8_e4m3": KvCacheFormat(name="fp8_e4m3", bytes_per_value=1, min_compute_capability=_FP8_CACHE),
        "fp8_e5m2": KvCacheFormat(name="fp8_e5m2", bytes_per_value=1, min_compute_capability=_FP8_CACHE),
    }
)

WEIGHT_TYPES: Mapping[str, WeightType] = MappingProxyType(
    {
        "bfloat16": WeightType(name="bfloat16", bytes_per_parameter=2, min_compute_capability=8.0),
        "float16": WeightType(name="float16", bytes_per_parameter=2),
        "float32": WeightType(name="float32", bytes_per_parameter=4),
    }
)
"""Bfloat16 from 8.0: vllm/platforms/cuda.py refuses it on older GPUs."""


def find_quantization(name: str) -> Quantization:
    """Return the format of a name.

    Raises:
        CatalogError: No format has this name.
    """
    if name not in QUANTIZATIONS:
        raise CatalogError(f"unknown quantization {name!r}", suggest(name, QUANTIZATIONS))
    return QUANTIZATIONS[name]
