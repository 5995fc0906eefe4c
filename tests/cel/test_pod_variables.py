"""The variables of the rules about pods."""

from gpu_blueprint.cel.pod_subject import POD
from gpu_blueprint.cel.pod_variables import list_pod_variables

from ..support import builders


def test_the_order_of_a_tenants_grants_does_not_count() -> None:
    """Pulumi's engine sorts the keys of a stack file, so that `pulumi up` sees another order than a preview."""
    pools = [builders.pool(name="b"), builders.pool(name="a", gpu="l40s")]

    def write(*names: str) -> dict[str, str]:
        tenants = [builders.tenant(gpus=dict.fromkeys(names, 1))]
        return dict(list_pod_variables(builders.config(pools=pools, tenants=tenants), POD))

    assert write("a", "b") == write("b", "a")
