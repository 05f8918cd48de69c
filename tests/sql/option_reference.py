#!/usr/bin/env python3
"""The reference of options in README.md against the extension's own table of options (ts_options).

    option_reference.py --extension build/extension/table_storage.so README.md      fails where they differ
    option_reference.py --extension build/extension/table_storage.so --print        prints what the README should say

The reference is a Markdown table whose rows are exactly those that are printed, one an option, in any place of the
file; a row of that shape for an option that does not exist is an error too.
"""

import argparse
import re
import sqlite3
import subprocess
import sys

QUERY = "SELECT name, carriers, type, takes, coalesce(default_value, ''), meaning FROM ts_options"
ROW = re.compile(r"^\| `(\w+)` \| ((?:server|user mapping|table|column)(?:, (?:user mapping|table|column))*) \|")


def options(shell, extension):
    """Rows of ts_options. In the shell, because not every Python may load extensions."""
    separator = "\x1f"
    output = subprocess.run([shell, "-batch", "-init", "/dev/null", "-cmd", f".load {extension}", "-cmd", ".mode list",
                             "-cmd", f".separator {separator}", ":memory:", QUERY],
                            capture_output=True, text=True, check=True).stdout
    return [line.split(separator) for line in output.splitlines()]


def row(name, carriers, kind, takes, default, meaning):
    if kind in ("choice", "boolean"):
        takes = re.sub(r"[\w-]+", lambda word: word.group() if word.group() == "or" else f"`{word.group()}`", takes)
    elif kind == "text":
        takes = "text"
    return f"| `{name}` | {carriers} | {takes} | {f'`{default}`' if default else ''} | {meaning} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--extension", required=True)
    parser.add_argument("--shell", default="sqlite3")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("readme", nargs="?")
    arguments = parser.parse_args()
    expected = [row(*option) for option in options(arguments.shell, arguments.extension)]
    if arguments.print:
        print("| option | stands at | takes | default | meaning |", "|---|---|---|---|---|", *expected, sep="\n")
        return 0
    with open(arguments.readme, encoding="utf-8") as file:
        found = [line for line in file.read().splitlines() if ROW.match(line)]
    missing = [line for line in expected if line not in found]
    unknown = [line for line in found if line not in expected]
    for line in missing:
        print("missing in the README:", line)
    for line in unknown:
        print("not so in the extension:", line)
    if not missing and not unknown:
        print(len(expected), "options agree")
    return 1 if missing or unknown else 0


sys.exit(main())
