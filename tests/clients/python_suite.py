"""The extension in Python's sqlite3 module: values of every type, writing while reading, transactions, connections
that share a file, backups, threads. python_shared.py holds the tests with several connections, python_edges.py
those where an ordinary table sets the standard in odd situations."""

import datetime
import math
import re
import sqlite3
import sys

import python_edges  # noqa: F401  these two register their tests
import python_shared  # noqa: F401
from harness import DATA, HERE, SERVERS, SERVERS_JOIN, SO, connect, contains, equal, fill, open_files, raises, run, test


@test("core: load, create, insert, select, join, update, delete, reopen, close")
def core(folder):
    path = folder / "core.db"
    connection = connect(path)
    contains(connection.execute("SELECT ts_version()").fetchone()[0], "0.")
    connection.executescript(DATA)
    equal(connection.execute("SELECT count(*) FROM Devices").fetchone(), (30,))
    join = """SELECT d.Name, count(*), max(r.Temperature) FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey
              WHERE d.PartitionKey = 'site0' AND d.RowKey < 'd06' GROUP BY d.RowKey ORDER BY d.RowKey"""
    want = [("Device A", 10, 19.0), ("Device D", 10, 22.5)]
    equal(connection.execute(join).fetchall(), want, "join")
    changed = connection.execute("UPDATE Devices SET Name = 'renamed' WHERE PartitionKey = 'site0' AND RowKey = 'd00'")
    equal(changed.rowcount, 1, "rowcount of UPDATE")
    equal(connection.execute("DELETE FROM Readings WHERE PartitionKey = 'd00' AND RowKey > '0007'").rowcount, 8)
    connection.close()
    equal(open_files(path), 0, "descriptors left open after close()")

    connection = connect(path)
    equal(connection.execute(join).fetchall(), [("renamed", 2, 15.5), ("Device D", 10, 22.5)], "after reopening")
    connection.execute("DROP TABLE Devices")
    equal(connection.execute("SELECT name FROM sqlite_schema WHERE name = 'Devices'").fetchall(), [])
    connection.execute("CREATE VIRTUAL TABLE Devices USING table_storage(Name STRING)")
    equal(connection.execute("SELECT count(*) FROM Devices").fetchone(), (30,), "DROP TABLE drops the mapping only")
    connection.close()


@test("servers: fdw(), import into main, temp and an attached database, ROLLBACK, reopened, read-only")
def servers(folder):
    path = fill(folder / "servers.db")
    want = [("Device A", 10, 19.0), ("Device D", 10, 22.5)]
    both = "SELECT count(*) FROM temp.Alerts JOIN aux.Alerts USING (PartitionKey, RowKey)"
    connection = connect(path)
    connection.executescript(SERVERS)
    equal(connection.execute(SERVERS_JOIN).fetchall(), want, "join over imported tables")
    equal(connection.execute(both).fetchone(), (7,), "join of temp and the attached database")
    # Parameters are as good as a text; a list of statements is undone as a whole, and by ROLLBACK.
    connection.execute("BEGIN")
    equal(connection.execute("SELECT fdw(?)", ("DROP SERVER site CASCADE",)).fetchone(), ("DROP SERVER",))
    raises(sqlite3.OperationalError, "no such table: Devices", call=lambda: connection.execute(SERVERS_JOIN))
    connection.execute("ROLLBACK")
    raises(sqlite3.OperationalError, "statement 2 of 2, DROP SERVER", "nothing of the text was done",
           call=lambda: connection.execute("SELECT fdw(?)", ("DROP SERVER site CASCADE; DROP SERVER nobody",)))
    equal(connection.execute(SERVERS_JOIN).fetchall(), want, "after what was undone")
    connection.close()
    equal(open_files(path), 0, "descriptors left open after close()")

    connection = connect(path)
    equal(connection.execute(SERVERS_JOIN).fetchall(), want, "reopened")
    connection.execute("INSERT INTO Readings(PartitionKey, RowKey, Temperature) VALUES ('d00', 'new', 30)")
    equal(connection.execute(SERVERS_JOIN).fetchone(), ("Device A", 11, 30.0), "written")
    connection.close()

    connection = connect(f"file:{path}?mode=ro", uri=True)
    raises(sqlite3.OperationalError, "schema main is read-only",
           call=lambda: connection.execute("SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage')"))
    connection.execute("SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Readings) FROM SERVER site INTO temp')")
    equal(connection.execute("SELECT count(*) FROM temp.Readings").fetchone(),
          connection.execute("SELECT count(*) FROM main.Readings").fetchone(), "imported beside a read-only file")
    connection.close()


@test("parameters of every Python type come back as stored")
def parameters(folder):
    connection = connect(folder / "types.db")
    connection.executescript(DATA)
    insert = "INSERT INTO Devices(PartitionKey, RowKey, {0}) VALUES ('types', ?, ?)"
    cases = [
        ("Name", "ä😀'\"", "ä😀'\""), ("Name", "", ""), ("Name", None, None),
        ("Weight", 1.5, 1.5), ("Weight", 3, 3.0), ("Weight", math.inf, math.inf), ("Weight", math.nan, None),
        ("Slots", -2**31, -2**31), ("Slots", True, 1), ("Slots", 7.0, 7), ("Slots", "8", 8),
        ("Serial", 2**63 - 1, 2**63 - 1), ("Serial", -2**63, -2**63),
        ("Active", True, 1), ("Active", False, 0), ("Active", None, None),
        ("Seen", datetime.datetime(2024, 6, 15, 12, 30, 0, 123456), "2024-06-15T12:30:00.1234560Z"),
        ("Seen", datetime.datetime(2024, 6, 15, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
         "2024-06-15T10:00:00.0000000Z"),
        ("Seen", datetime.date(2024, 2, 29), "2024-02-29T00:00:00.0000000Z"),
        ("Code", "0A1B2C3D-0000-4000-8000-00000000ABCD", "0a1b2c3d-0000-4000-8000-00000000abcd"),
        ("Raw", b"\x00\xff", b"\x00\xff"), ("Raw", b"", b""), ("Raw", bytearray(b"ab"), b"ab"),
        ("Raw", memoryview(b"cd"), b"cd"),
        ("Extra", 5, 5), ("Extra", 2**40, 2**40), ("Extra", 5.5, 5.5), ("Extra", "5", "5"), ("Extra", b"5", b"5"),
    ]
    for number, (column, value, want) in enumerate(cases):
        key = f"{number:03}"
        connection.execute(insert.format(column), (key, value))
        got = connection.execute(f"SELECT {column} FROM Devices WHERE PartitionKey = 'types' AND RowKey = ?", (key,))
        got = got.fetchone()[0]
        equal((type(got), got), (type(want), want), f"{column} given {value!r}")
        if want is not None:
            same = connection.execute(
                f"SELECT RowKey FROM Devices WHERE PartitionKey = 'types' AND RowKey = ? AND {column} = ?", (key, value))
            equal(same.fetchall(), [(key,)], f"{column} = {value!r}")
    connection.close()


@test("values that do not fit their column are refused, with the column named")
def misfits(folder):
    connection = connect(folder / "misfits.db")
    connection.executescript(DATA)
    before = connection.execute("SELECT count(*) FROM Devices").fetchone()
    for column, value in [("Slots", 2**31), ("Slots", "many"), ("Slots", 1.5), ("Serial", "x"), ("Weight", b"\x00"),
                          ("Active", 2), ("Seen", "2024-02-30"), ("Seen", "soon"), ("Code", "not a guid")]:
        error = raises(sqlite3.Error, column, call=lambda: connection.execute(
            f"INSERT INTO Devices(PartitionKey, RowKey, {column}) VALUES ('p', 'misfit', ?)", (value,)))
        assert "Devices" in str(error) or "misfit" in str(error), f"the message names no object: {error}"
    for keys in [(None, "r"), ("p", None)]:
        raises(sqlite3.Error, "Key", call=lambda: connection.execute(
            "INSERT INTO Devices(PartitionKey, RowKey) VALUES (?, ?)", keys))
    for key in ["a/b", "a\\b", "a#b", "a?b", "tab\t", "x" * 600]:
        raises(sqlite3.Error, "RowKey", call=lambda: connection.execute(
            "INSERT INTO Devices(PartitionKey, RowKey) VALUES ('p', ?)", (key,)))
    equal(connection.execute("SELECT count(*) FROM Devices").fetchone(), before, "rows after refused inserts")
    connection.close()


@test("conflicts: IntegrityError, OR IGNORE, OR REPLACE, a failing executemany leaves nothing")
def conflicts(folder):
    connection = connect(fill(folder / "conflicts.db"))
    insert = "INSERT {0} INTO Alerts(PartitionKey, RowKey, Message) VALUES (?, ?, ?)"
    error = raises(sqlite3.IntegrityError, call=lambda: connection.execute(insert.format(""), ("2024-06", "001", "x")))
    contains(str(error), "EntityAlreadyExists", "2024-06", "001")
    equal(connection.execute(insert.format("OR IGNORE"), ("2024-06", "001", "x")).rowcount, 0, "OR IGNORE")
    connection.execute(insert.format("OR REPLACE"), ("2024-06", "001", "replaced"))
    row = connection.execute("SELECT Message, Level, Device FROM Alerts WHERE PartitionKey = '2024-06' AND RowKey = '001'")
    equal(row.fetchall(), [("replaced", None, None)], "OR REPLACE puts a new entity in place")
    count = connection.execute("SELECT count(*) FROM Alerts").fetchone()
    raises(sqlite3.IntegrityError, call=lambda: connection.execute(
        "INSERT INTO Alerts(PartitionKey, RowKey) SELECT 'new', RowKey FROM Alerts"))
    equal(connection.execute("SELECT count(*) FROM Alerts").fetchone(), count, "a failed INSERT … SELECT leaves nothing")

    # With Python's own transactions: executemany opens one, and rollback() undoes all of it.
    other = connect(folder / "conflicts.db", isolation_level="")
    raises(sqlite3.IntegrityError, call=lambda: other.executemany(
        insert.format(""), [("many", "1", "a"), ("many", "2", "b"), ("many", "1", "again")]))
    assert other.in_transaction
    other.rollback()
    equal(other.execute("SELECT count(*) FROM Alerts").fetchone(), count, "after rollback()")
    with other:
        cursor = other.executemany(insert.format(""), [("many", f"{i:04}", None) for i in range(500)])
    equal(cursor.rowcount, 500, "rowcount of executemany")
    raises(ZeroDivisionError, call=lambda: failing_block(other))
    equal(other.execute("SELECT count(*) FROM Alerts WHERE PartitionKey = 'many'").fetchone(), (500,))
    other.close()
    connection.close()


def failing_block(connection):
    with connection:
        connection.execute("DELETE FROM Alerts")
        1 / 0


@test("row_factory, description, lastrowid, detect_types")
def rows(folder):
    path = fill(folder / "rows.db")
    connection = connect(path, detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES)
    connection.row_factory = sqlite3.Row
    # Python converts columns declared TIMESTAMP with a converter of its own, which would choke on the T of ISO text.
    row = connection.execute("SELECT * FROM Devices WHERE PartitionKey = 'site0' AND RowKey = 'd00'").fetchone()
    equal(row.keys()[:4], ["PartitionKey", "RowKey", "Timestamp", "Name"], "columns of SELECT *")
    assert "_etag" not in row.keys() and "_properties" not in row.keys() and "_filter" not in row.keys()
    equal(row["name"], "Device A")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z", row["Timestamp"]), row["Timestamp"]
    hidden = connection.execute("SELECT _etag, _properties FROM Devices WHERE RowKey = 'd00'").fetchone()
    contains(hidden["_etag"], "W/\"datetime'")
    contains(hidden["_properties"], '"Name":"Device A"')
    typed = connection.execute("SELECT Seen AS 'Seen [timestamp]' FROM Devices LIMIT 0")
    equal([column[0] for column in typed.description], ["Seen"])
    connection.close()


@test("text_factory bytes, functions and aggregates of Python over foreign tables")
def functions(folder):
    connection = connect(fill(folder / "functions.db"))
    connection.create_function("twice", 1, lambda v: None if v is None else v * 2, deterministic=True)

    class Longest:
        def __init__(self):
            self.value = ""

        def step(self, value):
            if value and len(value) > len(self.value):
                self.value = value

        def finalize(self):
            return self.value

    connection.create_aggregate("longest", 1, Longest)
    equal(connection.execute("SELECT longest(Message) FROM Alerts").fetchone(), ("unknown device",))
    equal(connection.execute("SELECT count(*) FROM Devices WHERE twice(Slots) = 4").fetchone(), (6,))
    connection.create_collation("backwards", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
    got = connection.execute("SELECT RowKey FROM Readings WHERE PartitionKey = 'd00' AND RowKey < '003' COLLATE backwards")
    equal([key for key, in got], [f"{j * 7:04}" for j in range(10) if f"{j * 7:04}"[::-1] < "300"])
    connection.text_factory = bytes
    equal(connection.execute("SELECT RowKey FROM Devices WHERE PartitionKey = 'straße'").fetchone(), ("ключ".encode(),))
    connection.close()


@test("writing while a SELECT is being read, as on an ordinary table")
def while_reading(folder):
    connection = connect(fill(folder / "while.db"))
    connection.executescript((HERE / "native_copy.sql").read_text())
    for table in ["Readings", "n_Readings"]:
        seen = 0
        for partition, row, in connection.execute(f"SELECT PartitionKey, RowKey FROM {table}"):
            changed = connection.execute(f"UPDATE {table} SET Humidity = -1 WHERE PartitionKey = ? AND RowKey = ?",
                                         (partition, row))
            equal(changed.rowcount, 1, f"{table}: rows updated under the cursor")
            seen += 1
        equal(seen, 160, f"{table}: rows read")
        equal(connection.execute(f"SELECT count(*) FROM {table} WHERE Humidity = -1").fetchone(), (160,), table)
        seen = 0
        for partition, row, in connection.execute(f"SELECT PartitionKey, RowKey FROM {table} WHERE RowKey >= '0021'"):
            connection.execute(f"DELETE FROM {table} WHERE PartitionKey = ? AND RowKey = ?", (partition, row))
            seen += 1
        equal(seen, 112, f"{table}: rows read while deleting")
        equal(connection.execute(f"SELECT count(*) FROM {table}").fetchone(), (48,), table)
    # Rows put in front of the cursor may or may not be seen; the loop must end and every row be there afterwards.
    for partition, row, in connection.execute("SELECT PartitionKey, RowKey FROM Alerts ORDER BY PartitionKey, RowKey"):
        if not row.startswith("b"):
            connection.execute("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('0000', ?)", ("b" + partition + row,))
    equal(connection.execute("SELECT count(*) FROM Alerts").fetchone(), (14,))
    connection.close()


@test("UPDATE FROM where several rows of the other table match; DELETE and UPDATE with ORDER BY and LIMIT")
def update_from(folder):
    connection = connect(fill(folder / "from.db"))
    connection.executescript("CREATE TABLE source(k, v); INSERT INTO source VALUES ('001', 'a'), ('001', 'b'), ('002', 'c')")
    # Which match counts is not defined, but there must be no error: an ordinary table takes it.
    connection.execute("UPDATE Alerts SET Message = source.v FROM source WHERE source.k = Alerts.RowKey "
                       "AND Alerts.PartitionKey = '2024-06'")
    got = connection.execute("SELECT Message FROM Alerts WHERE PartitionKey = '2024-06' ORDER BY RowKey").fetchall()
    assert got[0][0] in ("a", "b"), got
    equal(got[1:], [("c",), ("100% full",), ("unknown device",)])
    # Debian's SQLite has these; they find the rows again by rowid.
    connection.execute("DELETE FROM Readings ORDER BY Temperature DESC, PartitionKey, RowKey LIMIT 5")
    equal(connection.execute("SELECT count(*) FROM Readings").fetchone(), (155,))
    connection.execute("UPDATE Alerts SET Level = 100 WHERE PartitionKey = '2024-07' ORDER BY RowKey DESC LIMIT 2")
    got = connection.execute("SELECT RowKey FROM Alerts WHERE Level = 100 ORDER BY RowKey").fetchall()
    equal(got, [("002",), ("003",)])
    connection.close()


@test("rollback of data, savepoints and DDL")
def rollback(folder):
    connection = connect(fill(folder / "rollback.db"))
    count = "SELECT count(*) FROM Alerts"
    connection.execute("BEGIN")
    connection.execute("DELETE FROM Alerts WHERE PartitionKey = '2024-06'")
    connection.execute("SAVEPOINT a")
    connection.execute("DELETE FROM Alerts")
    equal(connection.execute(count).fetchone(), (0,))
    connection.execute("SAVEPOINT b")
    connection.execute("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('x', 'y')")
    connection.execute("ROLLBACK TO a")
    equal(connection.execute(count).fetchone(), (3,), "after ROLLBACK TO")
    connection.execute("CREATE VIRTUAL TABLE Fresh USING table_storage(A INT32)")
    connection.execute("INSERT INTO Fresh(PartitionKey, RowKey, A) VALUES ('p', 'r', 1)")
    connection.execute("DROP TABLE Readings")
    equal(connection.execute("SELECT A FROM Fresh").fetchall(), [(1,)])
    connection.execute("ROLLBACK")
    equal(connection.execute(count).fetchone(), (7,), "after ROLLBACK")
    equal(connection.execute("SELECT count(*) FROM Readings").fetchone(), (160,), "a dropped table is back")
    raises(sqlite3.OperationalError, "no such table", call=lambda: connection.execute("SELECT * FROM Fresh"))
    # Made again it must be empty: its entities were rolled back with it.
    connection.execute("CREATE VIRTUAL TABLE Fresh USING table_storage(A INT32)")
    equal(connection.execute("SELECT count(*) FROM Fresh").fetchone(), (0,))
    connection.execute("INSERT INTO Fresh(PartitionKey, RowKey, A) VALUES ('p', 'r', 2)")
    equal(connection.execute("SELECT A FROM Fresh").fetchall(), [(2,)])
    connection.close()


@test("ALTER TABLE RENAME, views with INSTEAD OF triggers, triggers of other tables that write, ATTACH, TEMP")
def schema(folder):
    path = fill(folder / "schema.db")
    connection = connect(path)
    # A table that says which entities it shows may be renamed; one that is called after them may not.
    raises(sqlite3.Error, "Alerts", "OPTIONS (table", call=lambda: connection.execute("ALTER TABLE Alerts RENAME TO Warnings"))
    connection.executescript("""
      CREATE VIRTUAL TABLE Named USING table_storage(Message STRING, OPTIONS (table 'Alerts'));
      ALTER TABLE Named RENAME TO Warnings;
      CREATE VIEW open_alerts AS SELECT RowKey, Message FROM Warnings WHERE PartitionKey = '2024-07';
      CREATE TRIGGER close_alert INSTEAD OF DELETE ON open_alerts BEGIN
        DELETE FROM Warnings WHERE PartitionKey = '2024-07' AND RowKey = old.RowKey; END;
      CREATE TABLE log(id INTEGER PRIMARY KEY, text);
      CREATE TRIGGER to_alerts AFTER INSERT ON log BEGIN
        INSERT INTO Warnings(PartitionKey, RowKey, Message) VALUES ('log', printf('%04d', new.id), new.text); END;
      DELETE FROM open_alerts WHERE RowKey = '001';
      INSERT INTO log(text) VALUES ('one'), ('two');
      ATTACH '""" + str(folder / "other.db") + """' AS other;
      CREATE VIRTUAL TABLE other.Elsewhere USING table_storage(A STRING);
      CREATE VIRTUAL TABLE temp.Passing USING table_storage(A STRING);
      INSERT INTO Elsewhere(PartitionKey, RowKey, A) SELECT PartitionKey, RowKey, Message FROM Warnings;
      INSERT INTO Passing(PartitionKey, RowKey, A) SELECT PartitionKey, RowKey, Message FROM Warnings;
    """)
    want = [("2024-06", 4), ("2024-07", 2), ("log", 2)]
    for table in ["Warnings", "Elsewhere", "Passing"]:
        got = connection.execute(f"SELECT PartitionKey, count(*) FROM {table} GROUP BY 1").fetchall()
        equal(got, want, table)
    connection.close()
    equal(open_files(folder), 0, "descriptors left open after close()")
    connection = connect(path)
    equal(connection.execute("SELECT count(*) FROM Warnings").fetchone(), (8,), "renamed, after reopening")
    connection.close()
    connection = connect(folder / "other.db")
    equal(connection.execute("SELECT count(*) FROM Elsewhere").fetchone(), (8,), "entities live in their own database")
    connection.close()


@test("hooks: authorizer, trace, progress handler and interrupt leave the connection usable")
def hooks(folder):
    connection = connect(fill(folder / "hooks.db"))
    asked = []
    connection.set_authorizer(lambda *what: asked.append(what) or sqlite3.SQLITE_OK)
    traced = []
    connection.set_trace_callback(traced.append)
    connection.execute("UPDATE Alerts SET Level = 9 WHERE Level IS NULL")
    connection.set_trace_callback(None)
    assert asked and traced, "the hooks were not called"
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_INSERT else sqlite3.SQLITE_OK)
    raises(sqlite3.DatabaseError, call=lambda: connection.execute("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('a', 'b')"))
    connection.set_authorizer(None)
    endless = "SELECT count(*) FROM Readings a, Readings b, Readings c, Readings d"
    connection.set_progress_handler(lambda: 1, 10000)
    raises(sqlite3.OperationalError, "interrupted", call=lambda: connection.execute(endless).fetchall())
    connection.set_progress_handler(None, 0)
    connection.execute("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('a', 'b')")
    equal(connection.execute("SELECT count(*), max(Level) FROM Alerts").fetchone(), (8, 9))
    connection.close()


@test("the queries of queries.sql on this SQLite, against ordinary copies")
def differential(folder):
    connection = connect(fill(folder / "queries.db"))
    connection.executescript((HERE / "native_copy.sql").read_text())
    table = re.compile(r"\b(Devices|Readings|Alerts)\b")
    wrong = []
    lines = [line.strip() for line in (HERE / "queries.sql").read_text().splitlines()]
    queries = [line for line in lines if line and not line.startswith("--")]
    # Nothing else checks that the copies hold what the foreign tables hold.
    equal(connection.execute("SELECT count(*) FROM n_Devices").fetchone(), (30,))
    for query in queries:
        got = connection.execute(query).fetchall()
        want = connection.execute(table.sub(r"n_\1", query)).fetchall()
        if not query.startswith("/*ordered*/"):
            got.sort(key=repr)
            want.sort(key=repr)
        if got != want:
            wrong.append(f"{query}\n  foreign {len(got)}: {got[:6]}\n  native  {len(want)}: {want[:6]}")
    assert len(queries) > 150
    if wrong:
        raise AssertionError(f"{len(wrong)} of {len(queries)} queries differ:\n" + "\n".join(wrong))
    connection.close()


@test("no memory grows with connections opened and closed")
def memory(folder):
    path = fill(folder / "memory.db")

    def round_trip():
        connection = connect(path)
        connection.execute("UPDATE Alerts SET Level = 4 WHERE RowKey = '002'")
        equal(connection.execute("SELECT count(*) FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey")
              .fetchone()[0], 170)
        connection.close()

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * 4096

    for _ in range(40):
        round_trip()
    before = resident()
    for _ in range(120):
        round_trip()
    grown = resident() - before
    assert grown < 4_000_000, f"{grown} bytes more after 120 connections"
    equal(open_files(folder), 0, "descriptors left open")


if __name__ == "__main__":
    print(f"     Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}, {SO}")
    run("python")
