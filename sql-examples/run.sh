#!/bin/bash
# Builds the extension and runs the reports of this folder on the local backend.
#
#   sql-examples/run.sh                      all of them
#   sql-examples/run.sh 03-delay-by-route    one of them
#
# Works from any folder and on a fresh Debian 12: what is missing is installed with apt-get (as root or by sudo).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"
cd "$ROOT"

scripts=(sql-examples/[0-9]*.sql)
if [ $# -gt 0 ]; then
  name=$(basename "$1" .sql)
  scripts=("sql-examples/$name.sql")
  [ -f "${scripts[0]}" ] ||
    fail "there is no report '$1'; there are: $(cd sql-examples && ls [0-9]*.sql | sed 's/\.sql$//' | tr '\n' ' ')"
fi

need_build_packages
install_missing
say "Building build/extension/table_storage.so"
build build table_storage -DCMAKE_BUILD_TYPE=Release -DTABLE_STORAGE_TESTS=OFF

for script in "${scripts[@]}"; do
  say "$script"
  sed -n '1s/^-- //p' "$script"
  echo
  # ~/.sqliterc could change the output, so no init file.
  sqlite3 -batch -init /dev/null :memory: <"$script" || fail "$script"
done
printf '\nOK: %d report(s). Try your own: sqlite3 -cmd ".load build/extension/table_storage"\n' "${#scripts[@]}"
