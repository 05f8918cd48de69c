// Writing to Azurite through SQL: what reaches the service, when, and what a refusal leaves behind. What is stored is
// read back with Microsoft's client.
import assert from 'node:assert/strict';

import { entities, foreign, keysOf, newTable, open } from './azurite_harness.mjs';
import { fails, test } from './node_harness.mjs';

const COLUMNS = 'S STRING, N INT64, D DOUBLE';

async function withEntities(folder, ...keys) {
  const client = await newTable();
  for (const key of keys) {
    const [partitionKey, rowKey] = key.split('|');
    await client.createEntity({ partitionKey, rowKey, S: `S ${key}`, N: { type: 'Int64', value: '5' }, D: { type: 'Double', value: '2.5' },
      other: 'undeclared', Other: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' } });
  }
  return { client, db: open(folder, client, COLUMNS) };
}

const stored = (key, changes = {}) => ({ S: `S ${key}`, N: 'Int64 5', D: 'Double 2.5', other: 'undeclared',
  Other: 'Guid c9da6455-213d-42c9-9a79-3e9149a57833', ...changes });

test('UPDATE keeps undeclared properties, NULL removes, types stay', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1', 'p|2');
  assert.equal(db.prepare("UPDATE r SET S = 'new', N = N + 9007199254740990 WHERE RowKey = '1'").run().changes, 1);
  const { S: _, ...without } = stored('p|2', { D: 'Double 3' });
  db.exec("UPDATE r SET S = NULL, D = 3 WHERE RowKey = '2'");
  assert.deepEqual(await entities(client), { 'p|1': stored('p|1', { S: 'new', N: 'Int64 9007199254740995' }), 'p|2': without });
  // _properties writes what no column declares.
  db.exec("UPDATE r SET _properties = json_set(_properties, '$.other', 'seen', '$.more', 7) WHERE RowKey = '1'");
  assert.equal((await entities(client))['p|1'].other, 'seen');
  assert.equal((await entities(client))['p|1'].more, 'Int32 7');
  assert.equal((await entities(client))['p|1'].Other, stored('').Other);
  assert.equal(db.prepare('DELETE FROM r WHERE N > 6').run().changes, 1);
  assert.deepEqual(await keysOf(client), ['p|2']);
  db.close();
});

test('INSERT of what exists: error, OR IGNORE, OR REPLACE', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1', 'p|2');
  fails(() => db.exec("INSERT INTO r(PartitionKey, RowKey, S) VALUES ('p', '1', 'x')"), 'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists',
    "'p'", "'1'");
  fails(() => db.exec("INSERT INTO r(PartitionKey, RowKey, S) VALUES ('p', '0', 'x'), ('p', '2', 'x'), ('p', '3', 'x')"),
    'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists', "'2'");
  assert.deepEqual(await keysOf(client), ['p|1', 'p|2'], 'a batch is atomic');
  db.exec("INSERT OR IGNORE INTO r(PartitionKey, RowKey, S) VALUES ('p', '1', 'x'), ('p', '3', 'three'), ('p', '3', 'again')");
  assert.deepEqual(await entities(client), { 'p|1': stored('p|1'), 'p|2': stored('p|2'), 'p|3': { S: 'three' } });
  db.exec("INSERT OR REPLACE INTO r(PartitionKey, RowKey, S) VALUES ('p', '1', 'replaced'), ('p', '4', 'four')");
  assert.deepEqual(await entities(client), { 'p|1': { S: 'replaced' }, 'p|2': stored('p|2'), 'p|3': { S: 'three' }, 'p|4': { S: 'four' } });
  db.close();
});

test('a change of keys moves the whole entity', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1', 'p|2', 'q|1');
  db.exec("UPDATE r SET RowKey = '9', S = 'moved' WHERE PartitionKey = 'p' AND RowKey = '1'");
  assert.deepEqual(await entities(client), { 'p|2': stored('p|2'), 'p|9': stored('p|1', { S: 'moved' }), 'q|1': stored('q|1') });
  db.exec("UPDATE r SET PartitionKey = 'z' WHERE PartitionKey = 'q'");
  assert.deepEqual(await keysOf(client), ['p|2', 'p|9', 'z|1']);
  fails(() => db.exec("UPDATE r SET RowKey = '2' WHERE RowKey = '9'"), 'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists', "'2'");
  assert.deepEqual(await keysOf(client), ['p|2', 'p|9', 'z|1']);
  assert.deepEqual((await entities(client))['p|2'], stored('p|2'));
  db.close();
});

test('a transaction of 1000 rows over several partitions, changed and deleted again', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1');
  const insert = db.prepare('INSERT INTO r(PartitionKey, RowKey, S, N) VALUES (?, ?, ?, ?)');
  const count = db.prepare('SELECT count(*) FROM r').pluck();
  db.exec('BEGIN');
  for (let i = 0; i < 1000; i++) insert.run(`part ${i % 7}`, String(i).padStart(4, '0'), `row ${i}`, BigInt(i));
  assert.equal(count.get(), 1001);
  assert.equal(db.prepare("UPDATE r SET S = 'changed' WHERE N >= 900").run().changes, 100);
  assert.equal(db.prepare('DELETE FROM r WHERE N < 10 AND PartitionKey LIKE \'part%\'').run().changes, 9 + 1);
  assert.deepEqual(await keysOf(client), ['p|1'], 'nothing leaves before COMMIT');
  db.exec('COMMIT');
  const all = await entities(client);
  assert.equal(Object.keys(all).length, 991);
  assert.deepEqual(all['part 6|0902'], { S: 'changed', N: 'Int64 902' });
  assert.equal(count.get(), 991);
  assert.equal(db.prepare("UPDATE r SET N = N + 1 WHERE PartitionKey LIKE 'part%'").run().changes, 990);
  assert.equal((await entities(client))['part 0|0994'].N, 'Int64 995');
  assert.equal(db.prepare("DELETE FROM r WHERE PartitionKey LIKE 'part%'").run().changes, 990);
  assert.deepEqual(await keysOf(client), ['p|1']);
  db.close();
});

test('ROLLBACK leaves nothing, savepoints undo their part', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1', 'p|2');
  const read = () => db.prepare('SELECT PartitionKey, RowKey, S FROM r ORDER BY 1, 2').raw().all().map((row) => row.join('|'));
  const before = read();
  db.exec("BEGIN; INSERT INTO r(PartitionKey, RowKey) VALUES ('a', '1'); UPDATE r SET S = 'x'; DELETE FROM r WHERE RowKey = '2'");
  assert.deepEqual(read(), ['a|1|x', 'p|1|x']);
  db.exec('ROLLBACK');
  assert.deepEqual(read(), before);
  assert.deepEqual(await entities(client), { 'p|1': stored('p|1'), 'p|2': stored('p|2') });

  db.exec(`BEGIN; INSERT INTO r(PartitionKey, RowKey, S) VALUES ('a', '1', 'kept');
           SAVEPOINT one; UPDATE r SET S = 'one'; SAVEPOINT two; DELETE FROM r`);
  assert.deepEqual(read(), []);
  db.exec('ROLLBACK TO two');
  assert.deepEqual(read(), ['a|1|one', 'p|1|one', 'p|2|one']);
  db.exec("RELEASE two; ROLLBACK TO one; UPDATE r SET S = 'end' WHERE RowKey = '2'; RELEASE one");
  assert.deepEqual(read(), ['a|1|kept', 'p|1|S p|1', 'p|2|end']);
  db.exec('COMMIT');
  assert.deepEqual(await entities(client), { 'a|1': { S: 'kept' }, 'p|1': stored('p|1'), 'p|2': stored('p|2', { S: 'end' }) });
  // A statement that fails is undone alone.
  db.exec("BEGIN; INSERT INTO r(PartitionKey, RowKey, S) VALUES ('b', '1', 'stays')");
  fails(() => db.exec("INSERT INTO r(PartitionKey, RowKey, N) VALUES ('c', '1', 1), ('c', '2', 'no number')"), 'SQLITE_MISMATCH', 'N');
  db.exec('COMMIT');
  assert.deepEqual((await keysOf(client)).filter((key) => /^[bc]/.test(key)), ['b|1']);
  db.close();
});

test('an entity changed by another between scan and COMMIT is not overwritten', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1', 'p|2', 'q|1');
  const theirs = { partitionKey: 'p', rowKey: '2', S: 'theirs' };
  for (const sql of ["UPDATE r SET S = 'ours' WHERE PartitionKey = 'p' AND RowKey = '2'", "UPDATE r SET S = 'ours' WHERE PartitionKey = 'p'",
    "DELETE FROM r WHERE PartitionKey = 'p'", "UPDATE r SET RowKey = 'x' || RowKey WHERE RowKey = '2'"]) {
    db.exec('BEGIN');
    db.exec(sql);
    theirs.S += '!';
    await client.updateEntity(theirs, 'Merge');
    fails(() => db.exec('COMMIT'), 'SQLITE_CONSTRAINT_VTAB', 'UpdateConditionNotSatisfied', "'p'", "'2'", client.tableName);
    if (db.inTransaction) db.exec('ROLLBACK');
    assert.deepEqual(await entities(client), { 'p|1': stored('p|1'), 'p|2': stored('p|2', { S: theirs.S }), 'q|1': stored('q|1') }, sql);
  }
  // Deleted by another.
  db.exec("BEGIN; UPDATE r SET S = 'ours' WHERE PartitionKey = 'q'");
  await client.deleteEntity('q', '1');
  fails(() => db.exec('COMMIT'), 'SQLITE_ERROR', 'ResourceNotFound', "'q'", "'1'");
  if (db.inTransaction) db.exec('ROLLBACK');
  assert.deepEqual(await keysOf(client), ['p|1', 'p|2']);
  // What was read again may be written.
  db.exec("UPDATE r SET S = 'ours' WHERE RowKey = '2'");
  assert.equal((await entities(client))['p|2'].S, 'ours');
  db.close();
});

test('a COMMIT that fails part-way says what was applied', async (folder) => {
  const { client, db } = await withEntities(folder, 'zz|1');
  db.exec("BEGIN; INSERT INTO r(PartitionKey, RowKey) VALUES ('aa', '1'); INSERT INTO r(PartitionKey, RowKey) VALUES ('bb', '1')");
  // Written by another after this transaction's own look.
  await client.createEntity({ partitionKey: 'bb', rowKey: '1', S: 'theirs' });
  fails(() => db.exec('COMMIT'), 'SQLITE_CONSTRAINT_PRIMARYKEY', 'EntityAlreadyExists', "'bb'", "'aa'", 'applied');
  if (db.inTransaction) db.exec('ROLLBACK');
  const all = await entities(client);
  assert.deepEqual(all['bb|1'], { S: 'theirs' });
  assert.deepEqual(Object.keys(all), ['aa|1', 'bb|1', 'zz|1']);
  db.close();
});

test('two foreign tables for one remote table, and a local one, in one transaction', async (folder) => {
  const { client, db } = await withEntities(folder, 'p|1');
  db.exec(foreign('twin', 'other STRING', client.tableName));
  db.exec("CREATE VIRTUAL TABLE Notes USING table_storage(S STRING); CREATE TABLE plain(x)");
  db.exec(`BEGIN; UPDATE r SET S = 'by r'; UPDATE twin SET other = 'by twin'; INSERT INTO twin(PartitionKey, RowKey, other) VALUES ('p', '2', 'new');
           INSERT INTO Notes(PartitionKey, RowKey, S) SELECT PartitionKey, RowKey, S FROM r; INSERT INTO plain SELECT other FROM twin; COMMIT`);
  assert.deepEqual(await entities(client), { 'p|1': stored('p|1', { S: 'by r', other: 'by twin' }), 'p|2': { other: 'new' } });
  assert.deepEqual(db.prepare('SELECT RowKey, S FROM Notes ORDER BY 1').raw().all(), [['1', 'by r'], ['2', null]]);
  assert.deepEqual(db.prepare('SELECT x FROM plain ORDER BY 1').pluck().all(), ['by twin', 'new']);
  // A refused COMMIT undoes the local part too.
  db.exec("BEGIN; INSERT INTO plain VALUES ('lost'); INSERT INTO Notes(PartitionKey, RowKey) VALUES ('lost', '1'); UPDATE r SET S = 'ours' WHERE RowKey = '1'");
  await client.updateEntity({ partitionKey: 'p', rowKey: '1', S: 'theirs' }, 'Merge');
  fails(() => db.exec('COMMIT'), 'SQLITE_CONSTRAINT_VTAB', 'UpdateConditionNotSatisfied');
  if (db.inTransaction) db.exec('ROLLBACK');
  assert.equal(db.prepare('SELECT (SELECT count(*) FROM plain) + (SELECT count(*) FROM Notes)').pluck().get(), 4);
  assert.equal((await entities(client))['p|1'].S, 'theirs');
  db.close();
});
