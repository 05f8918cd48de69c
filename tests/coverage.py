"""Figures of tests/coverage.sh from gcovr's JSON, a line a folder, and the list of what no test goes through.

    tests/coverage.py COVERAGE.json UNCOVERED.txt [WORDS FOR THE LAST LINE]
"""

import collections
import json
import pathlib
import sys


def percent(covered, all_):
    return f"{100 * covered / all_:.1f} %" if all_ else "-"


def main(coverage, uncovered, words=""):
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    total = [0, 0, 0, 0]
    with open(uncovered, "w") as out:
        for file in json.load(open(coverage))["files"]:
            source = pathlib.Path(file["file"]).read_text().splitlines()
            for line in file["lines"]:
                if line.get("gcovr/noncode"):
                    continue
                branches = line["branches"]
                taken = sum(branch["count"] > 0 for branch in branches)
                counts = (line["count"] > 0, 1, taken, len(branches))
                for sums in (folders[str(pathlib.Path(file["file"]).parent)], total):
                    for i, count in enumerate(counts):
                        sums[i] += count
                if line["count"] > 0 and taken == len(branches):
                    continue
                number = line["line_number"]
                why = f"branches {taken}/{len(branches)}" if line["count"] else "line"
                out.write(f"{file['file']}:{number}: {why}: {source[number - 1].strip()}\n")
    for folder, sums in sorted(folders.items()):
        print(f"{folder:32} lines {percent(*sums[:2]):>7} of {sums[1]:5}   branches {percent(*sums[2:]):>7} of {sums[3]:5}")
    print(f"coverage: lines {percent(*total[:2])} ({total[0]} of {total[1]}), "
          f"branches {percent(*total[2:])} ({total[2]} of {total[3]}); {words}")


main(*sys.argv[1:])
