"""What the Python suites share: registering tests, comparing, and the small database that every client gets.

A test is a function that takes an empty folder and raises when something is wrong. run() prints one line a test,
`ok   SUITE: NAME` or `FAIL SUITE: NAME` with the reason below it, and ends the process with 1 if one failed.
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
SO = os.environ["TABLE_STORAGE_SO"]
CLIENTS_DIR = pathlib.Path(os.environ["CLIENTS_DIR"])
DATA = (HERE / "data.sql").read_text()
SERVERS = (HERE / "servers.sql").read_text()
SERVERS_JOIN = (HERE / "servers_join.sql").read_text()

_tests = []


def test(name):
    def register(function):
        _tests.append((name, function))
        return function
    return register


def run(suite):
    wanted = sys.argv[1:]
    failed = 0
    for name, function in _tests:
        if wanted and not any(word in name for word in wanted):
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="client-"))
        try:
            function(folder)
            print(f"ok   {suite}: {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {suite}: {name}", flush=True)
            # The last frames say where; the whole stack would bury the message.
            print("     " + traceback.format_exc(limit=-3).replace("\n", "\n     ").rstrip(), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


def equal(got, want, what="value"):
    if got != want:
        raise AssertionError(f"{what}:\n  got  {got!r}\n  want {want!r}")


def contains(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"{part!r} is not in:\n  {text!r}")


def raises(kind, *parts, call):
    """The message of the exception that call() raises; it must be of that kind and hold all parts."""
    try:
        call()
    except kind as error:
        contains(str(error), *parts)
        return error
    raise AssertionError(f"no {kind.__name__} was raised, but one with {parts!r} was expected")


def connect(path, load=True, **options):
    """A Python connection with the extension loaded. Without implicit transactions unless asked for."""
    options.setdefault("isolation_level", None)
    connection = sqlite3.connect(str(path), **options)
    if load:
        connection.enable_load_extension(True)
        connection.load_extension(SO)
        connection.enable_load_extension(False)
    return connection


def fill(path):
    """Makes the database of data.sql in a file: foreign tables Devices, Readings and Alerts."""
    connection = connect(path)
    connection.executescript(DATA)
    connection.close()
    return path


def command(*arguments, stdin="", code=0, cwd=None, env=None):
    """Output (both streams) of a program; its exit code must be `code` (None: any)."""
    done = subprocess.run([str(a) for a in arguments], input=stdin, capture_output=True, text=True, cwd=cwd,
                          env=env, timeout=60)
    output = done.stdout + done.stderr
    if code is not None and done.returncode != code:
        raise AssertionError(f"{arguments[0]} ended with exit code {done.returncode}, not {code}:\n{output}")
    return output


def open_files(path):
    """How many descriptors of this process belong to the database file or its journals."""
    count = 0
    for link in pathlib.Path("/proc/self/fd").iterdir():
        try:
            count += os.readlink(link).startswith(str(path))
        except FileNotFoundError:
            pass
    return count
