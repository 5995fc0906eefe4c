"""A client of the lab's API server: the official dynamic client, with plain values and strict validation."""

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kubernetes.client
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import DynamicApiError, NotFoundError, ResourceNotFoundError

from .scene import Manifest

_MANAGER = "gpu-blueprint"


class RefusedError(Exception):
    """The API server refuses a request.

    Attributes:
        status: HTTP status, such as 403; 404 also where the server does not know the kind.
        reason: The message of the API server.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status, self.reason = status, reason


class KubeClient:
    """Read and change objects by apiVersion, kind and name, as plain values. Threads may share a client."""

    def __init__(self, url: str, token: str, certificate: Path) -> None:
        settings = kubernetes.client.Configuration(host=url)
        settings.api_key = {"authorization": f"Bearer {token}"}
        settings.ssl_ca_cert = str(certificate)
        settings.no_proxy = "127.0.0.1"
        settings.connection_pool_maxsize = 64
        cache = certificate.with_suffix(".discovery.json")
        self._discovery = threading.Lock()
        """The client's table of kinds is not made for threads: one that meets a new kind empties it for all."""
        self._client = DynamicClient(kubernetes.client.ApiClient(settings), cache_file=str(cache))

    def apply(self, manifest: Manifest, *, dry_run: bool = False) -> dict[str, Any]:
        """Apply an object on the server; unknown fields are refused.

        Raises:
            RefusedError: The API server refuses the object, or does not know its kind.
        """
        query = [("fieldValidation", "Strict"), ("fieldManager", _MANAGER), ("force", "true")]
        query += [("dryRun", "All")] if dry_run else []
        place = manifest["metadata"]
        return self._call(
            "patch",
            manifest["apiVersion"],
            manifest["kind"],
            name=place["name"],
            namespace=place.get("namespace"),
            body=dict(manifest),
            content_type="application/apply-patch+yaml",
            query_params=query,
        )

    def create(self, manifest: Manifest) -> dict[str, Any]:
        """Create an object; the server chooses the name where the manifest has only ``generateName``."""
        namespace = manifest["metadata"].get("namespace")
        query = [("fieldValidation", "Strict")]
        kind = manifest["apiVersion"], manifest["kind"]
        return self._call("post", *kind, namespace=namespace, body=dict(manifest), query_params=query)

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> dict[str, Any] | None:
        """Return an object, or None if there is none."""
        try:
            return self._call("get", api_version, kind, name=name, namespace=namespace)
        except RefusedError as error:
            if error.status == 404:
                return None
            raise

    def list(self, api_version: str, kind: str, namespace: str | None = None, labels: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, of one namespace or of all; none if the server does not know the kind."""
        try:
            answer = self._call("get", api_version, kind, namespace=namespace, label_selector=labels or None)
        except RefusedError as error:
            if error.status == 404:
                return []
            raise
        return list(answer["items"])

    def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        body: Mapping[str, Any],
        namespace: str | None = None,
        subresource: str = "",
    ) -> dict[str, Any]:
        """Merge values into an object, or into a subresource such as ``status``."""
        return self._call(
            "patch",
            api_version,
            kind,
            name=name,
            namespace=namespace,
            subresource=subresource,
            body=dict(body),
            content_type="application/merge-patch+json",
        )

    def delete(
        self, api_version: str, kind: str, name: str, namespace: str | None = None, *, wait_s: float = 0
    ) -> bool:
        """Delete an object in the foreground, and wait for its end; an object that is gone is no error.

        Returns:
            True if the object is gone, False if it is still there after the wait.
        """
        body = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"}
        try:
            self._call("delete", api_version, kind, name=name, namespace=namespace, body=body)
        except RefusedError as error:
            if error.status != 404:
                raise
        end = time.monotonic() + wait_s
        while self.get(api_version, kind, name, namespace) is not None:
            if time.monotonic() >= end:
                return False
            time.sleep(0.2)
        return True

    def is_ready(self) -> bool:
        """Return whether the API server says that it is ready."""
        try:
            self._client.request("get", "/readyz", serialize=False)
        except (DynamicApiError, OSError, kubernetes.client.ApiException):
            return False
        return True

    def _call(
        self,
        verb: str,
        api_version: str,
        kind: str,
        *,
        name: str | None = None,
        namespace: str | None = None,
        subresource: str = "",
        **options: Any,
    ) -> dict[str, Any]:
        """Send a request and return the answer."""
        try:
            with self._discovery:
                resource = self._client.resources.get(api_version=api_version, kind=kind)
            inside = namespace or ("default" if resource.namespaced and name else None)
            path = resource.path(name=name, namespace=inside if resource.namespaced else None)
            path += f"/{subresource}" if subresource else ""
            options.setdefault("query_params", [])
            answer = self._client.request(verb, path, serialize=False, **options)
        except (ResourceNotFoundError, NotFoundError) as error:
            raise RefusedError(404, _read_reason(error) or f"no kind {kind} in {api_version}") from None
        except DynamicApiError as error:
            raise RefusedError(error.status, _read_reason(error)) from None
        found: dict[str, Any] = json.loads(answer.data)
        return found


def _read_reason(error: Exception) -> str:
    """Return the message of the API server, or the text of its answer."""
    body = getattr(error, "body", b"") or b""
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace") if isinstance(body, bytes) else str(body)
