#!/bin/bash
# The tests once more under what watches them: the thread sanitizer, valgrind, and the address sanitizer with
# allocations that fail. (tests/run.sh runs all tests with the address and undefined-behaviour sanitizers.)
#
#   tests/sanitizers.sh [thread|valgrind|oom …]      all three without arguments
#
# The last line is the figures. Exit code 0 only if nothing was found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(thread valgrind oom)
need_build_packages
need libgtest-dev /usr/include/gtest/gtest.h
need python3 python3
need openssl openssl
need valgrind valgrind
install_missing

options=(-DTABLE_STORAGE_TESTS=ON -DTABLE_STORAGE_BENCHMARKS=OFF)
figures=()
failed=0
# note NAME COMMAND…: runs one program of tests and keeps how many of them passed.
note() {
  local name=$1 log
  shift
  log=$ROOT/build-tsan/$name.log
  if "$@" >"$log" 2>&1; then
    figures+=("$name $(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1) passed")
  else
    figures+=("$name FAILED")
    failed=1
    grep -E -A25 'WARNING: ThreadSanitizer|FAILED  |==ERROR|Failure$|^==[0-9]+== [A-Z0-9]' "$log" | head -n 80 || tail -n 20 "$log"
  fi
}
mkdir -p build-tsan

for part in "${parts[@]}"; do
  say "$part"
  case $part in
    thread)
      build build-tsan thread_tests "${options[@]}" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \
        -DTABLE_STORAGE_SANITIZE=thread
      for target in extension_tests concurrency_tests fake_service_tests; do
        # die_after_fork=0: the tests of processes fork, and use only what they open themselves.
        TSAN_OPTIONS="halt_on_error=0 exitcode=66 die_after_fork=0 second_deadlock_stack=1" \
          note "thread-$target" build-tsan/tests/$target
      done
      ;;
    valgrind)
      build build-tests concurrency_tests "${options[@]}" -DCMAKE_BUILD_TYPE=Release
      note valgrind-lifetime valgrind -q --leak-check=full --show-leak-kinds=definite,indirect,possible \
        --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=9 \
        build-tests/tests/concurrency_tests '--gtest_filter=Load100*:*Lifetime*'
      ;;
    oom)
      build build-sanitize oom "${options[@]}" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \
        -DTABLE_STORAGE_SANITIZE=address,undefined
      if line=$(BUILD=build-sanitize bash tests/oom.sh 53); then
        figures+=("${line##*$'\n'}")
      else
        printf '%s\n' "$line" | head -n 60
        figures+=("oom FAILED")
        failed=1
      fi
      ;;
    *) fail "there is no part $part: thread, valgrind, oom" ;;
  esac
done
echo "sanitizers: $(IFS=';'; echo "${figures[*]}" | sed 's/;/; /g')"
exit $failed
