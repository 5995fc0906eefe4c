#!/usr/bin/env bash
# A second CoreDNS 1.14.3 starts on the address and port of the first, and both answer a part of the queries.
#
# Expected: the second start fails with `address already in use`, as it does for most servers.
# Seen: both run (CoreDNS sets SO_REUSEPORT), no log says so, and the kernel divides the queries by their source ports. So
# a cache that was left behind on a node answers some pods from its old Corefile.
#
# Needs Go, Python and Linux. Run: findings/coredns_second_process_shares_port.sh
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
	_ "github.com/coredns/coredns/plugin/hosts"
)

func main() { coremain.Run() }
GO
go build -trimpath -o coredns .
port=$(python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for server in 1 2; do
  printf '.:%s {\n  bind 127.0.0.1\n  hosts {\n    192.0.2.%s web.example.org\n  }\n}\n' "$port" "$server" >"Corefile.$server"
  timeout 60 ./coredns -conf "Corefile.$server" >"log.$server" 2>&1 &
  sleep 3
done
echo "CoreDNS $version"
cat >ask.py <<'PY'
import socket
import sys
from collections import Counter

question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03web\x07example\x03org\x00\x00\x01\x00\x01"
answers = Counter()
for _ in range(200):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as pod:
        pod.settimeout(5)
        pod.sendto(question, ("127.0.0.1", int(sys.argv[1])))
        answers[socket.inet_ntoa(pod.recv(512)[-4:])] += 1
print("200 queries from 200 source ports:", dict(sorted(answers.items())))
sys.exit(set(answers) != {"192.0.2.1", "192.0.2.2"})
PY
python3 ask.py "$port"
! grep -i 'in use' log.1 log.2
