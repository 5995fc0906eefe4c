"""Cases of the alert about JobSet's controller."""

from ...support.exporter_series import Series, named
from .case import AlertCase, fires, quiet


def _leads(replica: int, values: str, name: str = "6d4f6a47.jobset.x-k8s.io") -> Series:
    place = {"namespace": "jobset-system", "job": "jobset-metrics-service", "container": "controller"}
    return {named("leader_election_master_status", name=name, instance=f"10.0.0.{replica}:8443", **place): values}


CASES: tuple[AlertCase, ...] = (
    fires("JobSetDown", at="5m", labels={}),
    quiet("JobSetDown", _leads(1, "1x60"), _leads(2, "0x60"), at="10m"),
    # Both replicas answer, and neither leads: nothing starts again.
    fires("JobSetDown", _leads(1, "0x60"), _leads(2, "0x60"), at="10m", labels={}),
    # The second replica takes over within a minute.
    quiet("JobSetDown", _leads(1, "1x10 _x60"), _leads(2, "0x11 1x60"), at="20m"),
    # Another controller's lease.
    fires("JobSetDown", _leads(1, "1x60", "c1f6bfd2.kueue.x-k8s.io"), at="10m", labels={}),
)
