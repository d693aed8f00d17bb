#!/usr/bin/env bash
# Fuzzes readers with coverage feedback and the address sanitizer: fuzz/run.sh [seconds each] [target ...]
# Needs `cargo install cargo-fuzz`. Crashes land in fuzz/artifacts; mend them and keep each file under tests/data/crashes.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
targets=("${@:2}")
if [ "${#targets[@]}" = 0 ]; then mapfile -t targets < <(cargo fuzz list); fi

# The sanitizer is an unstable option of a stable compiler.
export RUSTC_BOOTSTRAP=1 RAYON_NUM_THREADS=1
export SHADOWGRAPH_CAD="$PWD/target/release/shadowgraph-cad"
for target in "${targets[@]}"; do
  corpus="fuzz/corpus/$target"
  mkdir -p "$corpus"
  limits=(-max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -max_len=65536)
  cargo fuzz run -O "$target" "$corpus" "fuzz/seeds/$target" -- "${limits[@]}"
done
