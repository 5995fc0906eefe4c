#!/usr/bin/env bash
# CoreDNS 1.14.3 starts although another program has the port of its metrics, and is never measured from then on.
#
# Expected: the start fails, as it does when the port of DNS or of `health` is taken.
# Seen: `Failed to start metrics handler: … address already in use` in the log, and answers to queries. Monitoring calls
# such a server down. `health` at a taken port ends the start with code 1.
#
# Needs Go and Python. Run: findings/coredns_metrics_port_taken.sh
set -euo pipefail
version=v1.14.3
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; chmod -R u+w "$work" && rm -rf "$work"' EXIT
cd "$work"
printf 'module finding\n\ngo 1.26\n\nrequire github.com/coredns/coredns %s\n' "$version" >go.mod
export GOPATH=$work/go GOFLAGS='-mod=mod -modcacherw' CGO_ENABLED=0
cat >main.go <<'GO'
package main

import (
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/whoami"
)

func main() { coremain.Run() }
GO
go build -trimpath -o coredns .
cat >hold.py <<'PY'
import socket
import time

held = socket.socket()
held.bind(("127.0.0.1", 0))
held.listen()
print(held.getsockname()[1], flush=True)
time.sleep(300)
PY
python3 hold.py >port &
until [ -s port ]; do sleep 0.1; done
taken=$(cat port)
failed=0

# Starts CoreDNS with a line in its file; compares what its log says: EXPECTED NAME LINE
try() {
  local expected=$1 seen="neither"
  printf '.:%s {\n  bind 127.0.0.1\n  whoami\n  %s\n}\n' "$((taken + 1))" "$3" >Corefile
  timeout 5 ./coredns -conf Corefile >log 2>&1 && code=0 || code=$?
  [ "$code" = 1 ] && grep -q 'address already in use' log && seen=refuses
  [ "$code" = 124 ] && grep -q 'Failed to start metrics handler: .* address already in use' log && seen=starts
  printf '%-35s %s\n' "$2" "$seen"
  [ "$seen" = "$expected" ] || { failed=1; tail -n 3 log; }
}

echo "CoreDNS $version"
try starts 'metrics at a taken port' "prometheus 127.0.0.1:$taken"
try refuses 'health at a taken port' "health 127.0.0.1:$taken"
exit "$failed"
