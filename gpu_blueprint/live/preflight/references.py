"""Do the buckets, secrets and snapshots exist that the stack file names and nobody but their owner makes?"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...config import StackConfig
from ...config.storage import S3Storage
from ...problem import Path, Problem
from .answers import Account, DeniedError, Question, RefusedError
from .findings import Finding, confirm, report

_OLD_REGIONS = {None: "us-east-1", "": "us-east-1", "EU": "eu-west-1"}
"""Answers of S3 that name no region (S3 API reference, GetBucketLocation)."""
_NO_BUCKET = ("NoSuchBucket", "InvalidBucketName")
_NO_SECRET = ("ResourceNotFoundException",)
_NO_SNAPSHOT = ("InvalidSnapshot.NotFound", "InvalidSnapshotID.Malformed", "InvalidParameterValue")


def list_questions(stack: StackConfig) -> Iterator[Question]:
    """Yield a question for each bucket, secret and snapshot, at the first field that names it."""
    for storage, path in _list_buckets(stack):
        ask = partial(_check_bucket, stack, storage, path)
        yield Question(check="buckets", subject=str(storage.bucket), ask=ask)
    for registry, secret in stack.images.credentials.items() if stack.images else ():
        ask = partial(_check_secret, stack, secret, ("images", "credentials", registry))
        yield Question(check="secrets of registries", subject=secret, ask=ask)
    for pool in stack.all_pools:
        if snapshot := pool.disk.snapshot_id:
            path = (*stack.locate(pool), "disk", "snapshotId")
            ask = partial(_check_snapshot, stack, snapshot, stack.find_disk_gib(pool), path)
            yield Question(check="snapshots", subject=f"{snapshot} of {pool.name}", ask=ask)


def _list_buckets(stack: StackConfig) -> list[tuple[S3Storage, Path]]:
    """Return the first storage of each bucket that exists, with the place of the bucket's name."""
    found: dict[str, tuple[S3Storage, Path]] = {}
    for index, storage in enumerate(stack.storage):
        if isinstance(storage, S3Storage) and storage.bucket:
            found.setdefault(storage.bucket, (storage, ("storage", index, "bucket")))
    return [*found.values()]


def _check_bucket(stack: StackConfig, storage: S3Storage, path: Path, account: Account) -> list[Finding]:
    """Ask for the region of a bucket and for its owner: S3 denies a bucket whose owner is not the expected account."""
    name, owner = str(storage.bucket), stack.find_owner(storage)
    try:
        answer = _ask(
            _NO_BUCKET, lambda: account.ask("s3", "GetBucketLocation", Bucket=name, ExpectedBucketOwner=owner)
        )
    except DeniedError:
        account.ask("s3", "GetBucketLocation", Bucket=name)  # denied as well if the permission is missing
        reason = f"the bucket {name} is not of account {owner}, and the rights of the tenants hold only there"
        hint = "correct its name, or write the account that owns it in account"
        return [report("buckets", name, Problem("bucket-of-other-account", path, reason, hint))]
    if answer is None:
        reason, hint = f"there is no bucket {name}", "correct its name, or remove bucket, and the platform makes one"
        return [report("buckets", name, Problem("bucket-not-found", path, reason, hint))]
    place = answer.get("LocationConstraint")
    region = _OLD_REGIONS.get(place, place)
    if region != stack.region:
        reason = f"the bucket {name} lies in {region}, and pods of {stack.region} cannot mount it"
        hint = f"name a bucket in {stack.region}, or replicate this one there"
        return [report("buckets", name, Problem("bucket-in-other-region", path, reason, hint))]
    return [confirm("buckets", name, f"in {region}")]


def _check_secret(stack: StackConfig, name: str, path: Path, account: Account) -> list[Finding]:
    """Ask for the secret by its ARN. Its content stays unread, so a wrong password is not found."""
    check, arn = "secrets of registries", stack.build_arn("secretsmanager", f"secret:{name}")
    answer = _ask(_NO_SECRET, lambda: account.ask("secretsmanager", "DescribeSecret", SecretId=arn))
    if answer is None or answer.get("DeletedDate"):
        fault = f"is deleted on {answer['DeletedDate']:%Y-%m-%d}" if answer else "does not exist"
        reason = f"the secret {name} {fault} in this account and {stack.region}, so ECR cannot log in"
        hint = "make it (docs/images.md), and write the end of its ARN"
        return [report(check, name, Problem("cache-secret-not-found", path, reason, hint))]
    return [confirm(check, name, "exists; its content is not read")]


def _check_snapshot(stack: StackConfig, name: str, disk_gib: int, path: Path, account: Account) -> list[Finding]:
    check, subject = "snapshots", name
    answer = _ask(_NO_SNAPSHOT, lambda: account.ask("ec2", "DescribeSnapshots", SnapshotIds=[name]))
    found = next(iter((answer or {}).get("Snapshots", [])), None)
    if found is None:
        reason = f"the snapshot {name} does not exist in {stack.region}, or is not shared with this account"
        return [report(check, subject, Problem("snapshot-not-found", path, reason, "correct its id"))]
    if found.get("State") != "completed":
        reason = f"the snapshot {name} is {found.get('State')}, and no volume starts from it"
        hint = "wait until it is completed, or name another snapshot"
        return [report(check, subject, Problem("snapshot-unusable", path, reason, hint))]
    size = int(found.get("VolumeSize", 0))
    if size > disk_gib:
        reason = f"the snapshot {name} is of a volume of {size} GiB, and the volume of a node has {disk_gib} GiB"
        problem = Problem("snapshot-unusable", path, reason, f"write sizeGib: {size} or more")
        return [report(check, subject, problem)]
    return [confirm(check, subject, f"completed, {size} GiB")]


def _ask(codes: tuple[str, ...], call: Callable[[], Any]) -> Any:
    """Return the answer of a call; None if AWS refuses it with a code that says that nothing has this name."""
    try:
        return call()
    except RefusedError as refusal:
        if refusal.code in codes:
            return None
        raise
