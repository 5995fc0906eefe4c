"""Further cases of the rule about machines of other clusters."""

from typing import Any

from policies import UNKNOWN

from .iam_reach import allows, refuses
from .stacks import Build, cases_of, passes, undecided

_EC2 = "arn:aws:ec2:us-east-1:111122223333"

_MACHINE_ACTIONS = (
    *("RunInstances", "CreateFleet", "RequestSpotInstances", "RequestSpotFleet"),
    *("CreateLaunchTemplate", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate"),
    *("TerminateInstances", "StopInstances", "RebootInstances", "DeleteFleets", "DeleteLaunchTemplate"),
    *("CreateTags", "DeleteTags"),
)
_TAKEOVERS = (
    *("ec2:ModifyInstanceAttribute", "ec2:ModifyInstanceMetadataOptions", "ec2:CreateReplaceRootVolumeTask"),
    *("ec2:AssociateIamInstanceProfile", "ec2:ReplaceIamInstanceProfileAssociation"),
    *("ec2:DisassociateIamInstanceProfile", "ec2:SendSpotInstanceInterruptions", "ec2:SendDiagnosticInterrupt"),
    *("ssm:SendCommand", "ssm:StartSession", "ssm:CreateAssociation", "ssm:CreateAssociationBatch"),
    *("ec2-instance-connect:SendSSHPublicKey", "ec2-instance-connect:SendSerialConsoleSSHPublicKey"),
)
"""Actions that take over a machine that exists, or end it."""
_MACHINES = ("instance", "fleet", "launch-template", "spot-instances-request", "spot-fleet-request")
_OTHERS = ("volume", "snapshot", "network-interface", "image", "subnet", "security-group")


def _tags(resources: Any, **condition: Any) -> Build:
    return allows(Action="ec2:CreateTags", Resource=resources, Condition=condition)


def _at_creation(*actions: str, operator: str = "StringEquals") -> Build:
    return _tags("arn:aws:ec2:*:*:*/*", **{operator: {"ec2:CreateAction": list(actions)}})


CASES = cases_of(
    "launch-scoped",
    *(
        refuses(f"{action} on everything", allows(Action=f"ec2:{action}", Resource="*"), f"allows ec2:{action} on")
        for action in _MACHINE_ACTIONS
    ),
    *(
        refuses(f"{action} on every machine", allows(Action=action, Resource=resources), f"allows {action} on")
        for action in _TAKEOVERS
        for resources in (["arn:aws:ssm:*:*:document/*", "arn:aws:ec2:*:*:instance/*"],)
    ),
    refuses("commands by a wildcard", allows(Action="ssm:*", Resource="*"), "allows ssm:SendCommand, "),
    passes(
        "commands on machines of the cluster",
        allows(
            Action="ssm:SendCommand",
            Resource="arn:aws:ec2:*:*:instance/*",
            Condition={"StringEquals": {"ssm:resourceTag/team": "ml"}},
        ),
    ),
    passes("a document for commands", allows(Action="ssm:SendCommand", Resource="arn:aws:ssm:*:*:document/Ours")),
    passes("a session that one has begun", allows(Action="ssm:StartSession", Resource="arn:aws:ssm:*:*:session/me-*")),
    passes("one machine's keys", allows(Action=_TAKEOVERS[-2], Resource="arn:aws:ec2:*:*:instance/i-0a1b2c3d")),
    passes(
        "what agents of a machine do",
        allows(Action=["ssm:UpdateInstanceInformation", "ec2messages:SendReply"], Resource="*"),
    ),
    passes(
        "what network and storage drivers do",
        allows(
            Action=["ec2:AttachNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute", "ec2:AttachVolume"],
            Resource="*",
        ),
    ),
    *(refuses(f"tags on every {type_}", _tags([f"{_EC2}:volume/*", f"{_EC2}:{type_}/*"])) for type_ in _MACHINES),
    *(passes(f"tags on every {type_}", _tags(f"arn:aws:ec2:*:*:{type_}/*")) for type_ in _OTHERS),
    passes("tags of the VPC CNI", _tags(["arn:aws:ec2:*:*:network-interface/*"])),
    passes(
        "tags of the EBS driver",
        _tags(
            ["arn:aws:ec2:*:*:volume/*", "arn:aws:ec2:*:*:snapshot/*"],
            StringEquals={"ec2:CreateAction": ["CreateVolume", "CreateSnapshot"]},
        ),
    ),
    passes("untagging of volumes", allows(Action="ec2:DeleteTags", Resource=f"{_EC2}:volume/*")),
    passes(
        "tags of what is made, except machines",
        _at_creation("CreateVolume", "CreateSnapshot", "CreateNetworkInterface"),
    ),
    passes(
        "tags of volumes that are made, in small letters", _tags("*", StringEquals={"EC2:createaction": "CreateVolume"})
    ),
    *(
        refuses(f"tags of what {action} makes", _at_creation("CreateVolume", action))
        for action in ("RunInstances", "CreateFleet", "CreateLaunchTemplate", "RequestSpotInstances")
    ),
    refuses("tags of what any action makes", _at_creation("*", operator="StringLike")),
    refuses("tags of what a similar action makes", _at_creation("Create*", operator="StringLike")),
    refuses("tags of what other actions make", _at_creation("CreateVolume", operator="StringNotEquals")),
    refuses("tags with or without an action", _at_creation("CreateVolume", operator="StringEqualsIfExists")),
    refuses("tags on a volume or not", _at_creation("CreateVolume", operator="ForAllValues:StringEquals")),
    refuses("tags on everything with another condition", _tags("*", StringEquals={"ec2:Owner": "CreateVolume"})),
    refuses(
        "an end at the creation of volumes",
        allows(
            Action=["ec2:CreateTags", "ec2:StopInstances"],
            Resource="*",
            Condition={"StringEquals": {"ec2:CreateAction": "CreateVolume"}},
        ),
        "allows ec2:StopInstances on",
    ),
    passes("one machine", allows(Action="ec2:TerminateInstances", Resource="arn:aws:ec2:*:*:instance/i-0a1b2c3d")),
    passes(
        "machines of a tag",
        allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringEquals": {"ec2:ResourceTag/eks:cluster-name": "theirs"}},
        ),
    ),
    refuses(
        "machines of any tag",
        allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"}},
        ),
    ),
    refuses(
        "machines with or without a tag",
        allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringEqualsIfExists": {"aws:ResourceTag/kubernetes.io/cluster/theirs": "owned"}},
        ),
    ),
    refuses(
        "machines that carry tags",
        allows(Action="ec2:TerminateInstances", Resource="*", Condition={"Null": {"aws:ResourceTag/team": "false"}}),
    ),
    refuses(
        "machines whose every tag fits",
        allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"ForAllValues:StringEquals": {"aws:ResourceTag/team": "ml"}},
        ),
    ),
    refuses(
        "holders with a tag",
        allows(
            Action="ec2:TerminateInstances", Resource="*", Condition={"StringEquals": {"aws:PrincipalTag/team": "ml"}}
        ),
    ),
    refuses("every action except those of IAM", allows(NotAction="iam:*", Resource="*"), "ec2:RunInstances"),
    passes("a picture with a condition not known", allows(Action="ec2:CreateImage", Resource="*", Condition=UNKNOWN)),
    undecided("a machine not known", allows(Action="ec2:StopInstances", Resource=UNKNOWN)),
    undecided("a condition not known", _tags("*", StringEquals={"ec2:CreateAction": UNKNOWN})),
)
