"""Workspaces with sleeping processes in the place of engines."""

from lab.workspace import Workspace

SLEEP = ["sleep", "1000"]
OWNER = """
import time
from lab.workspace import open_workspace

with open_workspace() as workspace:
    workspace.start("engine", ["sleep", "1000"])
    print(workspace.folder, workspace._processes["engine"].pid, flush=True)
    time.sleep(1000)
"""
UNCLOSED = """
import ctypes, os, signal
from lab.workspace import open_workspace

opened = open_workspace()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(opened))  # Python never removes it, so it is never closed
workspace = opened.__enter__()
workspace.start("engine", ["sleep", "1000"])
print(workspace.folder, workspace._processes["engine"].pid, flush=True)
os.kill(os.getpid(), signal.SIGTERM)
"""


def find_pid(workspace: Workspace, name: str = "engine") -> int:
    """The process id of an engine."""
    return workspace._processes[name].pid
