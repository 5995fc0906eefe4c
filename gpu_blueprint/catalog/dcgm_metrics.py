"""The metrics of dcgm-exporter, from dcgm_metrics.csv, and the Xid errors after which a GPU is useless."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ..records import Record
from .table import read_table


class DcgmField(Record):
    """One line of the exporter's list, and its use."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    why: str


METRIC_FILE = "dcgm-metrics.csv"
"""Key of a ConfigMap with such a list, as the GPU Operator expects it."""
DCGM_FIELDS = tuple(read_table("dcgm_metrics.csv", DcgmField))

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
"""Xid errors after which a GPU is useless until a reset or until its node is replaced.

NVIDIA's immediate action for these errors is to reset the GPU, to restart the machine, or to follow the workflow for 48
or for NVLink. The table omits 155 and 156, because intended link changes and rows that wait for a reset raise them too;
13, 31, 43 and 45, because programs cause them; 63, 92 and 94, because they need no immediate reset. Source: NVIDIA,
Analyzing Xid Errors with the Xid Catalog, table 1 (A100 to GB200).
"""


def render_dcgm_csv() -> str:
    """Return the exporter's list as CSV, with exactly three fields in each line."""
    return "".join(f"{field.name}, {field.kind}, {field.help}\n" for field in DCGM_FIELDS)
