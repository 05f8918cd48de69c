"""Transactions on local foreign tables, each with the state of the entities that it leaves behind.

Transaction number n of a seed depends on nothing but the seed, n and the state before, so that whoever knows the last
state knows which states a crash may leave.
"""

import json
import random

COLUMNS = ("a", "b", "c")
DEFINITION = "a INT64, b STRING, c DOUBLE"
FIRST = ("devices", "readings")  # SQL names; entity tables are called the same
NATIVE_ROWS = 300
MOST_ENTITIES = 2500

SETUP = [
    "CREATE TABLE native(pk TEXT, rk TEXT, a INT, b TEXT)",
    f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {NATIVE_ROWS})
          INSERT INTO native SELECT 'native' || (i % 5), printf('%05d', i), i, 'imported ' || i FROM n""",
] + [f"CREATE VIRTUAL TABLE {name} USING table_storage({DEFINITION})" for name in FIRST]


class State:
    """Entity tables with their entities, and the foreign tables. Treated as a value."""

    def __init__(self, entities=None, foreign=None, imported=None, servers=None):
        self.entities = entities or {}  # entity table: {(PartitionKey, RowKey): {property: value}}
        self.foreign = foreign or {name: name for name in FIRST}
        self.imported = imported or set()  # those of `foreign` whose columns an import has chosen
        self.servers = servers or set()

    def copy(self):
        return State({name: dict(rows) for name, rows in self.entities.items()}, dict(self.foreign),
                     set(self.imported), set(self.servers))

    def rows(self, table):
        return self.entities.setdefault(table, {})

    def visible(self):
        """Comparable with what read() gives."""
        return {name: rows for name, rows in self.entities.items() if rows}, set(self.foreign), set(self.servers)


def read(db):
    """The same from a database: entity tables that have entities, the names of the foreign tables, the servers."""
    foreign = {name for name, in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")}
    entities = {}
    for name, in db.execute("SELECT name FROM ts_tables('local')"):
        if name not in foreign:
            raise LookupError(f"entity table {name} has no foreign table")
    for name in sorted(foreign):
        for pk, rk, text in db.execute(f"SELECT PartitionKey, RowKey, _properties FROM {name}"):
            properties = json.loads(text)
            entities.setdefault(name, {})[pk, rk] = {
                key: int(value) if properties.get(key + "@odata.type") == "Edm.Int64" else value
                for key, value in properties.items() if "@" not in key}
    servers = {name for name, in db.execute("SELECT name FROM ts_servers")} - {"local"}
    return entities, foreign, servers


def present(properties):
    return {name: value for name, value in properties.items() if value is not None}


class Writer:
    """Makes the statements of one transaction and follows them in a state."""

    def __init__(self, state, rng, number):
        self.state = state
        self.rng = rng
        self.number = number
        self.statements = []  # (SQL, parameters or a list of them)

    def run(self, sql, parameters=()):
        self.statements.append((sql, parameters))

    def key(self):
        return f"p{self.rng.randrange(8)}", f"{self.rng.randrange(400):05}"

    def table(self):
        return self.rng.choice(sorted(set(self.state.foreign) - self.state.imported))

    def insert(self):
        table = self.table()
        rows = []
        for _ in range(self.rng.choice((1, 5, 60, 250))):
            pk, rk = self.key()
            # Now and then a property that no entity had before: the dictionary of names grows with the transaction.
            extra = {f"x{self.rng.randrange(1 + self.number // 4)}": self.number} if self.rng.random() < 0.2 else {}
            values = {"a": self.rng.choice((None, self.rng.randrange(1 << 40))), "b": "text " * self.rng.randrange(20),
                      "c": self.rng.choice((None, self.rng.random()))}
            rows.append((pk, rk, values["a"], values["b"], values["c"], json.dumps(extra)))
            self.state.rows(self.state.foreign[table])[pk, rk] = present({**extra, **values})
        self.run(f"INSERT OR REPLACE INTO {table}(PartitionKey, RowKey, a, b, c, _properties) VALUES (?, ?, ?, ?, ?, ?)",
                 rows)

    def generate(self):
        table, count = self.table(), self.rng.choice((10, 300, 1000))
        self.run(f"""INSERT OR REPLACE INTO {table}(PartitionKey, RowKey, a, b)
                     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                     SELECT 'g' || (i % 3), printf('%05d', i), ?2, 'generated' FROM n""", (count, self.number))
        for i in range(1, count + 1):
            self.state.rows(self.state.foreign[table])[f"g{i % 3}", f"{i:05}"] = {"a": self.number, "b": "generated"}

    def copy_native(self):
        table = self.table()
        self.run(f"INSERT OR REPLACE INTO {table}(PartitionKey, RowKey, a, b) SELECT pk, rk, a + ?1, b FROM native",
                 (self.number,))
        for i in range(1, NATIVE_ROWS + 1):
            self.state.rows(self.state.foreign[table])[f"native{i % 5}", f"{i:05}"] = {
                "a": i + self.number, "b": f"imported {i}"}

    def update(self):
        table = self.table()
        pk, rk = self.key()
        self.run(f"UPDATE {table} SET a = a + 1, b = ?1 WHERE PartitionKey = ?2 AND RowKey >= ?3",
                 (f"updated {self.number}", pk, rk))
        rows = self.state.rows(self.state.foreign[table])
        for key, properties in rows.items():
            if key[0] == pk and key[1] >= rk:
                changed = {**properties, "b": f"updated {self.number}"}
                if "a" in changed:
                    changed["a"] += 1
                rows[key] = changed

    def rekey(self):
        table = self.table()
        pk, rk = self.key()
        target = f"moved{self.number}x{len(self.statements)}"
        self.run(f"UPDATE {table} SET PartitionKey = ?1 WHERE PartitionKey = ?2 AND RowKey < ?3",
                 (target, pk, rk))
        rows = self.state.rows(self.state.foreign[table])
        for key in [key for key in rows if key[0] == pk and key[1] < rk]:
            rows[target, key[1]] = rows.pop(key)

    def delete(self):
        table = self.table()
        rows = self.state.rows(self.state.foreign[table])
        if len(rows) > MOST_ENTITIES:
            self.run(f"DELETE FROM {table}")
            rows.clear()
            return
        pk, rk = self.key()
        self.run(f"DELETE FROM {table} WHERE PartitionKey = ?1 AND RowKey < ?2", (pk, rk))
        for key in [key for key in rows if key[0] == pk and key[1] < rk]:
            del rows[key]

    def define(self):
        """A new foreign table, or an old one goes, with its entities or without."""
        extra = sorted(set(self.state.foreign) - set(FIRST))
        if len(extra) < 4:
            name = f"extra{self.number}x{len(self.statements)}"
            self.run(f"SELECT ts_create_table('local', '{name}')")
            self.run(f"CREATE VIRTUAL TABLE {name} USING table_storage({DEFINITION})")
            self.state.foreign[name] = name
            self.state.rows(name)
            self.insert()
        else:
            name = self.rng.choice(extra)
            self.run(f"SELECT ts_drop_table('local', '{name}')")
            self.run(f"DROP TABLE {name}")
            del self.state.foreign[name]
            self.state.imported.discard(name)
            self.state.entities.pop(name, None)

    def import_schema(self):
        """A foreign table goes, its entities stay, and IMPORT FOREIGN SCHEMA makes another one for them."""
        extra = sorted(set(self.state.foreign) - set(FIRST))
        if not extra:
            self.define()
            return
        name = self.rng.choice(extra)
        self.run(f"DROP TABLE {name}")
        self.run(f"SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO ({name}) FROM SERVER local INTO main')")
        self.state.imported.add(name)

    def servers(self):
        if len(self.state.servers) < 3:
            name = f"server{self.number}x{len(self.statements)}"
            self.run(f"SELECT fdw('CREATE SERVER {name} FOREIGN DATA WRAPPER table_storage "
                     "OPTIONS (endpoint ''http://127.0.0.1:1/devstoreaccount1'')')")
            self.state.servers.add(name)
        else:
            name = self.rng.choice(sorted(self.state.servers))
            self.run(f"SELECT fdw('ALTER SERVER {name} OPTIONS (ADD concurrency ''2'')')")
            self.run(f"SELECT fdw('DROP SERVER {name}')")
            self.state.servers.discard(name)


def transaction(seed, number, before):
    """(statements, state after) of transaction `number`; each statement is (SQL, parameters or a list of them)."""
    rng = random.Random(f"{seed}:{number}")
    writer = Writer(before.copy(), rng, number)
    kinds = (writer.insert, writer.insert, writer.generate, writer.copy_native, writer.update, writer.update,
             writer.rekey, writer.delete, writer.delete, writer.define, writer.import_schema, writer.servers)
    ending = rng.random()
    if ending < 0.25:  # one statement that commits itself, if it is one
        rng.choice(kinds[:-3])()
        if len(writer.statements) == 1 and not isinstance(writer.statements[0][1], list):
            return writer.statements, writer.state
    writer.statements.insert(0, ("BEGIN", ()))
    for _ in range(rng.randrange(1, 5)):
        rng.choice(kinds)()
    if ending < 0.4:  # part of it is undone
        kept = writer.state.copy()
        writer.run("SAVEPOINT part")
        rng.choice(kinds)()
        writer.run("ROLLBACK TO part")
        writer.state = kept
    if ending > 0.9:
        writer.run("ROLLBACK")
        return writer.statements, before
    writer.run("COMMIT")
    return writer.statements, writer.state
