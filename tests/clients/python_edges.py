"""Tests of the Python suite in which an ordinary table shows what should happen: statements left open across the end of
a transaction, conflict clauses, two foreign tables over one entity table, databases in UTF-16, very wide tables."""

import re
import sqlite3

from harness import DATA, HERE, connect, contains, equal, fill, raises, test

NATIVE = (HERE / "native_copy.sql").read_text()
INSERT = "INSERT {1} INTO {0}(PartitionKey, RowKey, Message) VALUES (?, ?, ?)"


def filled():
    connection = connect(":memory:")
    connection.executescript(DATA + NATIVE)
    return connection


@test("a SELECT left open across COMMIT and ROLLBACK")
def open_statement(folder):
    connection = filled()
    for end, count in [("COMMIT", 8), ("ROLLBACK", 8)]:
        for table in ["n_Alerts", "Alerts"]:
            connection.execute("BEGIN")
            connection.execute(INSERT.format(table, ""), ("2025-01" + end, "1", None))
            reading = connection.execute(f"SELECT * FROM {table}")
            reading.fetchone()
            connection.execute(end)
            # After ROLLBACK the rest may or may not hold what was undone; it must end, and without an error.
            assert len(reading.fetchall()) in (count - 2, count - 1), f"{table}: rows read after {end}"
            equal(connection.execute(f"SELECT count(*) FROM {table}").fetchone(), (8,), f"{table} after {end}")
    connection.close()


@test("tables cannot be dropped while a SELECT reads them")
def drop_while_reading(folder):
    connection = filled()
    reading = connection.execute("SELECT * FROM Alerts")
    reading.fetchone()
    raises(sqlite3.OperationalError, "locked", call=lambda: connection.execute("DROP TABLE Alerts"))
    raises(sqlite3.OperationalError, "Alerts", "locked",
           call=lambda: connection.execute("SELECT ts_drop_table('local', 'Alerts')").fetchall())
    equal(len(reading.fetchall()), 6, "rows after the refusals")
    connection.execute("DROP TABLE Alerts")
    connection.close()


@test("OR IGNORE, FAIL, REPLACE, ROLLBACK do what they do on an ordinary table")
def conflict_clauses(folder):
    connection = filled()
    connection.execute("CREATE UNIQUE INDEX keys ON n_Alerts(PartitionKey, RowKey)")
    outcomes = {}
    for table in ["n_Alerts", "Alerts"]:
        steps = outcomes[table] = []
        for clause in ["", "OR IGNORE", "OR FAIL", "OR REPLACE", "OR ROLLBACK", "OR ABORT"]:
            # The fourth row of five is there already; in the update the second row meets the first.
            for statement in [f"INSERT {clause} INTO {table}(PartitionKey, RowKey, Message) SELECT '2024-07', "
                              "printf('%03d', 6 - value), 'new' FROM json_each('[1,2,3,4,5]')",
                              f"UPDATE {clause} {table} SET RowKey = '003' WHERE PartitionKey = '2024-06' AND Level < 3"]:
                for transaction in [False, True]:
                    if transaction:
                        connection.execute("BEGIN")
                        connection.execute(INSERT.format(table, ""), ("0", "0", "before"))
                    try:
                        connection.execute(statement)
                        steps.append((clause, "done"))
                    except sqlite3.IntegrityError as error:
                        steps.append((clause, error.sqlite_errorcode & 0xFF))
                    steps.append(connection.in_transaction)
                    if connection.in_transaction:
                        connection.execute("COMMIT")
                    steps.append(connection.execute(f"SELECT PartitionKey, RowKey, Message FROM {table} ORDER BY 1, 2").fetchall())
                    connection.execute(f"DELETE FROM {table}")
                    connection.execute(f"""INSERT INTO {table}(PartitionKey, RowKey, Level, Message) VALUES
                      ('2024-06', '001', 1, 'a'), ('2024-06', '002', 3, 'b'), ('2024-06', '004', 2, 'c'),
                      ('2024-07', '002', 5, 'd'), ('2024-07', '009', 1, 'e')""")
    for got, want in zip(outcomes["Alerts"], outcomes["n_Alerts"]):
        equal(got, want, "outcome")
    connection.close()


@test("two foreign tables over one entity table, in one transaction and in one statement")
def aliases(folder):
    connection = filled()
    connection.execute("CREATE VIRTUAL TABLE Other USING table_storage(Text STRING OPTIONS (property 'Message'), "
                       "OPTIONS (table 'Alerts'))")
    # SQLite does not know that these are one store; the rows written must not be read again.
    connection.execute("INSERT INTO Other(PartitionKey, RowKey, Text) SELECT PartitionKey || 'x', RowKey, Message FROM Alerts")
    equal(connection.execute("SELECT count(*) FROM Alerts").fetchone(), (14,))
    connection.execute("BEGIN")
    connection.execute("UPDATE Other SET Text = 'one' WHERE RowKey = '001'")
    connection.execute("UPDATE Alerts SET Message = Message || ' two' WHERE RowKey = '001'")
    connection.execute("UPDATE Other SET Text = Text || ' three' WHERE RowKey = '001'")
    got = connection.execute("SELECT DISTINCT Message FROM Alerts WHERE RowKey = '001'").fetchall()
    equal(got, [("one two three",)])
    connection.execute("DELETE FROM Alerts WHERE RowKey = '001'")
    equal(connection.execute("SELECT count(*) FROM Other WHERE RowKey = '001'").fetchone(), (0,))
    connection.execute("COMMIT")
    connection.execute("DELETE FROM Other WHERE EXISTS (SELECT 1 FROM Alerts a WHERE a.RowKey = Other.RowKey AND "
                       "a.PartitionKey < Other.PartitionKey)")
    equal(connection.execute("SELECT PartitionKey, RowKey FROM Alerts ORDER BY 1, 2").fetchall(),
          [("2024-06", "002"), ("2024-06", "003"), ("2024-06", "004")])
    connection.close()


@test("a database in UTF-16 gives the same rows")
def utf16(folder):
    connection = connect(folder / "utf16.db", load=False)
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    connection.execute("CREATE TABLE first(x)")
    connection.close()
    connection = connect(fill(folder / "utf16.db"))
    equal(connection.execute("PRAGMA encoding").fetchone(), ("UTF-16le",))
    connection.executescript(NATIVE)
    table = re.compile(r"\b(Devices|Readings|Alerts)\b")
    for query in (HERE / "queries.sql").read_text().splitlines():
        if query and not query.startswith("--"):
            got, want = (connection.execute(text).fetchall() for text in (query, table.sub(r"n_\1", query)))
            if not query.startswith("/*ordered*/"):
                got, want = sorted(got, key=repr), sorted(want, key=repr)
            equal(got, want, query)
    connection.close()


@test("200 columns: those past the 63rd are read, compared and written")
def wide(folder):
    connection = connect(":memory:")
    names = [f"c{number}" for number in range(200)]
    connection.execute(f"CREATE VIRTUAL TABLE Wide USING table_storage({', '.join(name + ' INT32' for name in names)})")
    for row in range(5):
        connection.execute(f"INSERT INTO Wide(PartitionKey, RowKey, {', '.join(names)}) VALUES ('p', ?{', ?' * 200})",
                           (str(row), *(row * 1000 + number for number in range(200))))
    equal(connection.execute("SELECT RowKey, c0, c62, c63, c64, c199 FROM Wide WHERE c150 = 2150 AND c64 > 2000").fetchall(),
          [("2", 2000, 2062, 2063, 2064, 2199)])
    connection.execute("UPDATE Wide SET c63 = -1, c199 = NULL WHERE c198 > 3000")
    equal(connection.execute("SELECT c62, c63, c198, c199 FROM Wide WHERE RowKey = '3'").fetchall(), [(3062, -1, 3198, None)])
    equal(connection.execute("SELECT sum(c199), count(c199), sum(c63) FROM Wide").fetchone(), (3597, 3, 3187))
    equal(len(connection.execute("SELECT * FROM Wide LIMIT 1").fetchone()), 203)
    # The service takes 252 properties an entity; more columns may be declared, since an entity need not have all.
    many = [f"d{number}" for number in range(300)]
    connection.execute(f"CREATE VIRTUAL TABLE Wider USING table_storage({', '.join(name + ' INT32' for name in many)})")
    error = raises(sqlite3.Error, call=lambda: connection.execute(
        f"INSERT INTO Wider VALUES ('p', 'r', NULL{', 1' * 300})"))
    contains(str(error), "252")
    connection.close()
