"""The variables of the MIG manager, which cuts the GPUs of AL2023 nodes into instances."""

from collections.abc import Iterable

from .profile import SharingProfile


def build_mig_manager_env(profiles: Iterable[SharingProfile]) -> dict[str, str]:
    """Return the MIG manager's variables, by name.

    Where the driver is part of the AMI, the GPU Operator has the services of the host stopped that use GPUs (entrypoint
    of v26.7.0), and the MIG manager counts the kubelet among them before it changes the MIG mode. On AL2023 a kubelet
    that stops while its node starts may leave the node NotReady for ever (NVIDIA/gpu-operator#2415). The kubelet holds
    no GPU since it measures none (cAdvisor, until Kubernetes 1.25), so it need not stop. An empty name keeps it
    running: mig-parted v0.15.0, pkg/mig/reconfigure/reconfigure.go; its urfave/cli v3.11.0 takes an empty variable for
    an empty text.
    """
    reboots = any(profile.reboots for profile in profiles)
    return {"WITH_REBOOT": "true" if reboots else "false", "HOST_KUBELET_SYSTEMD_SERVICE": ""}
