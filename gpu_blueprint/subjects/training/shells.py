"""The shell around the program of every run: it passes SIGTERM on, and chooses the code with which the pod ends.

torchrun ends with 1 whatever its ranks end with, also after SIGTERM. Kubernetes would count this as a failure of the
program: Kueue marks no pod of a run that it stops (Job controller 1.36, ``getFailJobMessage`` and ``syncJob``), and a
peer of a drained node may end before the drained pod is marked.

Kubernetes has one count of failures, and people need two: of a typo, which fails at once each time, and of a run of
weeks that loses a machine now and then. So the shell counts early failures, as files in the folder of the checkpoints,
which also hold the last lines of the program: a JobSet deletes the pods with their logs when it restarts. A program
that ends later, in any way, gives the count back. Nothing is written over, renamed or appended to, which a bucket
refuses.
"""

from .run import DEFAULT_RESTARTS, EARLY_S, NO_RETRY_CODE, STOPPED_CODE

LINGER_S = 30
"""Seconds for which a pod that failed by itself waits for the end of a peer that was told to stop."""

KEPT_LINES = 200
"""Lines of a program that failed which its folder keeps."""

_FUNCTIONS = f"""\
told= program= code=143 pipes= began=
trap 'told=1; [ -z "$program" ] || kill -TERM "$program" 2> /dev/null' TERM
run() {{
  if [ "$told" ]; then return; fi
  began=$(date +%s)
  if [ "${{FAILURES_DIR:-}}" ] && pipes=$(mktemp -d) && mkfifo "$pipes/out" "$pipes/copy"; then
    tail -n {KEPT_LINES} < "$pipes/copy" > "$pipes/last" &
    keeper=$!
    tee "$pipes/copy" < "$pipes/out" &
    copier=$!
    "$@" > "$pipes/out" 2>&1 &
  else
    pipes=
    "$@" &
  fi
  program=$!
  if [ "$told" ]; then kill -TERM $program; fi
  wait $program
  code=$?
  # SIGTERM ends this wait, not the program. 127: the program had ended already.
  if [ "$told" ]; then wait $program; last=$?; [ $last = 127 ] || code=$last; fi
  if [ "$pipes" ]; then drain; fi
}}
drain() {{
  # A process that the program has left may hold the pipe open.
  tries=0
  while [ $tries -lt 20 ] && kill -0 $copier 2> /dev/null; do
    command sleep 0.1 2> /dev/null || command sleep 1
    tries=$((tries + 1))
  done
  kill $copier 2> /dev/null
  wait $keeper
}}
note_end() {{
  # A pod that was told to stop is no failure, and gives the count back if it has worked.
  if [ -z "${{FAILURES_DIR:-}}" ] || [ -z "$began" ]; then return; fi
  when=early
  if [ $(($(date +%s) - began)) -ge {EARLY_S} ]; then when=late; fi
  name=$FAILURES_DIR/${{RUN_ATTEMPT:-$HOSTNAME}}.node-$PET_NODE_RANK.$when
  if [ "$told" ]; then
    if [ $when = late ] && [ -d "$FAILURES_DIR" ]; then : > "$name.stop"; fi
    return
  fi
  case $code in 0 | {NO_RETRY_CODE} | {STOPPED_CODE}) return ;; esac
  mkdir -p "$FAILURES_DIR" && cat "$pipes/last" > "$name.log" || return
  count_early
  echo "failure: the last {KEPT_LINES} lines are kept in $name.log; early failures without a later one: $early"
  if [ $early -gt $restarts ]; then
    echo "failure: the program failed within {EARLY_S // 60} minutes of its start each time, so the run ends"
    code={NO_RETRY_CODE}
  fi
}}
count_early() {{
  # The nodes of one attempt count once.
  early=0 seen=
  for found in "$FAILURES_DIR"/*.early.log; do
    for later in "$FAILURES_DIR"/*.late.*; do
      if [ "$later" -nt "$found" ]; then continue 2; fi
    done
    attempt=${{found##*/}}
    attempt=${{attempt%%.node-*}}
    case $seen in *" $attempt "*) continue ;; esac
    seen="$seen $attempt " early=$((early + 1))
  done
}}
finish() {{
  # A peer that was told to stop speaks first, so that no failure is counted.
  if [ -z "$told" ] && [ "${{PET_NNODES:-1}}" -gt 1 ]; then
    case $code in
    0 | {NO_RETRY_CODE} | {STOPPED_CODE}) ;;
    *) sleep {LINGER_S} > /dev/null 2>&1 & wait $! ;;
    esac
  fi
  note_end
  if [ "$told" ] && [ $code != {NO_RETRY_CODE} ]; then exit {STOPPED_CODE}; fi
  exit $code
}}
"""
"""``run`` runs a program: then ``code`` is its exit code, and ``told`` is 1 if the pod was told to stop. ``finish``
ends the pod with the code, or with the code of a stop if the pod was told to stop."""


def build_shell(script: str, *words: str, restarts: int = DEFAULT_RESTARTS) -> tuple[str, ...]:
    """Return the command of a shell that knows ``run`` and ``finish``, and the words of its script, ``$1`` and on.

    Args:
        script: The script.
        words: Its words.
        restarts: Restarts after early failures, which are counted in ``FAILURES_DIR`` if there is such a variable.
    """
    return ("sh", "-c", f"restarts={restarts} {_FUNCTIONS}{script}", "sh", *words)
