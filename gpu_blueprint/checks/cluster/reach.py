"""Hosts that a VPC without internet surely does not reach: on the internet, and ECR and SES of other regions.

A private endpoint of AWS answers for its own region. A host that no list here knows may be a team's own, inside the VPC
or behind a transit gateway, and nobody can tell from the stack file.
"""

import re

from ...catalog.upstreams import UPSTREAMS

_ECR = re.compile(r"\d{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.")
_SES = re.compile(r"email-smtp(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?::\d+)?")
_OF_THE_INTERNET = (
    *(upstream.host for upstream in UPSTREAMS.values()),
    *("nvcr.io", "gcr.io", "pkg.dev", "azurecr.io", "mcr.microsoft.com", "registry.gitlab.com", "cgr.dev"),
    *("grafana.net", "datadoghq.com", "newrelic.com", "signalfx.com", "chronosphere.io", "gmail.com", "office365.com"),
    *("sendgrid.net", "mailgun.org", "sparkpostmail.com", "postmarkapp.com"),
)
"""Registries, stores of metrics and mail servers that have public addresses; hosts below them count too."""


def find_ses_region(host: str) -> str:
    """Return the region of an SMTP host of Amazon SES; empty for every other host."""
    found = _SES.fullmatch(host.lower())
    return found[1] if found else ""


def explain_distance(place: str, region: str) -> str:
    """Return why a VPC without internet does not reach a host, as the end of a sentence; empty if it may.

    Args:
        place: A host with an optional port and path.
        region: Region of the stack.
    """
    host = re.split("[:/]", place.lower())[0]
    found = _ECR.match(place.lower())
    if found and found[1] != region:
        return f"is in {found[1]}, and the endpoints of the VPC lead to services of {region}"
    other = find_ses_region(host)
    if other and other != region:
        return f"is in {other}, and the endpoints of the VPC lead to services of {region}"
    if any(host == known or host.endswith(f".{known}") for known in _OF_THE_INTERNET):
        return "is a host of the internet"
    return ""
