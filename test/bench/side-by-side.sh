#!/usr/bin/env bash
# Measures kubestream beside the other clients of a benchmark that takes programs of anybody: side-by-side.sh FOLDER [OPTION…]
# FOLDER holds the benchmark's run.sh; options go to it. Run after `npm run build`. VARIANTS names the rows of kubestream.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bench=${1:?the folder of the benchmark}
shift
variants=${VARIANTS:-default json json-slim json-lazy protobuf protobuf-slim protobuf-lazy protobuf-slim-lazy cbor}
clients=${CLIENTS:-client-node,go-typed-protobuf,kube-rs,raw-undici,limit-json}
rows=()
for variant in $variants; do
  rows+=(--add "kubestream-$variant={node} --expose-gc $root/test/bench/harness-client.mjs")
  clients+=",kubestream-$variant"
done
exec "$bench/run.sh" "${@:-full}" --clients "$clients" "${rows[@]}"
