#!/usr/bin/env python3
"""Kills a process again and again while it writes to local foreign tables, and looks at what is left.

    tests/crash/crash.py --extension table_storage.so --die die.so --kills 200 [--seed N] [--folder FOLDER]

After each kill the database must open, pass integrity_check, with the extension and without it, and hold exactly the
transactions that were committed: all that the process had reported, and at most the one more that it had no time to
report. Half of the kills come after a random time, half in the middle of a random system call that changes a file
(die.cpp). Databases take turns between rollback journals and WAL. The last line is the figures; exit code 0 only if
nothing was wrong. A database that fails is kept.
"""

import argparse
import ctypes
import os
import pathlib
import pickle
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import workload

JOURNALS = ("delete", "wal", "truncate", "wal", "persist", "wal")
KILLS_PER_DATABASE = 10


def connect(path, extension=None):
    db = sqlite3.connect(path, isolation_level=None)
    if extension:
        db.enable_load_extension(True)
        db.load_extension(extension)
    return db


def worker(path, extension):
    """Runs transactions until it is killed. Takes (journal, seed, number, state, calls) from stdin."""
    journal, seed, number, state, calls = pickle.load(sys.stdin.buffer)
    db = connect(path, extension)
    db.execute(f"PRAGMA journal_mode = {journal}")  # only WAL is remembered by the file
    db.execute("PRAGMA wal_autocheckpoint = 20")  # so that some kills hit a checkpoint
    os.write(1, b"ready\n")
    if calls is not None:
        ctypes.CDLL(None).crash_arm(ctypes.c_long(calls))
    while True:
        statements, after = workload.transaction(seed, number, state)
        for sql, parameters in statements:
            if isinstance(parameters, list):
                db.executemany(sql, parameters)
            else:
                db.execute(sql, parameters).fetchall()
        # Only now has the caller been told.
        os.write(1, b"%d\n" % number)
        state, number = after, number + 1


class Failure(Exception):
    pass


def check(path, extension, states):
    """Which of `states` the database holds: its index."""
    for loaded in (None, extension):
        db = connect(path, loaded)
        found = [row[0] for row in db.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise Failure(f"integrity_check {'with' if loaded else 'without'} the extension: {found[:5]}")
        if loaded:
            try:
                found = workload.read(db)
            except (LookupError, sqlite3.Error) as error:
                raise Failure(f"reading: {error}") from error
        db.close()
    for index, state in enumerate(states):
        if found == state.visible():
            return index
    entities, *names = found
    wanted, *wanted_names = states[0].visible()
    told = []
    for what, have, want in zip(("foreign tables", "servers"), names, wanted_names):
        if have != want:
            told.append(f"{what} {sorted(have)} instead of {sorted(want)}")
    for name in sorted(set(entities) | set(wanted)):
        have, want = entities.get(name), wanted.get(name)
        if have is None or want is None:
            told.append(f"entity table {name} is {'missing' if have is None else 'too much'}")
        elif have != want:
            different = [key for key in sorted(set(have) | set(want)) if have.get(key) != want.get(key)]
            key = different[0]
            told.append(f"{name}: {len(different)} entities differ from the last committed state, "
                        f"{key} is {have.get(key)} instead of {want.get(key)}")
    raise Failure("neither the last committed state nor the one after it:\n  " + "\n  ".join(told))


class Run:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.rng = random.Random(options.seed)
        self.acknowledged = self.unreported = self.by_time = self.by_call = self.wal = 0
        self.journals_left = 0

    def start_database(self, index):
        self.path = str(self.folder / f"{index}.db")
        self.journal = JOURNALS[index % len(JOURNALS)]
        self.seed = f"{self.options.seed}/{index}"
        db = connect(self.path, self.options.extension)
        db.execute(f"PRAGMA journal_mode = {self.journal}")
        for sql in workload.SETUP:
            db.execute(sql)
        db.close()
        self.state = workload.State()
        self.number = 0

    def kill_once(self):
        calls = None
        if self.rng.random() < 0.5:
            calls = int(2 ** self.rng.uniform(0, 12))
            self.by_call += 1
        else:
            self.by_time += 1
        environment = dict(os.environ, LD_PRELOAD=os.path.abspath(self.options.die))
        process = subprocess.Popen([sys.executable, __file__, "--worker", self.path, self.options.extension],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment)
        process.stdin.write(pickle.dumps((self.journal, self.seed, self.number, self.state, calls)))
        process.stdin.close()
        if process.stdout.readline() != b"ready\n":
            raise Failure("the writer did not start: " + process.stderr.read().decode(errors="replace"))
        if calls is None:
            time.sleep(self.rng.uniform(0, 0.3))
            process.send_signal(signal.SIGKILL)
        told = process.stdout.read()
        if process.wait(timeout=60) != -signal.SIGKILL:
            raise Failure("the writer ended by itself: " + process.stderr.read().decode(errors="replace"))
        process.stderr.close()
        process.stdout.close()
        # A last line without its end was being written.
        acknowledged = told.count(b"\n")
        self.acknowledged += acknowledged
        for _ in range(acknowledged):
            self.state = workload.transaction(self.seed, self.number, self.state)[1]
            self.number += 1
        self.wal += self.journal == "wal"
        journal = pathlib.Path(self.path + ("-wal" if self.journal == "wal" else "-journal"))
        self.journals_left += journal.exists() and journal.stat().st_size > 0
        after = workload.transaction(self.seed, self.number, self.state)[1]
        if check(self.path, self.options.extension, [self.state, after]) == 1:
            self.state = after
            self.number += 1
            self.unreported += 1

    def run(self):
        for kill in range(self.options.kills):
            if kill % KILLS_PER_DATABASE == 0:
                self.start_database(kill // KILLS_PER_DATABASE)
            try:
                self.kill_once()
            except Failure as failure:
                kept = pathlib.Path(tempfile.mkdtemp(prefix="crash-"))
                for path in self.folder.glob(pathlib.Path(self.path).name + "*"):
                    shutil.copy(path, kept)
                print(f"FAILED at kill {kill + 1} (seed {self.options.seed}, {self.journal}, kept in {kept}): {failure}")
                return False
        return True


def main():
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    parser = argparse.ArgumentParser()
    parser.add_argument("--extension", required=True)
    parser.add_argument("--die", required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.extension = os.path.abspath(options.extension)
    with tempfile.TemporaryDirectory(prefix="crash-run-") as folder:
        run = Run(options, pathlib.Path(folder))
        good = run.run()
    print(f"crash: {options.kills} kills ({run.wal} with WAL; {run.by_time} after a random time, {run.by_call} within a "
          f"system call; {run.journals_left} left a journal), {run.acknowledged} transactions reported and there, "
          f"{run.unreported} there but not reported, {0 if good else 1} failures")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
