"""A stack file as text: what it says, and on which line it says it."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from ..config.monitoring import SECRET_KEYS
from ..errors import Path as FieldPath
from ..errors import Problem, StackError, near

PROJECT = "gpu-blueprint"
STACK_KEY = f"{PROJECT}:stack"
REGION_KEY = "aws:region"
IN_FILE = ("config", STACK_KEY)
"""Where the stack object stands in its file."""
REGION_IN_FILE = ("config", REGION_KEY)
NO_DEFAULT_PROVIDERS = "pulumi:disable-default-providers"
STACKS = Path("stacks")

_MOST_VALUES = 200_000
_TOP = ("config", "secretsprovider", "encryptedkey", "encryptionsalt", "environment")


def stack_path(stack: str, folder: Path = STACKS) -> Path:
    """The file of a stack, as Pulumi names it."""
    return folder / f"Pulumi.{stack}.yaml"


class Source:
    """One stack file; ``file`` is how errors name it."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        try:
            self.root = yaml.compose(text, Loader=yaml.CSafeLoader)
            self.data: Any = yaml.load(text, Loader=yaml.CSafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            text = f"not valid YAML: {error.problem or error.context}; look here and at the line before: indentation, brackets, colons"
            raise StackError([Problem("todo", (), text, file=file, line=line)]) from None
        except yaml.reader.ReaderError as error:
            line = text[: error.position].count("\n") + 1
            message = f"not valid YAML: a character that is not allowed (0x{error.character:02x})"
            raise StackError([Problem("todo", (), message, file=file, line=line)]) from None
        except (yaml.YAMLError, ValueError) as error:
            raise StackError(
                [Problem("todo", (), f"not valid YAML: {' '.join(str(error).split())}", file=file, line=1)]
            ) from None
        if why := _unusable(self.data):
            raise StackError([Problem("todo", (), why, file=file, line=1)])

    @property
    def config(self) -> dict[str, Any]:
        """The ``config`` section."""
        return self.data["config"]  # type: ignore[no-any-return]

    @property
    def region(self) -> Any:
        """What stands under ``aws:region``."""
        return self.config.get(REGION_KEY)

    @property
    def stack(self) -> Any:
        """The object that describes the environment."""
        return self.config[STACK_KEY]

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong around the stack object; after any of these the object itself cannot be read."""
        if not isinstance(self.data, dict):
            yield Problem(
                "todo", (), f"the file is empty or no mapping; it needs config: with {REGION_KEY} and {STACK_KEY}"
            )
            return
        if not isinstance(self.data.get("config"), dict):
            yield Problem(
                "todo", ("config",), f"missing; it holds {REGION_KEY}, {NO_DEFAULT_PROVIDERS} and {STACK_KEY}"
            )
            return
        if STACK_KEY not in self.config:
            meant = get_close_matches(STACK_KEY, map(str, self.config), 1)
            if meant:
                yield Problem("todo", ("config", meant[0]), f"unknown key; did you mean {STACK_KEY}?")
            else:
                yield Problem("todo", IN_FILE, f"missing (config has: {', '.join(map(str, self.config))})")
        elif not isinstance(self.stack, dict):
            yield Problem("todo", IN_FILE, "empty or no mapping; it describes the environment")

    def findings(self) -> Iterator[Problem]:
        """Yield what is wrong in the file itself, the stack object apart."""
        for key in self.data:
            if key not in _TOP:
                yield Problem("todo", (key,), f"unknown key {near(str(key), _TOP, 'Pulumi knows')}")
        if self.config.get(NO_DEFAULT_PROVIDERS) != ["*"]:
            yield Problem(
                "todo",
                ("config", NO_DEFAULT_PROVIDERS),
                'must be ["*"], so that no resource goes to whatever account is at hand',
            )
        if REGION_KEY not in self.config:
            meant = get_close_matches(REGION_KEY, map(str, self.config), 1)
            hint = f" (did you mean that by {meant[0]}?)" if meant else ""
            yield Problem("todo", REGION_IN_FILE, f"missing: the AWS region, such as us-east-1{hint}")
        for key in self.config:
            project = str(key).split(":")[0]
            if project == PROJECT and key != STACK_KEY:
                yield from _beside(key, secret=_is_secret(self.config[key]))
            elif project not in (PROJECT, "aws", "pulumi"):
                yield Problem(
                    "todo", ("config", key), "unknown key: config holds aws:…, pulumi:… and gpu-blueprint:… only"
                )
        yield from _duplicates(self.root, ())
        yield from _loose_scalars(self.root, ())
        yield from _secrets(self.stack, IN_FILE)

    def line_of(self, path: FieldPath) -> int:
        """The line of a field, or of the innermost thing around it that stands in the file."""
        *_, (line, _) = self._walk(path)
        return line

    def node(self, path: FieldPath) -> Any:
        """The YAML node of a field, or of the innermost thing around it that stands in the file."""
        *_, (_, node) = self._walk(path)
        return node

    def raw(self, path: FieldPath) -> str:
        """The text of a scalar as it stands in the file, before YAML made a number of it."""
        node = self.node(path)
        return node.value if isinstance(node, yaml.ScalarNode) else ""

    def _walk(self, path: FieldPath) -> Iterator[tuple[int, Any]]:
        """Yield line and node of each step of a path, as far as the file has it."""
        node: Any = self.root
        yield 1, node
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                found = (node.value[part], node.value[part])
            else:
                found = None
            if found is None:
                return
            node = found[1]
            yield found[0].start_mark.line + 1, node


def _unusable(value: Any) -> str:
    """Why a document cannot be walked: aliases that make it endless or huge; empty when it can."""
    try:
        values = _expanded(value, {})
    except RecursionError:
        return "nested too deeply, or an alias (*) refers to what it stands in"
    return f"aliases (*) expand it to {values:,} values" if values > _MOST_VALUES else ""


def _expanded(value: Any, known: dict[int, int]) -> int:
    """How many values a document has when its aliases are written out."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_expanded(item, known) for item in items)
    return known[id(value)]


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"secure"}


def _beside(key: str, *, secret: bool) -> Iterator[Problem]:
    """Yield what is wrong with a key beside the stack object: secrets of the program, or of what a fork adds to it."""
    known = [f"{PROJECT}:{name}" for name in SECRET_KEYS]
    meant = get_close_matches(key.split(":", 1)[1], SECRET_KEYS, 1, cutoff=0.8)
    if key in known and not secret:
        text = f"stands here for all to read; replace it by: pulumi config set --secret {key.split(':')[1]}"
        yield Problem("todo", ("config", key), text)
    elif key not in known and not secret:
        text = f"unknown key {near(key, [STACK_KEY, *known], 'known')}; only secrets stand beside {STACK_KEY}"
        yield Problem("todo", ("config", key), text)
    elif key not in known and meant:
        yield Problem("todo", ("config", key), f"unknown secret; did you mean {PROJECT}:{meant[0]}?")


def _secrets(value: Any, path: FieldPath) -> Iterator[Problem]:
    if _is_secret(value):
        yield Problem(
            "todo",
            path,
            f"a secret inside {STACK_KEY} would make all of it secret; set it beside: pulumi config set --secret {PROJECT}:name",
        )
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _secrets(item, (*path, key))


def _loose_scalars(node: Any, path: FieldPath) -> Iterator[Problem]:
    """Yield what YAML readers, Pulumi's among them, do not read alike: yes and no, digits with a leading zero."""
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":bool") and node.value.lower() not in ("true", "false"):
        yield Problem(
            "todo",
            path,
            f'{node.value!r} is not read alike everywhere; write true or false, or "{node.value}" for the text',
        )
    elif (
        isinstance(node, yaml.ScalarNode)
        and node.style is None
        and re.fullmatch(r"0\d+|[\d_]+(:\d+)+|\d[\d_]*_[\d_]*", node.value)
    ):
        yield Problem(
            "todo", path, f'{node.value} is a number to some YAML readers and not to others; quote it: "{node.value}"'
        )
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _loose_scalars(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _loose_scalars(item, (*path, index))


def _duplicates(node: Any, path: FieldPath) -> Iterator[Problem]:
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        for index, (key, value) in enumerate(node.value):
            if key.value in keys[:index]:
                yield Problem(
                    "todo",
                    (*path, key.value),
                    f"stands twice (again in line {key.start_mark.line + 1}); the second silently wins, remove one",
                )
            yield from _duplicates(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _duplicates(item, (*path, index))


def existing_stacks(folder: Path = STACKS) -> list[str]:
    """The names of all stacks that have a file."""
    return sorted(
        match[1] for file in folder.glob("Pulumi.*.yaml") if (match := re.fullmatch(r"Pulumi\.(.+)\.yaml", file.name))
    )
