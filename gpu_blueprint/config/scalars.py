"""The words and numbers that fields are made of; each says what would be right when it refuses."""

import re
from collections.abc import Callable
from datetime import date
from ipaddress import IPv4Network, ip_network
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from .. import catalog


def _check(test: Callable[[str], bool], right: str) -> AfterValidator:
    def validate(value: str) -> str:
        if not test(value):
            shown = re.sub(r"://[^/\s]*@", "://…@", value)  # a password has no place in an error
            raise ValueError(f"{shown!r} is not {right}")
        return value

    return AfterValidator(validate)


def _shape(pattern: str, right: str, longest: int = 63) -> Any:
    compiled = re.compile(pattern, re.ASCII)
    return _check(lambda value: len(value) <= longest and bool(compiled.fullmatch(value)), right)


def _schema(pattern: str) -> Any:
    return Field(json_schema_extra={"pattern": pattern})


_NAME = r"[a-z]([a-z0-9-]*[a-z0-9])?"
LONGEST_NAME = 40
ObjectName = Annotated[
    str,
    _shape(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", "a Kubernetes name of lower-case letters, digits, '-' and '.'", 253),
]
Name = Annotated[
    str,
    _shape(
        _NAME,
        f"a name of at most {LONGEST_NAME} lower-case letters, digits and '-' that starts with a letter",
        LONGEST_NAME,
    ),
    _schema(f"^{_NAME}$"),
]
"""Name of an environment, pool or tenant: it becomes part of Kubernetes and AWS names."""

_TAG = r"[\w .:/=+@-]*"
_TAKEN = r"(?!aws:|kubernetes\.io/cluster|eks:eks-cluster-name|karpenter\.sh/node(pool|claim)|karpenter\.k8s\.aws/ec2nodeclass)"
TagKey = Annotated[
    str,
    _shape(
        rf"{_TAKEN}{_TAG}\w{_TAG}",
        "an AWS tag key of your own (letters, digits, spaces, _.:/=+-@; none that AWS, EKS or Karpenter sets)",
        128,
    ),
]
TagValue = Annotated[
    str, _shape(rf"(?=.*\S){_TAG}", "an AWS tag value (letters, digits, spaces, _.:/=+-@; not empty)", 256)
]

_ACCOUNT = r"\d{12}"
AccountId = Annotated[str, _shape(_ACCOUNT, "a 12-digit AWS account id"), _schema(f"^{_ACCOUNT}$")]

_PRINCIPAL = r"arn:aws:iam::\d{12}:(role|user)/[\w+=,.@/-]+"
PrincipalArn = Annotated[
    str,
    _shape(_PRINCIPAL, "the ARN of an IAM role or user, such as arn:aws:iam::111122223333:role/platform", 2048),
    _schema(f"^{_PRINCIPAL}$"),
]
_KEY = r"arn:aws:kms:[a-z0-9-]+:\d{12}:key/[0-9a-f-]+"
KmsKeyArn = Annotated[str, _shape(_KEY, "the ARN of a KMS key", 2048), _schema(f"^{_KEY}$")]

_EMAIL_NAME = r"[\w!#$%&'*+=?^{|}~-]+"
_EMAIL = rf"{_EMAIL_NAME}(\.{_EMAIL_NAME})*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"
Email = Annotated[str, _shape(_EMAIL, "an e-mail address such as gpu-costs@example.com", 254), _schema(f"^{_EMAIL}$")]
_TOPIC = r"arn:aws:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}"
TopicArn = Annotated[
    str,
    _shape(_TOPIC, "the ARN of a standard SNS topic, such as arn:aws:sns:us-east-1:111122223333:costs", 2048),
    _schema(f"^{_TOPIC}$"),
]
_MONITOR = r"arn:aws:ce::\d{12}:anomalymonitor/[0-9a-f-]+"
AnomalyMonitorArn = Annotated[
    str,
    _shape(_MONITOR, "the ARN of an anomaly monitor, arn:aws:ce::<account>:anomalymonitor/<id>", 2048),
    _schema(f"^{_MONITOR}$"),
]
_WORKSPACE = r"arn:aws:aps:[a-z0-9-]+:\d{12}:workspace/ws-[0-9a-f-]+"
AmpWorkspaceArn = Annotated[
    str,
    _shape(_WORKSPACE, "the ARN of an AMP workspace, arn:aws:aps:<region>:<account>:workspace/ws-…", 2048),
    _schema(f"^{_WORKSPACE}$"),
]


_has_port = _check(
    lambda value: int(value.split("://")[-1].split("/")[0].partition(":")[2] or 1) <= 65_535,
    "an address with a port from 1 to 65535",
)
_HOST, _PORT = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9.])?", r"[1-9]\d{0,4}"
_REST = rf"{_HOST}(:{_PORT})?(/[^\s?#]*)?"
_URL = rf"https://{_REST}"
HttpsUrl = Annotated[
    str,
    _shape(_URL, "an https:// address without user, password or query", 2048),
    _has_port,
    _schema(f"^{_URL}$"),
]
_CLUSTER_URL = rf"https?://{_REST}"
ClusterUrl = Annotated[
    str,
    _shape(_CLUSTER_URL, "an address such as http://prometheus.monitoring.svc:9090, without user or query", 2048),
    _has_port,
    _check(
        lambda value: not re.match(r"https?://(localhost|127\.[0-9.]+|0\.0\.0\.0)(:|/|$)", value.lower()),
        "what other pods reach: write its Service, such as http://prometheus.monitoring.svc:9090",
    ),
    _check(
        lambda value: "/api/v1" not in value, "the address alone: leave out /api/v1 and what follows, which KEDA adds"
    ),
    _schema(f"^{_CLUSTER_URL}$"),
]
_CHANNEL = r"#[a-z0-9_-]+"
SlackChannel = Annotated[str, _shape(_CHANNEL, 'a Slack channel such as "#gpu-alerts"', 81), _schema(f"^{_CHANNEL}$")]
_SMTP = rf"{_HOST}:{_PORT}"
SmtpHost = Annotated[
    str,
    _shape(_SMTP, "host:port, such as email-smtp.us-east-1.amazonaws.com:587", 260),
    _has_port,
    _schema(f"^{_SMTP}$"),
]
UserName = Annotated[str, _shape(r"\S+", "a user name without spaces", 256)]


def _share(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"{value:g} is not a share from 0 to 1, such as 0.3 for 30 %")
    return value


Share = Annotated[float, AfterValidator(_share), Field(json_schema_extra={"minimum": 0, "maximum": 1})]
"""A part of a whole, from 0 to 1."""


def _above_zero(right: str) -> AfterValidator:
    def validate(value: float) -> float:
        if not 0 < value <= 1e9:
            raise ValueError(f"{value:g} is not {right} above 0")
        return value

    return AfterValidator(validate)


def _threshold(value: float) -> float:
    if not 0.001 <= value <= 1e9:
        raise ValueError(f"{value:g} is not a number from 0.001 on, the least that an autoscaler counts")
    return value


_NOT_ZERO = Field(json_schema_extra={"exclusiveMinimum": 0})
Dollars = Annotated[float, _above_zero("an amount of US dollars"), _NOT_ZERO]
"""US dollars; more than nothing."""
Threshold = Annotated[float, AfterValidator(_threshold), Field(json_schema_extra={"minimum": 0.001})]
"""What an autoscaler aims at; it counts in thousandths."""

_DURATION = r"([0-9]+(s|m|h))+"
_LONGEST = 2**63 / 1e9
"""Seconds; Kubernetes counts nanoseconds."""


def seconds(duration: str) -> int:
    """How long a duration such as 1h30m is."""
    return sum(
        int(number) * {"s": 1, "m": 60, "h": 3600}[unit] for number, unit in re.findall(r"(\d+)([smh])", duration)
    )


_countable = _check(lambda value: seconds(value) < _LONGEST, "a duration that Kubernetes can count, 2562047h at most")
Duration = Annotated[
    str, _shape(_DURATION, "a duration such as 10m, 1h30m or 336h"), _countable, _schema(f"^{_DURATION}$")
]
DurationOrNever = Annotated[
    str,
    _shape(rf"{_DURATION}|Never", "a duration such as 336h, or Never"),
    _countable,
    _schema(f"^({_DURATION}|Never)$"),
]


_MEMORY = r"[1-9][0-9]*(Gi|Ti)"
Memory = Annotated[str, _shape(_MEMORY, "an amount of memory in Gi or Ti, such as 512Gi"), _schema(f"^{_MEMORY}$")]
_CPU = r"[1-9][0-9]*"
Cpu = Annotated[str, _shape(_CPU, 'a whole number of CPUs, such as "64"'), _schema(f"^{_CPU}$")]

_PART = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_DOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_QUALIFIED = re.compile(rf"({_DOMAIN}/)?{_PART}")
OWN_DOMAINS = ("karpenter.sh", "karpenter.k8s.aws", "kubernetes.io", "k8s.io", "nvidia.com", "gpu-blueprint")


def _label_key(value: str) -> str:
    domain = value.split("/")[0] if "/" in value else ""
    if len(value) > 316 or len(value.split("/")[-1]) > 63 or not _QUALIFIED.fullmatch(value):
        raise ValueError(f"{value!r} is not a Kubernetes label key such as example.com/team")
    for own in OWN_DOMAINS:
        if domain == own or (domain.endswith(f".{own}") and domain != "node-restriction.kubernetes.io"):
            raise ValueError(
                f"{value!r} is in the domain {own}, which Karpenter or this blueprint sets; use a domain of your own"
            )
    return value


LabelKey = Annotated[str, AfterValidator(_label_key)]
PodLabelKey = Annotated[
    str,
    _check(lambda value: len(value) <= 316 and bool(_QUALIFIED.fullmatch(value)), "a Kubernetes label key such as app"),
]
LabelValue = Annotated[
    str, _shape(rf"({_PART})?", "a Kubernetes label value (at most 63 letters, digits, '-', '_' and '.')")
]

_ZONE = r"[a-z]{2}(-[a-z]+)+-\d[a-z]"
Zone = Annotated[str, _shape(_ZONE, "an availability zone such as us-east-1a"), _schema(f"^{_ZONE}$")]

_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
TimeOfDay = Annotated[str, _shape(_TIME, 'a time of day such as "07:30"'), _schema(f"^{_TIME}$")]
EndTime = Annotated[str, _shape(f"{_TIME}|24:00", 'a time of day such as "18:30"'), _schema(f"^({_TIME}|24:00)$")]
TimeZone = Annotated[str, AfterValidator(catalog.time_zone)]


def _region(value: str) -> str:
    if value not in catalog.regions():
        raise catalog.CatalogError.unknown("region", value, catalog.regions())
    return value


Region = Annotated[str, AfterValidator(_region)]
GpuModel = Annotated[str, AfterValidator(lambda value: catalog.gpu(value).name)]


def _gpu_type(value: str) -> str:
    if not catalog.instance(value).gpu_name:
        raise ValueError(f"{value!r} has no GPU; pools are for GPU types, other pods run on the system nodes")
    return value


def _system_type(value: str) -> str:
    if catalog.instance(value).gpu_name:
        raise ValueError(f"{value!r} has a GPU; system nodes need none, put it into a pool")
    return value


GpuInstanceType = Annotated[str, AfterValidator(_gpu_type)]
SystemInstanceType = Annotated[str, AfterValidator(_system_type)]


def _cidr(value: str) -> str:
    try:
        if not re.fullmatch(r"[0-9a-fA-F.:]+/\d{1,3}", value):
            raise ValueError("write address/length")
        network = ip_network(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not a CIDR block such as 10.0.0.0/16: {error}") from None
    if not isinstance(network, IPv4Network):
        raise ValueError(f"{value!r} is IPv6; this blueprint builds IPv4 clusters")
    return value


Cidr = Annotated[str, AfterValidator(_cidr)]
_INSIDE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")))


def is_inside(cidr: str) -> bool:
    """Whether a block is of the address space for networks of one's own (RFC 1918, RFC 6598)."""
    return any(IPv4Network(cidr).subnet_of(block) for block in _INSIDE)


def resource_id(kind: str) -> Any:
    """Type of an AWS resource id such as ``vpc-0a1b2c3d``."""
    pattern = rf"{kind}-[0-9a-f]{{8,17}}"
    return Annotated[str, _shape(pattern, f"an id such as {kind}-0a1b2c3d4e5f60718"), _schema(f"^{pattern}$")]


def day(value: Any) -> Any:
    """YAML makes a date of 2027-01-31, Pulumi a text; take both."""
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"{value!r} is not a day such as 2027-01-31") from None
