"""KubeSpawner itself expands the folders of homes that the pages give to JupyterHub, in both of its forms."""

import json
import re

import pytest

from ..support.plans import ROOT
from ..support.tiers import DEEP
from ..support.wheels import ask_package, find_package

pytestmark = [DEEP, pytest.mark.timeout(1500), pytest.mark.xdist_group("kubespawner")]
OLD, NEW = "6.2.0", "7.1.0"
HUB, KUBERNETES = "6.1.1", "36.1.0"
PEOPLE = ("ada", "Ada.L", "ada@example.com")
EXPAND = """
import asyncio, json, os, sys, tempfile
from unittest import mock
cluster = {"contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}], "current-context": "a"}
cluster["clusters"] = [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}]
cluster["users"] = [{"name": "a", "user": {}}]
with tempfile.NamedTemporaryFile("w", delete=False) as file:
    json.dump(cluster, file)
os.environ["KUBECONFIG"] = file.name
from kubespawner import KubeSpawner

async def expand(path, person):
    spawner = KubeSpawner(_mock=True)
    spawner.user = mock.MagicMock()
    spawner.user.name = spawner.user.escaped_name = person
    try:
        return spawner._expand_all([{"subPath": path}])[0]["subPath"]
    except KeyError as error:
        return f"no server starts: {error}"

path, *people = json.load(sys.stdin)
print(json.dumps({person: asyncio.run(expand(path, person)) for person in people}))
"""


def expand(release: str, path: str) -> dict[str, str]:
    """Return person → folder, as a release of KubeSpawner makes it of a ``subPath``."""
    needed = (f"jupyterhub-kubespawner=={NEW}", f"jupyterhub=={HUB}", f"kubernetes_asyncio=={KUBERNETES}")
    places = [find_package(f"kubespawner-{NEW}", *needed)]
    if release == OLD:
        places.insert(0, find_package(f"kubespawner-{OLD}", f"jupyterhub-kubespawner=={OLD}", is_alone=True))
    asked = ask_package(EXPAND, json.dumps([path, *PEOPLE]), *places)
    assert asked.returncode == 0, asked.stderr
    found: dict[str, str] = json.loads(asked.stdout.splitlines()[-1])
    return found


@pytest.mark.reads("notebook-homes")
def test_the_folders_of_the_pages_stay_when_the_hub_is_upgraded() -> None:
    page = (ROOT / "docs" / "storage.md").read_text()
    ((before, after),) = re.findall(r'subPath: "(\S+)"\} # KubeSpawner 6; with 7: "(\S+)"', page)
    old = expand(OLD, before)
    assert old["ada"] == "ada" and len({*old.values()}) == len(PEOPLE)
    assert expand(NEW, after) == old


@pytest.mark.reads("notebook-homes", refused=True)
def test_the_other_words_give_other_folders_or_none() -> None:
    old, new = expand(OLD, "{username}"), expand(NEW, "{username}")
    assert [person for person in PEOPLE if old[person] == new[person]] == ["ada"]
    assert {*expand(OLD, "{escaped_username}").values()} == {"no server starts: 'escaped_username'"}
