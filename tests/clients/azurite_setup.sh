# Azurite, the emulator of the service, and Microsoft's JavaScript client for tables, in $CLIENTS_DIR/azurite. Sourced
# by run.sh after node_setup.sh, whose NODE and npm it uses. 3.35.0 is the last Azurite for Node 20.
# shellcheck shell=bash
azurite_packages=(azurite@3.35.0 @azure/data-tables@13.3.2)
azurite_dir=$CLIENTS_DIR/azurite
mkdir -p "$azurite_dir"
[ -f "$azurite_dir/package.json" ] || echo '{"private": true}' >"$azurite_dir/package.json"

if [ "$(cat "$azurite_dir/stamp" 2>/dev/null)" != "${azurite_packages[*]}" ]; then
  say "Installing ${azurite_packages[*]} (once)"
  (cd "$azurite_dir" && "${npm[@]}" install --no-audit --no-fund --ignore-scripts --save-exact \
    "${azurite_packages[@]}" >"$azurite_dir/npm.log" 2>&1) ||
    { tail -n 30 "$azurite_dir/npm.log" >&2; fail "npm could not install Azurite: all of it is in $azurite_dir/npm.log"; }
  echo "${azurite_packages[*]}" >"$azurite_dir/stamp"
fi
