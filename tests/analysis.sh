#!/bin/bash
# Static analysis: clang-tidy with the committed .clang-tidy, and cppcheck. Nothing is built.
#
#   tests/analysis.sh [FILE.cpp…]      without files: all of parser/ and extension/
#
# The last line is the figures. Exit code 0 only if both find nothing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

need_build_packages
need clang clang
need clang-tidy clang-tidy
need cppcheck cppcheck
install_missing

files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find parser extension -name '*.cpp' | sort)
BUILD=build-analysis
mkdir -p $BUILD
# clang, so that the commands are ones that clang-tidy understands; precompiled headers would have to be built.
cmake -S . -B $BUILD -DTABLE_STORAGE_TESTS=OFF -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >$BUILD/configure.log 2>&1 ||
  { tail -n 30 $BUILD/configure.log >&2; fail "cmake could not configure $BUILD"; }

say "clang-tidy, ${#files[@]} files"
# A source of the extension has two commands there (module and static library): one is enough, and each is looked
# for by its file.
python3 - $BUILD <<'END'
import json, sys
path = sys.argv[1] + "/compile_commands.json"
commands = {entry["file"]: entry for entry in json.load(open(path))}
json.dump(list(commands.values()), open(path, "w"))
END
rm -f $BUILD/tidy.log
tidied=0
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p $BUILD --quiet >$BUILD/tidy.raw 2>$BUILD/tidy.err ||
  tidied=$?
# A finding in a header comes once for each file that includes it.
grep -E '(warning|error): ' $BUILD/tidy.raw | sort -u >$BUILD/tidy.log || true
sed "s|^$ROOT/||" $BUILD/tidy.log
[ $tidied -eq 0 ] || [ -s $BUILD/tidy.log ] || { tail -n 5 $BUILD/tidy.err >&2; fail "clang-tidy did not run"; }

say "cppcheck"
cppcheck --suppressions-list=tests/analysis.suppressions --std=c++20 --language=c++ --inline-suppr --inconclusive \
  --enable=warning,performance,portability -I . --library=boost '-DBOOST_SPIRIT_DECLARE(...)=' \
  '-DBOOST_SPIRIT_DEFINE(...)=' '-DBOOST_SPIRIT_INSTANTIATE(...)=' -DSQLITE_CORE \
  -j "$(nproc)" --quiet \
  --template='{file}:{line}: {severity}: {message} [{id}]' "${files[@]}" 2>$BUILD/cppcheck.raw ||
  { tail -n 5 $BUILD/cppcheck.raw >&2; fail "cppcheck did not run"; }
sort -u $BUILD/cppcheck.raw >$BUILD/cppcheck.log
cat $BUILD/cppcheck.log

tidy=$(wc -l <$BUILD/tidy.log)
check=$(wc -l <$BUILD/cppcheck.log)
echo "analysis: ${#files[@]} files, $tidy findings of clang-tidy, $check of cppcheck"
[ "$tidy" -eq 0 ] && [ "$check" -eq 0 ]
