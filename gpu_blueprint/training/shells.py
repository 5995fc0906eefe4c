"""A shell around the program of a run, which still gets SIGTERM, and whose exit code stays the run's."""

_RUN = """\
run() {
  "$@" &
  program=$!
  trap 'told=1; kill -TERM $program' TERM
  wait $program
  code=$?
  # SIGTERM ends this wait, not the program.
  if [ "$told" ]; then wait $program; code=$?; fi
  trap - TERM
}
"""
"""Runs a program; then ``code`` is its exit code, and ``told`` is 1 if the pod was told to stop."""


def build_shell(script: str, *words: str) -> tuple[str, ...]:
    """Return the command of a shell that knows ``run``, and the words of its script, ``$1`` and on."""
    return ("sh", "-c", _RUN + script, "sh", *words)
