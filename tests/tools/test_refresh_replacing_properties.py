"""``python -m tools.refresh_replacing_properties`` against a stand-in for Terraform's AWS provider."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpu_blueprint.catalog.replacing_properties import FILE, UNKNOWN
from tools.catalogue_file import CATALOG, read
from tools.refresh_replacing_properties import main, name_terraform_type
from tools.terraform_answers import list_pairs
from tools.terraform_plugin import encode

from ..support.aws_types import list_aws_types
from ..support.terraform_stand_in import write_provider

NOW = datetime(2026, 11, 23, tzinfo=UTC)
QUEUE, GROUP = "aws:sqs/queue:Queue", "aws:eks/nodeGroup:NodeGroup"
COMMENT = "# Words above the table.\n"
HEAD = f"{COMMENT}# Last measured: 2026-11-22\ntype,property,when,source,version_6\n"
BY_HAND = (
    f"{GROUP},amiType,never,a file,\n"
    f"{GROUP},capacityType,unknown,refused: long ago,\n"
    f"{QUEUE},name,removed,a file,\n"
    f"{QUEUE},fifoQueue,always,measured with terraform-provider-aws 5.100.0,queue.go\n"
    f"{QUEUE},delaySeconds,always,measured with terraform-provider-aws 5.100.0,\n"
)
MEASURED = "measured with terraform-provider-aws 9.8.7"


Rows = dict[tuple[str, str], tuple[str, str, str]]
"""(Type, property) → (when, source, version_6)."""


def _write_catalog(folder: Path) -> Path:
    catalog = folder / "catalog"
    catalog.mkdir()
    (catalog / FILE).write_text(HEAD + BY_HAND)
    return catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    return _write_catalog(tmp_path)


@pytest.fixture
def provider(tmp_path: Path) -> Path:
    return write_provider(tmp_path)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The rows after one run of the command."""
    folder = tmp_path_factory.mktemp("refreshed")
    return _refresh(write_provider(folder), _write_catalog(folder))


def _refresh(provider: Path, catalog: Path, *options: str) -> Rows:
    assert main([str(provider), "--force", *options], catalog, NOW) == 0
    rows = read(catalog / FILE).rows
    return {(row["type"], row["property"]): (row["when"], row["source"], row["version_6"]) for row in rows}


def test_the_table_says_what_the_provider_plans(rows: Rows) -> None:
    measured = {key for key, (_, source, _) in rows.items() if source == MEASURED}
    assert measured == {
        (GROUP, "launchTemplate.id"),
        (GROUP, "subnetIds"),
        (QUEUE, "deduplicationScope"),
        (QUEUE, "fifoQueue"),
    }


def test_rows_by_hand_stay_and_win(rows: Rows) -> None:
    assert rows[GROUP, "amiType"] == ("never", "a file", "")
    assert rows[QUEUE, "name"] == ("removed", "a file", "")


def test_a_measured_row_that_still_holds_keeps_its_comparison_with_version_6(rows: Rows) -> None:
    assert rows[QUEUE, "fifoQueue"] == ("always", MEASURED, "queue.go")


def test_a_measured_row_goes_when_the_provider_updates_in_place(rows: Rows) -> None:
    assert (QUEUE, "delaySeconds") not in rows


def test_properties_that_the_provider_cannot_answer_are_unknown(rows: Rows) -> None:
    assert rows[QUEUE, "redrivePolicy"][:2] == (UNKNOWN, "refused: no redrive policy: whatever it says")
    assert rows[GROUP, "capacityType"][:2] == (UNKNOWN, "refused: this provider has no such property")
    assert rows[GROUP, "taints.effect"][0] == UNKNOWN
    assert rows[GROUP, "remoteAccess"][0] == UNKNOWN and (GROUP, "remoteAccess.ec2SshKey") not in rows


def test_a_property_is_asked_beside_the_values_that_it_needs(rows: Rows) -> None:
    assert (QUEUE, "contentBasedDeduplication") not in rows


def test_computed_attributes_and_timeouts_have_no_row(rows: Rows) -> None:
    assert (QUEUE, "kmsMasterKeyId") not in rows
    assert not [path for _, path in rows if path in ("arn", "id", "tagsAll") or path.startswith("timeouts")]


def test_attributes_that_pulumi_does_not_have_are_left_out(rows: Rows) -> None:
    assert (QUEUE, "retired") not in rows


def test_the_types_of_plans_join_the_table(provider: Path, catalog: Path, tmp_path: Path) -> None:
    (catalog / FILE).write_text(HEAD + f"{GROUP},amiType,never,a file,\n")
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"resources": [{"type": QUEUE}, {"type": "kubernetes:core/v1:Namespace"}]}))
    assert {type_ for type_, _ in _refresh(provider, catalog, str(plan))} == {GROUP, QUEUE}


def test_the_rows_are_sorted_below_the_comments(provider: Path, catalog: Path) -> None:
    keys = [*_refresh(provider, catalog)]
    comments = f"{COMMENT}# Last measured: 2026-11-23\ntype,property,"
    assert keys == sorted(keys) and (catalog / FILE).read_text().startswith(comments)


def test_a_second_run_changes_nothing(provider: Path, catalog: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(provider), "--check", "--force"], catalog, NOW) == 1
    assert (catalog / FILE).read_text() == HEAD + BY_HAND
    _refresh(provider, catalog)
    measured, later = (catalog / FILE).read_text(), datetime(2027, 1, 1, tzinfo=UTC)
    assert main([str(provider), "--check"], catalog, later) == 0
    assert capsys.readouterr().out.endswith("up to date\n")
    assert main([str(provider)], catalog, later) == 0
    assert (catalog / FILE).read_text() == measured


def test_the_provider_ends_with_the_command(provider: Path, catalog: Path, tmp_path: Path) -> None:
    noting = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(__import__('os').getpid()))"
    _refresh(write_provider(tmp_path, noting), catalog)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_keys_of_the_caller_stay_with_the_caller(
    provider: Path, catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "prod")
    _refresh(provider, catalog)  # the stand-in ends if it sees a variable of AWS


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("sys.exit('This binary is a plugin.')", "no Terraform provider of protocol 5 on a unix socket: it says ''"),
        ("print('1|6|unix|/nowhere|grpc|', flush=True); sys.exit()", "it says '1|6|unix|/nowhere|grpc|'"),
        ("print('1|5|tcp|10.0.0.1:1234|grpc|', flush=True); sys.exit()", "protocol 5 on a unix socket"),
        ("print('1|5|unix|/nowhere|grpc|', flush=True); sys.exit()", "the provider does not give its schema"),
        ("terraform_stand_in.FLAGS += ('region',)", "the provider would ask AWS"),
    ],
)
def test_a_program_that_is_no_such_provider_is_refused(
    tmp_path: Path, catalog: Path, before: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(write_provider(tmp_path, before))], catalog, NOW) == 1
    assert words in capsys.readouterr().err
    assert (catalog / FILE).read_text() == HEAD + BY_HAND


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["terraform-provider-aws_v1.2.3_x5"], "does not start: No such file or directory"),
        (["provider"], "provider does not name its version; give --version"),
        (["terraform-provider-aws_v1.2.3_x5", "no-plan.json"], "no-plan.json is no plan.json"),
    ],
)
def test_wrong_arguments_are_explained(
    catalog: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments, catalog, NOW) == 1
    assert words in capsys.readouterr().err


def test_a_type_that_the_provider_does_not_have_is_named(
    provider: Path, catalog: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (catalog / FILE).write_text(HEAD + "aws:ec2/vpc:Vpc,cidrBlock,always,a file,\n")
    assert main([str(provider)], catalog, NOW) == 1
    assert "aws:ec2/vpc:Vpc: the provider has no type aws_vpc" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        ("aws:ec2/vpcEndpoint:VpcEndpoint", "aws_vpc_endpoint"),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "aws_vpc_security_group_ingress_rule"),
        ("aws:costexplorer/anomalyMonitor:AnomalyMonitor", "aws_ce_anomaly_monitor"),
        ("aws:bcmdata/export:Export", "aws_bcmdataexports_export"),
        ("aws:budgets/budget:Budget", "aws_budgets_budget"),
        ("aws:eks/podIdentityAssociation:PodIdentityAssociation", "aws_eks_pod_identity_association"),
    ],
)
def test_terraforms_name_of_a_type(type_: str, name: str) -> None:
    assert name_terraform_type(type_) == name


def test_values_differ_in_each_pair() -> None:
    kinds = ["bool", "number", "string", ["set", "string"], ["map", "bool"], ["list", ["object", {"port": "number"}]]]
    for kind in kinds:
        pairs = list_pairs(kind, "some_policy_arn_cidr_date")
        assert pairs and all(encode(before) != encode(after) for before, after in pairs)


def test_the_shipped_table_has_a_row_for_every_type_of_the_components() -> None:
    assert {row["type"] for row in read(CATALOG / FILE).rows} >= {*list_aws_types()}
