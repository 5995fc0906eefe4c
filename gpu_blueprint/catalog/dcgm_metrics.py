"""Our own list of the metrics that dcgm-exporter exports; its default list has neither SM activity nor Xid counts.

Sources: dcgm-exporter 4.8.3 README ("Changing Metrics", "Cumulative XID and clock event counters") and
etc/default-counters.csv; DCGM field identifiers. A help text must not have a comma, since the exporter splits lines at
commas. The exporter leaves out fields that a GPU does not have. Read 2026-11-21.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ..records import Record


class DcgmField(Record):
    """One line of the exporter's list, and its use."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    why: str


DCGM_FIELDS = (
    DcgmField(
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "gauge",
        "Share of time in which the engine was busy.",
        "idle GPUs and idle MIG instances; GPU_UTIL has no value for a MIG instance",
    ),
    DcgmField(
        "DCGM_FI_PROF_SM_ACTIVE", "gauge", "Share of cycles in which an SM had a warp.", "the active part of a busy GPU"
    ),
    DcgmField(
        "DCGM_FI_PROF_SM_OCCUPANCY",
        "gauge",
        "Resident warps beside the most there can be.",
        "batches that are too small",
    ),
    DcgmField(
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "gauge",
        "Share of cycles in which the tensor pipe was busy.",
        "models that miss the tensor cores",
    ),
    DcgmField(
        "DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Share of cycles in which memory moved data.", "models bound by memory"
    ),
    DcgmField(
        "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
        "gauge",
        "NVLink bandwidth over all lanes (MB/s).",
        "training that waits for other GPUs",
    ),
    DcgmField(
        "DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (MiB).", "GPUs for which a smaller slice is enough"
    ),
    DcgmField("DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (MiB).", "pods about to run out of memory"),
    DcgmField("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (W).", "the real load of a GPU"),
    DcgmField("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (C).", "heat before the GPU throttles"),
    DcgmField(
        "DCGM_EXP_CLOCK_EVENTS_COUNT", "gauge", "Clock events by reason within the window.", "throttling, by reason"
    ),
    DcgmField(
        "DCGM_EXP_XID_ERRORS_COUNT",
        "gauge",
        "Xid errors by code within the window.",
        "faults; the Xid field itself keeps the last code forever",
    ),
    DcgmField(
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        "counter",
        "Double-bit ECC errors since the driver was loaded.",
        "faulty memory",
    ),
    DcgmField(
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "counter",
        "Rows remapped after uncorrectable errors.",
        "memory that wears out",
    ),
    DcgmField(
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "counter",
        "Rows remapped after correctable errors.",
        "worn memory, at an earlier stage",
    ),
    DcgmField("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed.", "GPUs to send back"),
    DcgmField(
        "DCGM_FI_DEV_ROW_REMAP_PENDING",
        "gauge",
        "Whether rows wait for a reset to be remapped.",
        "nodes to replace soon",
    ),
)

FATAL_XIDS: Mapping[int, str] = MappingProxyType(
    {
        46: "the GPU stopped processing",
        48: "uncorrectable memory error",
        62: "its microcontroller halted",
        64: "a memory row could not be remapped",
        74: "NVLink error",
        79: "the GPU has fallen off the bus",
        95: "uncontained memory error",
        109: "a change of context timed out",
        110: "security fault",
        119: "its system processor does not answer",
        120: "its system processor failed",
        136: "an NVLink could not be trained",
        140: "unrecovered memory error",
        143: "the GPU could not be initialised",
        158: "fatal timeout",
    }
)
"""Xid errors after which a GPU is useless until it is reset or its node is replaced.

NVIDIA's immediate action for these errors is to reset the GPU, to restart the machine, or to follow the workflow for 48
or for NVLink. The table omits 155 and 156, because intended link changes and rows that wait for a reset raise them too;
13, 31, 43 and 45, because programs cause them; 63, 92 and 94, because they need no immediate reset. Source: NVIDIA,
Analyzing Xid Errors with the Xid Catalog, table 1 (A100 to GB200).
"""


def render_dcgm_csv() -> str:
    """Return the exporter's list as CSV, with exactly three fields in each line."""
    return "".join(f"{field.name}, {field.kind}, {field.help}\n" for field in DCGM_FIELDS)
