// The extension in Node with better-sqlite3, which brings an SQLite of its own, newer than Debian's and built with
// other options (no double-quoted strings, no deprecated calls). node_queries.mjs holds the differential tests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { Database, SO, connect, fails, filled, openFiles, run, test, text } from './node_harness.mjs';
import './node_queries.mjs';


test('core: load, create, insert, select, join, update, delete, errors, reopen, close', (folder) => {
  const file = path.join(folder, 'core.db');
  let db = connect(file);
  assert.match(db.prepare('SELECT ts_version()').pluck().get(), /^0\./);
  db.exec(text('data.sql'));
  const join = `SELECT d.Name, count(*) AS n, max(r.Temperature) AS t FROM Devices d JOIN Readings r
                ON r.PartitionKey = d.RowKey WHERE d.PartitionKey = ? AND d.RowKey < ? GROUP BY d.RowKey ORDER BY d.RowKey`;
  assert.deepEqual(db.prepare(join).all('site0', 'd06'), [{ Name: 'Device A', n: 10, t: 19 }, { Name: 'Device D', n: 10, t: 22.5 }]);
  assert.equal(db.prepare("UPDATE Devices SET Name = @name WHERE PartitionKey = 'site0' AND RowKey = 'd00'").run({ name: 'renamed' }).changes, 1);
  assert.equal(db.prepare("DELETE FROM Readings WHERE PartitionKey = 'd00' AND RowKey > '0007'").run().changes, 8);
  fails(() => db.prepare("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('2024-06', '001')").run(),
    'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists', '2024-06', '001');
  fails(() => db.prepare("INSERT INTO Alerts(PartitionKey, RowKey, Level) VALUES ('p', 'r', ?)").run('high'), 'SQLITE_MISMATCH', 'Level', 'high');
  fails(() => db.prepare("SELECT * FROM Alerts WHERE _filter = 'Level gt'").all(), 'SQLITE_ERROR', 'Level gt');
  db.close();
  assert.equal(openFiles(folder), 0, 'descriptors left open after close()');

  db = connect(file);
  assert.deepEqual(db.prepare(join).raw().all('site0', 'd06'), [['renamed', 2, 15.5], ['Device D', 10, 22.5]]);
  assert.deepEqual(db.prepare('SELECT * FROM Alerts LIMIT 1').columns().map((c) => c.name),
    ['PartitionKey', 'RowKey', 'Timestamp', 'Device', 'Level', 'Message']);
  db.close();
});

test('servers: fdw(), import into main, temp and an attached database, reopened, read-only', (folder) => {
  const join = text('servers_join.sql');
  const want = [['Device A', 10, 19], ['Device D', 10, 22.5]];
  let db = filled(folder, 'servers.db');
  db.exec(text('servers.sql'));
  assert.deepEqual(db.prepare(join).raw().all(), want);
  assert.equal(db.prepare('SELECT count(*) FROM temp.Alerts JOIN aux.Alerts USING (PartitionKey, RowKey)').pluck().get(), 7);
  const fdw = (statements) => db.prepare('SELECT fdw(?)').pluck().get(statements);
  const undone = db.transaction(() => {
    assert.equal(fdw('DROP SERVER site CASCADE'), 'DROP SERVER');
    fails(() => db.prepare(join), 'SQLITE_ERROR', 'no such table');
    throw new Error('undo');
  });
  assert.throws(undone, /undo/);
  fails(() => fdw('DROP SERVER site CASCADE; DROP SERVER nobody'), 'SQLITE_ERROR', 'statement 2 of 2', 'nothing of the text was done');
  assert.deepEqual(db.prepare(join).raw().all(), want);
  db.close();
  assert.equal(openFiles(folder), 0, 'descriptors left open after close()');

  const file = path.join(folder, 'servers.db');
  db = connect(file);
  assert.deepEqual(db.prepare(join).raw().all(), want);
  db.close();
  db = connect(file, { readonly: true });
  assert.deepEqual(db.prepare(join).raw().all(), want);
  fails(() => fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage'), 'SQLITE_READONLY', 'schema main is read-only');
  assert.equal(fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Alerts) FROM SERVER site INTO temp'), 'IMPORT FOREIGN SCHEMA');
  assert.equal(db.prepare('SELECT count(*) FROM Alerts').pluck().get(), 7);
  db.close();
});

test('Int64 as BigInt, numbers bound as doubles, buffers', (folder) => {
  const db = filled(folder);
  const insert = db.prepare(`INSERT INTO Devices(PartitionKey, RowKey, Weight, Slots, Serial, Active, Raw, Extra)
                             VALUES ('node', ?, ?, ?, ?, ?, ?, ?)`);
  // better-sqlite3 binds every JavaScript number as a double: INT32, INT64 and BOOLEAN columns take whole ones.
  insert.run('1', 3, 4, 5, 1, Buffer.from([0, 255]), 6);
  insert.run('2', 1n, -2147483648n, 9223372036854775807n, 0n, Buffer.alloc(0), 7n);
  insert.run('3', null, null, -9223372036854775808n, null, null, 'x');
  const read = db.prepare("SELECT Weight, Slots, Serial, Active, Raw, Extra FROM Devices WHERE PartitionKey = 'node' AND RowKey = ?").raw();
  assert.deepEqual(read.get('1'), [3, 4, 5, 1, Buffer.from([0, 255]), 6]);
  read.safeIntegers();
  assert.deepEqual(read.get('2'), [1, -2147483648n, 9223372036854775807n, 0n, Buffer.alloc(0), 7n]);
  assert.deepEqual(read.get('3'), [null, null, -9223372036854775808n, null, null, 'x']);
  // The stored types: 6 was a double, 7n an integer.
  const properties = db.prepare("SELECT _properties FROM Devices WHERE PartitionKey = 'node' ORDER BY RowKey").pluck().all();
  assert.match(properties[0], /"Extra":6\.0/);
  assert.match(properties[1], /"Extra":7[,}]/);
  assert.match(properties[1], /"Serial":"9223372036854775807"/);
  const find = db.prepare("SELECT RowKey FROM Devices WHERE PartitionKey = 'node' AND Serial = ?").pluck();
  assert.deepEqual(find.all(9223372036854775807n), ['2']);
  assert.deepEqual(find.all(5), ['1']);
  // As a double 2^63 lies one above the greatest Int64.
  assert.deepEqual(find.all(9223372036854775807), []);
  assert.deepEqual(find.all(-9223372036854775808), ['3']);
  fails(() => insert.run('4', 0, 1.5, 0, 0, null, null), 'SQLITE_MISMATCH', 'Slots');
  fails(() => insert.run('4', 0, 2147483648, 0, 0, null, null), 'SQLITE_MISMATCH', 'Slots', 'Int32');
  db.defaultSafeIntegers();
  assert.equal(db.prepare('SELECT max(Serial) FROM Devices').pluck().get(), 9223372036854775807n);
  db.close();
});

test('transactions, nested ones, and a failing one', (folder) => {
  const db = filled(folder);
  const count = db.prepare('SELECT count(*) FROM Alerts').pluck();
  const insert = db.prepare('INSERT INTO Alerts(PartitionKey, RowKey, Level) VALUES (?, ?, ?)');
  const many = db.transaction((partition, n) => {
    for (let i = 0; i < n; i++) insert.run(partition, String(i).padStart(4, '0'), i);
    return count.get();
  });
  assert.equal(many('a', 300), 307);
  fails(() => db.transaction(() => { many('b', 5); many('a', 1); })(), 'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists');
  assert.equal(count.get(), 307, 'the failing transaction leaves nothing');
  // A nested transaction is a savepoint: it is undone alone.
  db.transaction(() => {
    many('c', 2);
    try {
      db.transaction(() => { many('d', 3); throw new Error('undo'); })();
    } catch (error) {
      assert.equal(error.message, 'undo');
    }
    assert.equal(count.get(), 309);
  }).immediate();
  assert.equal(count.get(), 309);
  db.transaction(() => { db.prepare("DELETE FROM Alerts WHERE PartitionKey IN ('a', 'c')").run(); }).exclusive();
  assert.equal(count.get(), 7);
  db.close();
});

test('iterate(), left early and while writing elsewhere', (folder) => {
  const db = filled(folder);
  const seen = [];
  for (const row of db.prepare('SELECT PartitionKey, RowKey FROM Readings ORDER BY PartitionKey, RowKey').iterate()) {
    seen.push(row.RowKey);
    if (seen.length === 25) break;
  }
  assert.equal(seen[10], '0000');
  // better-sqlite3 forbids writing on a connection that iterates, unless it is told to allow it.
  db.unsafeMode(true);
  const update = db.prepare('UPDATE Readings SET Humidity = 1000 WHERE PartitionKey = ? AND RowKey = ?');
  let rows = 0;
  for (const row of db.prepare('SELECT PartitionKey, RowKey FROM Readings').iterate()) {
    assert.equal(update.run(row.PartitionKey, row.RowKey).changes, 1);
    rows++;
  }
  db.unsafeMode(false);
  assert.equal(rows, 160);
  assert.equal(db.prepare('SELECT count(*) FROM Readings WHERE Humidity = 1000').pluck().get(), 160);
  db.close();
});

test('pragmas, user functions, virtual tables of the host, RETURNING, UPDATE FROM', (folder) => {
  const db = filled(folder);
  assert.deepEqual(db.pragma('table_info(Alerts)').filter((c) => c.notnull).map((c) => c.name), ['PartitionKey', 'RowKey']);
  assert.equal(db.pragma('journal_mode = wal', { simple: true }), 'wal');
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
  db.function('half', { deterministic: true }, (x) => (x === null ? null : x / 2));
  assert.equal(db.prepare('SELECT count(*) FROM Devices WHERE half(Slots) = 1').pluck().get(), 6);
  db.aggregate('longest', { start: '', step: (best, next) => (next && next.length > best.length ? next : best) });
  assert.equal(db.prepare('SELECT longest(Message) FROM Alerts').pluck().get(), 'unknown device');
  db.table('wanted', { columns: ['k'], *rows() { yield ['d00']; yield ['d04']; yield ['nothing']; } });
  assert.deepEqual(db.prepare('SELECT d.RowKey FROM wanted w JOIN Devices d ON d.RowKey = w.k ORDER BY 1').pluck().all(), ['d00', 'd04']);
  assert.deepEqual(db.prepare("INSERT INTO Alerts(PartitionKey, RowKey, Level) VALUES ('r', '1', 2) RETURNING Level, RowKey").all(),
    [{ Level: 2, RowKey: '1' }]);
  fails(() => db.prepare("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('r', '1') ON CONFLICT DO NOTHING").run(),
    'SQLITE_ERROR', 'UPSERT not implemented');
  const from = db.prepare(`UPDATE Alerts SET Message = d.Name, Level = coalesce(Alerts.Level, 0) + 10
                           FROM Devices d WHERE d.RowKey = Alerts.Device AND d.PartitionKey GLOB 'site?'`).run();
  assert.equal(from.changes, 5);
  assert.deepEqual(db.prepare("SELECT Message, Level FROM Alerts WHERE Device = 'd00'").raw().get(), ['Device A', 11]);
  assert.equal(db.prepare("SELECT _properties ->> 'Level' FROM Alerts WHERE Device = 'd99'").pluck().get(), '5');
  db.close();
  assert.ok(!fs.existsSync(path.join(folder, 'data.db-wal')), 'the last close removes the log');
});

test('UPDATE FROM where several rows of the other table match', (folder) => {
  const db = filled(folder);
  db.exec("CREATE TABLE source(k, v); INSERT INTO source VALUES ('001', 'a'), ('001', 'b'), ('002', 'c')");
  // Which match counts is not defined, but there must be no error: an ordinary table takes it.
  db.exec("UPDATE Alerts SET Message = source.v FROM source WHERE source.k = Alerts.RowKey AND Alerts.PartitionKey = '2024-06'");
  const got = db.prepare("SELECT Message FROM Alerts WHERE PartitionKey = '2024-06' ORDER BY RowKey").pluck().all();
  assert.ok(['a', 'b'].includes(got[0]), got[0]);
  assert.deepEqual(got.slice(1), ['c', '100% full', 'unknown device']);
  db.close();
});

test('two connections, backup, serialize, read-only, a database in memory', (folder) => {
  const first = filled(folder);
  const file = path.join(folder, 'data.db');
  const second = connect(file, { timeout: 50 });
  second.exec('CREATE TABLE unrelated(x)');
  first.exec("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('two', '1')");
  assert.equal(second.prepare('SELECT count(*) FROM Alerts').pluck().get(), 8);
  first.exec('BEGIN IMMEDIATE');
  fails(() => second.exec("INSERT INTO Alerts(PartitionKey, RowKey) VALUES ('two', '2')"), 'SQLITE_BUSY', 'locked');
  first.exec('COMMIT');
  second.exec('VACUUM');
  first.exec("DELETE FROM Alerts WHERE PartitionKey = 'two'");
  second.close();
  const copy = new Database(first.serialize());
  copy.loadExtension(SO);
  assert.equal(copy.prepare('SELECT count(*) FROM Alerts').pluck().get(), 7);
  copy.close();
  first.close();
  const reader = connect(file, { readonly: true });
  assert.equal(reader.prepare('SELECT count(*) FROM Devices').pluck().get(), 30);
  fails(() => reader.exec('DELETE FROM Devices'), 'SQLITE_READONLY');
  reader.close();
  const memory = connect(':memory:');
  memory.exec(text('data.sql'));
  assert.equal(memory.prepare('SELECT count(*) FROM Readings').pluck().get(), 160);
  memory.close();
  assert.equal(openFiles(folder), 0, 'descriptors left open');
});

test('many connections in one process, one after the other and at once', (folder) => {
  filled(folder).close();
  const file = path.join(folder, 'data.db');
  const open = [];
  for (let i = 0; i < 30; i++) {
    const db = connect(file);
    assert.equal(db.prepare('SELECT count(*) FROM Devices WHERE Slots = 1').pluck().get(), 4);
    open.push(db);
    if (i % 3 === 2) open.shift().close();
  }
  for (const db of open) db.close();
  assert.equal(openFiles(folder), 0, 'descriptors left open');
});

const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
console.log(`     Node ${process.versions.node}, SQLite ${sqlite}, ${SO}`);
await run('node');
