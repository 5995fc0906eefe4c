"""Cases of the rules about IAM documents."""

import json
from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, broken, fails, foreign, of, passes, resource, shipped, undecided

_LIFECYCLE, _TRUST = "gpu-prod-karpenter-node-lifecycle", "gpu-prod-karpenter-role"
_INTEGRATION = "gpu-prod-karpenter-iam-integration"
_FIRST = ("assumeRolePolicy", "Statement", 0)


def _policy(name: str, path: tuple[str | int, ...], value: Any) -> Build:
    return broken("prod", "Policy", name, ("policy", "Statement", *path), value)


def _trust(path: tuple[str | int, ...], value: Any) -> Build:
    return broken("prod", "Role", _TRUST, (*_FIRST, *path), value)


def _allows(type_: str = "aws:iam/policy:Policy", field: str = "policy", **statement: Any) -> Build:
    """A document of others, with its statement as a single object."""
    document = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", **statement}}
    return foreign(resource(type_, "theirs", {field: json.dumps(document)}))


_ACCOUNT = "arn:aws:iam::111122223333:root"
_QUEUE = "aws:sqs/queuePolicy:QueuePolicy"


def _key(**statement: Any) -> Build:
    return _allows("aws:kms/key:Key", **{"Action": "kms:*", "Resource": "*", **statement})


def _inline(**statement: Any) -> Build:
    document = json.dumps({"Statement": [{"Effect": "Allow", **statement}]})
    return foreign(resource("aws:iam/role:Role", "theirs", {"inlinePolicies": [{"policy": document}]}))


def _as_object(**statement: Any) -> Build:
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    return foreign(resource("aws:iam/policy:Policy", "theirs", {"policy": document}))


_UNKNOWN_DOCUMENT = broken("prod", "Policy", _LIFECYCLE, ("policy",), UNKNOWN)
_NO_JSON = foreign(resource("aws:iam/policy:Policy", "theirs", {"policy": "${file}"}))
_AWAITED_SHAPES = "documents as objects are passed over, although pulumi-aws takes them"
_INLINE = "inlinePolicies of a Role are not looked at"

ACTIONS = of(
    "no-wildcard-action",
    passes("actions named", shipped("prod")),
    passes("one action, as a text", _allows(Action="s3:GetObject", Resource="*")),
    passes("what is denied may be wide", _allows(Effect="Deny", Action="*", Resource="*")),
    passes("a role of Kubernetes", foreign(resource("kubernetes:rbac.authorization.k8s.io/v1:Role", "theirs", {"rules": [{"verbs": ["*"]}]}))),
    fails("everything", _policy(_LIFECYCLE, (0, "Action"), "*"), _LIFECYCLE, words="allows *;"),
    fails("everything of EC2, in a list", _policy(_LIFECYCLE, (0, "Action"), ["ec2:RunInstances", "ec2:*"]), _LIFECYCLE, words="ec2:*"),
    fails("a trust in every way", _trust(("Action",), "sts:*"), _TRUST),
    fails("everything but", _policy(_LIFECYCLE, (0,), {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}), _LIFECYCLE, words="everything but"),
    fails("the rights of others", _allows("aws:sqs/queuePolicy:QueuePolicy", Action="sqs:*", Principal={"Service": "a"}), "theirs"),
    fails("question marks", _allows(Action="iam:PassRol?", Resource="*"), "theirs"),
    fails("rights inside a role", _inline(Action="*", Resource="*"), "theirs"),
    fails("a document as an object", _as_object(Action="*", Resource="*"), "theirs"),
    passes("a key that its own account manages, as AWS itself writes it", _key(Principal={"AWS": _ACCOUNT})),
    passes("a key policy that names the account alone", _allows("aws:kms/keyPolicy:KeyPolicy", Action="kms:*", Resource="*", Principal={"AWS": "111122223333"})),
    fails("a key that a role may do everything with", _key(Principal={"AWS": "arn:aws:iam::111122223333:role/app"}), "theirs"),
    fails("a key that its account and a role may do everything with", _key(Principal={"AWS": [_ACCOUNT, "arn:aws:iam::111122223333:role/app"]}), "theirs"),
    fails("a key that its account and a service may do everything with", _key(Principal={"AWS": _ACCOUNT, "Service": "logs.amazonaws.com"}), "theirs"),
    fails("a key that everybody may do everything with", _key(Principal="*"), "theirs"),
    fails("a key that a service may do everything with", _key(Principal={"Service": "logs.amazonaws.com"}), "theirs"),
    fails("a key whose account may do everything everywhere", _key(Principal={"AWS": _ACCOUNT}, Action="*"), "theirs"),
    fails("a queue that is given to its account like a key", _allows(_QUEUE, Action="kms:*", Resource="*", Principal={"AWS": _ACCOUNT}), "theirs"),
    undecided("a document not known", _UNKNOWN_DOCUMENT, _LIFECYCLE),
    undecided("a document that is no JSON", _NO_JSON, "theirs"),
    passes("a document without statements", foreign(resource("aws:iam/policy:Policy", "theirs", {"policy": "{}"}))),
)  # fmt: skip

_EVERYBODY: dict[str, Any] = {"Action": "sqs:SendMessage", "Resource": "*", "Principal": "*"}

PRINCIPALS = of(
    "no-wildcard-principal",
    passes("principals named", shipped("prod")),
    passes("everybody denied", _allows(_QUEUE, **_EVERYBODY, Effect="Deny")),
    passes("everybody of one account", _allows(_QUEUE, **_EVERYBODY, Condition={"StringEquals": {"aws:SourceAccount": "111122223333"}})),
    passes("rights, which have no principal", _allows(Action="s3:GetObject", Resource="*")),
    fails("everybody trusted", broken("prod", "Role", "karpenter-nodes-role", (*_FIRST, "Principal"), "*"), "gpu-prod-karpenter-nodes-role"),
    fails("everybody trusted for a role that has a condition", _trust((), {"Effect": "Allow", "Principal": {"AWS": "*"}}), _TRUST),
    fails("everybody", _allows(_QUEUE, **_EVERYBODY), "theirs"),
    fails("every account", _allows(_QUEUE, **_EVERYBODY | {"Principal": {"Service": "a", "AWS": ["111122223333", "*"]}}), "theirs"),
    fails("everybody who encrypts", _allows(_QUEUE, **_EVERYBODY, Condition={"Bool": {"aws:SecureTransport": "true"}}), "theirs"),
    fails("everybody from anywhere", _allows(_QUEUE, **_EVERYBODY, Condition={"ArnLike": {"aws:SourceArn": "*"}}), "theirs"),
    fails("everybody but one account", _allows(_QUEUE, **_EVERYBODY, Condition={"StringNotEquals": {"aws:SourceAccount": "111122223333"}}), "theirs"),
    fails("everybody but", _allows(_QUEUE, Action="sqs:SendMessage", Resource="*", NotPrincipal={"AWS": "111122223333"}), "theirs"),
    fails("everybody, for a key", _allows("aws:kms/key:Key", **_EVERYBODY), "theirs"),
    undecided("a document not known", broken("prod", "QueuePolicy", "", ("policy",), UNKNOWN), "gpu-prod-karpenter-interruption-policy"),
    undecided("a document that is no JSON", _NO_JSON, "theirs"),
)  # fmt: skip


def _pass_role(**statement: Any) -> Build:
    return _allows(Action="iam:PassRole", **statement)


_ROLES = "arn:aws:iam::111122223333:role"

PASS_ROLE = of(
    "pass-role-scoped",
    passes("one role", shipped("prod")),
    passes("named roles", _pass_role(Resource=[f"{_ROLES}/one", f"{_ROLES}/two"])),
    passes("any role denied", _pass_role(Effect="Deny", Resource="*")),
    passes("other rights to everything", _allows(Action=["ec2:DescribeImages"], Resource="*")),
    passes("other rights to all but some", _allows(Action="s3:GetObject", NotResource="arn:aws:s3:::secret/*")),
    passes("neither resource nor exception, which IAM refuses", _pass_role()),
    fails("any role", _policy(_INTEGRATION, (0, "Resource"), "*"), _INTEGRATION),
    fails("a named role and any", _policy(_INTEGRATION, (0, "Resource"), [f"{_ROLES}/one", f"{_ROLES}/*"]), _INTEGRATION),
    fails("roles by a wildcard in the middle", _pass_role(Resource=f"{_ROLES}/*-admin"), "theirs"),
    fails("any role of four letters", _pass_role(Resource=f"{_ROLES}/????"), "theirs"),
    fails("among other rights", _allows(Action=["iam:GetRole", "iam:PassRole"], Resource=f"{_ROLES}/*"), "theirs"),
    fails("all but some roles", _pass_role(NotResource=f"{_ROLES}/admin"), "theirs"),
    fails("in small letters", _allows(Action="iam:passrole", Resource="*"), "theirs"),
    fails("by a wildcard", _allows(Action="iam:Pass*", Resource="*"), "theirs"),
    fails("rights inside a role", _inline(Action="iam:PassRole", Resource="*"), "theirs"),
    undecided("a document not known", broken("prod", "Policy", _INTEGRATION, ("policy",), UNKNOWN), _INTEGRATION),
    undecided("a document that is no JSON", _NO_JSON, "theirs"),
)  # fmt: skip

_LAUNCH, _DELETE = 2, 5
_MACHINES = "arn:aws:ec2:us-east-1:*:instance/*"

LAUNCH = of(
    "launch-scoped",
    passes("limited by tags", shipped("prod")),
    passes("images that all share", _allows(Action="ec2:CreateFleet", Resource=["arn:aws:ec2:us-east-1::image/*", "arn:aws:ec2:us-east-1::snapshot/*"])),
    passes("ending denied", _allows(Effect="Deny", Action="ec2:TerminateInstances", Resource="*")),
    passes("looking at everything", _allows(Action="ec2:DescribeInstances", Resource="*")),
    fails("launching unconditioned", _policy(_LIFECYCLE, (_LAUNCH, "Condition"), GONE), _LIFECYCLE, words="ec2:CreateFleet, ec2:CreateLaunchTemplate"),
    fails("ending unconditioned", _policy(_LIFECYCLE, (_DELETE, "Condition"), GONE), _LIFECYCLE),
    fails("ending anything", _allows(Action="ec2:TerminateInstances", Resource="*"), "theirs"),
    fails("images and machines", _allows(Action=["ec2:CreateTags"], Resource=["arn:aws:ec2:us-east-1::image/*", _MACHINES]), "theirs"),
    fails("an empty condition", _allows(Action="ec2:TerminateInstances", Resource=_MACHINES, Condition={}), "theirs"),
    fails("running machines", _allows(Action="ec2:RunInstances", Resource="*"), "theirs"),
    fails("in small letters", _allows(Action="ec2:terminateinstances", Resource="*"), "theirs"),
    fails("all but some machines", _allows(Action="ec2:TerminateInstances", NotResource=_MACHINES), "theirs"),
    fails("conditioned on a region alone", _allows(Action="ec2:TerminateInstances", Resource="*",
          Condition={"StringEquals": {"aws:RequestedRegion": "us-east-1"}}), "theirs"),
    fails("all machines but tagged ones", _allows(Action="ec2:TerminateInstances", Resource="*", Condition={"StringNotEquals": {"aws:ResourceTag/a": "b"}}),
          "theirs"),
    undecided("a document not known", _UNKNOWN_DOCUMENT, _LIFECYCLE),
    undecided("a document that is no JSON", _NO_JSON, "theirs"),
)  # fmt: skip

CASES = (*ACTIONS, *PRINCIPALS, *PASS_ROLE, *LAUNCH)
