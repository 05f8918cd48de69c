#!/ usr / bin / env python3
"""Runs the SQL scripts with allocations that fail over a table service (remote.cpp says what must happen then).

    tests/oom/remote.py --program build-tests/tests/remote_oom --extension build-tests/extension/table_storage.so
                        [--stride N] [--offset N] SCRIPT.sql ...

Scripts that are about the local backend alone are left out.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "sql")]
sys.dont_write_bytecode = True

import remote  # noqa: E402

OPTIONS = "endpoint 'http://127.0.0.1:{port}/devstoreaccount1', dialect 'storage'"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--extension", required=True)
    parser.add_argument("--stride", default="1")
    parser.add_argument("--offset", default="0")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        moved = []
        for script in options.scripts:
            text = script.read_text()
            if remote.only_local(text):
                continue
            moved.append(pathlib.Path(folder) / script.name)
            moved[-1].write_text(f"-- tables: {' '.join(remote.tables_of(text))}\n{remote.moved_to(text, OPTIONS)}")
        sys.exit(subprocess.run([options.program, "--stride", options.stride, "--offset", options.offset,
                                 options.extension, *moved]).returncode)


main()
