"""Names that two parts of a stack share."""

from ..support import builders


def test_a_tenant_named_like_a_pool_is_refused() -> None:
    found = builders.problems(tenants=[builders.tenant(name="main")])
    assert found == [
        "tenants.0.name: 'main' is already the name of pools.0; "
        "choose another name; a name means one pool, tenant or service of a stack"
    ]


def test_a_service_named_like_its_tenant_is_refused() -> None:
    fields = builders.services(builders.service(name="team"))
    assert [line.split(";")[0] for line in builders.problems(**fields)] == [
        "services.0.name: 'team' is already the name of tenants.0"
    ]
