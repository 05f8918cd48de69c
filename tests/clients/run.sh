#!/bin/bash
# Runs the extension inside the programs people use: sqlite3 shell, Python, Node, sqlite-utils, litecli, DB Browser.
#
#   tests/clients/run.sh PATH/TO/table_storage.so [SUITE...]
#
# A suite is shell, python, node, azurite, tools or browser; without one all run. What is missing is installed with
# apt-get and npm; better-sqlite3 is compiled once into build/clients, so that only the first run is slow. The suite
# azurite starts the emulator of the service on a free port of this machine and ends it. Prints one line a test
# and closes with "N passed, N failed"; the exit code is 0 only if none failed. Needs no display: the desktop program
# runs under Xvfb, and its screenshots stay in build/clients/screenshots.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/../setup.sh"

[ $# -ge 1 ] || fail "usage: $0 PATH/TO/table_storage.so [SUITE...]"
[ -f "$1" ] || fail "there is no extension at $1: build the target table_storage first"
TABLE_STORAGE_SO=$(realpath "$1")
CLIENTS_DIR=${TABLE_STORAGE_CLIENTS_DIR:-$ROOT/build/clients}
export TABLE_STORAGE_SO CLIENTS_DIR PYTHONDONTWRITEBYTECODE=1
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(shell python node azurite tools browser)
wants() { printf '%s\n' "${suites[@]}" | grep -qx "$1"; }

# /usr/bin/python3 by its path: pythons built by hand often lack enable_load_extension.
need python3 /usr/bin/python3
need sqlite3 sqlite3
need binutils nm
if wants tools; then
  need sqlite-utils /usr/bin/sqlite-utils
  need litecli /usr/bin/litecli
fi
if wants browser; then
  need sqlitebrowser sqlitebrowser
  need xvfb Xvfb
  need xdotool xdotool
  need imagemagick import
fi
if wants node || wants azurite; then
  need g++ g++
  need make make
  command -v node >/dev/null || need nodejs node
  command -v npm >/dev/null || need npm npm
fi
install_missing
mkdir -p "$CLIENTS_DIR"
if wants node || wants azurite; then source "$HERE/node_setup.sh"; fi
if wants azurite; then source "$HERE/azurite_setup.sh"; fi

passed=0
failed=0
# Runs one suite, shows its lines and counts them. A suite that dies before its last test counts as one failure more.
run_suite() {
  local name=$1 code=0
  shift
  local log=$CLIENTS_DIR/$name.log
  timeout 240 "$@" >"$log" 2>&1 </dev/null || code=$?
  cat "$log"
  local good bad
  good=$(grep -c "^ok   $name: " "$log") || true
  bad=$(grep -c "^FAIL $name: " "$log") || true
  if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ] || [ $((good + bad)) -eq 0 ]; then
    echo "FAIL $name: the suite ended with exit code $code"
    bad=$((bad + 1))
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
}

for suite in "${suites[@]}"; do
  case $suite in
    shell | python | tools | browser) run_suite "$suite" /usr/bin/python3 "$HERE/${suite}_suite.py" ;;
    node | azurite) run_suite "$suite" "$NODE" "$HERE/${suite}_suite.mjs" ;;
    *) fail "there is no suite $suite; choose from shell python node azurite tools browser" ;;
  esac
done

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
