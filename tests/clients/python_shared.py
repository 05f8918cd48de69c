"""Tests of the Python suite in which several connections, threads or copies share one file."""

import sqlite3
import threading

from harness import HERE, connect, equal, fill, open_files, raises, test

MODES = ["delete", "wal"]
COUNT = "SELECT count(*) FROM {0}"
INSERT = "INSERT INTO {0}(PartitionKey, RowKey, Message) VALUES (?, ?, ?)"


def shared(folder, mode, **options):
    """Two connections on one file that has the foreign table Alerts and its ordinary copy n_Alerts."""
    path = folder / f"{mode}.db"
    fill(path)
    first = connect(path, **options)
    equal(first.execute(f"PRAGMA journal_mode={mode}").fetchone(), (mode,))
    first.executescript((HERE / "native_copy.sql").read_text())
    return first, connect(path, **options)


@test("two connections: each sees what the other commits")
def commits(folder):
    for mode in MODES:
        first, second = shared(folder, mode)
        for number in range(3):
            first.execute(INSERT.format("Alerts"), ("two", f"a{number}", "first"))
            second.execute(INSERT.format("Alerts"), ("two", f"b{number}", "second"))
            for connection in (first, second):
                got = connection.execute(COUNT.format("Alerts")).fetchone()
                equal(got, (7 + 2 * (number + 1),), f"{mode}: rows seen")
        second.execute("UPDATE Alerts SET Message = 'changed' WHERE PartitionKey = 'two' AND RowKey = 'a0'")
        row = first.execute("SELECT Message FROM Alerts WHERE PartitionKey = 'two' AND RowKey = 'a0'").fetchone()
        equal(row, ("changed",), mode)
        second.execute("DELETE FROM Alerts WHERE PartitionKey = 'two'")
        equal(first.execute(COUNT.format("Alerts")).fetchone(), (7,), mode)
        first.close()
        second.close()


@test("two connections: schema changes by the other one, in and out of transactions")
def schema_changes(folder):
    for mode in MODES:
        first, second = shared(folder, mode)
        equal(first.execute(COUNT.format("Alerts")).fetchone(), (7,))
        # Any schema change makes SQLite disconnect every virtual table of the other connection.
        second.execute("CREATE TABLE unrelated(x)")
        first.execute(INSERT.format("Alerts"), ("schema", "1", None))
        second.execute("CREATE VIRTUAL TABLE Fresh USING table_storage(Message STRING)")
        second.execute(INSERT.format("Fresh"), ("p", "1", "made by the second"))
        equal(first.execute("SELECT Message FROM Fresh").fetchall(), [("made by the second",)], mode)
        first.execute(INSERT.format("Fresh"), ("p", "2", "written by the first"))
        second.execute("DROP TABLE Fresh")
        raises(sqlite3.OperationalError, "no such table", call=lambda: first.execute("SELECT * FROM Fresh"))
        first.execute("CREATE VIRTUAL TABLE Fresh USING table_storage(Text STRING OPTIONS (property 'Message'), "
                      "OPTIONS (table 'Fresh'))")
        equal(second.execute("SELECT Text FROM Fresh ORDER BY RowKey").fetchall(),
              [("made by the second",), ("written by the first",)], f"{mode}: DROP TABLE keeps the entities")
        second.execute("ALTER TABLE Fresh RENAME TO Fresher")
        first.execute("BEGIN")
        first.execute("DELETE FROM Fresher WHERE RowKey = '1'")
        first.execute("ROLLBACK")
        equal(first.execute("SELECT count(*) FROM Fresher").fetchone(), (2,), mode)
        first.close()
        second.close()


@test("two connections: entity tables dropped and made again by the other one")
def entity_tables(folder):
    for mode in MODES:
        first, second = shared(folder, mode)
        equal(first.execute(COUNT.format("Alerts")).fetchone(), (7,))
        second.execute("SELECT ts_drop_table('local', 'Alerts')").fetchall()
        equal(first.execute(COUNT.format("Alerts")).fetchone(), (0,), f"{mode}: a dropped entity table reads as empty")
        first.execute(INSERT.format("Alerts"), ("again", "1", None))
        equal(second.execute(COUNT.format("Alerts")).fetchone(), (1,), mode)
        first.close()
        second.close()


@test("a snapshot stays what it was while the other connection commits (WAL)")
def snapshots(folder):
    first, second = shared(folder, "wal", timeout=0.2)
    for table in ["Alerts", "n_Alerts"]:
        first.execute("BEGIN")
        equal(first.execute(COUNT.format(table)).fetchone(), (7,), table)
        second.execute(INSERT.format(table), ("snap", "1", None))
        equal(first.execute(COUNT.format(table)).fetchone(), (7,), f"{table}: inside the snapshot")
        # Writing on an outdated snapshot is refused at once, and nothing is half-written.
        error = raises(sqlite3.OperationalError, "locked", call=lambda: first.execute(INSERT.format(table), ("snap", "2", None)))
        equal(error.sqlite_errorname, "SQLITE_BUSY_SNAPSHOT", table)
        first.execute("ROLLBACK")
        equal(first.execute(COUNT.format(table)).fetchone(), (8,), f"{table}: after it")
    first.close()
    second.close()


@test("SQLITE_BUSY is what it is on an ordinary table, and passes")
def busy(folder):
    for mode in MODES:
        first, second = shared(folder, mode, timeout=0.1)
        outcomes = {}
        for table in ["n_Alerts", "Alerts"]:
            first.execute("BEGIN IMMEDIATE")
            first.execute(INSERT.format(table), ("busy", "1", "first"))
            error = raises(sqlite3.OperationalError, "locked",
                           call=lambda: second.execute(INSERT.format(table), ("busy", "2", "second")))
            outcomes[table] = (str(error), error.sqlite_errorname, second.in_transaction)
            equal(second.execute(COUNT.format(table)).fetchone(), (7,), f"{mode} {table}: reading goes on")
            first.execute("COMMIT")
            second.execute(INSERT.format(table), ("busy", "2", "second"))
            equal(first.execute(COUNT.format(table)).fetchone(), (9,), f"{mode} {table}")
        equal(outcomes["Alerts"], outcomes["n_Alerts"], f"{mode}: the error")

        # COMMIT against a reader (rollback journal) is busy too; it can be repeated once the reader is done.
        if mode == "delete":
            for table in ["n_Alerts", "Alerts"]:
                reading = second.execute(f"SELECT * FROM {table}")
                reading.fetchone()
                first.execute("BEGIN")
                first.execute(INSERT.format(table), ("late", "1", None))
                raises(sqlite3.OperationalError, "locked", call=lambda: first.execute("COMMIT"))
                assert first.in_transaction, f"{table}: the transaction must stay open"
                reading.close()
                first.execute("COMMIT")
                equal(second.execute(COUNT.format(table)).fetchone(), (10,), table)
        first.close()
        second.close()


@test("threads with a connection each write one table")
def threads(folder):
    path = fill(folder / "threads.db")
    setup = connect(path)
    setup.execute("PRAGMA journal_mode=wal")
    setup.close()
    errors = []

    def work(number):
        try:
            connection = connect(path, timeout=60)
            connection.execute("PRAGMA synchronous=off")
            for step in range(50):
                connection.execute(INSERT.format("Alerts"), (f"thread{number}", f"{step:03}", "from a thread"))
                seen = connection.execute("SELECT count(*) FROM Alerts WHERE PartitionKey = ?", (f"thread{number}",))
                equal(seen.fetchone(), (step + 1,), f"thread {number}")
                if step % 10 == 9:
                    connection.execute("UPDATE Alerts SET Level = ? WHERE PartitionKey = ?", (step, f"thread{number}"))
            connection.close()
        except Exception as error:
            errors.append(f"thread {number}: {error!r}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    equal(errors, [], "errors of the threads")
    connection = connect(path)
    equal(connection.execute("SELECT count(*), min(Level), max(Level) FROM Alerts WHERE PartitionKey LIKE 'thread%'")
          .fetchone(), (200, 49, 49))
    equal(connection.execute("PRAGMA integrity_check").fetchone(), ("ok",))
    connection.close()


@test("one connection used by several threads in turn")
def handed_over(folder):
    connection = connect(fill(folder / "handed.db"), check_same_thread=False)
    lock = threading.Lock()

    def work(number):
        for step in range(20):
            with lock:
                connection.execute(INSERT.format("Alerts"), (f"turn{number}", f"{step:03}", None))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    equal(connection.execute(COUNT.format("Alerts")).fetchone(), (67,))
    connection.close()


@test("VACUUM, VACUUM INTO, backup API, serialize and iterdump keep entities and tables")
def copies(folder):
    path = fill(folder / "copies.db")
    connection = connect(path)
    want = connection.execute("SELECT *, _etag, rowid FROM Devices ORDER BY PartitionKey, RowKey").fetchall()

    def check(copy, what):
        got = copy.execute("SELECT *, _etag, rowid FROM Devices ORDER BY PartitionKey, RowKey").fetchall()
        equal(got, want, what)
        copy.execute("UPDATE Devices SET Name = 'touched' WHERE PartitionKey = 'site0'")
        equal(copy.execute("SELECT count(*) FROM Devices WHERE Name = 'touched'").fetchone(), (8,), what)
        equal(copy.execute("PRAGMA integrity_check").fetchone(), ("ok",), what)
        copy.close()

    connection.execute("DELETE FROM Readings")
    connection.execute("VACUUM")
    equal(connection.execute(COUNT.format("Readings")).fetchone(), (0,), "after VACUUM")
    connection.execute("VACUUM INTO ?", (str(folder / "into.db"),))
    check(connect(folder / "into.db"), "VACUUM INTO")

    with connect(folder / "backup.db", load=False) as target:
        connection.backup(target, pages=3)
    target.close()
    check(connect(folder / "backup.db"), "backup")
    # The target may have the extension loaded and its own tables in use: it gets a new schema under its feet.
    target = connect(fill(folder / "used.db"))
    target.execute("DELETE FROM Devices")
    connection.backup(target)
    check(target, "backup over a used database")

    image = connect(":memory:")
    image.deserialize(connection.serialize())
    check(image, "serialize")

    # Python's iterdump writes the rows of virtual tables and, once more, the tables that store them.
    foreign = ("INSERT INTO \"Devices\"", "INSERT INTO \"Readings\"", "INSERT INTO \"Alerts\"")
    script = [statement for statement in connection.iterdump() if not statement.startswith(foreign)]
    restored = connect(folder / "dump.db")
    restored.executescript("\n".join(script))
    restored.close()
    check(connect(folder / "dump.db"), "iterdump")
    connection.close()
    equal(open_files(folder), 0, "descriptors left open")


@test("read-only and immutable files, and files opened without the extension")
def read_only(folder):
    path = fill(folder / "readonly.db")
    for uri in [f"file:{path}?mode=ro", f"file:{path}?immutable=1&mode=ro"]:
        connection = connect(uri, uri=True)
        equal(connection.execute("SELECT count(*), max(Slots) FROM Devices").fetchone(), (30, 3))
        for table in ["Devices", "Alerts"]:
            raises(sqlite3.OperationalError, "readonly", call=lambda: connection.execute(f"DELETE FROM {table}"))
        connection.close()
    plain = connect(path, load=False)
    raises(sqlite3.OperationalError, "no such module: table_storage", call=lambda: plain.execute("SELECT * FROM Devices"))
    stored = plain.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'ts_entities_%' ORDER BY 1").fetchall()
    equal([name.lower() for name, in stored], ["ts_entities_alerts", "ts_entities_devices", "ts_entities_readings"])
    plain.execute("CREATE TABLE ordinary(x)")
    plain.close()


@test("WAL: the last close() checkpoints and removes the log")
def last_close(folder):
    path = fill(folder / "last.db")
    connection = connect(path)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute(INSERT.format("Alerts"), ("wal", "1", None))
    unfinished = connection.execute("SELECT * FROM Devices")
    unfinished.fetchone()
    unfinished.close()
    assert (folder / "last.db-wal").exists()
    connection.close()
    # A statement that the extension forgot to finalise would keep the connection, and so the log, alive.
    assert not (folder / "last.db-wal").exists(), "the log is still there"
    equal(open_files(path), 0, "descriptors left open")
