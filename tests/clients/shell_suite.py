"""The extension in the sqlite3 shell: loading it, what it registers, dot-commands, dumps."""

import csv
import io
import json
import os
import shutil
import sqlite3

from harness import DATA, SERVERS, SERVERS_JOIN, SO, command, contains, equal, fill, run, test

SHELL = ["sqlite3", "-batch", "-init", "/dev/null"]

# Everything the library adds to a connection, by name. A name more or less is a change of what users see.
FUNCTIONS = {
    "ts_version", "ts_create_table", "ts_drop_table", "ts_ticks", "ts_reverse_ticks", "ts_from_ticks",
    "ts_from_reverse_ticks", "ts_disconnect", "fdw",
    "ts_local_match", "ts_local_take",  # for the extension's own statements
}
MODULES = {"table_storage", "ts_tables", "ts_servers", "ts_options", "ts_connections", "ts_requests", "ts_explain",
           "ts_pending", "ts_schema", "ts_import_notices"}
COLLATIONS = {"ts_datetime"}
# Functions that change something, or that SQL in an untrusted schema must not reach.
DIRECT_ONLY = {"ts_create_table", "ts_drop_table", "ts_disconnect", "fdw"}


def shell(database, *lines, code=0, cwd=None):
    return command(*SHELL, database, stdin="\n".join(lines) + "\n", code=code, cwd=cwd)


def load():
    return f".load {SO}"


@test(".load by name and by path, both entry points, load_extension(), twice")
def loading(folder):
    shutil.copy(SO, folder / "table_storage.so")
    version = "SELECT 'version ' || ts_version();"
    for line in [".load ./table_storage", ".load ./table_storage.so", f".load {SO}",
                 ".load ./table_storage sqlite3_tablestorage_init", ".load ./table_storage sqlite3_extension_init",
                 "SELECT load_extension('./table_storage');",
                 "SELECT load_extension('./table_storage', 'sqlite3_extension_init');",
                 ".load ./table_storage\n.load ./table_storage"]:
        contains(shell(":memory:", line, version, cwd=folder), "version ")
    # Loaded again while tables are open and a transaction is under way.
    output = shell(":memory:", load(), DATA, "BEGIN;", "DELETE FROM Alerts WHERE Level = 2;", load(),
                   "SELECT 'alerts ' || count(*) FROM Alerts;", "ROLLBACK;", "SELECT 'all ' || count(*) FROM Alerts;")
    contains(output, "alerts 5", "all 7")
    output = shell(":memory:", ".load ./table_storage sqlite3_nothing_init", cwd=folder, code=1)
    contains(output, "sqlite3_nothing_init")


@test("what it registers: functions, modules, collations")
def registers(folder):
    lists = {"function": FUNCTIONS, "module": MODULES, "collation": COLLATIONS}
    before = "".join(f"CREATE TEMP TABLE {kind}_before AS SELECT DISTINCT name FROM pragma_{kind}_list;" for kind in lists)
    # The pragma_… modules register themselves when they are first named.
    after = "".join(f"SELECT '{kind}', name FROM pragma_{kind}_list WHERE name NOT LIKE 'pragma%' "
                    f"EXCEPT SELECT '{kind}', name FROM {kind}_before;" for kind in lists)
    output = shell(":memory:", ".mode csv", before, load(), after)
    found = {kind: set() for kind in lists}
    for kind, name in csv.reader(io.StringIO(output)):
        found[kind].add(name)
    for kind, names in lists.items():
        equal(found[kind], names, f"{kind}s registered")
    output = shell(":memory:", load(), ".mode list",
                   "SELECT DISTINCT name FROM pragma_function_list "
                   "WHERE (name LIKE 'ts_%' OR name = 'fdw') AND (flags & 0x80000) <> 0;")
    missing = DIRECT_ONLY - set(output.split())
    equal(missing, set(), "functions that should be SQLITE_DIRECTONLY")


@test("only the two entry points are exported")
def exports(folder):
    symbols = command("nm", "-D", "--defined-only", SO).split("\n")
    equal({line.split()[-1] for line in symbols if line.strip()},
          {"sqlite3_tablestorage_init", "sqlite3_extension_init"}, "exported symbols")
    needed = command("readelf", "-d", SO)
    # It must use the SQLite of the program that loads it, never bring another.
    assert "libsqlite3" not in needed, needed


@test("core: create, insert, select, join, update, delete, error text, reopen")
def core(folder):
    path = folder / "core.db"
    output = shell(path, load(), DATA, ".mode quote",
                   """SELECT d.Name, count(*) FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey
                      WHERE d.PartitionKey = 'site0' GROUP BY d.RowKey LIMIT 1;""",
                   "UPDATE Devices SET Name = 'renamed', Slots = NULL WHERE PartitionKey = 'site0' AND RowKey = 'd00';",
                   "DELETE FROM Readings WHERE PartitionKey = 'd00';", "SELECT changes();")
    equal(output, "'Device A',10\n10\n")
    again = ["SELECT Name, Slots, Weight FROM Devices WHERE PartitionKey = 'site0' AND RowKey = 'd00';",
             "SELECT count(*) FROM Readings;"]
    equal(shell(path, load(), ".mode quote", *again), "'renamed',NULL,-5.0\n150\n", "reopened")
    errors = [
        ("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('2024-06', '001');", ["EntityAlreadyExists", "'2024-06'", "'001'"]),
        ("INSERT INTO Alerts(PartitionKey, RowKey, Level) VALUES ('p', 'r', 'high');", ["Level", "'high'"]),
        ("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('a/b', 'r');", ["PartitionKey", "/"]),
        ("INSERT INTO Alerts(RowKey) VALUES ('r');", ["PartitionKey", "NULL"]),
        ("CREATE VIRTUAL TABLE Bad USING table_storage(A SMALLTEXT);", ["SMALLTEXT", "STRING"]),
        ("CREATE VIRTUAL TABLE Bad USING table_storage(A STRING, SERVER nowhere);", ["nowhere", "local"]),
        ("CREATE VIRTUAL TABLE Bad USING table_storage(A STRING, OPTIONS (tabel 'x'));", ["tabel", "table"]),
        ("SELECT * FROM Alerts WHERE _filter = 'Level gt';", ["Level gt"]),
        ("SELECT ts_drop_table('local', 'NoSuchTable');", ["NoSuchTable"]),
        ("SELECT ts_create_table('nowhere', 'Things');", ["nowhere"]),
    ]
    for statement, parts in errors:
        contains(shell(path, load(), statement, "SELECT 'goes on';", code=None), *parts, "goes on")
    equal(shell(path, load(), "SELECT count(*) FROM Alerts;"), "7\n", "after the errors")


@test(".schema, .tables, .mode, .headers, .eqp, .import, .backup")
def dot_commands(folder):
    path = fill(folder / "dots.db")
    contains(shell(path, load(), ".schema Alerts"),
             "CREATE VIRTUAL TABLE Alerts USING table_storage(", "Device STRING, Level INTEGER, Message STRING)",
             "PartitionKey,RowKey,Timestamp,Device,Level,Message")
    contains(shell(path, load(), ".tables"), "Alerts", "Devices", "Readings")
    query = "SELECT RowKey, Device, Level, Message FROM Alerts WHERE PartitionKey = '2024-07';"
    rows = json.loads(shell(path, load(), ".mode json", query))
    equal(rows[0], {"RowKey": "001", "Device": "d09", "Level": None, "Message": "under_score"})
    equal(len(rows), 3)
    contains(shell(path, load(), ".mode box", query), "it's gone", "│")
    contains(shell(path, load(), ".mode insert copy", query), "INSERT INTO copy", "'it''s gone'")
    equal(shell(path, load(), ".mode csv", ".headers on", query).splitlines()[0], "RowKey,Device,Level,Message")
    plan = shell(path, load(), ".eqp on", query)
    contains(plan, "SCAN Alerts VIRTUAL TABLE INDEX", "keys PartitionKey")

    names = shell(path, load(), ".mode list", ".separator ,",
                  "SELECT group_concat(name) FROM pragma_table_info('Alerts');").strip()
    equal(names, "PartitionKey,RowKey,Timestamp,Device,Level,Message", "visible columns")
    # .import inserts text into every visible column; what it gives for Timestamp does not count.
    rows = ["csv,001,,d00,7,\"said \"\"hi\"\", twice\"", "csv,002,,d01,-1,ö"]
    (folder / "alerts.csv").write_text("\n".join(rows) + "\n")
    output = shell(path, load(), f".import --csv '{folder}/alerts.csv' Alerts", ".mode quote",
                   "SELECT RowKey, Level, Message FROM Alerts WHERE PartitionKey = 'csv';")
    equal(output, "'001',7,'said \"hi\", twice'\n'002',-1,'ö'\n")
    shell(path, load(), f".backup '{folder}/copy.db'")
    equal(shell(folder / "copy.db", load(), "SELECT count(*) FROM Alerts;"), "9\n", "the backup")


@test(".dump restores foreign tables and their entities")
def dump(folder):
    path = fill(folder / "dumped.db")
    shell(path, load(), "CREATE TABLE ordinary(id INTEGER PRIMARY KEY, v);", "INSERT INTO ordinary(v) VALUES ('x');",
          "CREATE VIEW hot AS SELECT * FROM Readings WHERE Temperature > 19;")
    rows = [".mode quote", "SELECT *, _etag, _properties, rowid FROM Devices;", "SELECT *, _etag FROM Readings;",
            "SELECT * FROM Alerts;", "SELECT count(*) FROM hot;", "SELECT * FROM ordinary;"]
    want = shell(path, load(), *rows)
    assert want.count("\n") > 190
    script = shell(path, load(), ".dump")
    contains(script, "ts_entities_")
    # Restored by a shell without the extension, and by one that has it loaded; both need a reopen.
    shell(folder / "plain.db", script)
    equal(shell(folder / "plain.db", load(), *rows), want, "restored without the extension")
    shell(folder / "loaded.db", load(), script)
    equal(shell(folder / "loaded.db", load(), *rows), want, "restored with the extension")
    shell(folder / "plain.db", load(), "UPDATE Devices SET Name = 'new' WHERE PartitionKey = 'site1';",
          "INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('a', 'b');")
    equal(shell(folder / "plain.db", load(), "SELECT count(*) FROM Devices WHERE Name = 'new';"), "9\n")
    # A dump taken without the extension has the same entities.
    without = shell(path, ".dump ts_entities_%")
    equal(without.count("INSERT INTO"), shell(path, load(), ".dump ts_entities_%").count("INSERT INTO"))


@test("ts_tables, ts_create_table, ts_drop_table, the key helpers")
def functions(folder):
    path = fill(folder / "functions.db")
    names = "SELECT name FROM ts_tables('local');"
    equal(shell(path, load(), names), "Alerts\nDevices\nReadings\n")
    equal(shell(path, load(), "SELECT ts_create_table('local', 'Extra');", names).splitlines()[-4:],
          ["Alerts", "Devices", "Extra", "Readings"])
    contains(shell(path, load(), "SELECT ts_create_table('local', 'extra');", code=None), "TableAlreadyExists")
    shell(path, load(), "SELECT ts_drop_table('local', 'Extra');")
    equal(shell(path, load(), names), "Alerts\nDevices\nReadings\n", "after ts_drop_table")
    output = shell(path, load(), ".mode quote",
                   "SELECT ts_ticks('2024-06-15T00:00:00Z'), ts_from_ticks(ts_ticks('2024-06-15 12:00:00')),"
                   "  ts_from_reverse_ticks(ts_reverse_ticks('2024-06-15T00:00:00.1234567Z'));",
                   "SELECT ts_reverse_ticks('2024-06-16') < ts_reverse_ticks('2024-06-15'), ts_ticks(NULL);")
    contains(output, "638540064000000000", "'2024-06-15T12:00:00.0000000Z'", "'2024-06-15T00:00:00.1234567Z'\n1,NULL\n")


@test("servers: fdw(), import into main, temp and an attached database, reopened, read-only, no secret in .dump")
def servers(folder):
    path = fill(folder / "servers.db")
    join = SERVERS_JOIN.strip() + ";"
    want = "Device A|10|19.0\nDevice D|10|22.5\n"
    output = shell(path, load(), ".output /dev/null", SERVERS, ".output stdout", join,
                   "SELECT count(*) FROM temp.Alerts JOIN aux.Alerts USING (PartitionKey, RowKey);",
                   "SELECT name, user_mapping, confirmed FROM ts_servers WHERE name <> 'env';", ".dump")
    contains(output, want + "7\nlocal||\ncloud|account_key '(in memory)'|1\nsite||\n", "INSERT INTO table_storage_servers")
    for secret in ["aHVudGVy", "hunter2"]:
        assert secret not in output and secret.encode() not in path.read_bytes(), f"{secret} was kept or shown"
    equal(shell(path, load(), join, "SELECT count(*) FROM pragma_table_list WHERE name = 'Alerts';",
                "SELECT name FROM table_storage_servers ORDER BY name;"), want + "0\ncloud\nsite\n", "reopened")
    # The dump makes the servers and the tables again, in a shell that has the extension and in one that has not.
    for first in ([load()], []):
        copy = folder / f"copy{len(first)}.db"
        shell(copy, *first, shell(path, load(), ".dump"))
        equal(shell(copy, load(), join), want, "from the dump")
    again = ["SELECT fdw('IMPORT FOREIGN SCHEMA tables FROM SERVER site INTO temp');", join]
    equal(shell(f"file:{path}?mode=ro", load(), *again), "IMPORT FOREIGN SCHEMA\n" + want, "read-only")
    for statement in ["CREATE SERVER x FOREIGN DATA WRAPPER table_storage", "DROP SERVER site CASCADE",
                      "IMPORT FOREIGN SCHEMA tables FROM SERVER site INTO main",
                      "ALTER FOREIGN TABLE Devices DROP Name", "CREATE FOREIGN TABLE Other () SERVER site"]:
        contains(shell(f"file:{path}?mode=ro", load(), f"SELECT fdw('{statement}');", code=1), "main is read-only")


@test("hidden columns: _etag, _properties, _filter")
def hidden(folder):
    path = fill(folder / "hidden.db")
    output = shell(path, load(), ".mode list",
                   "SELECT _properties FROM Alerts WHERE PartitionKey = '2024-06' AND RowKey = '002';",
                   "SELECT RowKey FROM Alerts WHERE _filter = 'Level gt 1 and Device eq ''d04''';",
                   "UPDATE Alerts SET _properties = '{\"Device\":\"d05\",\"Note\":\"typed in\"}' WHERE RowKey = '002'"
                   " AND PartitionKey = '2024-06';",
                   "SELECT Device || ' ' || (_properties ->> 'Note') FROM Alerts WHERE RowKey = '002' AND PartitionKey = '2024-06';")
    lines = output.splitlines()
    equal(json.loads(lines[0])["Message"], "no contact")
    equal(lines[1:], ["002", "003", "d05 typed in"])
    hidden_names = shell(path, load(), "SELECT name FROM pragma_table_xinfo('Alerts') WHERE hidden = 1;").split()
    equal(set(hidden_names), {"_etag", "_properties", "_filter"})


if __name__ == "__main__":
    print(f"     {command('sqlite3', '--version').split()[0]}, {os.path.basename(SO)}; Python's SQLite {sqlite3.sqlite_version}")
    run("shell")
