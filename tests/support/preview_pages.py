"""Pages of stacks, and the text in them."""

import html
import re
from datetime import date
from functools import cache

from gpu_blueprint.cli.text.preview_page import PageContent
from gpu_blueprint.files.loading.source import Source
from gpu_blueprint.files.loading.stack_file import check_source
from gpu_blueprint.judging.report import judge_stack
from gpu_blueprint.pages.redaction import Redaction
from gpu_blueprint.plan import record
from gpu_blueprint.records import replace

from .plans import STACKS

TODAY = date(2026, 11, 30)


@cache
def make_content(name: str) -> PageContent:
    """Return what the page of a stack of the tests says."""
    return make_content_of(name, (STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8"))


def make_content_of(name: str, text: str) -> PageContent:
    """Return what the page of a stack file says."""
    stack = check_source(name, Source(text, f"stacks/Pulumi.{name}.yaml"))
    plan = record(name, stack.source.config)
    return PageContent(
        stack=stack, plan=plan, warnings=stack.list_warnings(TODAY), findings=judge_stack(stack, plan), today=TODAY
    )


def redact(content: PageContent) -> PageContent:
    """Return the content of a page whose names are hidden."""
    return replace(content, redaction=Redaction(content.stack.name, content.stack.config))


def read_text(page: str) -> str:
    """Return the text of a page as a reader sees it, also that of its pictures, without elements and styles."""
    bare = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", bare))
