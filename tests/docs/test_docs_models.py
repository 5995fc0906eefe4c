"""docs/models.md and models-details.md: `check` accepts the stack files, `job` prints the Job, tables are whole."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_blueprint.catalog.quantizations import QUANTIZATIONS
from gpu_blueprint.cli import main
from gpu_blueprint.keys import STACK_KEY
from gpu_blueprint.subjects.models.pods import build_template

from ..cli.test_parser import list_examples
from ..files.loading.test_model_sizes import llama
from ..support.pages import list_variable_rows
from ..support.plans import ROOT, shipped_file
from ..support.served_models import HUB, chat, config_of, find_model, ranking

PAGE = "".join((ROOT / "docs" / name).read_text() for name in ("models.md", "models-details.md"))
BLOCKS = [yaml.safe_load(block.replace("…", "0" * 64)) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
(CHAT,) = BLOCKS[0]["models"]


def build_models(block: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the models of a block; fields of a model that the block leaves out are those of the first example."""
    models = block.get("models", [block])
    return [model if "server" in model else {**CHAT, **model} for model in models]


def build_stack(block: dict[str, Any]) -> dict[str, Any]:
    prod = shipped_file("prod")[STACK_KEY]
    models = build_models(block)
    for model in models:
        if "configJson" in model:
            del model["shape"]
    granted = {tenant["name"]: tenant["gpus"] for tenant in block.get("tenants", [])}
    own = {"hourlyCeiling": 700, "pools": [*prod["pools"], *block["pools"]]} if "pools" in block else {}
    downloads = any("repository" in model["source"] for model in models)
    return {
        **prod,
        **own,
        "tenants": [
            {**tenant, "gpus": {**tenant["gpus"], **granted.get(tenant["name"], {})}} for tenant in prod["tenants"]
        ],
        "environment": "staging" if downloads else prod["environment"],
        "storage": [*prod["storage"], *block.get("storage", [])],
        "models": models,
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Pulumi.yaml, with the config.json that the page names."""
    (tmp_path / "stacks").mkdir()
    (tmp_path / "models/llama-3.1-8b").mkdir(parents=True)
    (tmp_path / "models/llama-3.1-8b/config.json").write_text(json.dumps(llama()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, block: dict[str, Any]) -> None:
    document = {"config": {**shipped_file("prod"), STACK_KEY: build_stack(block)}}
    (folder / "stacks" / "Pulumi.prod.yaml").write_text(yaml.safe_dump(document))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: "-".join(block))
def test_check_accepts_each_stack_file_of_the_page(
    block: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, block)
    ended = main(["check", "prod"])
    shown = capsys.readouterr()
    assert ended == 0, shown.out + shown.err


def test_the_example_of_job_prints_the_job_of_the_plans_of_the_page(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (triton,) = (block for block in BLOCKS if "storage" in block)
    write(folder, triton)
    (example,) = (example for example in list_examples("job") if "--build-engine" in example)
    assert f"blueprint {example} > build-ranking.yaml" in PAGE
    assert main(example.split()) == 0
    printed = capsys.readouterr().out
    commands = [line.removeprefix("#   ") for line in printed.splitlines() if line.startswith("#   kubectl")]
    assert [command for command in commands if command not in PAGE] == []
    (graph,) = re.findall(r"# (s3://\S+) must be there", printed)
    assert f"aws s3 cp embedder.onnx {graph}\n" in PAGE
    shapes = [line.removeprefix("#   ") for line in printed.splitlines() if "Shapes=" in line]
    assert shapes and [line for line in shapes if line not in PAGE] == []


def test_the_table_names_each_format_of_the_catalogue_beside_its_storage() -> None:
    rows = re.findall(r"^  \| (`\w.*?) \| (.*) \|$", PAGE, re.MULTILINE)
    stored = {name: told for names, told in rows for name in re.findall(r"`([^`]+)`", names) if name != "quantization"}
    assert stored.keys() == QUANTIZATIONS.keys()
    for name, row in QUANTIZATIONS.items():
        assert (row.made == "load") == stored[name].startswith("16 bits"), name
        assert all(method.split()[0] in stored[name] for method in row.stored_as), name


def test_the_page_says_of_each_variable_of_a_server_why_it_is_set() -> None:
    offline, hub = {"storage": "weights", "path": "llama", "load": "mount"}, {**HUB, "tokenSecret": "hub"}
    names: set[str] = set()
    for model in (chat(), chat(source=offline), chat(source=hub), ranking()):
        config = config_of(model)
        (container,) = build_template(config, find_model(config))["spec"]["containers"]
        names |= {variable["name"] for variable in container["env"]}
    assert names == list_variable_rows(PAGE, "variable of the server").keys()


def test_the_sum_of_the_section_on_several_gpus_is_what_explain_prints(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (large,) = (block for block in BLOCKS if "pools" in block)
    write(folder, large)
    assert main(["explain", "prod", "large"]) == 0
    printed = capsys.readouterr().out
    (shown,) = re.findall(r"\$ blueprint explain prod large\n(.*?)```", PAGE, re.DOTALL)
    assert shown in printed and "--tensor-parallel-size=4\n" in printed
