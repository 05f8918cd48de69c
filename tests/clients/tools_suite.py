"""Tools on top of Python's sqlite3: sqlite-utils, litecli, and the statements that Datasette sends."""

import csv
import io
import json
import os
import urllib.parse

from harness import SO, command, connect, contains, equal, fill, run, test

# By their paths: they belong to the system's Python, whatever other Python stands first in PATH.
SQLITE_UTILS = "/usr/bin/sqlite-utils"
LITECLI = "/usr/bin/litecli"


def utils(*arguments, stdin="", code=0):
    return command(SQLITE_UTILS, *arguments, "--load-extension", SO, stdin=stdin, code=code)


def lite(folder, database, *statements, code=0):
    """Runs statements as litecli does for a pipe: output as CSV, or the error."""
    environment = dict(os.environ, HOME=str(folder), XDG_CONFIG_HOME=str(folder), LC_ALL="C.UTF-8")
    return command(LITECLI, database, "--csv", "--no-warn", stdin=";\n".join([f".load {SO}", *statements]) + ";",
                   code=code, env=environment)


@test("sqlite-utils: query, rows, tables, schema")
def utils_reads(folder):
    path = fill(folder / "utils.db")
    got = json.loads(utils("query", path, "SELECT d.RowKey, count(*) AS n FROM Devices d JOIN Readings r "
                           "ON r.PartitionKey = d.RowKey WHERE d.PartitionKey = :site GROUP BY d.RowKey", "-p", "site", "site0"))
    equal(got[:2], [{"RowKey": "d00", "n": 10}, {"RowKey": "d03", "n": 10}])
    got = json.loads(utils("rows", path, "Alerts", "--where", "Level = 2", "--order", "RowKey"))
    equal([row["Message"] for row in got], ["100% full", "unknown device"])
    equal(len(json.loads(utils("rows", path, "Devices", "--limit", "12", "--offset", "25"))), 5)
    tables = json.loads(utils("tables", path, "--counts", "--columns"))
    counts = {entry["table"]: entry["count"] for entry in tables}
    equal([counts["Devices"], counts["Readings"], counts["Alerts"]], [30, 160, 7])
    contains(utils("schema", path), "CREATE VIRTUAL TABLE Alerts USING table_storage(")
    contains(utils("query", path, "SELECT * FROM Alerts WHERE _filter = 'Level gt'", code=1), "Level gt")


@test("sqlite-utils: insert, ignore, replace, upsert, bulk, delete, duplicate")
def utils_writes(folder):
    path = fill(folder / "utils.db")
    keys = ["--pk", "PartitionKey", "--pk", "RowKey"]
    row = {"PartitionKey": "u", "RowKey": "1", "Device": "d00", "Level": 4, "Message": "first"}

    def message():
        got = utils("query", path, "SELECT Device, Message FROM Alerts WHERE PartitionKey = 'u' AND RowKey = '1'")
        return [tuple(r.values()) for r in json.loads(got)]

    utils("insert", path, "Alerts", "-", *keys, stdin=json.dumps([row, dict(row, RowKey="2")]))
    equal(message(), [("d00", "first")])
    contains(utils("insert", path, "Alerts", "-", *keys, stdin=json.dumps(row), code=1), "EntityAlreadyExists")
    utils("insert", path, "Alerts", "-", *keys, "--ignore", stdin=json.dumps(dict(row, Message="ignored")))
    equal(message(), [("d00", "first")], "--ignore")
    utils("upsert", path, "Alerts", "-", *keys, stdin=json.dumps({"PartitionKey": "u", "RowKey": "1", "Message": "merged"}))
    equal(message(), [("d00", "merged")], "upsert")
    utils("insert", path, "Alerts", "-", *keys, "--replace", stdin=json.dumps({"PartitionKey": "u", "RowKey": "1", "Message": "new"}))
    equal(message(), [(None, "new")], "--replace")
    utils("insert", path, "Alerts", "-", *keys, "--csv", stdin="PartitionKey,RowKey,Level,Message\nu,3,12,from csv\n")
    utils("bulk", path, "UPDATE Alerts SET Level = Level + 1 WHERE PartitionKey = 'u' AND RowKey = :k", "-",
          stdin=json.dumps([{"k": "2"}, {"k": "3"}]))
    got = json.loads(utils("query", path, "SELECT RowKey, Level FROM Alerts WHERE PartitionKey = 'u'"))
    equal(got, [{"RowKey": "1", "Level": None}, {"RowKey": "2", "Level": 5}, {"RowKey": "3", "Level": 13}])
    contains(utils("query", path, "DELETE FROM Alerts WHERE PartitionKey = 'u'"), '"rows_affected": 3')


@test("litecli: .load, statements by -e and by pipe, errors, writing")
def litecli(folder):
    path = fill(folder / "lite.db")
    output = lite(folder, path, "SELECT d.RowKey, a.Message FROM Alerts a JOIN Devices d ON d.RowKey = a.Device WHERE a.Level = 3")
    equal(list(csv.reader(io.StringIO(output)))[-1], ["d04", "no contact"])
    environment = dict(os.environ, HOME=str(folder), XDG_CONFIG_HOME=str(folder), LC_ALL="C.UTF-8")
    output = command(LITECLI, path, "--csv", "-e", f".load {SO}; SELECT count(*) AS n FROM Devices", env=environment)
    equal(output.split(), ['"n"', '"30"'])
    output = lite(folder, path, "INSERT INTO Alerts(PartitionKey, RowKey, Level) VALUES ('2024-06', '001', 1)", code=None)
    contains(output, "EntityAlreadyExists")
    lite(folder, path, "UPDATE Alerts SET Level = 8 WHERE PartitionKey = '2024-07'", "DELETE FROM Readings WHERE RowKey > '0030'")
    connection = connect(path)
    equal(connection.execute("SELECT count(*) FROM Alerts WHERE Level = 8").fetchone(), (3,))
    equal(connection.execute("SELECT count(*) FROM Readings").fetchone(), (80,))
    connection.close()
    contains(lite(folder, path, ".schema Alerts"), "CREATE VIRTUAL TABLE Alerts")
    contains(lite(folder, path, ".tables"), "Alerts", "Devices", "Readings")


@test("table_info, index_list and the like, as tools read them")
def introspection(folder):
    connection = connect(fill(folder / "info.db"))
    info = connection.execute("PRAGMA table_info(Devices)").fetchall()
    # No primary key is declared, so tools take rowid. A declared one would be an index without a b-tree to SQLite, for
    # which integrity_check reads some other page and calls every such file corrupt.
    equal([row[1] for row in info if row[5]], [], "primary key")
    equal([row[1] for row in info if row[3]], ["PartitionKey", "RowKey"], "NOT NULL columns")
    equal([row[1] for row in info][:4], ["PartitionKey", "RowKey", "Timestamp", "Name"])
    for pragma in ["index_list", "foreign_key_list"]:
        equal(connection.execute(f"PRAGMA {pragma}(Devices)").fetchall(), [], pragma)
    kinds = connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name IN ('Devices', 'Alerts')")
    equal(sorted(kinds.fetchall()), [("Alerts", "virtual"), ("Devices", "virtual")])
    for check in ["quick_check", "integrity_check"]:
        equal(connection.execute(f"PRAGMA {check}").fetchall(), [("ok",)], check)
    connection.execute("ANALYZE")
    connection.execute("REINDEX")
    equal(connection.execute("SELECT count(*) FROM Devices").fetchone(), (30,), "after ANALYZE")
    connection.close()


@test("Datasette: pages by compound key and by rowid, facets, row pages")
def datasette(folder):
    connection = connect(fill(folder / "datasette.db"))
    everything = connection.execute("SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey, RowKey").fetchall()
    equal(len(everything), 30)
    # Keyset pages, as for a table with a two-column primary key.
    page = connection.execute("select * from [Devices] order by PartitionKey, RowKey limit 8").fetchall()
    walked = [row[:2] for row in page]
    while len(page) == 8:
        last = dict(p0=page[-1][0], p1=page[-1][1])
        page = connection.execute("select * from [Devices] where ((PartitionKey > :p0) or (PartitionKey = :p0 and "
                                  "RowKey > :p1)) order by PartitionKey, RowKey limit 8", last).fetchall()
        walked += [row[:2] for row in page]
    equal(walked, everything, "pages by key")
    # Keyset pages by rowid, as for a table without a primary key; the bound is text, as it comes out of a URL.
    page = connection.execute("select rowid, * from [Devices] order by rowid limit 7").fetchall()
    walked = [row[:3] for row in page]
    while len(page) == 7:
        page = connection.execute("select rowid, * from [Devices] where rowid > :p0 order by rowid limit 7",
                                  dict(p0=str(page[-1][0]))).fetchall()
        walked += [row[:3] for row in page]
    equal(sorted(row[1:] for row in walked), everything, "pages by rowid")
    equal([row[0] for row in walked], sorted({row[0] for row in walked}), "rowids ascend and differ")
    for rowid, partition, row in walked:
        for bound in (rowid, str(rowid), float(rowid) if float(rowid) == rowid and rowid < 2**53 else rowid):
            got = connection.execute("select PartitionKey, RowKey from Devices where rowid = :p0", dict(p0=bound))
            equal(got.fetchall(), [(partition, row)], f"rowid = {bound!r}")
        key = urllib.parse.unquote(urllib.parse.quote(partition)), urllib.parse.unquote(urllib.parse.quote(row))
        got = connection.execute('select * from Devices where "PartitionKey" = :p0 and "RowKey" = :p1', key)
        equal(len(got.fetchall()), 1, f"row page of {key}")
    facet = connection.execute("select Owner as value, count(*) as count from (select * from Devices) "
                               "where Owner is not null group by Owner order by count desc, value limit 31").fetchall()
    equal(facet, [("Bob", 6), ("ann", 6), ("bob", 6)])
    equal(connection.execute("select count(*) from (select * from Devices where Slots > 1)").fetchone(), (10,))
    equal(connection.execute("select date(Seen) as value, count(*) from (select * from Devices) where date(Seen) glob "
                             "'????-??-??' group by date(Seen) order by 1 limit 1").fetchall(), [("2024-06-15", 5)])
    connection.close()


@test("edits by rowid, with the number given as text, as table editors do")
def edit_by_rowid(folder):
    connection = connect(fill(folder / "edit.db"))
    for name in ["rowid", "_rowid_", "oid"]:
        rowid, partition, row = connection.execute(
            f'SELECT "{name}", PartitionKey, RowKey FROM "main"."Devices" WHERE Owner = \'ann\' LIMIT 1').fetchone()
        for bound in (rowid, str(rowid)):
            changed = connection.execute(f'UPDATE "main"."Devices" SET "Name" = ? WHERE "{name}" = ?', (f"by {name} {bound!r}", bound))
            equal(changed.rowcount, 1, f"UPDATE by {name} = {bound!r}")
            got = connection.execute("SELECT Name FROM Devices WHERE PartitionKey = ? AND RowKey = ?", (partition, row))
            equal(got.fetchone(), (f"by {name} {bound!r}",))
        literal = connection.execute(f"UPDATE Devices SET Name = 'literal' WHERE {name} = '{rowid}'")
        equal(literal.rowcount, 1, "UPDATE with the number in quotes")
        deleted = connection.execute(f"DELETE FROM Devices WHERE {name} IN ('{rowid}')")
        equal(deleted.rowcount, 1, f"DELETE by {name}")
        equal(connection.execute(f"SELECT count(*) FROM Devices WHERE {name} = ?", (rowid,)).fetchone(), (0,))
    equal(connection.execute("SELECT count(*) FROM Devices").fetchone(), (27,))
    # A rowid that belongs to nothing changes nothing.
    for bound in (0, -1, 2**63 - 1, "x", None, 1.5):
        equal(connection.execute("DELETE FROM Devices WHERE rowid = ?", (bound,)).rowcount, 0, f"DELETE rowid = {bound!r}")
    # Inside a transaction the row keeps its rowid while it is changed, and gets another with other keys.
    connection.execute("BEGIN")
    rowid, = connection.execute("SELECT rowid FROM Alerts WHERE PartitionKey = '2024-06' AND RowKey = '001'").fetchone()
    for number in range(3):
        equal(connection.execute("UPDATE Alerts SET Level = ? WHERE rowid = ?", (number, rowid)).rowcount, 1)
    connection.execute("UPDATE Alerts SET RowKey = '001b' WHERE rowid = ?", (rowid,))
    equal(connection.execute("SELECT count(*) FROM Alerts WHERE rowid = ?", (rowid,)).fetchone(), (0,))
    connection.execute("COMMIT")
    equal(connection.execute("SELECT Level FROM Alerts WHERE PartitionKey = '2024-06' AND RowKey = '001b'").fetchone(), (2,))
    connection.close()


if __name__ == "__main__":
    print(f"     {command(SQLITE_UTILS, '--version').strip()}; litecli {command(LITECLI, '--version').strip()}")
    run("tools")
