#!/bin/bash
# Fuzzes everything that reads bytes or text from outside: libFuzzer with the address and undefined-behaviour
# sanitizers. Builds the targets (tests/fuzz/*.cpp) with clang and runs all of them, two at a time.
#
#   tests/fuzz.sh SECONDS [TARGET…]      SECONDS altogether, shared by the targets
#
# Inputs that reached something new are kept in build-fuzz/corpus/TARGET and are where the next run goes on from;
# the seeds stand in tests/fuzz/corpus. A finding is left in build-fuzz/findings/, with the command to see it again.
# The last line is the figures. Exit code 0 only if nothing was found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

seconds=${1:?usage: tests/fuzz.sh SECONDS [TARGET…]}
shift
need_build_packages
need clang clang
need python3 python3
install_missing

BUILD=build-fuzz
build $BUILD fuzz_targets -DTABLE_STORAGE_TESTS=OFF -DTABLE_STORAGE_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++ \
  -DTABLE_STORAGE_SANITIZE=fuzzer-no-link,address,undefined -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1"

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$BUILD"/tests/fuzz/fuzz_*; do targets+=("${program##*/fuzz_}"); done
fi
python3 tests/fuzz/seeds.py "$BUILD/seeds"
rm -rf "$BUILD/findings"
mkdir -p "$BUILD/findings" "$BUILD/logs"

# fuzz TARGET SECONDS
fuzz() {
  local target=$1 log=$BUILD/logs/$1.log dictionary=tests/fuzz/dictionaries/$1.dict options=()
  mkdir -p "$BUILD/corpus/$target"
  if [ -f "$dictionary" ]; then options+=(-dict="$dictionary"); fi
  # PATH: a target must not start programs. -close_fd_mask=1: nor talk.
  PATH=/nonexistent UBSAN_OPTIONS=print_stacktrace=1 "$BUILD/tests/fuzz/fuzz_$target" "$BUILD/corpus/$target" \
    "$BUILD/seeds/$target" -max_total_time="$2" -timeout=60 -rss_limit_mb=3000 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$BUILD/findings/$target-" -close_fd_mask=1 "${options[@]}" >"$log" 2>&1 ||
    { echo "FOUND by $target: see $log"
      grep -E -m3 'NOT TRUE|ERROR: |runtime error|what\(\)|Test unit written' "$log" || tail -n 3 "$log"; }
}
export -f fuzz
export BUILD

each=$((seconds * 2 / ${#targets[@]}))
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c "fuzz {} $((each > 1 ? each : 1))"

figures=()
executions=0
for target in "${targets[@]}"; do
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$BUILD/logs/$target.log")
  figures+=("$target ${count:-?}")
  executions=$((executions + ${count:-0}))
done
found=$(find "$BUILD/findings" -type f | wc -l)
echo "fuzz: $(IFS=,; echo "${figures[*]}" | sed 's/,/, /g'); $executions executions, $found findings"
[ "$found" -eq 0 ]
