#!/bin/bash
# Kills a process with SIGKILL while it writes to local foreign tables, KILLS times, and checks the database after each:
# tests/crash/crash.py says what and how.
#
#   tests/crash.sh KILLS [SEED]      TABLE_STORAGE_SO=path: the extension to test, instead of building build/
#
# The last line is the figures. Exit code 0 only if every database was right.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"

kills=${1:?usage: tests/crash.sh KILLS [SEED]}
need_build_packages
need python3 /usr/bin/python3
install_missing
if [ -z "${TABLE_STORAGE_SO:-}" ]; then
  build build table_storage -DTABLE_STORAGE_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
  TABLE_STORAGE_SO=$ROOT/build/extension/table_storage.so
fi
die=$(mktemp --suffix=.so)
trap 'rm -f "$die"' EXIT
g++ -O2 -shared -fPIC -Wall -Wextra -o "$die" tests/crash/die.cpp
# Debian's Python: others may be built without load_extension.
/usr/bin/python3 tests/crash/crash.py --extension "$TABLE_STORAGE_SO" --die "$die" --kills "$kills" --seed "${2:-1}"
