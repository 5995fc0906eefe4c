"""Cases of the rules about node classes and launch templates."""

from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_NAME = "infer-l40s-node-class"
_TEMPLATE = "gpu-prod-system-template"
_TERMS, _OPTIONS, _DISKS = ("amiSelectorTerms",), ("metadataOptions",), ("blockDeviceMappings",)
_EBS = (*_DISKS, 0, "ebs")


def _class(path: tuple[str | int, ...], value: Any) -> Build:
    return with_value("prod", "EC2NodeClass", "infer-l40s", ("spec", *path), value)


def _template(path: tuple[str | int, ...], value: Any) -> Build:
    return with_value("prod", "LaunchTemplate", "system", path, value)


def _theirs(**spec: Any) -> Build:
    return program(resource("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "theirs", {"spec": spec}))


def _terms(**term: Any) -> Build:
    return _theirs(amiSelectorTerms=[term])


def _launch(**inputs: Any) -> Build:
    return program(resource("aws:ec2/launchTemplate:LaunchTemplate", "theirs", inputs))


PINNED = cases_of(
    "ami-pinned",
    passes("releases", shipped_stack("prod")),
    passes(
        "a release of a family that is not in the catalogue",
        _theirs(amiSelectorTerms=[{"alias": "windows2022@v1.0.0"}]),
    ),
    passes("an AMI by its id", _theirs(amiSelectorTerms=[{"id": "ami-0123456789abcdef0"}])),
    passes("an AMI by its id, with a tag for people", _terms(id="ami-0123456789abcdef0", tags={"approved": "yes"})),
    passes(
        "an AMI by its whole name", _terms(name="amazon-eks-node-al2023-x86_64-nvidia-1.36-v20260724", owner="amazon")
    ),
    passes(
        "the SSM parameter of one release",
        _terms(ssmParameter="/aws/service/bottlerocket/aws-k8s-1.36-nvidia/x86_64/1.66.0/image_id"),
    ),
    passes("no terms", _theirs()),
    fails("tags", _terms(tags={"team": "ml"}), "theirs", words="tags"),
    fails("a name with a question mark", _terms(name="ours-v?"), "theirs"),
    fails(
        "the SSM parameter of the latest release",
        _terms(ssmParameter="/aws/service/bottlerocket/aws-k8s-1.36-nvidia/x86_64/latest/image_id"),
        "theirs",
    ),
    fails("latest", _class((*_TERMS, 0, "alias"), "al2023@latest"), _NAME, words="al2023@latest"),
    fails(
        "latest of a family that is not in the catalogue",
        _theirs(amiSelectorTerms=[{"alias": "windows2022@latest"}]),
        "theirs",
    ),
    fails("no version", _class((*_TERMS, 0, "alias"), "al2023"), _NAME),
    fails("an incomplete version", _class((*_TERMS, 0, "alias"), "bottlerocket@v1.66"), _NAME),
    fails("a release beside latest", _class((*_TERMS, 1), {"alias": "al2023@latest"}), _NAME),
    fails("a name with a pattern", _theirs(amiSelectorTerms=[{"name": "amazon-eks-node-al2023-*"}]), "theirs"),
    fails(
        "the SSM parameter that AWS moves",
        _theirs(amiSelectorTerms=[{"ssmParameter": "/aws/service/eks/optimized-ami/1.36/recommended"}]),
        "theirs",
    ),
    undecided("terms not known", _class(_TERMS, UNKNOWN), _NAME),
    undecided("an alias not known", _class((*_TERMS, 0, "alias"), UNKNOWN), _NAME),
)

LOCKED = cases_of(
    "imds-locked",
    passes("locked", shipped_stack("prod")),
    passes("Karpenter's defaults, which lock it", _theirs()),
    fails(
        "a launch template without hop limit, which the AMI then decides",
        _launch(metadataOptions={"httpTokens": "required"}),
        "theirs",
    ),
    passes(
        "a launch template with the limit as text",
        _launch(metadataOptions={"httpTokens": "required", "httpPutResponseHopLimit": "1"}),
    ),
    fails("tokens optional", _class((*_OPTIONS, "httpTokens"), "optional"), _NAME),
    fails("two hops", _class((*_OPTIONS, "httpPutResponseHopLimit"), 2), _NAME),
    fails("tokens optional in a launch template", _template((*_OPTIONS, "httpTokens"), "optional"), _TEMPLATE),
    fails("two hops in a launch template", _template((*_OPTIONS, "httpPutResponseHopLimit"), 2), _TEMPLATE),
    fails("a launch template without options, for which EC2 requires no token", _template(_OPTIONS, GONE), _TEMPLATE),
    passes(
        "the hop limit given, tokens left to Karpenter, which requires them",
        _theirs(metadataOptions={"httpPutResponseHopLimit": 1}),
    ),
    undecided("options not known", _class(_OPTIONS, UNKNOWN), _NAME),
    undecided("tokens not known", _class((*_OPTIONS, "httpTokens"), UNKNOWN), _NAME),
    undecided("hops not known", _class((*_OPTIONS, "httpPutResponseHopLimit"), UNKNOWN), _NAME),
)

ENCRYPTED = cases_of(
    "volumes-encrypted",
    passes("encrypted", shipped_stack("prod")),
    passes("Karpenter's default volume, which is encrypted", _theirs()),
    passes("a launch template without volumes", _launch()),
    fails("not encrypted", _class((*_EBS, "encrypted"), False), _NAME, words="/dev/xvda"),
    fails("not set", _class((*_EBS, "encrypted"), GONE), _NAME),
    fails("not encrypted in a launch template", _template((*_EBS, "encrypted"), "false"), _TEMPLATE),
    fails(
        "a second volume",
        _class((*_DISKS, 1), {"deviceName": "/dev/xvdz", "ebs": {"volumeSize": "1Gi"}}),
        _NAME,
        words="/dev/xvdz",
    ),
    passes(
        "an instance store mapped in a launch template",
        _launch(blockDeviceMappings=[{"deviceName": "/dev/sdb", "virtualName": "ephemeral0"}]),
    ),
    undecided("volumes not known", _class(_DISKS, UNKNOWN), _NAME),
    undecided("whether it is encrypted is not known", _class((*_EBS, "encrypted"), UNKNOWN), _NAME),
)


def _sized(*sizes: Any, **spec: Any) -> Build:
    return _theirs(
        blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": size}} for size in sizes], **spec
    )


def _family(alias: str, **sizes: str) -> Build:
    mappings = [{"deviceName": f"/dev/{device}", "ebs": {"volumeSize": size}} for device, size in sizes.items()]
    return _theirs(amiSelectorTerms=[{"alias": alias}], blockDeviceMappings=mappings)


LARGE = cases_of(
    "disk-large-enough",
    passes("large disks", shipped_stack("dev")),
    passes("just large enough", _sized("100Gi")),
    passes("a small volume for the system beside a large one", _sized("4Gi", "200Gi")),
    passes("a large data volume of Bottlerocket", _family("bottlerocket@v1.66.0", xvda="4Gi", xvdb="200Gi")),
    fails(
        "a large system volume of Bottlerocket, which holds no images",
        _family("bottlerocket@v1.66.0", xvda="200Gi", xvdb="20Gi"),
        "theirs",
    ),
    fails(
        "a large volume of AL2023 that holds no images",
        _family("al2023@v20260724", xvda="20Gi", xvdz="500Gi"),
        "theirs",
    ),
    fails(
        "no volume of the device that holds images",
        _family("al2023@v20260724", xvdz="500Gi"),
        "theirs",
        words="has 20 GiB",
    ),
    passes(
        "the volume that is marked as root volume",
        _theirs(
            amiSelectorTerms=[{"alias": "al2023@v20260724"}],
            blockDeviceMappings=[{"deviceName": "/dev/xvdz", "rootVolume": True, "ebs": {"volumeSize": "500Gi"}}],
        ),
    ),
    fails(
        "a large volume beside the small root volume",
        _theirs(
            blockDeviceMappings=[
                {"deviceName": "/dev/xvda", "rootVolume": True, "ebs": {"volumeSize": "20Gi"}},
                {"deviceName": "/dev/xvdb", "ebs": {"volumeSize": "500Gi"}},
            ]
        ),
        "theirs",
    ),
    fails(
        "a family that amiFamily names",
        _theirs(
            amiFamily="Bottlerocket",
            amiSelectorTerms=UNKNOWN,
            blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "500Gi"}}],
        ),
        "theirs",
    ),
    undecided("the family not known", _sized("500Gi", amiSelectorTerms=UNKNOWN), "theirs"),
    passes("images by id", _sized("500Gi", amiSelectorTerms=[{"id": "ami-0123456789abcdef0"}])),
    passes("larger than the environment demands", _sized("50Gi"), minimumGib=50),
    passes("a tebibyte", _sized("1Ti")),
    passes("a terabyte", _sized("1T")),
    passes("local NVMe", _sized("20Gi", instanceStorePolicy="RAID0")),
    fails(
        "too small",
        with_value(
            _class((*_EBS, "volumeSize"), "50Gi"), "EC2NodeClass", "infer-l40s", ("spec", "instanceStorePolicy"), GONE
        ),
        _NAME,
        words="has 50 GiB",
    ),
    fails("just too small", _sized("99Gi"), "theirs"),
    fails("smaller than the environment demands", _sized("200Gi"), "theirs", minimumGib=201),
    fails("Karpenter's default volume", _theirs(), "theirs", words="has 20 GiB"),
    fails("a volume without size", _theirs(blockDeviceMappings=[{"ebs": {"encrypted": True}}]), "theirs"),
    fails("a mapping without volume", _theirs(blockDeviceMappings=[{"deviceName": "/dev/xvda"}]), "theirs"),
    fails("an empty size", _sized(""), "theirs"),
    undecided("volumes not known", _theirs(blockDeviceMappings=UNKNOWN), "theirs"),
    undecided("the policy of local NVMe not known", _sized("20Gi", instanceStorePolicy=UNKNOWN), "theirs"),
    undecided("the size not known", _sized(UNKNOWN), "theirs"),
)

CASES = (*PINNED, *LOCKED, *ENCRYPTED, *LARGE)
