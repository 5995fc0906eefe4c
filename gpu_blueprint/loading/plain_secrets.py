"""Passwords and tokens in plain text, which everybody reads who can read the repository."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import Path, Problem
from ..keys import GRAFANA_PASSWORD, PAGERDUTY_KEY, REMOTE_WRITE_PASSWORD, SLACK_WEBHOOK, SMTP_PASSWORD

PLAIN_SECRET = "secret-in-the-open"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORDS = ("password", "passwords", "passwd", "passphrase", "passcode", "pwd")
_TOKENS = ("token", "tokens", "apikey", "apikeys", "credential", "credentials")
"""Ends of the last word of a key that say that its text is a secret."""
_KEYS = ("api", "secret", "private", "access", "signing", "encryption", "routing", "integration", "service", "auth")
"""Words that make ``key`` a secret: apiKey, secretAccessKey."""
_CLIENTS = ("client", "app", "shared", "api", "oauth", "access", "signing", "webhook", "consumer", "jwt", "session")
"""Words that make ``secret`` the secret itself; a bare ``secret`` may be the name of a Secret of Kubernetes."""
_OBJECT_NAME = re.compile(r"[a-z]+(-[a-z0-9]{1,12}){0,7}")
_REFERENCE = re.compile(
    r"|true|false|none|null|-|\*+|x{3,}|<.*>|/.*|arn:.*|.*(\$\(|\$\{|\$__|\{\{|<[a-z -]+>).*", re.IGNORECASE | re.DOTALL
)
"""Texts that hold no secret: placeholders, paths of files, ARNs, variables and templates."""
_TOKEN = re.compile(
    r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\b(AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abeoprs]-[\w-]{10,}"
    r"|\bxapp-[\w-]{10,}|\bglpat-[\w-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAGE-SECRET-KEY-1\w+"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|\bsk-[\w-]{20,}|\b[sr]k_(live|test)_\w{16,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\bnvapi-[\w-]{20,}|\bAIza[\w-]{35}|\bglsa_\w{20,}|\bpul-[0-9a-f]{40}\b|\bhvs\.[\w-]{20,}|\bnpm_\w{30,}"
    r"|\bdckr_pat_[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|hooks\.slack\.com/services/\w+/\w+"
    r"|discord(app)?\.com/api/webhooks/\d+|webhook\.office\.com/webhook|://[^/\s:@\"']+:[^/\s@\"'${}]+@"
)
"""Shapes of well-known tokens, of private keys, of addresses that are secrets, and of passwords in addresses."""
_ASSIGNMENT = re.compile(
    r"(password|passwd|passphrase|api_?key|secret_?key|client_?secret|token)[\"']?\s*[:=]\s*[\"']?(?!true|false|none|null)"
    r"[^\s\"'/$%{}<>,;]{4,}|\"auth\"\s*:\s*\"[\w+/=-]{8,}",
    re.IGNORECASE,
)
"""A password inside a longer text, such as an argument, an INI file or a JSON document."""
_OWN = {
    GRAFANA_PASSWORD: re.compile("grafana.*admin_?password"),
    SLACK_WEBHOOK: re.compile("slack"),
    PAGERDUTY_KEY: re.compile("pagerduty|routing_?key"),
    REMOTE_WRITE_PASSWORD: re.compile("remotewrite.*pass"),
    SMTP_PASSWORD: re.compile("smtp.*pass|auth_?password"),
}
"""Config secret of this project → the paths of the values that belong into it."""


def refuse_plain_secrets(value: Any, path: Path = ()) -> Iterator[Problem]:
    """Refuse texts that are tokens by their shape, and texts under names such as password, token or apiKey."""
    seen: set[int] = set()  # an alias leads to the same list or mapping again
    waiting = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if _TOKEN.search(value) or _ASSIGNMENT.search(value):
                yield _explain(path)
        elif isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(value, dict) and _is_secret_item(str(key), item, value):
                    yield _explain((*path, key))
                else:
                    waiting.append(((*path, key), item))


def refuse_tokens_in_comments(text: str, data: Any) -> Iterator[Problem]:
    """Refuse tokens that the text of a file has in comments or keys, not in the values of its data."""
    if not _TOKEN.search(text):
        return
    in_values = set(_list_tokens(data))
    for number, line in enumerate(text.split("\n"), 1):
        if (found := _TOKEN.search(line)) and found[0] not in in_values:
            yield _explain((), line=number)


def _list_tokens(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _list_tokens(item)
    elif isinstance(value, str):
        yield from (found[0] for found in _TOKEN.finditer(value))


def _is_secret_item(key: str, item: Any, around: Mapping[Any, Any]) -> bool:
    """Return whether a field is a secret by its name, or is the value of an environment variable with such a name."""
    if key == "value" and isinstance(name := around.get("name", around.get("key")), str):
        key = name
    if isinstance(item, list):
        return any(_is_secret_item(key, part, {}) for part in item if isinstance(part, str))
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        return False
    text = str(item).strip()
    return not _REFERENCE.fullmatch(text) and _names_secret(key, text, around)


def _names_secret(key: str, text: str, around: Mapping[Any, Any]) -> bool:
    """Return whether the last words of a key say that the text is a secret, not the name of a secret."""
    words = [word.lower() for word in _WORD.findall(key)]
    *before, last = words or [""]
    owner = before[-1] if before else ""
    if last.endswith(_PASSWORDS):
        return True
    if last.endswith(_TOKENS):
        return last != "tokens" or not text.isdigit()  # maxTokens is a count
    if last in ("key", "keys"):
        return owner in _KEYS and not _names_object(around)
    if last in ("secret", "secrets") and "existing" not in before:
        return owner in _CLIENTS or not _OBJECT_NAME.fullmatch(text)
    return False


def _names_object(around: Mapping[Any, Any]) -> bool:
    """Return whether a mapping names a Secret of Kubernetes, so that its keys are names too."""
    words = ("secretname", "existingsecret", "secretref", "secretkeyref", "secretstoreref")
    return any(str(key).lower().endswith(words) for key in around)


def _explain(path: Path, line: int = 0) -> Problem:
    place = "".join(map(str, path)).lower()
    name = next((secret for secret, paths in _OWN.items() if paths.search(place)), "NAME")
    hint = f"take it out, revoke it, and run `pulumi config set --secret {name}`"
    if name == "NAME" and "helmOverrides" in path:
        hint += ", or name a Secret of Kubernetes, such as existingSecret, that the chart reads"
    return Problem(PLAIN_SECRET, path, "a secret stands in plain text in the file", hint, line=line)
