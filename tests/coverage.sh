#!/bin/bash
# Coverage: how many lines and branches of parser/ and extension/ the unit tests, the SQL scripts and short runs of the
# differential test go through. Branches that only an exception takes are left out.
#
#   tests/coverage.sh
#
# The last line is the figures, for each folder there is one before it. What no test goes through is listed in
# build-coverage/uncovered.txt, with the source beside it. Exit code 0 if all tests passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need libgmock-dev /usr/include/gmock/gmock.h
need openssl openssl
need python3 python3
need gcovr gcovr
install_missing

BUILD=build-coverage
say "Build"
# Joined sources would have one count for code of different files; threads count, so counts are atomic.
build $BUILD coverage_tests -DTABLE_STORAGE_TESTS=ON -DTABLE_STORAGE_BENCHMARKS=OFF -DCMAKE_BUILD_TYPE=Debug \
  "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1" "-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic" -DCMAKE_UNITY_BUILD=OFF

say "Tests"
find $BUILD -name '*.gcda' -delete
tests=passed
ctest --test-dir $BUILD -R '^(parser_tests|extension_tests|sql|example|golden|differential)' -j "$(nproc)" \
  --timeout 900 --no-tests=error >$BUILD/ctest.log 2>&1 || tests=FAILED
grep -E 'tests passed|\(Failed\)|\(Timeout\)|No tests' $BUILD/ctest.log

say "Coverage"
gcovr --root . --object-directory $BUILD --filter parser/ --filter extension/ --exclude-throw-branches \
  --exclude-unreachable-branches --exclude-branches-by-pattern '.*\bcatch \(.*' -j "$(nproc)" \
  --json $BUILD/coverage.json $BUILD >$BUILD/gcovr.log 2>&1 || { tail -n 20 $BUILD/gcovr.log >&2; fail "gcovr"; }
python3 tests/coverage.py $BUILD/coverage.json $BUILD/uncovered.txt "tests $tests"
[ $tests = passed ]
