"""The rules of ``NodeOverlay.spec`` (karpenter.sh/v1alpha1)."""

from gpu_blueprint.records import replace

from .nodepool import OVERLAY_KEY_TESTS, REQUIREMENT, compares_one_number, with_values
from .shapes import Fields, Items, Map, Number, Quantity, Text

_RESTRICTED = {"cpu", "memory", "ephemeral-storage", "pods"}

NODE_OVERLAY = Fields(
    fields={
        "capacity": Map(of=Quantity(), tests={"extended resources only": lambda names: not _RESTRICTED & set(names)}),
        "price": Text(pattern=r"\d+(\.\d+)?"),
        "priceAdjustment": Text(pattern=r"[+-]\d*\.?\d+|\+\d*\.?\d+%|-\d{1,2}(\.\d+)?%|-100%"),
        "requirements": Items(
            of=Fields(
                fields={**REQUIREMENT, "key": replace(REQUIREMENT["key"], tests=OVERLAY_KEY_TESTS)},
                required=("key", "operator"),
            ),
            most=100,
            tests={
                "In has values": with_values("In"),
                "NotIn has values": with_values("NotIn"),
                "comparison has one number": compares_one_number,
            },
        ),
        "weight": Number(least=1, most=10000),
    },
    required=("requirements",),
    tests={"one price": lambda spec: not {"price", "priceAdjustment"} <= set(spec)},
)
