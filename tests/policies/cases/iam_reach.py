"""Further cases of the rules about roles to pass and about rights of others."""

from typing import Any

from policies import UNKNOWN

from .stacks import Build, Case, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_ACCOUNT = "arn:aws:iam::111122223333"
_ROLE = f"{_ACCOUNT}:role/app"


def allows(**statement: Any) -> Build:
    """An inline policy of a role with one allowing statement."""
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    return program(resource("aws:iam/rolePolicy:RolePolicy", "theirs", {"policy": document}))


def refuses(about: str, build: Build, words: str = "") -> Case:
    """Demand that the rule refuses the policy that ``allows`` makes."""
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
    "arn:aws-us-gov:iam::111122223333:role/*",
    "arn:aws-us-gov:iam::*:role/*",
    f"{_ACCOUNT}:*",
    f"{_ACCOUNT}:r*",
    f"{_ACCOUNT}:role*",
    f"{_ACCOUNT}:role/?*",
    f"{_ACCOUNT}:role/team/*",
    "arn:aws:iam::${aws:PrincipalAccount}:role/*",
    f"{_ACCOUNT}:${{aws:PrincipalTag/kind}}*",
    f"{_ACCOUNT}:role/app-?",
    f" {_ACCOUNT}:role/* ",
)
_NAMED_ROLES = (
    _ROLE,
    f"{_ACCOUNT}:role/team/app",
    "arn:aws:iam::*:role/app",
    "arn:aws:iam::${aws:PrincipalAccount}:role/${aws:PrincipalTag/team, '*'}-app",
    f"{_ACCOUNT}:user/*",
    f"{_ACCOUNT}:policy/role/*",
    "arn:aws:s3:::role/*",
    "arn:aws:s3:::*",
    "arn:aws:s3:*",
    "app",
)


def _passes_role(resources: Any, **statement: Any) -> Build:
    return allows(Action="iam:PassRole", Resource=resources, **statement)


PASS_ROLE = cases_of(
    "pass-role-scoped",
    *(refuses(f"{arn!r} beside a named role", _passes_role([_ROLE, arn])) for arn in _MANY_ROLES),
    *(passes(f"{arn!r} beside a named role", _passes_role([_ROLE, arn])) for arn in _NAMED_ROLES),
    refuses("a question mark in the action", allows(Action="iam:Pass?ole", Resource="*")),
    refuses("every action", allows(Action="*", Resource="*")),
    refuses("blanks around the action", allows(Action=" iam:PassRole ", Resource="*")),
    refuses("every action except others", allows(NotAction=["ec2:*", "iam:Pass"], Resource="*")),
    refuses("every resource except buckets", allows(Action="iam:PassRole", NotResource="arn:aws:s3:::*")),
    refuses(
        "to the service of machines alone",
        _passes_role("*", Condition={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}),
    ),
    passes("every action except it", allows(NotAction=["iam:passrole", "ec2:*"], Resource="*")),
    passes("every action except those of IAM", allows(NotAction="iam:*", Resource="*")),
    passes("an action with brackets, which is no wildcard", allows(Action="iam:Pass[R]ole", Resource="*")),
    passes("an action that only ends alike", allows(Action="xiam:PassRole", Resource="*")),
    passes("an action that only begins alike", allows(Action="iam:PassRoles", Resource="*")),
    refuses("a role not known beside a wildcard", _passes_role([UNKNOWN, "*"])),
    passes("a statement without actions, which IAM refuses", allows(Resource="*")),
    undecided("a role not known", _passes_role([UNKNOWN, _ROLE])),
    undecided("an exception not known", allows(NotAction=[UNKNOWN], Resource="*")),
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
_ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"
_ATTACH = "iam:AttachRolePolicy"
_BOUNDS_OF_GOV = (
    "arn:aws-us-gov:iam::aws:policy/AdministratorAccess",
    "arn:aws-us-gov:iam::aws:policy/*",
    "arn:aws-us-gov:iam::*:policy/Admin*",
    "arn:*:iam::aws:policy/Administrator??????",
    "arn:aws-us-gov:*",
)
_NARROW_OF_GOV = "arn:aws-us-gov:iam::111122223333:policy/one"


def _attaches(operator: str, key: str, *values: str, resources: Any = "*") -> Build:
    return allows(Action=_ATTACH, Resource=resources, Condition={operator: {key: list(values)}})


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
    passes("everything denied", allows(Effect="Deny", Action="*", Resource="*")),
    refuses("access to every cluster", allows(Action="eks:CreateAccessEntry", Resource="*"), "eks:CreateAccessEntry"),
    refuses(
        "access to every cluster by ARN",
        allows(Action="eks:CreateAccessEntry", Resource="arn:aws:eks:us-east-1:111122223333:cluster/*"),
        "eks:CreateAccessEntry",
    ),
    passes(
        "access to one cluster",
        allows(Action="eks:CreateAccessEntry", Resource="arn:aws:eks:*:111122223333:cluster/gpu"),
    ),
    *(
        refuses(f"{action} on every {type_}", allows(Action=action, Resource=f"{_ACCOUNT}:{type_}/*"), action)
        for action, type_ in _TAKING.items()
    ),
    *(
        passes(
            f"{action} on other things",
            allows(
                Action=action,
                Resource=[
                    f"{_ACCOUNT}:{type_}/one",
                    *(f"{_ACCOUNT}:{other}/*" for other in ("role", "user", "group", "policy") if other != type_),
                ],
            ),
        )
        for action, type_ in _TAKING.items()
    ),
    refuses(
        "one of two actions is without limit",
        allows(Action=["iam:CreateAccessKey", _ATTACH], Resource=[f"{_ACCOUNT}:role/*", f"{_ACCOUNT}:user/me"]),
        _ATTACH,
    ),
    refuses("every action of IAM", allows(Action="iam:*", Resource="*")),
    refuses("every action except those of EC2", allows(NotAction="ec2:*", Resource="*")),
    refuses("every role except some", allows(Action=_ATTACH, NotResource=_ROLE)),
    refuses("roles of a team", allows(Action="IAM:putrolepolicy", Resource="arn:aws:iam::*:role/team-*")),
    refuses("a boundary that may be missing", _attaches("StringEqualsIfExists", "iam:PermissionsBoundary", _ACCOUNT)),
    refuses("a condition on who asks", _attaches("StringEquals", "aws:PrincipalAccount", "111122223333")),
    refuses("other policies than one", _attaches("ArnNotEquals", "iam:PolicyARN", f"{_ACCOUNT}:policy/one")),
    refuses("any policy", _attaches("ArnLike", "iam:PolicyARN", f"{_ACCOUNT}:policy/one", "*")),
    refuses("any policy of AWS", _attaches("StringLike", "iam:PolicyARN", "arn:aws:iam::aws:policy/*")),
    refuses("a boundary that admits everything", _attaches("StringEquals", "iam:PermissionsBoundary", _ADMIN)),
    *(
        refuses(f"a bound of {arn!r} in another partition", _attaches("ArnLike", "iam:PolicyARN", arn))
        for arn in _BOUNDS_OF_GOV
    ),
    passes("one policy in another partition", _attaches("ArnEquals", "iam:PolicyARN", _NARROW_OF_GOV)),
    passes("one policy", _attaches("ArnEquals", "iam:PolicyARN", f"{_ACCOUNT}:policy/one")),
    passes("a boundary", _attaches("StringEquals", "iam:permissionsboundary", f"{_ACCOUNT}:policy/limits")),
    passes("roles of one team", _attaches("StringEquals", "iam:ResourceTag/team", "ml")),
    passes("the keys of oneself", allows(Action="iam:CreateAccessKey", Resource="arn:aws:iam::*:user/${aws:username}")),
    passes("a role that the service makes", allows(Action="iam:CreateServiceLinkedRole", Resource="*")),
    passes("reading rights", allows(Action=["iam:GetRole", "iam:ListRoles"], Resource="*")),
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
    refuses("a role not known beside a wildcard", allows(Action=_ATTACH, Resource=[UNKNOWN, "*"])),
    refuses(
        "a user not known beside every role",
        allows(Action=["iam:CreateAccessKey", _ATTACH], Resource=[f"{_ACCOUNT}:role/*", UNKNOWN]),
    ),
    passes("another action with a condition not known", allows(Action="iam:GetRole", Resource="*", Condition=UNKNOWN)),
    undecided("a role not known", allows(Action=_ATTACH, Resource=UNKNOWN)),
    undecided(
        "a document not known", program(resource("aws:iam/rolePolicy:RolePolicy", "theirs", {"policy": UNKNOWN}))
    ),
)

CASES = (*PASS_ROLE, *RIGHTS)
