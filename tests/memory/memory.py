#!/usr/bin/env python3
"""How much memory statements take over tables of several sizes: scans, joins, imports, transactions.

    tests/memory/memory.py --extension table_storage.so --fake fake_service [--rows 10000 100000 1000000]

Each figure is the peak of a process of its own: what it had resident at most while the statement ran (VmHWM), less
what it had before. The service, the project's fake, is another process. Entities have seven small properties. What a
scan may take does not depend on the size of the table; a join may take as much more as its option says, a transaction
so much a row. The last line is the figures; exit code 0 only if nothing was too large.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import services  # noqa: E402

MIB = 1 << 20
# What a statement may take, however large the table.
SCAN = 10 * MIB  # a few pages, or SQLite's own cache
SCAN_IN_PARTS = 48 * MIB  # the same for 8 requests at once, the default of concurrency
JOIN_CACHE = 64 * MIB  # the default of join_cache_memory

COLUMNS = ("Temperature DOUBLE, Humidity DOUBLE, Location STRING, Status STRING, Count INT32, Seq INT64, "
           "Active BOOLEAN")
KEYS_AND_NAMES = "PartitionKey, RowKey, " + re.sub(r" [A-Z0-9]+\b", "", COLUMNS)
HERE = f"CREATE VIRTUAL TABLE IF NOT EXISTS here USING table_storage({COLUMNS}, OPTIONS (table 'Readings'))"
PARTS = (f"CREATE VIRTUAL TABLE temp.there USING table_storage({COLUMNS}, OPTIONS (table 'Readings{{rows}}', "
         "endpoint '{endpoint}', dialect 'storage'))")
THERE = PARTS.replace("dialect", "concurrency '1', dialect")
SERVER = """SELECT fdw('CREATE SERVER temp.far FOREIGN DATA WRAPPER table_storage
                         OPTIONS (endpoint "{endpoint}", dialect "storage", concurrency "1")')"""
IMPORT = """SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Readings{rows}) FROM SERVER far INTO temp
                         OPTIONS (sample_rows "all")')"""
# Entity i of a table; partitions of 2,000.
INSERT = f"""INSERT INTO there({KEYS_AND_NAMES})
    WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < {{rows}})
    SELECT format('device-%05d', i / 2000), format('%012d', i), i % 400 / 10.0, i % 1000 / 10.0,
           'hall ' || (i % 20), iif(i % 7 = 0, 'failed', 'ok'), i % 500, 5000000000 + i, i % 2 FROM c"""
WANTED = "CREATE TEMP TABLE wanted AS SELECT 5000000000 + value AS n FROM json_each('[1, 2, 3, 4, 5]')"


@dataclasses.dataclass
class Workload:
    setup: list  # statements
    steps: dict  # what is measured: name, statement; the peak of each includes those before
    most: int = 0  # bytes, whatever the number of entities
    most_a_row: int = 0  # and so many for each
    fills: bool = False  # makes what others read


def transaction(table, name, statement, **more):
    return Workload([table, "BEGIN"], {name: statement}, most=SCAN, **more)


WORKLOADS = [
    Workload([THERE, "BEGIN"], {"INSERT, remote, before COMMIT": INSERT, "… and its COMMIT": "COMMIT"},
             most=SCAN, most_a_row=450, fills=True),
    transaction(THERE, "UPDATE, remote, before COMMIT", "UPDATE there SET Count = Count + 1", most_a_row=950),
    transaction(THERE, "DELETE, remote, before COMMIT", "DELETE FROM there", most_a_row=600),
    Workload([THERE, HERE], {"INSERT … SELECT, remote into local":
                             f"INSERT INTO here({KEYS_AND_NAMES}) SELECT {KEYS_AND_NAMES} FROM there"},
             most=SCAN, fills=True),
    transaction(HERE, "UPDATE, local", "UPDATE here SET Count = Count + 1", most_a_row=250),
    transaction(HERE, "DELETE, local", "DELETE FROM here", most_a_row=250),
    Workload([SERVER], {"IMPORT FOREIGN SCHEMA of every entity": IMPORT}, most=SCAN),
    Workload([HERE], {"scan, local": "SELECT * FROM here"}, most=SCAN),
    Workload([THERE], {"scan, remote": "SELECT * FROM there"}, most=SCAN),
    Workload([HERE, WANTED], {"join, local": "SELECT * FROM wanted CROSS JOIN here ON Seq = n"},
             most=SCAN + JOIN_CACHE),
    Workload([THERE, WANTED], {"join, remote": "SELECT * FROM wanted CROSS JOIN there ON Seq = n"},
             most=SCAN + JOIN_CACHE),
    # The service is slow from here on.
    Workload([PARTS], {"scan, remote, in parts": "SELECT * FROM there"}, most=SCAN_IN_PARTS),
    Workload([PARTS, WANTED], {"join, remote, in parts": "SELECT * FROM wanted CROSS JOIN there ON Seq = n"},
             most=SCAN_IN_PARTS + JOIN_CACHE),
]
SLOW = next(number for number, workload in enumerate(WORKLOADS) if PARTS in workload.setup)
DELAY = "action=delay;method=GET;delay=10;times=0"


def status(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return int(re.search(rf"^{field}:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024


def work(workload, extension, file, **names):
    """One workload in this process; prints the bytes of each step."""
    db = sqlite3.connect(file, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(extension)

    def run(sql):
        for _ in db.execute(sql.replace("{rows}", str(names["rows"])).replace("{endpoint}", names["endpoint"])):
            pass

    for sql in workload.setup:
        run(sql)
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as peaks:
        peaks.write("5")  # VmHWM starts anew
    figures = []
    for sql in workload.steps.values():
        run(sql)
        figures.append(status("VmHWM") - before)
    print(json.dumps(figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True)
    parser.add_argument("--fake", help="the program fake_service")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", default="", help="what to measure: a regular expression for names of the table")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        number, file, rows, endpoint = json.loads(options.work)
        work(WORKLOADS[number], options.extension, file, rows=rows, endpoint=endpoint)
        return 0

    sizes = sorted(options.rows)
    peaks, wrong = 0, []
    print(f"{'peak above the process before, MiB':40}" + "".join(f"{size:>12,}" for size in sizes) + "   bytes a row")
    with tempfile.TemporaryDirectory() as folder, services.start("fake", program=options.fake) as service:
        for size in sizes:
            service.create_table(f"Readings{size}")
        for number, workload in enumerate(WORKLOADS):
            if number == SLOW:
                service.administer("fault", DELAY)
            if not workload.fills and not any(re.search(options.only, step) for step in workload.steps):
                continue
            columns = []
            for size in sizes:
                task = json.dumps([number, f"{folder}/{size}.db", size, service.endpoint])
                command = [sys.executable, __file__, "--extension", options.extension, "--work", task]
                columns.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
            for step, figures in zip(workload.steps, zip(*columns)):
                peaks += len(figures)
                each = figures[-1] / sizes[-1]
                print(f"{step:40}" + "".join(f"{figure / MIB:12.1f}" for figure in figures) +
                      (f"{each:14.0f}" if workload.most_a_row else ""), flush=True)
                for size, figure in zip(sizes, figures):
                    most = workload.most + workload.most_a_row * size
                    if figure > most:
                        wrong.append(f"{step}, {size:,} entities: {figure / MIB:.1f} MiB, "
                                     f"where {most / MIB:.1f} are allowed")
    for line in wrong:
        print("WRONG:", line)
    print(f"{peaks} peaks at up to {sizes[-1]:,} entities, {len(wrong)} too large")
    return 1 if wrong else 0


sys.exit(main())
