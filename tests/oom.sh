#!/bin/bash
# Out of memory: lets the allocations of every statement of the SQL suite fail, one after the other
# (tests/oom/oom.cpp says what must happen then).
#
#   tests/oom.sh [STRIDE] [OFFSET]     every STRIDEth allocation only (1: all of them, which takes minutes)
#
# The last line is the figures. Exit code 0 only if nothing was wrong.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need python3 python3
install_missing
build build-tests oom -DTABLE_STORAGE_TESTS=ON -DCMAKE_BUILD_TYPE=Release
build build-tests table_storage
build-tests/tests/oom --stride "${1:-1}" --offset "${2:-0}" build-tests/extension/table_storage.so tests/sql/*.sql
