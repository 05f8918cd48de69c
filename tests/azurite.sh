#!/bin/bash
# The SQL scripts and the differential test over Azurite 3.35.0, the emulator of the service.
#
#   tests/azurite.sh BUILD_FOLDER [SECONDS]
#
# BUILD_FOLDER has the built targets table_storage and differential. Azurite and a Node for it come from npm and stay in
# build/clients (as for tests/clients/run.sh); each test starts one on a free port of this machine and ends it.
# SECONDS is how long the differential test goes on finding cases. Exit code 0 only if all passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[ $# -ge 1 ] || fail "usage: $0 BUILD_FOLDER [SECONDS]"
BUILD=$(realpath "$1")
CLIENTS_DIR=${TABLE_STORAGE_CLIENTS_DIR:-$ROOT/build/clients}
need python3 python3
need sqlite3 sqlite3
need g++ g++
need make make
command -v node >/dev/null || need nodejs node
command -v npm >/dev/null || need npm npm
install_missing
mkdir -p "$CLIENTS_DIR"
source "$ROOT/tests/clients/node_setup.sh"
source "$ROOT/tests/clients/azurite_setup.sh"

failed=0
python3 "$ROOT/tests/sql/run.py" --extension "$BUILD/extension/table_storage.so" --backend azurite \
  --azurite "$CLIENTS_DIR/azurite" --node "$NODE" && echo "SQL scripts over Azurite: as expected" || failed=1
python3 "$ROOT/tests/services.py" azurite --modules "$CLIENTS_DIR/azurite" --node "$NODE" \
  --table EntA --table EntB --table EntW -- \
  "$BUILD/tests/differential" --seed 1 --seconds "${2:-75}" --azurite '{endpoint}' || failed=1
exit $failed
