"""The image of a server."""

from ..catalog.inference_servers import INFERENCE_SERVERS
from ..config import StackConfig
from ..config.models import ServedModel
from ..images.sources import locate_image


def name_image(model: ServedModel) -> str:
    """Return the image of a model in its own registry, with its digest if the stack file has it."""
    server = INFERENCE_SERVERS[model.server_name]
    if model.image is None:
        return f"{server.repository}:{server.tag}"
    return f"{server.repository}:{model.image.tag}" + (f"@{model.image.digest}" if model.image.digest else "")


def place_image(config: StackConfig, model: ServedModel) -> str:
    """Return the image as nodes pull it."""
    return locate_image(config, name_image(model))
