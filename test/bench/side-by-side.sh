#!/usr/bin/env bash
# Measures kubestream beside the other clients of a benchmark that takes programs of anybody: side-by-side.sh FOLDER [OPTION…]
# FOLDER holds the benchmark's run.sh; options go to it. Run after `npm run build`. VARIANTS names the rows of kubestream,
# CLIENTS those of others. RECORD=1 writes the results to docs/data/performance.json, from which `npm run pictures` draws
# the charts and fills the tables; do that on an idle machine.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bench=${1:?the folder of the benchmark}
shift
variants=${VARIANTS:-default json json-slim json-lazy protobuf protobuf-slim protobuf-lazy protobuf-slim-lazy cbor}
clients=${CLIENTS:-client-node,fluent-client,go-typed-json,go-typed-protobuf,kube-rs,raw-undici,limit-json}
rows=()
for variant in $variants; do
  rows+=(--add "kubestream-$variant={node} --expose-gc $root/test/bench/harness-client.mjs")
  clients+=",kubestream-$variant"
done
[ $# -gt 0 ] || set -- full
"$bench/run.sh" "$@" --clients "$clients" "${rows[@]}"
if [ "${RECORD:-}" = 1 ]; then node "$root/test/bench/record-clients.mjs" "$bench"; fi
