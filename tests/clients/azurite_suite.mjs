// Remote tables against a real program that speaks the service's protocol, Azurite, with Microsoft's JavaScript client
// as the second opinion on what is stored: what one writes the other must read, type by type.
// azurite_queries.mjs holds the differential tests, azurite_writes.mjs the transactions.
import assert from 'node:assert/strict';
import path from 'node:path';

import { ENDPOINT, KEY, entities, foreign, freePort, keysOf, newTable, open, service } from './azurite_harness.mjs';
import { Database, SO, connect, fails, run, test } from './node_harness.mjs';
import './azurite_queries.mjs';
import './azurite_writes.mjs';

const COLUMNS = 'S STRING, I INT32, L INT64, D DOUBLE, B BOOLEAN, T DATETIME, G GUID, X BINARY, A ANY';
const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';
const MIXED_GUID = 'C9DA6455-213D-42C9-9A79-3E9149A57833';
const TRICKY = `it's "quoted" % + / \\ ? # & é 東京 😀\n\ttab`;
// What keys may hold: neither / \ # ? nor control characters.
const KEYS = [['', ''], ['', 'only row'], ['only partition', ''], ["o'dd", "''"], ['100%', '%41'], ['a+b', 'a b'], [' ', '  '], ['é', 'e\u0301'],
  ['東京', '大阪'], ['😀', '\u{1F468}\u200D\u{1F469}'], ['\uFF5E', '\uE000'], ["$filter=x eq 'y'", "a=b&c;d,e:@"], ['(', "'),PartitionKey='"], ['"',
    '<&>'], ['~', '`^{}|']];

test('every Edm type written by the client is read by SQL', async (folder) => {
  const client = await newTable();
  const put = (rowKey, properties) => client.createEntity({ partitionKey: 'p', rowKey, ...properties });
  await put('1', { S: TRICKY, I: { type: 'Int32', value: '-2147483648' }, L: { type: 'Int64', value: '9223372036854775807' }, D: { type: 'Double',
    value: '22' },
    B: true, T: { type: 'DateTime', value: '2024-06-15T10:00:00.1234567Z' }, G: { type: 'Guid', value: GUID }, X: new Uint8Array([0, 255, 16]),
    A: { type: 'Int64', value: '9007199254740993' } });
  await put('2', { S: '', I: 2147483647, L: -9007199254740993n, D: { type: 'Double', value: 'NaN' }, B: false,
    T: new Date('1601-01-01T00:00:00Z'),
    G: { type: 'Guid', value: MIXED_GUID }, X: new Uint8Array(), A: { type: 'Double', value: '3' } });
  await put('3', { D: { type: 'Double', value: 'Infinity' }, T: { type: 'DateTime', value: '9999-12-31T23:59:59.9999999Z' }, L: 5, A: '5' });
  await put('4', { D: { type: 'Double', value: '-Infinity' }, L: { type: 'Int32', value: '7' }, A: { type: 'DateTime',
    value: '2024-06-15T10:00:00Z' } });
  await put('5', { D: 0.1, A: new Uint8Array([1]) });
  await put('6', { D: 7, A: true });
  // No column shows a value of another type, but widening within numbers.
  await put('7', { S: 5, I: '5', L: 1.5, D: 'x', B: 1, T: '2024-01-01', G: GUID, X: 'AAE=', A: { type: 'Guid', value: MIXED_GUID } });
  const db = open(folder, client, COLUMNS);
  const read = db.prepare('SELECT S, I, L, D, B, T, G, X, A FROM r ORDER BY RowKey').raw().safeIntegers();
  assert.deepEqual(read.all(), [
    [TRICKY, -2147483648n, 9223372036854775807n, 22, 1n, '2024-06-15T10:00:00.1234567Z', GUID, Buffer.from([0, 255, 16]), 9007199254740993n],
    ['', 2147483647n, -9007199254740993n, null, 0n, '1601-01-01T00:00:00.0000000Z', GUID, Buffer.alloc(0), 3],
    [null, null, 5n, Infinity, null, '9999-12-31T23:59:59.9999999Z', null, null, '5'],
    [null, null, 7n, -Infinity, null, null, null, null, '2024-06-15T10:00:00.0000000Z'],
    [null, null, null, 0.1, null, null, null, null, Buffer.from([1])],
    [null, null, null, 7, null, null, null, null, 1n],
    [null, null, null, null, null, null, null, null, GUID],
  ]);
  const json = db.prepare("SELECT _properties FROM r WHERE PartitionKey = 'p' AND RowKey = ?").pluck();
  assert.match(json.get('1'), /"L@odata.type":"Edm.Int64"/);
  assert.match(json.get('2'), /"D":"NaN"/);
  assert.match(json.get('7'), /"I":"5"/);
  // Timestamp and ETag are the service's own.
  const entity = await client.getEntity('p', '1');
  const own = db.prepare("SELECT Timestamp, _etag FROM r WHERE PartitionKey = 'p' AND RowKey = '1'").raw().get();
  assert.equal(own[1], entity.etag);
  assert.equal(Date.parse(own[0]), Date.parse(entity.timestamp));
  const checked = connect(path.join(folder, 'strict.db'));
  checked.exec(foreign('r', 'I INT32', client.tableName, ", on_type_mismatch 'error'"));
  fails(() => checked.prepare("SELECT I FROM r WHERE RowKey = '7'").all(), 'SQLITE_MISMATCH', "'7'", 'I');
  checked.close();
  db.close();
});

test('IMPORT FOREIGN SCHEMA: columns from the entities, joined, imported again, reopened', async (folder) => {
  const devices = await newTable('ImportDevices');
  const readings = await newTable('ImportReadings');
  await newTable('ImportEmpty');
  await devices.createEntity({ partitionKey: 'site', rowKey: 'd1', Name: 'first', Weight: 2, order: 'a', Order: true });
  await devices.createEntity({ partitionKey: 'site', rowKey: 'd2', Name: 'second', Weight: { type: 'Double', value: '2.5' },
    Serial: { type: 'Int64', value: '9007199254740993' }, Mixed: 'x' });
  await devices.createEntity({ partitionKey: 'site', rowKey: 'd3', Seen: { type: 'DateTime', value: '2024-06-15T10:00:00Z' },
    Code: { type: 'Guid', value: GUID }, Raw: new Uint8Array([1]), Mixed: false, Serial: 5 });
  for (let i = 0; i < 3; i++) await readings.createEntity({ partitionKey: 'd1', rowKey: String(i), Value: i });

  const file = path.join(folder, 'import.db');
  let db = connect(file);
  const fdw = (statements) => db.prepare('SELECT fdw(?)').pluck().get(statements);
  const columns = (table) => db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table).replace(/\s+/g, ' ');
  const mapping = `CREATE USER MAPPING FOR CURRENT_USER SERVER emulator OPTIONS (account_key '${KEY}')`;
  assert.equal(fdw(`CREATE SERVER emulator FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint '${ENDPOINT}', metadata 'full'); ${mapping}`),
    'CREATE USER MAPPING');
  const importing = 'IMPORT FOREIGN SCHEMA tables LIMIT TO (ImportDevices, ImportReadings, ImportEmpty) FROM SERVER emulator INTO main';
  assert.equal(fdw(importing), 'IMPORT FOREIGN SCHEMA');
  assert.equal(columns('ImportDevices'), 'CREATE VIRTUAL TABLE ImportDevices USING table_storage( Name STRING, Weight DOUBLE, '
    + "\"order\" STRING, Order_2 BOOLEAN OPTIONS (property 'Order'), Serial INT64, Mixed ANY, Seen DATETIME, Code GUID, Raw BINARY, "
    + "SERVER emulator, OPTIONS (table 'ImportDevices') )");
  assert.equal(columns('ImportEmpty'), "CREATE VIRTUAL TABLE ImportEmpty USING table_storage( SERVER emulator, OPTIONS (table 'ImportEmpty') )");
  const join = `SELECT d.Name, d.Serial, count(r.RowKey) FROM ImportDevices d LEFT JOIN ImportReadings r ON r.PartitionKey = d.RowKey
                GROUP BY d.RowKey ORDER BY d.RowKey`;
  const want = [['first', null, 3n], ['second', 9007199254740993n, 0n], [null, 5n, 0n]];
  const joined = () => db.prepare(join).raw().safeIntegers().all();
  assert.deepEqual(joined(), want);
  assert.equal(db.prepare("SELECT notice FROM ts_import_notices WHERE column_name = 'Mixed'").pluck().get().startsWith('mixed types: '), true);
  assert.deepEqual(db.prepare("SELECT types, count, missing, first_row_key FROM ts_schema('emulator', 'ImportDevices') WHERE property = 'Weight'")
    .raw().get(), ['{"Int32":1,"Double":1}', 2, 1, 'd1']);
  // The user's own stays, what is new comes.
  fdw("ALTER FOREIGN TABLE ImportReadings OPTIONS (updatable 'false')");
  await readings.createEntity({ partitionKey: 'd2', rowKey: '0', Value: { type: 'Int64', value: '7' }, Quality: 'good' });
  fdw(importing);
  assert.equal(columns('ImportReadings'), 'CREATE VIRTUAL TABLE ImportReadings USING table_storage( Value INT64, Quality STRING, SERVER emulator, '
    + "OPTIONS (table 'ImportReadings', updatable 'false') )");
  want[1][2] = 1n;
  assert.deepEqual(joined(), want);
  fails(() => fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (ImportDevice) FROM SERVER emulator INTO main'), 'SQLITE_ERROR',
    'has no table ImportDevice; did you mean ImportDevices?');
  db.close();
  db = connect(file);
  assert.deepEqual(joined(), want); // the emulator's key is known to everybody, so that no mapping is needed
  db.close();
});

test('every Edm type written by SQL is read by the client', async (folder) => {
  const client = await newTable();
  const db = open(folder, client, COLUMNS);
  const insert = db.prepare("INSERT INTO r(PartitionKey, RowKey, S, I, L, D, B, T, G, X, A) VALUES ('p', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.run('1', TRICKY, -2147483648n, 9223372036854775807n, 22n, 1n, '2024-06-15T10:00:00.1234567Z', MIXED_GUID, Buffer.from([0, 255, 16]),
    9007199254740993n);
  insert.run('2', '', 2147483647n, -9223372036854775808n, 'NaN', 0n, '2024-06-15T12:00:00+02:00', GUID, Buffer.alloc(0), 3.0);
  insert.run('3', null, null, null, 'Infinity', null, '1601-01-01', null, null, 'text');
  insert.run('4', null, 0n, 0n, -Infinity, null, '9999-12-31T23:59:59.9999999Z', null, null, Buffer.from([1]));
  insert.run('5', '5', null, 5n, 1e300, null, null, null, null, 0.1);
  insert.run('6', '\u0000', null, null, -0.0, null, null, null, null, '');
  db.prepare('INSERT INTO r(PartitionKey, RowKey, S, _properties) VALUES (?, ?, ?, ?)').run('p', '7', 's',
    `{"Other@odata.type":"Edm.Int64","Other":"5","Small":5,"Real":5.0,"Flag":true,"Id@odata.type":"Edm.Guid","Id":"${GUID}"}`);
  assert.deepEqual(await entities(client), {
    'p|1': { S: TRICKY, I: 'Int32 -2147483648', L: 'Int64 9223372036854775807', D: 'Double 22', B: 'Boolean true',
      T: 'DateTime 2024-06-15T10:00:00.1234567Z',
      G: `Guid ${GUID}`, X: 'Binary AP8Q', A: 'Int64 9007199254740993' },
    'p|2': { S: '', I: 'Int32 2147483647', L: 'Int64 -9223372036854775808', D: 'Double NaN', B: 'Boolean false',
      T: 'DateTime 2024-06-15T10:00:00Z',
      G: `Guid ${GUID}`, X: 'Binary ', A: 'Double 3' },
    'p|3': { D: 'Double Infinity', T: 'DateTime 1601-01-01T00:00:00Z', A: 'text' },
    'p|4': { I: 'Int32 0', L: 'Int64 0', D: 'Double -Infinity', T: 'DateTime 9999-12-31T23:59:59.9999999Z', A: 'Binary AQ==' },
    'p|5': { S: '5', L: 'Int64 5', D: 'Double 1e+300', A: 'Double 0.1' },
    'p|6': { S: '\u0000', D: 'Double 0', A: '' },
    'p|7': { S: 's', Other: 'Int64 5', Small: 'Int32 5', Real: 'Double 5', Flag: 'Boolean true', Id: `Guid ${GUID}` },
  });
  db.close();
});

test('keys of every kind, in both directions', async (folder) => {
  const byClient = await newTable();
  for (const [partitionKey, rowKey] of KEYS) await byClient.createEntity({ partitionKey, rowKey, S: `${partitionKey}|${rowKey}` });
  const bySql = await newTable();
  const db = open(folder, byClient, 'S STRING');
  db.exec(foreign('w', 'S STRING', bySql.tableName));
  const sorted = (keys) => keys.map((key) => key.join('|')).sort();
  assert.deepEqual(sorted(db.prepare('SELECT PartitionKey, RowKey FROM r').raw().all()), sorted(KEYS));
  const get = db.prepare('SELECT S, PartitionKey, RowKey FROM r WHERE PartitionKey = ? AND RowKey = ?').raw();
  const partition = db.prepare('SELECT RowKey FROM r WHERE PartitionKey = ? AND RowKey >= ?').pluck();
  for (const [p, r] of KEYS) {
    assert.deepEqual(get.all(p, r), [[`${p}|${r}`, p, r]]);
    assert.ok(partition.all(p, r).includes(r), `range from ${r} in ${p}`);
  }
  // SQLite orders by UTF-8 bytes, the service by UTF-16 units.
  assert.deepEqual(db.prepare('SELECT PartitionKey, RowKey FROM r ORDER BY PartitionKey, RowKey').raw().all(),
    [...KEYS].sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])) || Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1]))));

  db.exec('INSERT INTO w(PartitionKey, RowKey, S) SELECT PartitionKey, RowKey, S FROM r');
  assert.deepEqual(await entities(bySql), await entities(byClient));
  assert.equal(db.prepare("UPDATE w SET S = S || '!'").run().changes, KEYS.length);
  const changed = await entities(bySql);
  for (const [p, r] of KEYS) assert.equal(changed[`${p}|${r}`].S, `${p}|${r}!`);
  const remove = db.prepare('DELETE FROM w WHERE PartitionKey = ? AND RowKey = ?');
  for (const key of KEYS) assert.equal(remove.run(...key).changes, 1, key.join('|'));
  assert.deepEqual(await keysOf(bySql), []);
  db.close();
});

test('keys of every kind in batches', async (folder) => {
  const client = await newTable();
  const db = open(folder, client, 'S STRING');
  // Azurite reads a batch by patterns, so quotes, commas and what looks like an address are the traps.
  const rowKeys = [...new Set([...KEYS.map(([, rowKey]) => rowKey), "a','b", "a')b", "x'y", "o''p", "',RowKey='q", "x', y"])];
  const insert = db.prepare('INSERT INTO r(PartitionKey, RowKey, S) VALUES (?, ?, ?)');
  const replace = db.prepare('INSERT OR REPLACE INTO r(PartitionKey, RowKey, S) VALUES (?, ?, ?)');
  const expected = (value) => Object.fromEntries(['p', "o'dd, q"].flatMap((p) => rowKeys.map((rowKey) => [`${p}|${rowKey}`, { S: value }])));
  const all = (statement, value) => db.transaction(() => {
    for (const p of ['p', "o'dd, q"]) for (const rowKey of rowKeys) statement.run(p, rowKey, value);
  })();
  all(insert, 'inserted');
  assert.deepEqual(await entities(client), expected('inserted'));
  assert.equal(db.prepare("UPDATE r SET S = 'updated'").run().changes, 2 * rowKeys.length);
  assert.deepEqual(await entities(client), expected('updated'));
  all(replace, 'replaced');
  assert.deepEqual(await entities(client), expected('replaced'));
  assert.equal(db.prepare('DELETE FROM r').run().changes, 2 * rowKeys.length);
  assert.deepEqual(await keysOf(client), []);
  db.close();
});

test('a table that does not exist', (folder) => {
  const db = connect(path.join(folder, 'none.db'));
  db.exec(foreign('none', 'S STRING', 'NoSuchTable'));
  for (const sql of ['SELECT * FROM none', "SELECT * FROM none WHERE PartitionKey = 'a' AND RowKey = 'b'",
    "INSERT INTO none(PartitionKey, RowKey) VALUES ('a', 'b')",
    "INSERT INTO none(PartitionKey, RowKey) VALUES ('a', 'b'), ('a', 'c')", 'DELETE FROM none', "UPDATE none SET S = 'x'"]) {
    const statement = db.prepare(sql);
    fails(() => (statement.reader ? statement.all() : statement.run()), 'SQLITE_ERROR', 'TableNotFound', 'NoSuchTable');
  }
  assert.equal(db.inTransaction, false);
  db.exec('DROP TABLE none');
  db.close();
});

test('nobody listens', async (folder) => {
  const port = await freePort();
  const db = connect(path.join(folder, 'refused.db'));
  // Making and opening a table asks nobody.
  db.exec(foreign('gone', 'S STRING', 'Things', ", max_retries '0'").replace(ENDPOINT, ENDPOINT.replace(/:\d+/, `:${port}`)));
  db.close();
  const again = connect(path.join(folder, 'refused.db'));
  assert.equal(again.pragma('table_info(gone)').length, 4);
  for (const sql of ['SELECT * FROM gone', "INSERT INTO gone(PartitionKey, RowKey) VALUES ('a', 'b')"]) {
    const begun = Date.now();
    const statement = again.prepare(sql);
    const error = fails(() => (statement.reader ? statement.all() : statement.run()), 'SQLITE_IOERR', 'Things', `127.0.0.1:${port}`);
    assert.match(error.message, /no connection/);
    assert.ok(Date.now() - begun < 1000, `${sql} took ${Date.now() - begun} ms`);
    assert.ok(!/AccountKey|SharedKey|Eby8vdM/.test(error.message), error.message);
  }
  again.close();
});

test('ALTER TABLE and DROP TABLE leave the entities alone', async (folder) => {
  const client = await newTable();
  await client.createEntity({ partitionKey: 'p', rowKey: '1', S: 'kept' });
  const db = open(folder, client, 'S STRING');
  const get = (name) => db.prepare(`SELECT S FROM ${name}`).pluck().all();
  assert.deepEqual(get('r'), ['kept']);
  db.exec('ALTER TABLE r RENAME TO renamed');
  assert.deepEqual(get('renamed'), ['kept']);
  db.exec("UPDATE renamed SET S = 'changed'");
  db.exec('BEGIN; DROP TABLE renamed; ROLLBACK');
  assert.deepEqual(get('renamed'), ['changed']);
  db.exec('DROP TABLE renamed');
  assert.deepEqual(await entities(client), { 'p|1': { S: 'changed' } });
  db.exec(foreign('r', 'S STRING', client.tableName));
  assert.deepEqual(get('r'), ['changed']);
  const tables = [];
  for await (const table of service.listTables()) tables.push(table.name);
  assert.ok(tables.includes(client.tableName));
  db.close();
});

const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
console.log(`     Azurite at ${ENDPOINT}, Node ${process.versions.node}, SQLite ${sqlite}, ${SO}`);
await run('azurite');
