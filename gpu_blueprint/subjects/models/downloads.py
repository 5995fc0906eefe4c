"""Weights that a server downloads from the internet: through the company's proxy, and by the company's authorities."""

from typing import Any

from ...config import StackConfig
from ...config.models import ServedModel
from ..cluster.telling import VARIABLES_MAP, build_variables, has_authorities

CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
"""The variables by which httpx and requests, the clients of huggingface_hub, take other authorities in place of the
public ones of certifi. Nothing adds to them. Sources: encode/httpx httpx/_config.py; psf/requests
src/requests/sessions.py. Read 2026-11-27."""


def downloads_outside(config: StackConfig, model: ServedModel) -> bool:
    """Return whether the pods of a model download from Hugging Face through the proxy."""
    return bool(model.source.repository and build_variables(config))


def trusts_company_alone(config: StackConfig, model: ServedModel) -> bool:
    """Return whether the pods of a model trust the company's authorities and no others.

    They call nobody outside but Hugging Face, and this through the proxy, which opens the connection and shows a
    certificate of the company. Without a proxy they would meet the certificate of Hugging Face itself.
    """
    return downloads_outside(config, model) and has_authorities(config)


def tell_downloads(config: StackConfig, model: ServedModel) -> dict[str, Any]:
    """Return the field of a container that takes the proxy's variables."""
    return {"envFrom": [{"configMapRef": {"name": VARIABLES_MAP}}]} if downloads_outside(config, model) else {}
