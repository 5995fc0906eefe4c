"""A counterexample to each rule of EC2NodeClasses, and values at the limits that must pass."""

from typing import Any

from .nodepool_cases import many, plus, without

_TAGS = {"team": "vision"}
_COMMON: dict[str, Any] = {
    "securityGroupSelectorTerms": [{"tags": _TAGS}, {"id": "sg-1"}, {"name": "nodes"}],
    "subnetSelectorTerms": [{"tags": _TAGS}, {"id": "subnet-1"}],
}

NODE_CLASSES: tuple[dict[str, Any], ...] = (
    {
        **_COMMON,
        "amiFamily": "AL2023",
        "amiSelectorTerms": [{"alias": "al2023@v20260724"}],
        "associatePublicIPAddress": False,
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "deleteOnTermination": True,
                    "encrypted": True,
                    "iops": 16000,
                    "kmsKeyID": "alias/ebs",
                    "snapshotID": "snap-1",
                    "throughput": 1000,
                    "volumeInitializationRate": 100,
                    "volumeSize": "200Gi",
                    "volumeType": "gp3",
                },
                "rootVolume": True,
            }
        ],
        "capacityReservationSelectorTerms": [
            {"tags": _TAGS, "ownerID": "111122223333", "instanceMatchCriteria": "open"},
            {"id": "cr-1"},
        ],
        "connectionTracking": {"tcpEstablishedTimeout": 60, "udpStreamTimeout": 60, "udpTimeout": 30},
        "context": "any",
        "cpuOptions": {"nestedVirtualization": "disabled"},
        "detailedMonitoring": True,
        "instanceStorePolicy": "RAID0",
        "ipPrefixCount": 1,
        "kubelet": {"maxPods": 110},
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "networkInterfaces": [{"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}],
        "placementGroupSelector": {"name": "cluster"},
        "role": "nodes",
        "tags": _TAGS,
        "userData": "text",
    },
    {
        **_COMMON,
        "amiFamily": "Custom",
        "amiSelectorTerms": [
            {"name": "gpu", "owner": "self", "tags": _TAGS},
            {"id": "ami-1"},
            {"ssmParameter": "/my/ami"},
        ],
        "instanceProfile": "nodes",
        "placementGroupSelector": {"id": "pg-1"},
    },
)
"""Valid specs that together have every field."""

_AMIS = "spec.amiSelectorTerms"
_SUBNETS = "spec.subnetSelectorTerms"
_GROUPS = "spec.securityGroupSelectorTerms"
_RESERVATIONS = "spec.capacityReservationSelectorTerms"
_DISKS = "spec.blockDeviceMappings"
_EBS = f"{_DISKS}[].ebs"
_CARDS = "spec.networkInterfaces"
_PRIMARY = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
_FORBIDDEN = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
_OTHER_FAMILY = {
    "al2": "AL2023",
    "al2023": "AL2",
    "bottlerocket": "AL2023",
    "windows2019": "Windows2022",
    "windows2022": "Windows2019",
    "windows2025": "Bottlerocket",
}


def _card(card: int, device: int, kind: str) -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}


def _tags(place: str) -> dict[str, Any]:
    return {
        f"{place} | maxProperties": {f"a{number}": "b" for number in range(21)},
        f"{place} | keys and values not empty": ({"": "a"}, {"a": ""}),
    }


def _numbers(place: str, below: int, above: int) -> dict[str, Any]:
    return {f"{place} | minimum": below, f"{place} | maximum": above}


_AMI_CASES: dict[str, Any] = {
    f"{_AMIS} | minItems": [],
    f"{_AMIS} | maxItems": many({"id": "ami-1"}, 31),
    f"{_AMIS} | says something": ([{}], [{"owner": "self"}]),
    f"{_AMIS} | id alone": [{"id": "ami-1", "name": "gpu"}, {"id": "ami-2"}],
    f"{_AMIS} | alias alone": [{"alias": "al2023@v20260724", "tags": _TAGS}],
    f"{_AMIS} | alias is the only term": [{"alias": "al2023@v20260724"}, {"id": "ami-1"}],
    f"{_AMIS}[].alias | maxLength": f"al2023@v{'1' * 23}",
    f"{_AMIS}[].alias | family@version": ("al2023", "al2023@", "@v1"),
    f"{_AMIS}[].alias | known family": ("ubuntu@v1", "AL2023@v20260724"),
    f"{_AMIS}[].alias | windows only latest": "windows2022@v1",
    f"{_AMIS}[].id | pattern": ("i-1", "AMI-1"),
    **_tags(f"{_AMIS}[].tags"),
}
_TERM_CASES: dict[str, Any] = {
    f"{_SUBNETS} | maxItems": many({"id": "subnet-1"}, 31),
    f"{_SUBNETS} | not empty": [],
    f"{_SUBNETS} | says something": [{}],
    f"{_SUBNETS} | id alone": [{"id": "subnet-1", "tags": _TAGS}],
    f"{_SUBNETS}[].id | pattern": "vpc-1",
    **_tags(f"{_SUBNETS}[].tags"),
    f"{_GROUPS} | maxItems": many({"id": "sg-1"}, 31),
    f"{_GROUPS} | not empty": [],
    f"{_GROUPS} | says something": [{}],
    f"{_GROUPS} | id alone": [{"id": "sg-1", "tags": _TAGS}],
    f"{_GROUPS} | name alone": [{"name": "nodes", "tags": _TAGS}],
    f"{_GROUPS}[].id | pattern": "vpc-1",
    **_tags(f"{_GROUPS}[].tags"),
    f"{_RESERVATIONS} | maxItems": many({"id": "cr-1"}, 31),
    f"{_RESERVATIONS} | says something": ([{}], [{"ownerID": "111122223333"}]),
    f"{_RESERVATIONS} | id alone": ([{"id": "cr-1", "tags": _TAGS}], []),
    f"{_RESERVATIONS}[].id | pattern": ("cr-A", "xcr-1"),
    f"{_RESERVATIONS}[].instanceMatchCriteria | enum": "any",
    f"{_RESERVATIONS}[].ownerID | pattern": "1234",
    **_tags(f"{_RESERVATIONS}[].tags"),
}
_DISK_CASES: dict[str, Any] = {
    f"{_DISKS} | maxItems": many({}, 51),
    f"{_DISKS} | one root volume": many({"rootVolume": True}, 2),
    f"{_EBS} | size or snapshot": {"volumeType": "gp3"},
    f"{_EBS} | rate needs snapshot": (without("snapshotID"), plus(snapshotID="")),
    **_numbers(f"{_EBS}.volumeInitializationRate", 99, 301),
    f"{_EBS}.volumeSize | pattern": ("200", "200GiB", "0Gi", "59001Gi", "64001G", "59Ti", "65T", "1.5Ti", "200gi"),
    f"{_EBS}.volumeType | enum": "gp4",
}
_NODE_CASES: dict[str, Any] = {
    "spec.tags | keys not empty": {"": "a"},
    "spec.tags | not kubernetes.io/cluster": {"kubernetes.io/cluster/mine": "owned"},
    **{f"spec.tags | not {key}": {key: "a"} for key in _FORBIDDEN},
    **_numbers("spec.connectionTracking.tcpEstablishedTimeout", 59, 432001),
    **_numbers("spec.connectionTracking.udpStreamTimeout", 59, 181),
    **_numbers("spec.connectionTracking.udpTimeout", 29, 61),
    "spec.connectionTracking | says something": {},
    "spec.cpuOptions.nestedVirtualization | enum": "on",
    "spec.instanceStorePolicy | enum": "RAID1",
    "spec.ipPrefixCount | minimum": -1,
    "spec.metadataOptions.httpEndpoint | enum": "on",
    "spec.metadataOptions.httpProtocolIPv6 | enum": "on",
    **_numbers("spec.metadataOptions.httpPutResponseHopLimit", 0, 65),
    "spec.metadataOptions.httpTokens | enum": "forbidden",
    f"{_CARDS} | maxItems": [_PRIMARY, *(_card(number, 1, "interface") for number in range(150))],
    f"{_CARDS} | primary interface": [_card(0, 1, "interface")],
    f"{_CARDS} | distinct cards": (many(_PRIMARY, 2), [_PRIMARY, _card(1, 0, "efa-only"), _card(1, 1, "efa-only")]),
    f"{_CARDS}[] | required deviceIndex": without("deviceIndex"),
    f"{_CARDS}[] | required interfaceType": without("interfaceType"),
    f"{_CARDS}[] | required networkCardIndex": without("networkCardIndex"),
    f"{_CARDS}[].deviceIndex | minimum": -1,
    f"{_CARDS}[].networkCardIndex | minimum": -1,
    f"{_CARDS}[].interfaceType | enum": "efa",
    "spec.placementGroupSelector | says something": {},
    "spec.placementGroupSelector | id or name": {"id": "pg-1", "name": "cluster"},
    "spec.placementGroupSelector.id | pattern": "cluster",
    "spec.placementGroupSelector.name | minLength": "",
}

BROKEN_CLASSES: dict[str, Any] = {
    "spec | required amiSelectorTerms": without("amiSelectorTerms"),
    "spec | required securityGroupSelectorTerms": without("securityGroupSelectorTerms"),
    "spec | required subnetSelectorTerms": without("subnetSelectorTerms"),
    "spec | role or instanceProfile": (plus(instanceProfile="nodes"), without("role")),
    "spec | amiFamily without alias": lambda spec: {
        **without("amiFamily")(spec),
        "amiSelectorTerms": [{"id": "ami-1"}],
    },
    **{
        f"spec | amiFamily of {family}": plus(amiFamily=wrong, amiSelectorTerms=[{"alias": f"{family}@latest"}])
        for family, wrong in _OTHER_FAMILY.items()
    },
    "spec.amiFamily | enum": "Ubuntu",
    "spec.role | not empty": "",
    "spec.instanceProfile | not empty": "",
    **_AMI_CASES,
    **_TERM_CASES,
    **_DISK_CASES,
    **_NODE_CASES,
}
"""Rule → a value that breaks the rule, or a function that spoils a valid value; a tuple holds several of them."""

ALLOWED_CLASSES: dict[str, tuple[Any, ...]] = {
    f"{_AMIS}[].alias": (f"al2023@v{'1' * 22}",),
    "spec.amiFamily": ("Custom",),
    _SUBNETS: (many({"id": "subnet-1"}, 30), [{"id": "subnet-1", "tags": _TAGS}, {"id": "subnet-2"}]),
    f"{_EBS}.volumeSize": ("1Gi", "59000Gi", "64000G", "58Ti", "64T", "16384Gi"),
    f"{_EBS}.volumeInitializationRate": (100, 300),
    "spec.metadataOptions.httpPutResponseHopLimit": (1, 64),
    "spec.connectionTracking.udpStreamTimeout": (60, 180),
    "spec.tags": ({}, {"eks:cluster-name": "mine"}, {f"a{number}": "" for number in range(40)}),
    _CARDS: ([], [_PRIMARY, _card(1, 0, "efa-only"), _card(2, 0, "efa-only")]),
    _DISKS: ([], many({"deviceName": "/dev/xvda"}, 50)),
}
"""Place → values at the limits of the rules."""
