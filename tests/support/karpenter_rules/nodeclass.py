"""The rules of ``EC2NodeClass.spec`` (karpenter.k8s.aws/v1)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from .shapes import Fields, Flag, Free, Items, Map, Number, Shape, Tests, Text

_FAMILIES = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}
"""Family in an alias → the one ``amiFamily``, besides Custom, that fits the alias."""
_WINDOWS = ("windows2019", "windows2022", "windows2025")

_ON_OFF = ("enabled", "disabled")
_ANY = r"(?s:.*)"
_TAG_TESTS: Tests = {"keys and values not empty": lambda tags: all(key and value for key, value in tags.items())}
_TAGS = Map(of=Text(), most=20, tests=_TAG_TESTS)
_NOT_EMPTY: Tests = {"not empty": bool}

Term = Mapping[str, Any]


def _each_has(*names: str) -> Callable[[list[Term]], bool]:
    """Return a test: every term has at least one of these keys."""
    return lambda terms: all(set(names) & set(term) for term in terms)


def _not_all_have(name: str, *others: str) -> Callable[[list[Term]], bool]:
    """Return a test: at least one term does not combine the name with another key.

    The CRD accepts a list if one of its terms is right, and refuses an empty list.
    """
    return lambda terms: not all(name in term and set(others) & set(term) for term in terms)


def _none_has(name: str, *others: str) -> Callable[[list[Term]], bool]:
    """Return a test: no term combines the name with another key."""
    return lambda terms: not any(name in term and set(others) & set(term) for term in terms)


def _family(alias: str) -> str:
    return alias.split("@")[0]


_ALIAS = Text(
    longest=30,
    tests={
        "family@version": lambda alias: bool(re.fullmatch(r"[a-zA-Z0-9]+@.+", alias)),
        "known family": lambda alias: _family(alias) in _FAMILIES,
        "windows only latest": lambda alias: _family(alias) not in _WINDOWS or alias.split("@")[1:2] == ["latest"],
    },
)
_AMI_TERMS = Items(
    of=Fields(
        fields={
            "alias": _ALIAS,
            "id": Text(pattern=rf"{_ANY}ami-[0-9a-z]+{_ANY}"),
            "name": Text(),
            "owner": Text(),
            "ssmParameter": Text(),
            "tags": _TAGS,
        }
    ),
    least=1,
    most=30,
    tests={
        "says something": _each_has("tags", "id", "name", "alias", "ssmParameter"),
        "id alone": _none_has("id", "alias", "tags", "name", "owner"),
        "alias alone": _none_has("alias", "id", "tags", "name", "owner"),
        "alias is the only term": lambda terms: len(terms) == 1 or not any("alias" in term for term in terms),
    },
)
_SUBNET_TERMS = Items(
    of=Fields(fields={"id": Text(pattern=rf"{_ANY}subnet-[0-9a-z]+{_ANY}"), "tags": _TAGS}),
    most=30,
    tests={"not empty": bool, "says something": _each_has("tags", "id"), "id alone": _not_all_have("id", "tags")},
)
_GROUP_TERMS = Items(
    of=Fields(fields={"id": Text(pattern=rf"{_ANY}sg-[0-9a-z]+{_ANY}"), "name": Text(), "tags": _TAGS}),
    most=30,
    tests={
        "not empty": bool,
        "says something": _each_has("tags", "id", "name"),
        "id alone": _not_all_have("id", "tags", "name"),
        "name alone": _not_all_have("name", "tags", "id"),
    },
)
_RESERVATION_TERMS = Items(
    of=Fields(
        fields={
            "id": Text(pattern=r"cr-[0-9a-z]+"),
            "instanceMatchCriteria": Text(choices=("open", "targeted")),
            "ownerID": Text(pattern=r"[0-9]{12}"),
            "tags": _TAGS,
        }
    ),
    most=30,
    tests={
        "says something": _each_has("tags", "id", "instanceMatchCriteria"),
        "id alone": _not_all_have("id", "tags", "ownerID", "instanceMatchCriteria"),
    },
)
_EBS = Fields(
    fields={
        "deleteOnTermination": Flag(),
        "encrypted": Flag(),
        "iops": Number(),
        "kmsKeyID": Text(),
        "snapshotID": Text(),
        "throughput": Number(),
        "volumeInitializationRate": Number(least=100, most=300),
        # Up to 59000 Gi, 64000 G, 58 Ti or 64 T; a two-digit Ti must end in 0 to 7.
        "volumeSize": Text(
            pattern=r"([1-9]\d{0,3}|[1-4]\d{4}|5[0-8]\d{3}|59000)Gi|([1-9]\d{0,3}|[1-5]\d{4}|6[0-3]\d{3}|64000)G"
            r"|([1-9]?|[1-5][0-7]|58)Ti|([1-9]?|[1-5]\d|6[0-4])T"
        ),
        "volumeType": Text(choices=("standard", "io1", "io2", "gp2", "sc1", "st1", "gp3")),
    },
    tests={
        "size or snapshot": lambda ebs: "snapshotID" in ebs or "volumeSize" in ebs,
        "rate needs snapshot": lambda ebs: "volumeInitializationRate" not in ebs or bool(ebs.get("snapshotID")),
    },
)
_DISKS = Items(
    of=Fields(fields={"deviceName": Text(), "ebs": _EBS, "rootVolume": Flag()}),
    most=50,
    tests={"one root volume": lambda disks: sum(disk.get("rootVolume", False) for disk in disks) <= 1},
)


def _primary(cards: list[Term]) -> bool:
    wanted = {"deviceIndex": 0, "networkCardIndex": 0, "interfaceType": "interface"}
    return not cards or any(card == wanted for card in cards)


def _distinct_cards(cards: list[Term]) -> bool:
    places = Counter((card["networkCardIndex"], card["deviceIndex"]) for card in cards)
    efa = Counter(card["networkCardIndex"] for card in cards if card["interfaceType"] == "efa-only")
    return all(count == 1 for count in (*places.values(), *efa.values()))


_CARDS = Items(
    of=Fields(
        fields={
            "deviceIndex": Number(least=0),
            "interfaceType": Text(choices=("interface", "efa-only")),
            "networkCardIndex": Number(least=0),
        },
        required=("deviceIndex", "interfaceType", "networkCardIndex"),
    ),
    most=150,
    tests={"primary interface": _primary, "distinct cards": _distinct_cards},
)
_CONNECTIONS = Fields(
    fields={
        "tcpEstablishedTimeout": Number(least=60, most=432000),
        "udpStreamTimeout": Number(least=60, most=180),
        "udpTimeout": Number(least=30, most=60),
    },
    tests={"says something": bool},
)
_METADATA_OPTIONS = Fields(
    fields={
        "httpEndpoint": Text(choices=_ON_OFF),
        "httpProtocolIPv6": Text(choices=_ON_OFF),
        "httpPutResponseHopLimit": Number(least=1, most=64),
        "httpTokens": Text(choices=("required", "optional")),
    }
)
_PLACEMENT = Fields(
    fields={"id": Text(pattern=r"pg-[0-9a-z]+"), "name": Text(shortest=1)},
    tests={"says something": bool, "id or name": lambda group: len(group) < 2},
)


def _no_tag(*forbidden: str, prefix: str = "\0") -> Callable[[Mapping[str, str]], bool]:
    return lambda tags: not any(key in forbidden or key.startswith(prefix) for key in tags)


_NODE_TAGS = Map(
    of=Text(),
    tests={
        "keys not empty": _no_tag(""),
        "not eks:eks-cluster-name": _no_tag("eks:eks-cluster-name"),
        "not kubernetes.io/cluster": _no_tag(prefix="kubernetes.io/cluster"),
        "not karpenter.sh/nodepool": _no_tag("karpenter.sh/nodepool"),
        "not karpenter.sh/nodeclaim": _no_tag("karpenter.sh/nodeclaim"),
        "not karpenter.k8s.aws/ec2nodeclass": _no_tag("karpenter.k8s.aws/ec2nodeclass"),
    },
)


def _matches(family: str, ami_family: str) -> Callable[[Mapping[str, Any]], bool]:
    def keeps(spec: Mapping[str, Any]) -> bool:
        of_family = any(_family(term.get("alias", "")) == family for term in spec["amiSelectorTerms"])
        return not of_family or spec.get("amiFamily", "Custom") in ("Custom", ami_family)

    return keeps


_SPEC: Mapping[str, Shape] = {
    "amiFamily": Text(choices=(*_FAMILIES.values(), "Custom")),
    "amiSelectorTerms": _AMI_TERMS,
    "associatePublicIPAddress": Flag(),
    "blockDeviceMappings": _DISKS,
    "capacityReservationSelectorTerms": _RESERVATION_TERMS,
    "connectionTracking": _CONNECTIONS,
    "context": Text(),
    "cpuOptions": Fields(fields={"nestedVirtualization": Text(choices=_ON_OFF)}),
    "detailedMonitoring": Flag(),
    "instanceProfile": Text(tests=_NOT_EMPTY),
    "instanceStorePolicy": Text(choices=("RAID0",)),
    "ipPrefixCount": Number(least=0),
    "kubelet": Free(),
    "metadataOptions": _METADATA_OPTIONS,
    "networkInterfaces": _CARDS,
    "placementGroupSelector": _PLACEMENT,
    "role": Text(tests=_NOT_EMPTY),
    "securityGroupSelectorTerms": _GROUP_TERMS,
    "subnetSelectorTerms": _SUBNET_TERMS,
    "tags": _NODE_TAGS,
    "userData": Text(),
}
EC2_NODE_CLASS = Fields(
    fields=_SPEC,
    required=("amiSelectorTerms", "securityGroupSelectorTerms", "subnetSelectorTerms"),
    tests={
        "role or instanceProfile": lambda spec: ("role" in spec) != ("instanceProfile" in spec),
        **{f"amiFamily of {family}": _matches(family, name) for family, name in _FAMILIES.items()},
        "amiFamily without alias": lambda spec: (
            "amiFamily" in spec or any("alias" in term for term in spec["amiSelectorTerms"])
        ),
    },
)
