#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, one file each, into FOLDER/TARGET/.

    tests/fuzz/seeds.py FOLDER

corpus/TARGET.txt holds text, with a line `%%` between two seeds; corpus/TARGET.hex holds bytes, one seed a line in
hexadecimal, `#` before a comment. Targets that take decisions from bytes get some random ones besides, the same in
every run, and the scripts of tests/sql are statements for the target `sql`.
"""

import pathlib
import random
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 2000  # bytes of a script in one seed


def seeds():
    for path in sorted((HERE / "corpus").glob("*.txt")):
        text = path.read_bytes().removesuffix(b"\n")
        for seed in text.split(b"\n%%\n"):
            yield path.stem, seed
    for path in sorted((HERE / "corpus").glob("*.hex")):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                yield path.stem, bytes.fromhex(line)
    decide = random.Random(1)
    for target, first, count in (("database", b"", 60), ("database", b"f", 20), ("sql", b"", 150)):
        for _ in range(count):
            yield target, first + decide.randbytes(decide.randrange(10, 300))
    for path in sorted((HERE.parent / "sql").glob("*.sql")):
        part = b""
        for line in path.read_bytes().splitlines(keepends=True):
            if line.startswith(b"."):  # a command of the shell
                continue
            if part and len(part) + len(line) > CHUNK:
                yield "sql", b"!" + part
                part = b""
            part += line
        if part:
            yield "sql", b"!" + part


def main():
    folder = pathlib.Path(sys.argv[1])
    if folder.exists():
        shutil.rmtree(folder)
    for number, (target, seed) in enumerate(seeds()):
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:04}").write_bytes(seed)


main()
