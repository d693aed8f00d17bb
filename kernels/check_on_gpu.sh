#!/usr/bin/env bash
# Everything that needs an NVIDIA GPU: the kernel tests on it, 100 repeats and 1,000 cycles of memory among them, and
# where the CUDA toolkit is installed the same under its sanitizer. A test binary may be named that was built elsewhere.
#
#     kernels/check_on_gpu.sh [TEST_BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
export SHADOWGRAPH_GPU=1
if [ $# -gt 0 ]; then
  suite=$1
else
  suite=$(cargo test --release --test suite --no-run --message-format=json | sed -n 's/.*"executable":"\([^"]*suite-[^"]*\)".*/\1/p' | tail -1)
fi

"$suite" kernels --test-threads 1

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ ! -x "$sanitizer" ]; then
  echo "compute-sanitizer is not installed: memory and races are not checked."
  exit 0
fi
for tool in memcheck racecheck initcheck synccheck; do
  echo "== $tool"
  # Repeats add nothing that a sanitizer could see.
  "$sanitizer" --tool "$tool" --error-exitcode 1 "$suite" kernels --test-threads 1 --skip repeats --skip whole_job | tail -3
done
