#!/bin/bash
# Out of memory: lets the allocations of every statement of the SQL suite fail, one after the other, with the entities
# in the database and in a table service (tests/oom/oom.cpp and tests/oom/remote.cpp say what must happen then).
#
#   tests/oom.sh [STRIDE] [OFFSET]     every STRIDEth allocation only (1: all of them, which takes hours)
#                                      BUILD=folder: the build folder to use instead of build-tests
#                                      OOM_BACKTRACE=1: shows where each of them failed
#
# The last line is the figures. Exit code 0 only if nothing was wrong.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need python3 python3
install_missing
BUILD=${BUILD:-build-tests}
# The kind of build is asked for only where there is none yet.
kind=()
[ -f "$BUILD/CMakeCache.txt" ] || kind=(-DCMAKE_BUILD_TYPE=Release)
build "$BUILD" oom -DTABLE_STORAGE_TESTS=ON "${kind[@]}"
build "$BUILD" remote_oom
build "$BUILD" table_storage

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$BUILD/tests/oom" --stride "${1:-1}" --offset "${2:-0}" "$BUILD/extension/table_storage.so" tests/sql/*.sql |
  tee "$log" || failed=1
local_figures=$(tail -n 1 "$log")
python3 tests/oom/remote.py --program "$BUILD/tests/remote_oom" --extension "$BUILD/extension/table_storage.so" \
  --stride "${1:-1}" --offset "${2:-0}" tests/sql/*.sql | tee "$log" || failed=1
echo "$local_figures; $(tail -n 1 "$log")"
exit $failed
