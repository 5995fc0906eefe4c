"""Further cases of the rules about roles to pass, rights of others, and machines of other clusters."""

from typing import Any

from policies import UNKNOWN

from .stacks import Build, Case, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_ACCOUNT = "arn:aws:iam::111122223333"
_ROLE = f"{_ACCOUNT}:role/app"
_EC2 = "arn:aws:ec2:us-east-1:111122223333"


def _allows(**statement: Any) -> Build:
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    return program(resource("aws:iam/rolePolicy:RolePolicy", "theirs", {"policy": document}))


def _fails(about: str, build: Build, words: str = "") -> Case:
    return fails(about, build, "theirs", words=words)


_MANY_ROLES = (
    "*",
    "?*",
    "arn:*",
    "arn:aws:*",
    "arn:aws:iam::*",
    "arn:aws:iam::*:role/*",
    "arn:aws:i?m::*:role/*",
    "arn:aws-cn:iam::111122223333:role/*",
    f"{_ACCOUNT}:*",
    f"{_ACCOUNT}:r*",
    f"{_ACCOUNT}:role*",
    f"{_ACCOUNT}:role/?*",
    f"{_ACCOUNT}:role/team/*",
    f"{_ACCOUNT}:role/app-?",
    f" {_ACCOUNT}:role/* ",
)
_NAMED_ROLES = (
    _ROLE,
    f"{_ACCOUNT}:role/team/app",
    "arn:aws:iam::*:role/app",
    f"{_ACCOUNT}:user/*",
    f"{_ACCOUNT}:policy/role/*",
    "arn:aws:s3:::role/*",
    "arn:aws:s3:::*",
    "arn:aws:s3:*",
    "app",
)


def _passes_role(resources: Any, **statement: Any) -> Build:
    return _allows(Action="iam:PassRole", Resource=resources, **statement)


PASS_ROLE = cases_of(
    "pass-role-scoped",
    *(_fails(f"{arn!r} beside a named role", _passes_role([_ROLE, arn])) for arn in _MANY_ROLES),
    *(passes(f"{arn!r} beside a named role", _passes_role([_ROLE, arn])) for arn in _NAMED_ROLES),
    _fails("a question mark in the action", _allows(Action="iam:Pass?ole", Resource="*")),
    _fails("every action", _allows(Action="*", Resource="*")),
    _fails("blanks around the action", _allows(Action=" iam:PassRole ", Resource="*")),
    _fails("every action except others", _allows(NotAction=["ec2:*", "iam:Pass"], Resource="*")),
    _fails("every resource except buckets", _allows(Action="iam:PassRole", NotResource="arn:aws:s3:::*")),
    _fails(
        "to the service of machines alone",
        _passes_role("*", Condition={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}),
    ),
    passes("every action except it", _allows(NotAction=["iam:passrole", "ec2:*"], Resource="*")),
    passes("every action except those of IAM", _allows(NotAction="iam:*", Resource="*")),
    passes("an action with brackets, which is no wildcard", _allows(Action="iam:Pass[R]ole", Resource="*")),
    passes("an action that only ends alike", _allows(Action="xiam:PassRole", Resource="*")),
    passes("an action that only begins alike", _allows(Action="iam:PassRoles", Resource="*")),
    _fails("a role not known beside a wildcard", _passes_role([UNKNOWN, "*"])),
    passes("a statement without actions, which IAM refuses", _allows(Resource="*")),
    undecided("a role not known", _passes_role([UNKNOWN, _ROLE])),
    undecided("an exception not known", _allows(NotAction=[UNKNOWN], Resource="*")),
)

_TAKING = {
    "iam:AttachRolePolicy": "role",
    "iam:PutRolePolicy": "role",
    "iam:UpdateAssumeRolePolicy": "role",
    "iam:DeleteRolePermissionsBoundary": "role",
    "sts:AssumeRole": "role",
    "iam:AttachUserPolicy": "user",
    "iam:PutUserPolicy": "user",
    "iam:CreateAccessKey": "user",
    "iam:CreateLoginProfile": "user",
    "iam:UpdateLoginProfile": "user",
    "iam:DeleteUserPermissionsBoundary": "user",
    "iam:AttachGroupPolicy": "group",
    "iam:PutGroupPolicy": "group",
    "iam:AddUserToGroup": "group",
    "iam:CreatePolicyVersion": "policy",
    "iam:SetDefaultPolicyVersion": "policy",
}
_ATTACH = "iam:AttachRolePolicy"


def _attaches(operator: str, key: str, *values: str, resources: Any = "*") -> Build:
    return _allows(Action=_ATTACH, Resource=resources, Condition={operator: {key: list(values)}})


RIGHTS = cases_of(
    "rights-scoped",
    passes("the rights of Karpenter", shipped_stack("prod")),
    fails(
        "every role policy beside the rights of Karpenter",
        with_value(
            "prod",
            "Policy",
            "karpenter-iam-integration",
            ("policy", "Statement", 0),
            {"Effect": "Allow", "Action": "iam:PutRolePolicy", "Resource": "*"},
        ),
        "gpu-prod-karpenter-iam-integration",
    ),
    passes("everything denied", _allows(Effect="Deny", Action="*", Resource="*")),
    *(
        _fails(f"{action} on every {type_}", _allows(Action=action, Resource=f"{_ACCOUNT}:{type_}/*"), action)
        for action, type_ in _TAKING.items()
    ),
    *(
        passes(
            f"{action} on other things",
            _allows(
                Action=action,
                Resource=[
                    f"{_ACCOUNT}:{type_}/one",
                    *(f"{_ACCOUNT}:{other}/*" for other in ("role", "user", "group", "policy") if other != type_),
                ],
            ),
        )
        for action, type_ in _TAKING.items()
    ),
    _fails(
        "one of two actions is without limit",
        _allows(Action=["iam:CreateAccessKey", _ATTACH], Resource=[f"{_ACCOUNT}:role/*", f"{_ACCOUNT}:user/me"]),
        _ATTACH,
    ),
    _fails("every action of IAM", _allows(Action="iam:*", Resource="*")),
    _fails("every action except those of EC2", _allows(NotAction="ec2:*", Resource="*")),
    _fails("every role except some", _allows(Action=_ATTACH, NotResource=_ROLE)),
    _fails("roles of a team", _allows(Action="IAM:putrolepolicy", Resource="arn:aws:iam::*:role/team-*")),
    _fails("a boundary that may be missing", _attaches("StringEqualsIfExists", "iam:PermissionsBoundary", _ACCOUNT)),
    _fails("a condition on who asks", _attaches("StringEquals", "aws:PrincipalAccount", "111122223333")),
    _fails("other policies than one", _attaches("ArnNotEquals", "iam:PolicyARN", f"{_ACCOUNT}:policy/one")),
    passes("one policy", _attaches("ArnEquals", "iam:PolicyARN", f"{_ACCOUNT}:policy/one")),
    passes("a boundary", _attaches("StringEquals", "iam:permissionsboundary", f"{_ACCOUNT}:policy/limits")),
    passes("roles of one team", _attaches("StringEquals", "iam:ResourceTag/team", "ml")),
    passes(
        "the keys of oneself", _allows(Action="iam:CreateAccessKey", Resource="arn:aws:iam::*:user/${aws:username}")
    ),
    passes("a role that the service makes", _allows(Action="iam:CreateServiceLinkedRole", Resource="*")),
    passes("reading rights", _allows(Action=["iam:GetRole", "iam:ListRoles"], Resource="*")),
    passes(
        "a trust policy",
        program(
            resource(
                "aws:iam/role:Role",
                "theirs",
                {
                    "assumeRolePolicy": {
                        "Statement": {
                            "Effect": "Allow",
                            "Action": "sts:AssumeRole",
                            "Principal": {"Service": "ec2.amazonaws.com"},
                        }
                    }
                },
            )
        ),
    ),
    _fails("a role not known beside a wildcard", _allows(Action=_ATTACH, Resource=[UNKNOWN, "*"])),
    _fails(
        "a user not known beside every role",
        _allows(Action=["iam:CreateAccessKey", _ATTACH], Resource=[f"{_ACCOUNT}:role/*", UNKNOWN]),
    ),
    passes("another action with a condition not known", _allows(Action="iam:GetRole", Resource="*", Condition=UNKNOWN)),
    undecided("a role not known", _allows(Action=_ATTACH, Resource=UNKNOWN)),
    undecided(
        "a document not known", program(resource("aws:iam/rolePolicy:RolePolicy", "theirs", {"policy": UNKNOWN}))
    ),
)

_MACHINE_ACTIONS = (
    *("RunInstances", "CreateFleet", "RequestSpotInstances", "RequestSpotFleet"),
    *("CreateLaunchTemplate", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate"),
    *("TerminateInstances", "StopInstances", "DeleteFleets", "DeleteLaunchTemplate"),
    *("CreateTags", "DeleteTags"),
)
_MACHINES = ("instance", "fleet", "launch-template", "spot-instances-request", "spot-fleet-request")
_OTHERS = ("volume", "snapshot", "network-interface", "image", "subnet", "security-group")


def _tags(resources: Any, **condition: Any) -> Build:
    return _allows(Action="ec2:CreateTags", Resource=resources, Condition=condition)


def _at_creation(*actions: str, operator: str = "StringEquals") -> Build:
    return _tags("arn:aws:ec2:*:*:*/*", **{operator: {"ec2:CreateAction": list(actions)}})


LAUNCH = cases_of(
    "launch-scoped",
    *(
        _fails(f"{action} on everything", _allows(Action=f"ec2:{action}", Resource="*"), f"allows ec2:{action} on")
        for action in _MACHINE_ACTIONS
    ),
    *(_fails(f"tags on every {type_}", _tags([f"{_EC2}:volume/*", f"{_EC2}:{type_}/*"])) for type_ in _MACHINES),
    *(passes(f"tags on every {type_}", _tags(f"arn:aws:ec2:*:*:{type_}/*")) for type_ in _OTHERS),
    passes("tags of the VPC CNI", _tags(["arn:aws:ec2:*:*:network-interface/*"])),
    passes(
        "tags of the EBS driver",
        _tags(
            ["arn:aws:ec2:*:*:volume/*", "arn:aws:ec2:*:*:snapshot/*"],
            StringEquals={"ec2:CreateAction": ["CreateVolume", "CreateSnapshot"]},
        ),
    ),
    passes("untagging of volumes", _allows(Action="ec2:DeleteTags", Resource=f"{_EC2}:volume/*")),
    passes(
        "tags of what is made, except machines",
        _at_creation("CreateVolume", "CreateSnapshot", "CreateNetworkInterface"),
    ),
    passes(
        "tags of volumes that are made, in small letters", _tags("*", StringEquals={"EC2:createaction": "CreateVolume"})
    ),
    *(
        _fails(f"tags of what {action} makes", _at_creation("CreateVolume", action))
        for action in ("RunInstances", "CreateFleet", "CreateLaunchTemplate", "RequestSpotInstances")
    ),
    _fails("tags of what any action makes", _at_creation("*", operator="StringLike")),
    _fails("tags of what a similar action makes", _at_creation("Create*", operator="StringLike")),
    _fails("tags of what other actions make", _at_creation("CreateVolume", operator="StringNotEquals")),
    _fails("tags with or without an action", _at_creation("CreateVolume", operator="StringEqualsIfExists")),
    _fails("tags on a volume or not", _at_creation("CreateVolume", operator="ForAllValues:StringEquals")),
    _fails("tags on everything with another condition", _tags("*", StringEquals={"ec2:Owner": "CreateVolume"})),
    _fails(
        "an end at the creation of volumes",
        _allows(
            Action=["ec2:CreateTags", "ec2:StopInstances"],
            Resource="*",
            Condition={"StringEquals": {"ec2:CreateAction": "CreateVolume"}},
        ),
        "allows ec2:StopInstances on",
    ),
    passes("one machine", _allows(Action="ec2:TerminateInstances", Resource="arn:aws:ec2:*:*:instance/i-0a1b2c3d")),
    passes(
        "machines of a tag",
        _allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringEquals": {"ec2:ResourceTag/eks:cluster-name": "theirs"}},
        ),
    ),
    _fails(
        "machines of any tag",
        _allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"}},
        ),
    ),
    _fails(
        "machines with or without a tag",
        _allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"StringEqualsIfExists": {"aws:ResourceTag/kubernetes.io/cluster/theirs": "owned"}},
        ),
    ),
    _fails(
        "machines that carry tags",
        _allows(Action="ec2:TerminateInstances", Resource="*", Condition={"Null": {"aws:ResourceTag/team": "false"}}),
    ),
    _fails(
        "machines whose every tag fits",
        _allows(
            Action="ec2:TerminateInstances",
            Resource="*",
            Condition={"ForAllValues:StringEquals": {"aws:ResourceTag/team": "ml"}},
        ),
    ),
    _fails(
        "holders with a tag",
        _allows(
            Action="ec2:TerminateInstances", Resource="*", Condition={"StringEquals": {"aws:PrincipalTag/team": "ml"}}
        ),
    ),
    _fails("every action except those of IAM", _allows(NotAction="iam:*", Resource="*"), "ec2:RunInstances"),
    passes("a picture with a condition not known", _allows(Action="ec2:CreateImage", Resource="*", Condition=UNKNOWN)),
    undecided("a machine not known", _allows(Action="ec2:StopInstances", Resource=UNKNOWN)),
    undecided("a condition not known", _tags("*", StringEquals={"ec2:CreateAction": UNKNOWN})),
)

CASES = (*PASS_ROLE, *RIGHTS, *LAUNCH)
