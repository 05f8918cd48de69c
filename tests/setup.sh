# Set-up that sql-examples/run.sh and tests/run.sh share: packages and builds. Sourced, with `set -eu` in force.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nFAILED: %s\n' "$*" >&2; exit 1; }

# need PACKAGE THING: installs the Debian package unless THING (a command, or a file by its absolute path) is there.
# What is looked for is the thing, not the package, so that another version or another packaging will do as well, and
# so that nothing touches the network when everything is there.
missing=()
need() {
  case $2 in
    /*) compgen -G "$2" >/dev/null || missing+=("$1") ;;
    *) command -v "$2" >/dev/null || missing+=("$1") ;;
  esac
}

install_missing() {
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "these Debian packages, or their like, are needed: ${missing[*]}"
  say "Installing ${missing[*]}"
  local run=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "install these as root: apt-get install ${missing[*]}"
    run=(sudo)
  fi
  local apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  # Package lists may be old or absent, so a first failure is worth one update.
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
    { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null; } ||
    fail "apt-get could not install ${missing[*]}"
  missing=()
}

need_build_packages() {
  need g++ g++
  need cmake cmake
  need ninja-build ninja
  need libboost-dev /usr/include/boost/spirit/home/x3.hpp
  need libsqlite3-dev /usr/include/sqlite3ext.h
  need libssl-dev /usr/include/openssl/evp.h
  need libsimdjson-dev /usr/include/simdjson.h
  need libxxhash-dev /usr/include/xxhash.h
  need libcurl4-openssl-dev '/usr/include/*/curl/curl.h'
  need libexpat1-dev /usr/include/expat.h
  need sqlite3 sqlite3
}

# build FOLDER TARGET [CMAKE OPTION…]: configures and builds ROOT/FOLDER; quick if nothing changed.
build() {
  local folder=$ROOT/$1 target=$2
  shift 2
  local options=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 "$@")
  [ -f "$folder/CMakeCache.txt" ] || options+=(-G Ninja)
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" "${options[@]}" >"$folder/configure.log" 2>&1 ||
    { tail -n 30 "$folder/configure.log" >&2; fail "cmake could not configure $folder"; }
  cmake --build "$folder" --target "$target" --parallel "$(nproc)" >"$folder/build.log" 2>&1 ||
    { grep -E -A12 'error|FAILED' "$folder/build.log" | head -n 60 >&2
      fail "the build in $folder: all of it is in $folder/build.log"; }
}
