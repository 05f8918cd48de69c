#!/bin/bash
# Peaks of memory while statements read, join, import and write tables of ROWS entities, local and remote (the project's
# fake of the service): tests/memory/memory.py says what is measured and what is allowed.
#
#   tests/memory.sh [ROWS…]          default: 10000 100000 1000000, which takes about two minutes
#                                    BUILD=folder: the build folder to use instead of build-tests
#
# Prints a table, a line a statement; the last line is the figures. Exit code 0 only if nothing took too much.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

BUILD=${BUILD:-build-tests}
need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need openssl openssl
need python3 /usr/bin/python3
install_missing
# The kind of build is asked for only where there is none yet.
kind=()
[ -f "$BUILD/CMakeCache.txt" ] || kind=(-DCMAKE_BUILD_TYPE=Release)
build "$BUILD" table_storage -DTABLE_STORAGE_TESTS=ON "${kind[@]}"
build "$BUILD" fake_service_program
[ $# -gt 0 ] || set -- 10000 100000 1000000
# Debian's Python: others may be built without load_extension.
/usr/bin/python3 tests/memory/memory.py --extension "$BUILD/extension/table_storage.so" \
  --fake "$BUILD/tests/fake_service" --rows "$@"
