"""Answer whether user data lets the container runtime obey NVIDIA_VISIBLE_DEVICES of pods without privileges.

Sources: NVIDIA/nvidia-container-toolkit internal/config/config.go (the option, which is on by default); Bottlerocket's
settings reference, nvidia-container-runtime (off by default); cloud-init, user data formats.
"""

import re
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from email import message_from_string
from typing import Any

from ..values import UnreadableError, read_flag, read_mapping

_OPTION = re.compile("envvar-when-unprivileged[\"'\\s=:]+(true|false)")
"""The option with its value, as nvidia-ctk, TOML, sed and echo write it."""
_RUN = ("text/x-shellscript", "text/cloud-config", "text/cloud-boothook")
"""Types of the parts that cloud-init runs; nodeadm's own parts set nothing of NVIDIA's runtime."""


def decode_user_data(text: str) -> str:
    """Return user data in clear; launch templates hold it in base64."""
    try:
        return b64decode(text, validate=True).decode(errors="replace")
    except ValueError:
        return text


def is_closed_by_script(user_data: str) -> bool:
    """Tell whether scripts in user data end with the option off; comments and NodeConfigs set nothing."""
    lines = [line for script in _list_scripts(user_data) for line in script.splitlines()]
    found = [value for line in lines if not line.lstrip().startswith("#") for value in _OPTION.findall(line)]
    return found[-1:] == ["false"]


def _list_scripts(user_data: str) -> Iterator[str]:
    text = user_data.lstrip()
    if text.startswith(("#!", "#cloud-config", "#cloud-boothook")):
        yield text
    elif text.lower().startswith(("mime-version:", "content-type:")):
        for part in message_from_string(text).walk():
            if part.get_content_type() in _RUN:
                content: Any = part.get_payload(decode=True)
                yield content.decode(errors="replace")


def is_opened_by_settings(user_data: str) -> bool:
    """Tell whether Bottlerocket's settings turn the option on.

    Raises:
        UnreadableError: The user data is no TOML.
    """
    try:
        settings = tomllib.loads(user_data).get("settings")
    except tomllib.TOMLDecodeError:
        raise UnreadableError(user_data, "Bottlerocket's settings in TOML", "userData") from None
    runtime = read_mapping(read_mapping(settings, "settings").get("nvidia-container-runtime"), "settings")
    name = "visible-devices-envvar-when-unprivileged"
    return read_flag(runtime.get(name), name, default=False)
