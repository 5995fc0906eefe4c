"""The keys of Pulumi's configuration that the program reads: in a stack file, or as config secrets."""

PROJECT = "gpu-blueprint"
"""The name of the Pulumi project, as in Pulumi.yaml."""
STACK_KEY = f"{PROJECT}:stack"
REGION_KEY = "aws:region"
ALLOW_OLDER = f"{PROJECT}:allowOlder"
"""Key whose value is an older version of the blueprint: this version may run although a newer one built the stack."""
NO_DEFAULT_PROVIDERS = "pulumi:disable-default-providers"

SLACK_WEBHOOK, PAGERDUTY_KEY, WATCHDOG_URL = "slackWebhook", "pagerdutyKey", "watchdogUrl"
SMTP_PASSWORD, REMOTE_WRITE_PASSWORD = "smtpPassword", "remoteWritePassword"
GRAFANA_PASSWORD = "grafanaPassword"
SECRET_KEYS = (SLACK_WEBHOOK, PAGERDUTY_KEY, WATCHDOG_URL, SMTP_PASSWORD, REMOTE_WRITE_PASSWORD, GRAFANA_PASSWORD)
"""Config secrets that the program also reads: ``pulumi config set --secret slackWebhook``."""
