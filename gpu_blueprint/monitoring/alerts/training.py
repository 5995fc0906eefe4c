"""The alert about training on several nodes: JobSet's controller."""

from ..rules import Alert

TRAINING_ALERTS = (
    Alert(
        name="JobSetDown",
        subject="Training",
        severity="critical",
        expr='absent(leader_election_master_status{name=~".+[.]jobset[.]x-k8s[.]io"} == 1)',
        wait="5m",
        summary="Prometheus sees no JobSet controller that leads: it does not run, or it is not scraped",
        costs="If it does not run, no JobSet starts, and a run that loses a node does not start again: its other nodes"
        " are paid for and do nothing. New JobSets are refused (`failed calling webhook`). Jobs of one node, services"
        " and undisturbed runs go on.",
        steps=(
            "Check its pods: `kubectl get pods -n jobset-system`, and their logs:"
            " `kubectl logs -n jobset-system deploy/jobset-controller --tail=100`.",
            "If it runs: check the targets of the ServiceMonitor gpu-blueprint-jobset in Prometheus. 401 or 403 means"
            " that Prometheus may not read `/metrics`: docs/own-prometheus.md.",
            "If the message of a refused JobSet speaks of a certificate: restart the controller, which writes a new"
            " certificate: `kubectl rollout restart deploy -n jobset-system jobset-controller`.",
            "Runs that lost a node start again as soon as it is back; only refused requests must be repeated.",
        ),
    ),
)
