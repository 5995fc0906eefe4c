#!/usr/bin/env bash
# NVIDIA's device plugin 0.19.1 ends at its start where a file shares GPUs by MPS and the variable MIG_STRATEGY is `mixed`,
# before it looks for a GPU: also on a node whose GPUs know no MIG. The GPU Operator sets that variable for all nodes.
#
# Expected by whoever sets it: the strategy says nothing to nodes whose GPUs have no MIG.
# Seen: exit code 1 and the words below. The same file starts without the variable, with `single`, and with `none`, which
# wins over the file; time-slicing starts with `mixed`. The file's own `flags.migStrategy` counts like the variable,
# whatever the case of its letters.
#
# Needs Go, a C compiler and Linux. Run: findings/nvidia_device_plugin_mps_beside_mixed.sh
set -euo pipefail
version=v0.19.1
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
cd "$work"
module=github.com/NVIDIA/k8s-device-plugin
printf 'module finding\n\ngo 1.26\n\nrequire %s %s\n' "$module" "$version" >go.mod
export GOPATH=$work/go GOFLAGS='-mod=mod -modcacherw' CGO_ENABLED=1
export GONOSUMDB=github.com/NVIDIA # some of its modules stand in no checksum database
go build -o plugin "$module/cmd/nvidia-device-plugin"

refusal='using --mig-strategy=mixed is not supported with MPS'
resources='{resources: [{name: nvidia.com/gpu, replicas: 4}]}'
failed=0

# Starts the plugin with a file and perhaps a strategy; compares whether it refuses: EXPECTED NAME FILE [STRATEGY]
try() {
  local expected=$1 name=$2 seen="neither"
  printf '%s\n' "$3" >config.yaml
  env ${4:+MIG_STRATEGY="$4"} MPS_ROOT=/run/nvidia/mps KUBELET_SOCKET= CONFIG_FILE=config.yaml \
    timeout 10 ./plugin >log 2>&1 || true
  grep -q 'Retrieving plugins' log && seen=starts # it looks for GPUs now, and finds none on this machine
  grep -q -- "$refusal" log && seen=refuses
  printf '%-55s %s\n' "$name" "$seen"
  [ "$seen" = "$expected" ] || { failed=1; tail -n 3 log; }
}

echo "k8s-device-plugin $version"
try refuses 'MPS, MIG_STRATEGY=mixed' "{version: v1, sharing: {mps: $resources}}" mixed
try starts 'MPS, no MIG_STRATEGY' "{version: v1, sharing: {mps: $resources}}"
try starts 'MPS, MIG_STRATEGY=single' "{version: v1, sharing: {mps: $resources}}" single
try refuses 'MPS, flags.migStrategy: mixed' "{version: v1, flags: {migStrategy: mixed}, sharing: {mps: $resources}}"
try refuses 'MPS, FLAGS.MIGSTRATEGY: mixed' "{version: v1, FLAGS: {MIGSTRATEGY: mixed}, sharing: {mps: $resources}}"
try starts 'MPS, flags.migStrategy: mixed, MIG_STRATEGY=none' "{version: v1, flags: {migStrategy: mixed}, sharing: {mps: $resources}}" none
try starts 'time-slicing, MIG_STRATEGY=mixed' "{version: v1, sharing: {timeSlicing: $resources}}" mixed
exit "$failed"
