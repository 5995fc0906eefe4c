"""Environment variables that people give a run as ``NAME=VALUE``, and mistakes in them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAME = re.compile(
    r"((^|_)(HF|HUB|AUTH|ACCESS|SESSION|GITHUB)_TOKEN|_API_KEY|_ACCESS_KEY|PASSWORD|_SECRET)$", re.I
)
OWNED: Mapping[str, str] = MappingProxyType(
    {
        "PET_NNODES": "give --nodes",
        "PET_NPROC_PER_NODE": "give --gpus, or write --nproc-per-node behind torchrun",
        "PET_NODE_RANK": "it is the index of the pod; leave it out",
        "PET_MASTER_ADDR": "it is the name of the first pod; leave it out",
        "PET_MASTER_PORT": "all nodes meet there; leave it out",
        "PET_RDZV_CONF": "give --wait",
        "CHECKPOINT_DIR": "give --checkpoints and --name",
        "RUN_ID": "it is the id of the Job or JobSet; leave it out",
        "RUN_ATTEMPT": "it is the number of the restart; leave it out",
        "FAILURES_DIR": "give --checkpoints and --name",
        "CPU_REQUEST": "it is the CPU of the pod; leave it out",
    }
)
"""Variables of the template that people cannot replace → remedy; all others of the template can be replaced."""


def read_variables(words: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return name and value of each valid ``NAME=VALUE``."""
    pairs = (word.partition("=") for word in words)
    return tuple((name, value) for name, _, value in pairs)


def find_variable_mistakes(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the mistakes in words that should be ``NAME=VALUE``."""
    names = [word.partition("=")[0] for word in words]
    for word, name in zip(words, names, strict=True):
        if "=" not in word:
            yield f"--env {word}: there is no value; write --env {word or 'NAME'}=VALUE"
        elif not _NAME.fullmatch(name):
            yield f"--env {word}: {name!r} is no name; write letters, digits and '_', no digit first"
        elif name in OWNED:
            yield f"--env {name}: the run writes this variable itself; {OWNED[name]}"
        elif _SECRET_NAME.search(name):
            # The value would be in the file of the run, and in the object that the whole team can read.
            yield (
                f"--env {name}: the whole team can read this value; keep it in a Secret, and add to the printed env: "
                f"{{name: {name}, valueFrom: {{secretKeyRef: {{name: SECRET, key: KEY}}}}}}"
            )
    for name, count in Counter(names).items():
        if count > 1:
            yield f"--env {name}: the variable is given {'twice' if count == 2 else f'{count} times'}; give it once"
