"""The custom resource definitions that the lab takes from Go modules."""

import pytest

from lab.crds import COPIED_FILES, hash_crds, name_definition

from ..support.fake_go import FakeGo


def test_a_definition_is_named_as_the_api_server_names_it() -> None:
    assert name_definition("config/crd/bases/keda.sh_scaledobjects.yaml") == "scaledobjects.keda.sh.yaml"


def test_another_list_of_files_makes_the_definitions_anew(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hash_crds()
    monkeypatch.setattr("lab.crds.COPIED_FILES", {module: files[1:] for module, files in COPIED_FILES.items()})
    assert hash_crds() != before
