"""The one shape of everything a user writes: closed, immutable, camelCase in YAML."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from .errors import Problem, under


class Model(BaseModel):
    """Base of all config models; an attribute's docstring is its reference text and editor help."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        use_attribute_docstrings=True,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong although every field alone is well-formed; paths start at this model."""
        return iter(())

    def all_problems(self) -> Iterator[Problem]:
        """Yield the problems of this model and of every model inside it."""
        yield from self.problems()
        for name, field in type(self).model_fields.items():
            yield from under(_inside(getattr(self, name)), field.alias or name)


def _inside(value: Any) -> Iterator[Problem]:
    if isinstance(value, Model):
        yield from value.all_problems()
    elif isinstance(value, list | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from under(_inside(item), key)
