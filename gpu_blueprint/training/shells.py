"""The shell around the program of every run: it passes SIGTERM on, and chooses the code with which the pod ends.

torchrun ends with 1 whatever its ranks end with, also after SIGTERM. Kubernetes would count this as a failure of the
program: Kueue marks no pod of a run that it stops (Job controller 1.36, ``getFailJobMessage`` and ``syncJob``), and a
peer of a drained node may end before the drained pod is marked.
"""

from .run import NO_RETRY_CODE, STOPPED_CODE

LINGER_S = 30
"""Seconds for which a pod that failed by itself waits for the end of a peer that was told to stop."""

_FUNCTIONS = f"""\
told= program= code=143
trap 'told=1; [ -z "$program" ] || kill -TERM "$program" 2> /dev/null' TERM
run() {{
  if [ "$told" ]; then return; fi
  "$@" &
  program=$!
  if [ "$told" ]; then kill -TERM $program; fi
  wait $program
  code=$?
  # SIGTERM ends this wait, not the program. 127: the program had ended already.
  if [ "$told" ]; then wait $program; last=$?; [ $last = 127 ] || code=$last; fi
}}
finish() {{
  # A peer that was told to stop speaks first, so that no failure is counted.
  if [ -z "$told" ] && [ "${{PET_NNODES:-1}}" -gt 1 ]; then
    case $code in
    0 | {NO_RETRY_CODE} | {STOPPED_CODE}) ;;
    *) sleep {LINGER_S} > /dev/null 2>&1 & wait $! ;;
    esac
  fi
  if [ "$told" ] && [ $code != {NO_RETRY_CODE} ]; then exit {STOPPED_CODE}; fi
  exit $code
}}
"""
"""``run`` runs a program: then ``code`` is its exit code, and ``told`` is 1 if the pod was told to stop. ``finish``
ends the pod with the code, or with the code of a stop if the pod was told to stop."""


def build_shell(script: str, *words: str) -> tuple[str, ...]:
    """Return the command of a shell that knows ``run`` and ``finish``, and the words of its script, ``$1`` and on."""
    return ("sh", "-c", _FUNCTIONS + script, "sh", *words)
