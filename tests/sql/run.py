#!/usr/bin/env python3
"""Runs SQL scripts in the sqlite3 shell with the extension loaded and compares what is printed.

    tests/sql/run.py --extension build-tests/extension/table_storage.so [--bless] [SCRIPT.sql ...]
    tests/sql/run.py --extension ... --backend fake --fake build-tests/tests/fake_service [SCRIPT.sql ...]
    tests/sql/run.py --extension ... --backend azurite --azurite build/clients/azurite --node node [SCRIPT.sql ...]
    tests/sql/run.py --extension ... --examples [SCRIPT.sql ...]

NAME.sql is compared with NAME.expected beside it; an example with expected/NAME.txt. Without scripts: all of the
folder. Exit code 1 if any differs, with a diff. --bless writes what is printed over what was expected: look at the
change before you keep it.

What a script sees: an empty folder as the working folder, so that it may make files; an empty database in memory;
mode quote, in which NULL, 1, 1.0, '1' and X'31' look different; errors where they happen, without line numbers. An
example gets no help at all: it is run as its reader runs it, from a folder that has the repository's sql-examples/
and build/extension/table_storage.so.

With another backend than local the same script runs over a table service: each CREATE VIRTUAL TABLE gets the options
that lead there, its table is made beforehand in the empty service (remote.py), and what is printed must be the same
but for what differences.txt says. A script whose subject is the local backend says so in its first lines:

    -- Only local: REASON
"""

import argparse
import contextlib
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "sql-examples"
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.dont_write_bytecode = True

import remote  # noqa: E402
import services  # noqa: E402


def run(script, options, service):
    text = script.read_text()
    if service:
        service.reset()
        for table in remote.tables_of(text):
            service.create_table(table)
        text = remote.moved_to(text, service.options)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # stdbuf: errors go to stderr at once, so stdout must not wait, or they would come out of order.
        command = ["stdbuf", "-oL", options.shell, "-batch", "-init", "/dev/null"]
        if options.examples:
            (folder / "build" / "extension").mkdir(parents=True)
            (folder / "build" / "extension" / "table_storage.so").symlink_to(options.extension)
            (folder / "sql-examples").symlink_to(EXAMPLES)
        else:
            command += ["-cmd", f".load {options.extension}", "-cmd", ".mode quote"]
        environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
        if options.preload:
            environment["LD_PRELOAD"] = " ".join(options.preload)
        # Leaks of the shell itself, which leaves without cleaning up after an error, are not what is tested here.
        environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
        done = subprocess.run(command + [":memory:"], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd=folder, env=environment, timeout=options.timeout)
    printed = done.stdout.decode("utf-8", "backslashreplace")
    # "Parse error near line 12: …": the line moves with every edit of the script above it.
    printed = re.sub(r"^((?:Parse|Runtime) error|Error:?) near line \d+:", r"\1:", printed, flags=re.M)
    if done.returncode < 0:
        printed += f"(the shell died of signal {-done.returncode})\n"
    elif options.examples and done.returncode != 0:
        printed += f"(the shell ended with exit code {done.returncode})\n"
    if service:
        printed += "".join(f"(breaks the protocol: {line})\n" for line in service.complaints().splitlines())
    return printed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--shell", default="sqlite3")
    parser.add_argument("--preload", action="append", help="library to preload, e.g. a sanitizer's run time")
    parser.add_argument("--backend", choices=("local", "fake", "azurite"), default="local")
    parser.add_argument("--fake", help="the program fake_service")
    parser.add_argument("--azurite", help="the folder in which npm installed azurite")
    parser.add_argument("--node", default="node", help="Node 20 or newer, for Azurite")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("scripts", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not options.extension.exists():
        sys.exit(f"{options.extension} does not exist: build the target table_storage first")
    local = options.backend == "local"
    if options.bless and not local:
        sys.exit("--bless is for the local backend; where another one rightly differs, say so in differences.txt")

    folder = EXAMPLES if options.examples else HERE
    failed = []
    with contextlib.ExitStack() as stack:
        service = None if local else stack.enter_context(
            services.start(options.backend, program=options.fake, modules=options.azurite, node=options.node))
        for script in options.scripts or sorted(folder.glob("[0-9]*.sql" if options.examples else "*.sql")):
            if not local and remote.only_local(script.read_text()):
                continue
            expected = (script.parent / "expected" / f"{script.stem}.txt" if options.examples
                        else script.with_suffix(".expected"))
            printed = run(script.resolve(), options, service)
            if options.bless:
                expected.parent.mkdir(exist_ok=True)
                expected.write_text(printed)
                continue
            wanted = expected.read_text() if expected.exists() else ""
            if not local:
                wanted = remote.without_words(remote.expected_on(options.backend, script.stem, wanted))
                printed = remote.without_words(printed)
            if printed != wanted:
                failed.append(script.stem)
                sys.stdout.writelines(difflib.unified_diff(
                    wanted.splitlines(True), printed.splitlines(True), f"expected: {expected.name}", f"printed: {script.name}"))
    if failed:
        sys.exit(f"FAILED: {' '.join(failed)}")


main()
