#!/bin/bash
# Random statements on remote tables while a twentieth of the requests to the (fake) service goes wrong:
# tests/chaos/chaos.h says what must hold then.
#
#   tests/chaos.sh STATEMENTS [SEED]      BUILD=folder: the build folder to use instead of build-tests
#
# The last line is the figures. Exit code 0 only if nothing was wrong.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

statements=${1:?usage: tests/chaos.sh STATEMENTS [SEED]}
BUILD=${BUILD:-build-tests}
need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need openssl openssl
need python3 python3
install_missing
# The kind of build is asked for only where there is none yet.
kind=()
[ -f "$BUILD/CMakeCache.txt" ] || kind=(-DCMAKE_BUILD_TYPE=Release)
build "$BUILD" chaos -DTABLE_STORAGE_TESTS=ON "${kind[@]}"
"$BUILD/tests/chaos" --statements "$statements" --seed "${2:-1}"
