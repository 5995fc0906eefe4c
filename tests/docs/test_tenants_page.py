"""docs/tenants.md, isolation.md and attacks.md name every rule, policy and attack of the code."""

import json
import re
from datetime import date, timedelta

import yaml

from gpu_blueprint.admission.policies import list_policies
from gpu_blueprint.admission.tenants.templates import TEMPLATE_KINDS
from gpu_blueprint.docs.admission_rules import make_example_stack
from gpu_blueprint.docs.attacks_page import ATTACKS
from gpu_blueprint.docs.isolation_page import render_isolation_page
from gpu_blueprint.explain.queues.jobs import build_first_job_or_pod
from gpu_blueprint.judging.verdicts import judge_plan
from policies import Waiver

from ..support.edits import plan_edited
from ..support.plans import ROOT, shipped_config

TENANTS, PAGE, ATTACK_TABLE = (
    (ROOT / "docs" / f"{name}.md").read_text() for name in ("tenants", "isolation", "attacks")
)


def test_the_pod_of_the_page_is_the_first_pod_of_the_shipped_pool() -> None:
    """The rules of admission take it: tests/explain and the lab send the first pods of every pool."""
    config = shipped_config("prod")
    (shown,) = re.findall(r"```yaml\n(.*?)```", TENANTS, re.DOTALL)
    assert yaml.safe_load(shown) == build_first_job_or_pod(config, config.gpu_pools_by_name["infer-l4"])


def test_the_policies_of_models_and_of_prometheus_stand_beside_the_others() -> None:
    page = render_isolation_page()
    for name in ("scrapes", "model-chat", "call-serving-chat", "load-balancers"):
        assert f"| `NetworkPolicy gpu-blueprint-{name}` | " in page


def test_the_table_has_a_row_for_each_rule_in_the_order_in_which_they_are_judged() -> None:
    policies = [policy for policy in list_policies(make_example_stack()) if not policy.only_warns]
    rules = TENANTS.split("| rule | message |")[1]
    assert re.findall(r"^\| `([\w-]+)` \| ", rules, re.M) == [rule.id for policy in policies for rule in policy.rules]
    shown = dict(re.findall(r"^\| `(gpu-blueprint-[\w-]+)` \| (.*) \|$", PAGE, re.M))
    assert shown == {policy.name: ", ".join(f"`{rule.id}`" for rule in policy.rules) for policy in policies}


def test_the_attacks_stand_in_a_table_with_their_messages() -> None:
    rows = json.loads(ATTACKS.read_text())
    assert [line.split(" | ")[0][2:] for line in ATTACK_TABLE.splitlines() if line.startswith("| ")][1:] == [
        row["name"] for row in rows
    ]


def test_every_kind_with_templates_is_named() -> None:
    assert [kind.kind for kind in TEMPLATE_KINDS if f"{kind.kind}s" not in TENANTS] == []


def test_break_glass_deletes_every_binding() -> None:
    (command,) = re.findall(r"^    kubectl delete validatingadmissionpolicybinding (.* .*)$", PAGE, re.M)
    assert command.split() == [policy.name for policy in list_policies(make_example_stack())]


def test_the_rules_that_hold_with_warn_are_named() -> None:
    policies = list_policies(make_example_stack())
    always = [rule.id for policy in policies if policy.always_denies for rule in policy.rules]
    of_models = ["model-objects", "model-deployments", "model-scaling"]
    harmless = ["binding-subjects", "platform-objects", "identity-accounts", "storage-claims", *of_models]
    assert [rule for rule in always if not rule.startswith("queue") and rule != "gang-within-reach"] == harmless
    steps = PAGE.split("## From warn to deny")[1]
    assert all(f"`{rule}`" in steps for rule in always)
    lockout = " ".join(steps.partition("**A policy locks the platform out.**")[2].split())
    assert "`enforcement: warn` the bindings only warn" in lockout and "refuse in both modes" in lockout
    assert "The rules of queues refuse services and bare pods in queued pools" in steps


def test_the_first_step_passes_the_policy_pack_with_its_waivers_and_not_without() -> None:
    (rule,) = re.findall(r"waive its rule `([\w-]+)`", PAGE)
    (example,) = re.findall(r"such as\s+`(gpu-prod-[\w-]+)`", PAGE)
    plan = plan_edited("prod", lambda file: file.update(tenancy={"enforcement": "warn"}))
    fails = {found.verdict.resource for found in judge_plan(plan, {}) if found.fails}
    assert fails == {"gpu-prod-tenant-serving-namespace", "gpu-prod-tenant-training-namespace"} and example in fails
    waivers = [Waiver(rule, name, "until step 4", "ml-platform", date.today() + timedelta(1)) for name in fails]
    assert [found for found in judge_plan(plan, {}, waivers, date.today()) if found.fails] == []


def test_the_gap_of_network_policies_stands_in_their_section() -> None:
    section = PAGE.split("## Network policies limit traffic")[1].split("\n## ")[0]
    assert "Pods without an owner are a gap" in section
