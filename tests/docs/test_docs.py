"""Generated pages are up to date, the schema accepts what the code accepts, and the README leads somewhere."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from gpu_blueprint.docs import render_pages

from ..support.plans import ROOT

BAD = ROOT / "tests" / "configs" / "bad"
STACK_FILES = sorted(ROOT.glob("stacks/Pulumi.*.yaml"))
"""The team's own stack files: any names, any number."""
LINK = re.compile(r"\]\((?!http)([^)#]+)[^)]*\)")
ANCHOR = re.compile(r"\]\((?!http)([^)#]*)#([^)]+)\)")
HEADER = "# yaml-language-server: $schema=schema.json\n"
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "stacks" / "schema.json").read_text()))


RENDERED = render_pages()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def list_links(page: Path) -> list[Path]:
    """Return the files to which a page of Markdown links."""
    return [(page.parent / target).resolve() for target in LINK.findall(page.read_text())]


def list_schema_errors(text: str) -> list[str]:
    return [error.message for error in SCHEMA.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize("path", RENDERED, ids=str)
def test_a_generated_page_is_up_to_date(path: Path) -> None:
    assert (ROOT / path).read_text() == RENDERED[path], f"{path} is stale: run make docs and read the diff"


@pytest.mark.parametrize("file", STACK_FILES, ids=lambda file: file.name)
def test_a_stack_file_names_the_schema_and_satisfies_it(file: Path) -> None:
    text = file.read_text()
    assert text.startswith(HEADER), f"let {file.name} start with this line, so that editors check it: {HEADER}"
    assert list_schema_errors(text) == []


@pytest.mark.parametrize("name", ["misspelt-field-of-a-pool", "text-for-a-number", "kubernetes-version-not-quoted"])
def test_the_schema_refuses_mistakes_that_editors_should_underline(name: str) -> None:
    assert list_schema_errors((BAD / f"Pulumi.{name}.yaml").read_text())


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 80


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert [link for link in list_links(page) if not link.exists()] == []


def list_anchors(page: Path) -> set[str]:
    """Return the names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_to_headings_that_exist(page: Path) -> None:
    found = ANCHOR.findall(page.read_text())
    missing = [
        f"{target}#{anchor}"
        for target, anchor in found
        if anchor not in list_anchors(page.parent / target if target else page)
    ]
    assert missing == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/design.md"])
def test_a_page_for_contributors_names_only_files_that_exist(page: str) -> None:
    code = ROOT / "gpu_blueprint"
    names = set(re.findall(r"`([a-z_]+/[a-z_./]+)`", (ROOT / page).read_text()))
    assert len(names) > 5
    assert {name for name in names if not (ROOT / name).exists() and not (code / name).exists()} == set()


def test_every_page_is_linked() -> None:
    linked = {link for page in PAGES for link in list_links(page)}
    pages = {page for page in PAGES if page.name != "README.md"}
    assert len(pages) > 10 and pages - linked == set()


def test_a_page_that_a_generated_page_names_without_a_link_exists() -> None:
    """Texts of fields and problems are printed by `check` too, and name pages such as docs/queues.md."""
    named = {page for text in RENDERED.values() for page in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", text)}
    assert len(named) > 10 and {page for page in named if not (ROOT / page).exists()} == set()


def test_a_simple_environment_takes_14_lines() -> None:
    block = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    assert len(block[1].splitlines()) == 14
    assert list_schema_errors(block[1]) == []
