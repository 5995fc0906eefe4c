"""A rehearsal as JSON."""

import json

from gpu_blueprint.rehearsal.report import as_json, write_team
from gpu_blueprint.rehearsal.runner import Rehearsal
from gpu_blueprint.rehearsal.team import TeamRehearsal
from lab.lab import Refusal

from ..support.rehearsals import instance, landing, outcome, result, running, system_landing, waiting

REFUSAL = Refusal("NodePool main", "unknown field", "manifests/nodepool-main.yaml")
REHEARSAL = Rehearsal(
    refusals=(REFUSAL,),
    results=(
        result(outcome(running(), running(node=landing("node-2", usd_per_hour=0.6)))),
        result(outcome(waiting("no offer")), probe="main/burst", difference="the pod waits", traceback="line 1"),
    ),
    launches=(instance(reservation="cr-1", lifecycle="reserved"),),
    seconds=12.34,
    memory_bytes=3 * 1024**2,
)


def test_a_rehearsal_is_one_document() -> None:
    document = json.loads(json.dumps(as_json(REHEARSAL)))
    assert (document["asExpected"], document["seconds"], document["memoryMiB"]) == (False, 12.3, 3)
    assert document["refusals"] == [
        {"name": "NodePool main", "reason": "unknown field", "file": "manifests/nodepool-main.yaml"}
    ]


def test_a_probe_tells_what_was_expected_and_what_happened() -> None:
    first, second = as_json(REHEARSAL)["probes"]
    assert (first["probe"], first["asExpected"], first["usdPerHour"]) == ("main/one-gpu", True, 1.0)
    assert (first["expected"], first["happened"]) == ("runs on g6.xlarge spot", "2 run on 2 × g6.xlarge spot")
    assert [node["node"] for node in first["nodes"]] == ["node-1", "node-2"]
    assert (second["difference"], second["traceback"]) == ("the pod waits", "line 1")
    assert second["pods"] == [{"name": "pod", "namespace": "team", "fate": "waits", "reason": "no offer", "node": None}]


def test_a_launch_is_shown_as_ec2_gets_it() -> None:
    (launch,) = as_json(REHEARSAL)["launches"]
    assert (launch["pool"], launch["purchase"], launch["reservation"]) == ("main", "reserved", "cr-1")
    assert launch["userData"] == "hi"
    assert launch["blockDevices"][0]["Ebs"]["Encrypted"] == "true"


def test_the_pods_of_a_team_are_one_document() -> None:
    found = TeamRehearsal(refusals=(), outcome=outcome(running(node=system_landing())))
    document = json.loads(json.dumps(write_team(found)))
    assert document["runs"] and document["refusals"] == []
    assert document["nodes"][0]["pool"] == "system"
