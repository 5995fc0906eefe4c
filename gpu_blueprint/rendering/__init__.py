"""A plan as files: Kubernetes manifests, Helm values, dashboards, and a page about secrets."""

from .files import render_files
from .manifests import LeftOut, Manifest, list_manifests

__all__ = ["LeftOut", "Manifest", "list_manifests", "render_files"]
