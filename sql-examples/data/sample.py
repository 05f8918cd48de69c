#!/usr/bin/env python3
"""Makes flights.csv and airports.csv from the npm package vega-datasets, and readings.json from nothing.

    npm pack vega-datasets@3.2.1 && tar xzf vega-datasets-3.2.1.tgz
    python3 sql-examples/data/sample.py package/data sql-examples/data

Everything is deterministic: the same input gives the same bytes. See PROVENANCE.md.
"""

import csv
import json
import pathlib
import sys

EVERY = 5  # of 20,000 flights, so 4,000 stay


def flights(source):
    for flight in json.loads((source / "flights-20k.json").read_text())[::EVERY]:
        day, minute = flight["date"].split(" ")
        at = f"{day.replace('/', '-')}T{minute}"
        yield [flight["origin"], at, flight["destination"], flight["delay"], flight["distance"]]


def airports(source, wanted):
    with open(source / "airports.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["iata"] in wanted:
                yield [row[name] for name in ("state", "iata", "name", "city", "country", "latitude", "longitude")]


def readings():
    """Invented sensors. As in real tables, no two devices write the same set of properties."""
    for device, (place, base) in {
        "greenhouse-1": ("Greenhouse", 240),
        "greenhouse-2": ("Greenhouse", 255),
        "cellar": ("Cellar", 120),
        "roof": (None, 60),
    }.items():
        for step in range(12):
            tenths = base + (step * 7 + len(device) * 3) % 40
            # An SDK that looks at each number by itself writes 22 as Int32 and 22.4 as Double.
            temperature = tenths // 10 if tenths % 10 == 0 else tenths / 10
            properties = {"Temperature": temperature}
            if device != "roof":
                properties["Humidity"] = 40 + (step * 11 + len(device)) % 35
            if place:
                properties["Location"] = place
            if device == "cellar" and step % 4 == 0:
                properties["Battery"] = round(3.9 - step * 0.05, 2)
            if device == "greenhouse-2" and step >= 8:
                properties["Firmware"] = "2.1.0"
            if device == "roof" and step == 5:
                properties["Temperature"] = "sensor frozen"
            yield {"device": device, "time": f"2024-06-15T{8 + step // 4:02}:{step % 4 * 15:02}:00Z",
                   "properties": properties}


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    kept = list(flights(source))
    if len({tuple(row[:3]) for row in kept}) != len(kept):
        sys.exit("two flights share origin, time and destination: RowKey would not be unique")
    write_csv(target / "flights.csv", ["origin", "at", "destination", "delay", "distance"], kept)
    wanted = {row[0] for row in kept} | {row[2] for row in kept}
    write_csv(target / "airports.csv", ["state", "iata", "name", "city", "country", "latitude", "longitude"],
              airports(source, wanted))
    lines = ",\n".join(json.dumps(reading) for reading in readings())
    (target / "readings.json").write_text(f"[\n{lines}\n]\n")


main()
