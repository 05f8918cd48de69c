#!/bin/bash
# Builds everything with warnings as errors and runs every test, over the local backend and over the project's fake of
# the service; then once more with the address and undefined-behaviour sanitizers; the tests of the remote backend with
# the thread sanitizer; then the clients (Python, Node, sqlite3 shell, Azurite), the tests of the extension on a newer
# SQLite, and the SQL scripts and the differential test over Azurite, the emulator of the service.
#
#   tests/run.sh
#
# Works from any folder and on a fresh Debian 12: what is missing is installed with apt-get (as root or by sudo).
# Ends with one line a part, and with exit code 0 only if all parts passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need libgmock-dev /usr/include/gmock/gmock.h
need libbenchmark-dev /usr/include/benchmark/benchmark.h
need openssl openssl
need python3 python3
install_missing

summary=()
failed=0
started=$SECONDS
# part NAME COMMAND…: runs one part and notes how it ended; the parts after it run whatever happened.
part() {
  local name=$1 from=$SECONDS
  shift
  say "$name"
  # A subshell, since `fail` exits; not in an `if`, where bash would ignore `set -e` inside.
  set +e
  (set -e; "$@")
  local code=$?
  set -e
  if [ $code -eq 0 ]; then
    summary+=("passed  $name ($((SECONDS - from)) s)")
  else
    summary+=("FAILED  $name ($((SECONDS - from)) s)")
    failed=1
  fi
}

# suite FOLDER [CMAKE OPTION…]: builds FOLDER and runs all tests in it.
suite() {
  local folder=$1
  shift
  # g++ 12 sees overlapping and endless copies in std::string's own code, where there are none.
  local flags=
  case $(g++ -dumpversion) in 12*) flags="-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds" ;; esac
  build "$folder" all -DTABLE_STORAGE_TESTS=ON -DTABLE_STORAGE_WERROR=ON "-DCMAKE_CXX_FLAGS=$flags" "$@"
  ctest --test-dir "$ROOT/$folder" --output-on-failure --no-tests=error --timeout 300 -j "$(nproc)" \
    >"$folder/ctest.log" 2>&1 ||
    { grep -vE '^ *(Start |[0-9]+/[0-9]+ Test.* Passed )' "$folder/ctest.log" >&2; return 1; }
  grep 'tests passed' "$folder/ctest.log"
}

part "Release build, all tests" suite build-tests -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
# With the sanitizers g++ 12 warns of its own std::regex.
part "Sanitizers (address, undefined), all tests" suite build-sanitize -DCMAKE_BUILD_TYPE=Debug -DTABLE_STORAGE_WERROR=OFF \
  "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" -DTABLE_STORAGE_SANITIZE=address,undefined -DTABLE_STORAGE_BENCHMARKS=OFF
part "Threads (thread sanitizer)" bash tests/sanitizers.sh thread
part "Clients" bash tests/clients/run.sh "$ROOT/build-tests/extension/table_storage.so"
part "Crashes" env TABLE_STORAGE_SO="$ROOT/build-tests/extension/table_storage.so" bash tests/crash.sh 20
part "Memory" env BUILD=build-tests bash tests/memory.sh 2000 20000
part "Newer SQLite" bash tests/newer_sqlite.sh build-tests
part "SQL scripts and differential test over Azurite" bash tests/azurite.sh build-tests

say "Summary ($((SECONDS - started)) s)"
printf '%s\n' "${summary[@]}"
[ $failed -eq 0 ] || fail "see above"
echo "All passed."
