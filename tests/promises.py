#!/usr/bin/env python3
"""Whether every test exists that README.md names as showing a promise.

    tests/promises.py README.md

In tables whose last column is called "test", each row must name one at least: a case as `Suite.Name`, or a file as
`tests/…`, where a text in quotation marks behind it, ("…"), must occur in the file. Files that are named as `tests/…`
elsewhere must exist too.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent
CASE = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
NAMED = re.compile(r'`([^`]+)`(?: \("([^"]+)"\))?')


def cases():
    return {f"{suite}.{name}" for file in TESTS.rglob("*.cpp") for suite, name in CASE.findall(file.read_text("utf-8"))}


def rows(lines):
    """Number of line, last cell, of every row of the tables of tests."""
    inside = False
    for number, line in enumerate(lines, 1):
        if not line.startswith("|"):
            inside = False
            continue
        last = line.rstrip().rstrip("|").split("|")[-1].strip()
        if last == "test":
            inside = True
        elif inside and not re.fullmatch(r"-+", last):
            yield number, last


def main():
    readme = pathlib.Path(sys.argv[1])
    lines = readme.read_text("utf-8").splitlines()
    known, named, wrong = cases(), 0, []
    for number, cell in rows(lines):
        found = NAMED.findall(cell)
        if not found:
            wrong.append((number, "names no test"))
        for name, part in found:
            named += 1
            file = TESTS.parent / name
            if not name.startswith("tests/"):
                if name not in known:
                    wrong.append((number, f"there is no test {name}"))
            elif part and file.is_file() and part not in file.read_text("utf-8"):
                wrong.append((number, f'{name} has no "{part}"'))
    for number, line in enumerate(lines, 1):
        for path in re.findall(r"`(tests/[\w./-]+)", line):
            if not (TESTS.parent / path).exists():
                wrong.append((number, f"there is no {path}"))
    for number, what in wrong:
        print(f"{readme.name}:{number}: {what}")
    if not wrong:
        print(f"{named} tests are there")
    return 1 if wrong or not named else 0


sys.exit(main())
