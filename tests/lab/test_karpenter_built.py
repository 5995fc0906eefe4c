"""The names of Karpenter's settings, looked up in the program."""

import pytest

from lab.engines import find_engine
from lab.karpenter import _DEFAULT_GATES, _VARIABLES

pytestmark = pytest.mark.lab


def test_karpenter_knows_every_setting_and_every_gate() -> None:
    program = find_engine("karpenter").read_bytes()
    gates = [name[0].upper() + name[1:] for name in _DEFAULT_GATES]
    assert [name for name in (*_VARIABLES.values(), *gates) if name.encode() not in program] == []
