#!/bin/bash
# The tests of the extension on a newer SQLite than Debian's: the one that better-sqlite3 brings (3.53.2), which plans
# queries otherwise here and there and keeps the cursors of correlated subqueries. golden/requests-3.53.txt is of it.
#
#   tests/newer_sqlite.sh BUILD_FOLDER [SECONDS]
#
# BUILD_FOLDER has the built targets extension_tests, concurrency_tests and differential. SQLite is compiled once, from
# the sources in the npm package better-sqlite3, as a shared library that the dynamic linker then finds first. SECONDS
# is how long each run of the differential test goes on finding cases. Exit code 0 only if all passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[ $# -ge 1 ] || fail "usage: $0 BUILD_FOLDER [SECONDS]"
BUILD=$(realpath "$1")
CLIENTS_DIR=${TABLE_STORAGE_CLIENTS_DIR:-$ROOT/build/clients}
need gcc gcc
need g++ g++
need make make
command -v node >/dev/null || need nodejs node
command -v npm >/dev/null || need npm npm
install_missing
mkdir -p "$CLIENTS_DIR"
source "$ROOT/tests/clients/node_setup.sh"

sources=$CLIENTS_DIR/node/node_modules/better-sqlite3/deps/sqlite3
library=$CLIENTS_DIR/newer_sqlite
version=$(sed -n 's/^#define SQLITE_VERSION  *"\(.*\)"/\1/p' "$sources/sqlite3.h")
if [ "$(cat "$library/stamp" 2>/dev/null)" != "$version" ]; then
  say "Compiling SQLite $version (once, about half a minute)"
  mkdir -p "$library"
  # What planning depends on as in better-sqlite3 (deps/defines.gypi); the rest as in Debian, so that all tests can run.
  gcc -O1 -fPIC -shared -Wl,-soname,libsqlite3.so.0 -o "$library/libsqlite3.so.0" \
    -DSQLITE_ENABLE_STAT4 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_UPDATE_DELETE_LIMIT -DSQLITE_ENABLE_FTS5 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_DQS=0 -DSQLITE_USE_URI=1 \
    -DSQLITE_THREADSAFE=1 "$sources/sqlite3.c" -lm -lpthread -ldl
  echo "$version" >"$library/stamp"
fi
export LD_LIBRARY_PATH=$library

failed=0
for program in extension_tests concurrency_tests; do
  log=$BUILD/newer-$program.log
  if "$BUILD/tests/$program" --gtest_brief=1 >"$log" 2>&1; then
    echo "$program on SQLite $version: $(sed -n 's/^\[  PASSED  \] //p' "$log")"
  else
    failed=1
    head -n 200 "$log"
  fi
done
for backend in "" "--backend fake"; do
  # shellcheck disable=SC2086
  "$BUILD/tests/differential" --seed 4 --seconds "${2:-20}" $backend || failed=1
done
exit $failed
