"""``python -m tools.refresh_instances`` against a moto server, whose instance types are a copy of EC2's own."""

from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from urllib.request import Request, urlopen

import boto3
import pytest

from gpu_blueprint.errors import RefreshError
from tools import refresh_instances
from tools.aws import Connect, ask, connection
from tools.catalogue_file import CATALOG, CatalogueFile, read
from tools.instance_facts import Told, told
from tools.publish import doubts

from ..support.moto_server import moto_server, sign_in

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SHIPPED = read(CATALOG / "instances.csv")
HARDWARE = (
    "vcpu", "memory_mib", "gpu_count", "gpu_devices", "gpu_memory_mib", "efa_interfaces",
    "network_cards", "max_enis", "local_nvme_gb", "addresses_per_eni",
)  # fmt: skip
EDITS = {
    "g6.xlarge": {"vcpu": "8", "usage_classes": "on-demand"},
    "g6f.large": {"gpu_memory_mib": "2000"},
    "p4d.24xlarge": {"efa_hugepages_mib": "1234", "max_enis": "59"},
    "p5.48xlarge": {"regions": "us-east-2", "usage_classes": "on-demand special"},
    "m6i.large": {"regions": "us-east-1 xx-nowhere-1"},
    "p3dn.24xlarge": {"regions": "us-east-1 us-west-2", "usage_classes": "on-demand special"},
}
"""What a catalogue says that EC2 does not, and columns that EC2 has no say in."""
LACKING = "p5en.48xlarge"
UNHEARD_OF = "g6.unheard"


@dataclass(frozen=True)
class Ran:
    """One run of the command over a catalogue with ``EDITS``, one type less and one that EC2 does not have."""

    code: int
    printed: str
    file: CatalogueFile
    answers: Told

    def cell(self, instance_type: str, column: str) -> str:
        [row] = [row for row in self.file.rows if row["instance_type"] == instance_type]
        return row[column]


def edited() -> CatalogueFile:
    rows = [{**row, **EDITS.get(row["instance_type"], {})} for row in SHIPPED.rows if row["instance_type"] != LACKING]
    return SHIPPED.with_rows([*rows, {**rows[0], "instance_type": UNHEARD_OF, "regions": "us-east-1 us-west-2"}])


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as served:
        yield served


@pytest.fixture(scope="module")
def ran(endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    answers: list[Told] = []

    def asking(connect: Connect, regions: tuple[str, ...]) -> Told:
        answers.append(told(connect, regions))
        return answers[0]

    folder = tmp_path_factory.mktemp("catalog")
    (folder / "instances.csv").write_text(edited().text)
    with pytest.MonkeyPatch.context() as monkeypatch, redirect_stdout(StringIO()) as printed:
        sign_in(monkeypatch, endpoint)
        monkeypatch.setattr(refresh_instances, "told", asking)
        code = refresh_instances.main(["--region", "us-east-1"], folder, NOW)
    yield Ran(code, printed.getvalue(), read(folder / "instances.csv"), answers[0])


def test_the_shipped_catalogue_says_what_ec2_says(ran: Ran) -> None:
    rebuilt = refresh_instances.rebuild(SHIPPED, ran.answers, NOW)
    wrong = {
        name: (fact, rebuilt.new[name])
        for name, fact in rebuilt.old.items()
        if name.split()[1] in HARDWARE and fact != rebuilt.new[name]
    }
    assert wrong == {}
    assert rebuilt.unknown == {}
    assert len(rebuilt.old) > 1000


def test_what_ec2_tells_is_taken_over(ran: Ran) -> None:
    assert ran.code == 0
    assert ran.cell("g6.xlarge", "vcpu") == "4"
    assert ran.cell("g6f.large", "gpu_memory_mib") == "2861"
    assert ran.cell("p4d.24xlarge", "max_enis") == "60"
    assert ran.cell("g6.xlarge", "usage_classes") == "on-demand spot"


def test_what_ec2_does_not_tell_stays(ran: Ran) -> None:
    assert ran.cell("p4d.24xlarge", "efa_hugepages_mib") == "1234"
    assert ran.cell("p4d.24xlarge", "gpu") == "a100-40gb"
    assert (ran.cell("g6f.large", "gpu_count"), ran.cell("g6f.large", "gpu_devices")) == ("0", "1")


def test_the_whole_gpus_of_a_fractional_type_are_a_matter_of_opinion(ran: Ran) -> None:
    """EC2 counts none; should it begin to count the fraction as one, Karpenter still would not."""
    counted = {"Gpus": [{**ran.answers.described["g6f.large"]["GpuInfo"]["Gpus"][0], "Count": 1}]}
    described = {"g6f.large": {**ran.answers.described["g6f.large"], "GpuInfo": counted}}
    rebuilt = refresh_instances.rebuild(SHIPPED, replace(ran.answers, described=described), NOW)
    assert rebuilt.new["g6f.large gpu_count"] == "0"


def test_only_the_regions_that_were_asked_change(ran: Ran) -> None:
    assert ran.cell("m6i.large", "regions") == "us-east-1 xx-nowhere-1"
    assert ran.cell("p5.48xlarge", "regions") == "us-east-1 us-east-2"
    assert ran.cell(UNHEARD_OF, "regions") == "us-west-2"


def test_a_usage_class_goes_only_when_every_region_of_the_type_was_asked(ran: Ran) -> None:
    assert ran.cell("p3dn.24xlarge", "usage_classes") == "on-demand special spot"
    rows = [{**row, "regions": "us-east-1"} for row in edited().rows if row["instance_type"] == "p3dn.24xlarge"]
    rebuilt = refresh_instances.rebuild(SHIPPED.with_rows(rows), ran.answers, NOW)
    assert rebuilt.file.rows[0]["usage_classes"] == "on-demand spot"


def test_a_type_that_ec2_does_not_describe_keeps_its_row_and_is_named(ran: Ran) -> None:
    assert ran.cell(UNHEARD_OF, "vcpu") == SHIPPED.rows[0]["vcpu"]
    assert f"no fact (EC2 describes it in none of us-east-1; its row stays): {UNHEARD_OF}\n" in ran.printed


def test_a_new_nvidia_type_is_printed_as_a_row_to_review(ran: Ran) -> None:
    [line] = [line for line in ran.printed.splitlines() if line.startswith("lacks")]
    [shipped] = [row for row in SHIPPED.rows if row["instance_type"] == LACKING]
    want = {**shipped, "gpu": "?H200", "efa_hugepages_mib": "?", "regions": "us-east-1"}
    assert line == f"lacks, to be reviewed by hand: {','.join(want[column] for column in SHIPPED.columns)}"
    assert LACKING not in [row["instance_type"] for row in ran.file.rows]


def test_the_file_keeps_its_order_and_its_comments(ran: Ran) -> None:
    assert [row["instance_type"] for row in ran.file.rows] == [row["instance_type"] for row in edited().rows]
    assert ran.file.comments[:-1] == tuple(line for line in SHIPPED.comments if "Last refreshed" not in line)
    assert ran.file.comments[-1] == "# Last refreshed: 2026-11-21 from EC2 in us-east-1"


def test_the_summary_says_what_was_and_what_is(ran: Ran) -> None:
    assert "  g6.xlarge vcpu: 8 → 4\n" in ran.printed
    assert "  p5.48xlarge regions: us-east-2 → us-east-1 us-east-2\n" in ran.printed


def test_check_writes_nothing(ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refresh_instances, "told", lambda *asked: ran.answers)
    file = tmp_path / "instances.csv"
    file.write_text(edited().text)
    assert refresh_instances.main(["--region", "us-east-1", "--check"], tmp_path, NOW) == 1
    assert file.read_text() == edited().text
    file.write_text(ran.file.text)
    assert refresh_instances.main(["--region", "us-east-1", "--check"], tmp_path, NOW) == 0


def test_offers_that_vanish_by_more_than_half_are_refused(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = replace(ran.answers, offered={"us-east-1": frozenset({"g6.xlarge", "m6i.large"})})
    monkeypatch.setattr(refresh_instances, "told", lambda *asked: few)
    (tmp_path / "instances.csv").write_text(SHIPPED.text)
    assert refresh_instances.main(["--region", "us-east-1"], tmp_path, NOW) == 1
    assert "types offered in us-east-1: " in capsys.readouterr().err
    assert (tmp_path / "instances.csv").read_text() == SHIPPED.text


def test_hardware_that_vanishes_is_doubted() -> None:
    assert list(doubts({"p5.48xlarge vcpu": "192"}, {"p5.48xlarge vcpu": "0"}, "x")) == [
        "p5.48xlarge vcpu: fell to zero"
    ]
    assert list(doubts({"a efa": "0", "b gpu": "t4"}, {"a efa": "32", "b gpu": "l4"}, "x")) == []


def test_a_region_that_offers_nothing_is_no_region(ran: Ran) -> None:
    nothing = replace(ran.answers, offered={"us-west-9": frozenset()})
    with pytest.raises(RefreshError, match="us-west-9 offers nothing: is it a region that the account may use"):
        refresh_instances.rebuild(SHIPPED, nothing, NOW)


def test_a_role_without_the_action_is_told_which_one(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """moto judges IAM policies once it is told from which request on."""
    sign_in(monkeypatch, endpoint)
    (tmp_path / "instances.csv").write_text(SHIPPED.text)
    iam = boto3.client("iam", region_name="us-east-1")
    iam.create_user(UserName="nobody")
    key = iam.create_access_key(UserName="nobody")["AccessKey"]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])
    _judge_from(endpoint, "0")
    try:
        assert refresh_instances.main(["--region", "us-east-1"], tmp_path, NOW) == 1
    finally:
        _judge_from(endpoint, "inf")
    error = capsys.readouterr().err
    assert "AccessDenied" in error
    assert "allow the IAM action ec2:DescribeInstanceTypes on *" in error
    assert (tmp_path / "instances.csv").read_text() == SHIPPED.text


def test_keys_that_aws_does_not_know_are_told_to_sign_in(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in(monkeypatch, endpoint)
    _judge_from(endpoint, "0")
    try:
        with pytest.raises(RefreshError, match=r"AuthFailure.*sign in \(aws sso login\)"):
            list(ask(connection(None), "ec2", "us-east-1", "describe_instance_types"))
    finally:
        _judge_from(endpoint, "inf")


def _judge_from(endpoint: str, request: str) -> None:
    """Let moto check keys and policies from a request on."""
    headers = {"Content-Type": "text/plain"}
    asked = Request(f"{endpoint}/moto-api/reset-auth", data=request.encode(), headers=headers, method="POST")
    with urlopen(asked) as answer:
        assert answer.status == 200
