"""Can the KMS keys that the stack file names encrypt: do they exist, and are they enabled and symmetric?"""

from collections.abc import Iterator
from functools import partial

from ...config import StackConfig
from ...problem import Problem
from ...subjects.keys.stated import StatedKey, list_stated_keys
from .answers import Account, Question, RefusedError, read_part
from .findings import Finding, confirm, report

_CHECK = "keys"
_NO_KEY = ("NotFoundException", "InvalidArnException")
_SYMMETRIC = "SYMMETRIC_DEFAULT"
_STATES = {
    "Disabled": "`aws kms enable-key` enables it",
    "PendingDeletion": "`aws kms cancel-key-deletion` and `aws kms enable-key` bring it back",
}
"""State of a key that may become usable again → the way."""


def list_questions(stack: StackConfig) -> Iterator[Question]:
    """Yield a question for each key, at the first field that names it."""
    first = {key.arn: key for key in reversed(list_stated_keys(stack))}
    for key in reversed(first.values()):
        yield Question(check=_CHECK, subject=key.arn, ask=partial(_check_key, key))


def _check_key(key: StatedKey, account: Account) -> list[Finding]:
    try:
        found = read_part(account.ask("kms", "DescribeKey", KeyId=key.arn), "KeyMetadata")
    except RefusedError as refusal:
        if refusal.code not in _NO_KEY:
            raise
        reason = f"there is no KMS key {key.arn}"
        return [report(_CHECK, key.arn, Problem("key-not-found", key.path, reason, "correct its account or its id"))]
    usage, spec, state = (str(found.get(field)) for field in ("KeyUsage", "KeySpec", "KeyState"))
    if usage != "ENCRYPT_DECRYPT" or spec != _SYMMETRIC:
        reason = f"the key {key.arn} is made for {usage} with {spec}, and AWS's services encrypt with symmetric keys"
        hint = f"name a key of the usage ENCRYPT_DECRYPT and the spec {_SYMMETRIC}"
        return [report(_CHECK, key.arn, Problem("key-unusable", key.path, reason, hint))]
    if found.get("KeyManager") == "AWS":
        reason = f"AWS manages the key {key.arn}, so its policy can let in no role and no service"
        hint = "name a key that your company manages, or remove the field for AWS's keys"
        return [report(_CHECK, key.arn, Problem("key-unusable", key.path, reason, hint))]
    if state != "Enabled":
        reason = f"the key {key.arn} is {state}, so nothing can be encrypted or read with it"
        hint = _STATES.get(state, "wait until it is Enabled, or name another key")
        return [report(_CHECK, key.arn, Problem("key-unusable", key.path, reason, hint))]
    return [confirm(_CHECK, key.arn, "enabled, symmetric; its policy is not read")]
