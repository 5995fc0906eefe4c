"""Who watches the platform: a Prometheus that is installed, or one that the team brings."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..catalog import namespaces
from ..errors import Problem
from ..model import Model
from .addresses import ClusterUrl, Email, HttpsUrl, SlackChannel, SmtpHost, UserName
from .aws_names import AmpWorkspaceArn
from .network import repeated
from .scalars import LabelValue, PodLabelKey

ALERTMANAGER_GIB = 1
"""Alertmanager's volume: silences, and who was told of what."""
SLACK_WEBHOOK, PAGERDUTY_KEY = "slackWebhook", "pagerdutyKey"
SMTP_PASSWORD, REMOTE_WRITE_PASSWORD = "smtpPassword", "remoteWritePassword"
GRAFANA_PASSWORD = "grafanaPassword"
SECRET_KEYS = (SLACK_WEBHOOK, PAGERDUTY_KEY, SMTP_PASSWORD, REMOTE_WRITE_PASSWORD, GRAFANA_PASSWORD)
"""Secrets that the program reads beside the stack object: ``pulumi config set --secret slackWebhook``."""


class Amp(Model):
    """An Amazon Managed Service for Prometheus workspace, reached with EKS Pod Identity."""

    mode: Literal["amp"]
    """Write to Amazon Managed Service for Prometheus."""
    workspace_arn: AmpWorkspaceArn
    """The workspace, of this account."""

    @property
    def region(self) -> str:
        """Where the workspace is."""
        return self.workspace_arn.split(":")[3]

    @property
    def url(self) -> str:
        """Where it takes samples."""
        workspace = self.workspace_arn.rsplit("/", 1)[-1]
        return f"https://aps-workspaces.{self.region}.amazonaws.com/workspaces/{workspace}/api/v1/remote_write"


class RemoteUrl(Model):
    """Anything that speaks Prometheus's remote write."""

    mode: Literal["endpoint"]
    """Write to an address."""
    url: HttpsUrl
    """Where it takes samples."""
    username: UserName | None = None
    """Who writes, with the password of the config secret `remoteWritePassword`; nobody in particular unless given."""


class Smtp(Model):
    """The server that sends e-mail, such as that of Amazon SES."""

    host: SmtpHost
    """Host and port, such as `email-smtp.us-east-1.amazonaws.com:587`."""
    sender: Email
    """Who writes."""
    username: UserName
    """Who signs in, with the password of the config secret `smtpPassword`."""


class Notify(Model):
    """Who is told of alerts. Secrets are config keys of their own: `pulumi config set --secret slackWebhook`."""

    slack_channel: SlackChannel | None = None
    """A channel such as `#gpu-alerts`, through the webhook of the config secret `slackWebhook`."""
    pagerduty: bool = False
    """Page for critical alerts, with the routing key of the config secret `pagerdutyKey`."""
    emails: list[Email] = Field([], max_length=10)
    """Who is told by e-mail."""
    smtp: Smtp | None = None
    """What sends the e-mail."""

    @property
    def secrets(self) -> list[str]:
        """The config secrets that it takes."""
        needed = {SLACK_WEBHOOK: self.slack_channel, PAGERDUTY_KEY: self.pagerduty, SMTP_PASSWORD: self.emails}
        return [key for key, used in needed.items() if used]

    def problems(self) -> Iterator[Problem]:
        yield from repeated([one.lower() for one in self.emails], "emails")
        if not self.secrets:
            yield Problem(
                "todo", (), "tells nobody: name a slackChannel, emails, or say pagerduty: true; else leave it out"
            )
        if bool(self.emails) != (self.smtp is not None):
            yield Problem("todo", ("smtp",), "emails and the server that sends them go together: give both or neither")


class InstallMonitoring(Model):
    """Prometheus, Alertmanager and the exporters of kube-prometheus-stack, with the platform's own rules."""

    mode: Literal["install"]
    """Install everything."""
    retention_days: int = Field(15, ge=1, le=365)
    """How long Prometheus keeps samples itself."""
    storage_gib: int = Field(100, ge=10, le=16_000)
    """Its volume, in GiB; the oldest samples go when 85 % is full. To enlarge it later, enlarge the volume's claim first: the Prometheus
    operator does not (its documentation, platform/storage, says how)."""
    remote_write: Annotated[Amp | RemoteUrl, Field(discriminator="mode")] | None = None
    """Where samples go besides."""
    notify: Notify | None = None
    """Who is told of alerts; nobody unless given, they only stand in Prometheus."""
    grafana: bool = True
    """Install Grafana with the platform's dashboards. Sign in as `admin` with the config secret `grafanaPassword`; nothing leads
    to it from outside: `kubectl port-forward -n monitoring svc/kube-prometheus-stack-grafana 3000:80`."""

    @property
    def secrets(self) -> list[str]:
        """The config secrets that it takes: `pulumi up` stops where one is missing."""
        target = self.remote_write
        signed_in = isinstance(target, RemoteUrl) and target.username is not None
        found = [GRAFANA_PASSWORD] * self.grafana + [REMOTE_WRITE_PASSWORD] * signed_in
        return [*found, *(self.notify.secrets if self.notify else [])]

    @property
    def url(self) -> str:
        """Where it answers queries inside the cluster: the Service that the Prometheus operator makes."""
        return f"http://prometheus-operated.{namespaces.MONITORING}.svc:9090"


class ExistingMonitoring(Model):
    """The team's own Prometheus, with its operator: only the CRDs, the monitors, the rules and the dashboards are made here.
    docs/own-prometheus.md says what it has to bring."""

    mode: Literal["existing"]
    """Make monitors, rules and dashboards only."""
    url: ClusterUrl | None = None
    """Where it answers queries inside the cluster, such as `http://prometheus.monitoring.svc:9090`; services are scaled by it."""
    labels: Annotated[dict[PodLabelKey, LabelValue] | None, Field(max_length=10)] = None
    """Labels by which that Prometheus selects monitors and rules, if it does; dashboards carry them, too."""


Monitoring = Annotated[InstallMonitoring | ExistingMonitoring, Field(discriminator="mode")]
