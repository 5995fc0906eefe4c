"""The traffic that tenants may have, in the words of docs/tenancy.md."""

from gpu_blueprint.tenancy.traffic import (
    find_api_address,
    find_dns_address,
    list_holdings,
    list_passages,
    list_vpc_blocks,
)

from ..support import builders


def test_the_address_of_the_kubernetes_api_is_the_first_of_services() -> None:
    config = builders.config(cluster=builders.cluster(serviceCidr="10.100.64.0/20"))
    assert find_api_address(config) == "10.100.64.1/32"


def test_the_address_of_names_is_the_tenth_of_services() -> None:
    config = builders.config(cluster=builders.cluster(serviceCidr="10.100.64.0/20"))
    assert find_dns_address(config) == "10.100.64.10"


def test_a_new_vpc_is_one_block() -> None:
    assert list_vpc_blocks(builders.config()) == ["10.40.0.0/16"]


def test_a_passage_exists_only_where_the_stack_asks_for_it() -> None:
    config = builders.config(tenants=[builders.tenant(httpsOut=False)])
    usual = {"same-namespace", "dns", "pod-identity", "vpc-https"}
    assert {passage.name for passage in list_passages(config, config.tenants[0])} == usual
    wide = builders.config(tenants=[builders.tenant(loadBalancers=2)], **builders.monitoring())
    assert {passage.name for passage in list_passages(wide, wide.tenants[0])} - usual == {
        "https-out",
        "scrapes",
        "load-balancers",
    }


def test_the_page_names_each_policy_once_and_nothing_without_tenants() -> None:
    two = [builders.tenant(), builders.tenant(name="other", gpus={}, httpsOut=False)]
    names = [holding.name for holding in list_holdings(builders.config(tenants=two))]
    assert len(names) == len(set(names)) and "NetworkPolicy gpu-blueprint-https-out" in names
    assert list(list_holdings(builders.config(tenants=[]))) == []
