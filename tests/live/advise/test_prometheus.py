"""`advise` against a real Prometheus with metrics whose right answers are known beforehand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_blueprint.cli import main
from gpu_blueprint.errors import MetricsError
from gpu_blueprint.live.advise import Observed, advise
from gpu_blueprint.live.advise.edit import edited
from gpu_blueprint.live.advise.measure import observe
from gpu_blueprint.live.advise.prometheus import Prometheus, Sample
from gpu_blueprint.live.advise.queries import Look, select_cluster, questions
from gpu_blueprint.loading import REGION_KEY, STACK_KEY, Source
from gpu_blueprint.monitoring import rule_groups
from gpu_blueprint.monitoring.facts import FACTS
from gpu_blueprint.monitoring.recording import HELD, NAMESPACE, NODE, NODE_GPUS, TOTAL, UNITS

from ...monitoring.test_alerts import failures
from ...support import builders, known_answers
from ...support.programs import needs_promtool
from ...support.prometheus_server import prometheus

READ = {*FACTS, NODE, NAMESPACE, NODE_GPUS, TOTAL, UNITS, HELD}
"""The recorded series that advise reads, and those below them."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that has watched the stack of the known answers."""
    groups = [
        {"name": group["name"], "rules": [rule for rule in group["rules"] if rule.get("record") in READ]}
        for group in rule_groups(known_answers.config())
    ]
    with prometheus(tmp_path_factory.mktemp("prometheus"), known_answers.openmetrics(), groups, step=240) as url:
        yield url


@pytest.fixture(scope="module")
def seen(server: str) -> Observed:
    return observe(Prometheus(server), known_answers.config(), known_answers.DAYS)


ANSWERS = {
    ("share", "small-h100"): "whole H100 80 GB → 7 × 1g.10gb on each GPU (MIG)",
    ("right-size", "infer-a100"): "A100 40 GB → L4",
    ("purchase", "serve"): "purchase [on-demand] → [spot, on-demand]",
    ("share", "notebooks"): "whole L4 → 4 pods take turns on each GPU",
    ("ceiling", "batch"): "maxGpus 32 → 8",
    ("quota", "vision"): "gpu of train 20 → 24",
}
"""Nothing is proposed of the pool that is healthy."""


@needs_promtool
def test_the_advice_is_what_was_known_beforehand(seen: Observed) -> None:
    told = advise(known_answers.config(), seen)
    assert {(one.kind, one.subject): one.title for one in told.proposals} == ANSWERS
    assert told.silent == ()
    assert [one.title for one in told.alternatives if one.subject == "infer-a100"] == ["A100 40 GB → A10G"]


@needs_promtool
def test_one_cluster_s_series_alone_say_the_same(server: str) -> None:
    """Of series without the label, ``cluster=""`` reads all, and any name none."""
    asked = Prometheus(server)
    for name, expr in questions(Look(known_answers.DAYS)).items():
        plain, own, other = (asked.query(query) for query in (expr, select_cluster(expr, ""), select_cluster(expr, "gpu-b")))
        assert _index(own) == pytest.approx(_index(plain), rel=0.05), name
        assert not other, name


@needs_promtool
def test_what_is_measured_is_what_ran(seen: Observed) -> None:
    assert seen.window.coverage == 1.0
    for load in known_answers.LOADS:
        use = seen.pools[load.pool]
        assert use.activity and use.largest
        assert use.gpus_mean == use.gpus_peak == use.gpus_low == load.nodes * load.per_node
        assert use.held_mean == use.held_peak == load.pods
        assert use.node_hours == {(load.kind, load.bought): pytest.approx(load.nodes * known_answers.DAYS * 24)}
        assert (use.largest.units, use.largest.vcpu) == (1, load.vcpu)
        assert use.largest.memory_mib == load.host_gib * 1024
        assert use.activity.sm_mean == pytest.approx(load.sm, rel=0.02)
        # A sine that swings by a fifth is at 0.988 of its height in the best of twenty moments.
        assert use.activity.sm_p95 == pytest.approx(load.sm * (1 + 0.988 / 5), rel=0.01)
        assert use.activity.tensor_p95 == pytest.approx(load.tensor * (1 + 0.988 / 5), rel=0.01)
        assert use.activity.dram_p95 == pytest.approx(load.dram * (1 + 0.988 / 5), rel=0.01)
        assert use.activity.memory_mib == load.memory_gib * 1024 and use.activity.coverage == 1.0
        assert use.waiting == use.interruptions == 0
    assert seen.quotas["vision", "nvidia.com/gpu"].peak == 0.95
    assert [key[0] for key, use in seen.quotas.items() if use.near] == ["vision"]


@needs_promtool
def test_a_longer_window_is_not_taken_for_a_measured_one(server: str) -> None:
    longer = observe(Prometheus(server), known_answers.config(), 8)
    assert longer.window.coverage == pytest.approx(0.25, abs=0.01)
    assert longer.pools["serve"].gpus_mean == pytest.approx(7)
    told = advise(known_answers.config(), longer).proposals
    assert {(one.kind, one.confidence.level) for one in told if one.kind in ("ceiling", "right-size")} == {
        ("ceiling", "medium"),
        ("right-size", "low"),
    }


@needs_promtool
def test_the_command_prints_it_and_writes_a_file_that_check_accepts(
    server: str, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = stacks / "Pulumi.after.yaml"
    assert main(["advise", "known", "--prometheus", server, "--days", "2", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert max(map(len, printed.out.splitlines())) <= 100
    for kind, subject in ANSWERS:
        assert f"{kind} {subject}: " in printed.out
    assert "Nothing was changed." in printed.out and "with 6 of 6 proposals" in printed.err
    assert main(["check", "after"]) == 0
    assert main(["diff", "known", "after"]) == 0
    assert "infer-a100-l4" in capsys.readouterr().out


@needs_promtool
def test_once_it_is_carried_out_there_is_nothing_more_to_propose(
    server: str, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--prometheus", server, "--days", "2"]
    assert main(["advise", "known", *asked, "--out", str(stacks / "Pulumi.after.yaml")]) == 0
    capsys.readouterr()
    assert main(["advise", "after", *asked, "--out", str(stacks / "Pulumi.again.yaml")]) == 0
    printed = capsys.readouterr()
    assert "Nothing to propose: 10 pools, 4 tenants and 0 reservations were looked at" in printed.out
    assert "not written" in printed.err and not (stacks / "Pulumi.again.yaml").exists()


@needs_promtool
def test_a_file_that_cannot_be_written_is_refused(
    server: str, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = stacks / "none" / "after.yaml"
    assert main(["advise", "known", "--prometheus", server, "--days", "2", "--out", str(out)]) == 2
    assert "there is no folder" in capsys.readouterr().err and not out.parent.exists()


@needs_promtool
def test_no_file_is_overwritten(server: str, stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = stacks / "Pulumi.known.yaml"
    before = own.read_text()
    assert main(["advise", "known", "--prometheus", server, "--days", "2", "--out", str(own)]) == 2
    assert "exists already" in capsys.readouterr().err and own.read_text() == before


@needs_promtool
def test_the_document_has_the_same_proposals(server: str, stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "known", "--prometheus", f"{server}/", "--days", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {(one["kind"], one["subject"]): one["title"] for one in document["proposals"]} == ANSWERS
    assert document["window"] == {"days": 2, "coverage": 1.0, "warnings": []}
    largest = {one["pool"]: max(one["savingUsdPerMonth"] or 0, 0) for one in document["proposals"]}
    assert document["savingUsdPerMonth"] == pytest.approx(sum(largest.values()), abs=0.05)
    assert len(document["pools"]) == 7 and document["notJudged"] == []


@needs_promtool
def test_bounds_that_a_move_would_break_are_said_and_what_makes_room_goes_first(seen: Observed, stacks: Path) -> None:
    told = advise(known_answers.config(), seen).proposals
    text = (stacks / "Pulumi.known.yaml").read_text()
    tight = Source(text.replace("    environment: test", "    hourlyCeiling: 493\n    environment: test"), "known")
    assert edited(tight, told).left_out == ()  # the lower ceiling makes room for new pools
    left_out = edited(tight, [one for one in told if one.kind != "ceiling"]).left_out
    assert {one.kind for one, _ in left_out} == {"share", "right-size"}
    assert all(why.startswith("hourlyCeiling: with every limit reached") for _, why in left_out)


@needs_promtool
@pytest.mark.parametrize(
    ("pools", "words"), [([builders.pool(name="else")], "knows the pools batch"), ([builders.pool(name="serve")], "")]
)
def test_the_prometheus_of_another_cluster_is_seen(server: str, pools: list[Any], words: str, stacks: Path) -> None:
    section = {REGION_KEY: "us-east-1", "pulumi:disable-default-providers": ["*"]}
    object_ = builders.stack(pools=pools, **builders.monitoring())
    (stacks / "Pulumi.other.yaml").write_text(yaml.safe_dump({"config": {**section, STACK_KEY: object_}}))
    assert main(["advise", "other", "--prometheus", server, "--days", "2"]) == (2 if words else 0)


@needs_promtool
def test_an_empty_prometheus_is_told_from_a_full_one(tmp_path: Path) -> None:
    with prometheus(tmp_path, "other_metric 1 1700000000\n# EOF\n") as url, pytest.raises(MetricsError) as caught:
        observe(Prometheus(url), known_answers.config(), 2)
    assert "no series of the platform's rules" in str(caught.value) and "is `monitoring` applied" in str(caught.value)


PENDING = (
    'kube_pod_container_resource_requests{namespace="team",pod="p",container="c",node="",resource="nvidia_com_gpu"}'
)
PHASE = 'kube_pod_status_phase{namespace="team",pod="p",phase="Pending"}'


@needs_promtool
@pytest.mark.parametrize(
    ("minutes", "samples"), [(9, []), (40, [{"labels": '{resource="nvidia_com_gpu"}', "value": 7}])]
)
def test_a_pod_that_waits_only_for_its_node_to_start_does_not_count(
    minutes: int, samples: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Of looks every five minutes, those count at which it has waited for a quarter of an hour."""
    series = [{"series": name, "values": f"1x{minutes} stale _x200"} for name in (PENDING, PHASE)]
    asked = [{"expr": questions(Look(1))["waiting"], "eval_time": "200m", "exp_samples": samples}]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    assert failures(tmp_path, [test], [{"record": "nothing", "expr": "vector(0)"}]) == ""


def _index(samples: list[Sample]) -> dict[frozenset[tuple[str, str]], float]:
    return {frozenset(sample.labels.items()): sample.value for sample in samples}
