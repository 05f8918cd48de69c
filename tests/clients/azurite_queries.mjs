// Queries on tables of Azurite, of the local backend and on ordinary copies: all must give the same rows. Azurite
// evaluates filters otherwise than the service does, so a condition pushed to it without care loses rows.
import assert from 'node:assert/strict';
import path from 'node:path';

import { foreign, newTable } from './azurite_harness.mjs';
import { TABLE, bound, queries, rows, show, withTables } from './node_compare.mjs';
import { connect, filled, test, text } from './node_harness.mjs';

const TABLES = ['Devices', 'Readings', 'Alerts'];
// A Timestamp is each backend's own.
const showsTimestamp = (sql) => /SELECT \*|\.\*|Timestamp|_etag/.test(sql);

/**
 * The tables of data.sql: Devices at the emulator, l_Devices local, n_Devices ordinary, and so on. The ordinary copies
 * have the rows of the local ones, but the remote Timestamps.
 */
async function tripled(folder) {
  const db = filled(folder);
  for (const name of TABLES) {
    const definition = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name);
    const columns = /table_storage\(([^]*)\)/.exec(definition)[1].trim();
    const client = await newTable();
    db.exec(`DROP TABLE ${name}; CREATE VIRTUAL TABLE l_${name} USING table_storage(${columns}, OPTIONS (table '${name}'))`);
    db.exec(foreign(name, columns, client.tableName));
    db.exec(`INSERT INTO ${name}(PartitionKey, RowKey, _properties) SELECT PartitionKey, RowKey, _properties FROM l_${name}`);
  }
  db.exec(text('native_copy.sql').replace(/(INSERT INTO n_\w+ SELECT \*) FROM (\w+)/g, '$1 FROM l_$2'));
  for (const name of TABLES) {
    db.exec(`UPDATE n_${name} SET Timestamp = r.Timestamp FROM ${name} r
             WHERE r.PartitionKey = n_${name}.PartitionKey AND r.RowKey = n_${name}.RowKey`);
  }
  return db;
}

/** Runs every variant on the remote tables and on others; the rows must be the same. */
async function compare(folder, variants) {
  const db = await tripled(folder);
  const wrong = [];
  let compared = 0;
  for (const query of queries) {
    for (const { sql, values, others } of variants(query)) {
      const attempt = (run) => {
        try {
          return rows(db, run, values);
        } catch (error) {
          return [`error: ${error.message}`];
        }
      };
      const got = attempt(sql);
      for (const other of others) {
        compared++;
        const want = attempt(other);
        if (got.join('\n') === want.join('\n') && !want[0]?.startsWith('error')) continue;
        wrong.push(`${sql} with ${show(values)}\n  got  ${got.length}: ${got.slice(0, 6)}\n  want ${want.length}: ${want.slice(0, 6)} (${other})`);
      }
    }
  }
  db.close();
  assert.ok(wrong.length === 0, `${wrong.length} of ${compared} differ:\n${wrong.join('\n')}`);
  return compared;
}

const native = (sql) => withTables(sql, () => false);
const local = (sql) => withTables(sql, () => false, 'l_');

test('queries: remote, local and ordinary tables give the same rows', async (folder) => {
  const compared = await compare(folder, (sql) => [{ sql, values: [], others: [native(sql), ...(showsTimestamp(sql) ? [] : [local(sql)])] }]);
  assert.ok(compared > 300, `only ${compared} comparisons`);
});

test('queries with bound parameters', async (folder) => {
  const compared = await compare(folder, (query) => {
    const parameters = bound(query);
    return parameters ? [{ ...parameters, others: [native(parameters.sql)] }] : [];
  });
  assert.ok(compared > 120, `only ${compared} comparisons`);
});

test('joins of remote tables with ordinary and with local ones, either way round', async (folder) => {
  const compared = await compare(folder, (query) => {
    if ((query.match(TABLE) ?? []).length < 2 || query.includes('rowid') || showsTimestamp(query)) return [];
    return [0, 1].flatMap((side) => ['n_', 'l_'].map((prefix) => ({
      sql: withTables(query, (number) => number % 2 === side, prefix), values: [], others: [native(query)] })));
  });
  assert.ok(compared > 120, `only ${compared} comparisons`);
});

// Values on which Azurite's comparisons go wrong: each as the client writes it, and as SQL reads it in its column.
const edm = (type, value) => ({ type, value });
const GUID = '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab';
const ODD = {
  I: ['INT32', 'INTEGER', [[edm('Int32', '0'), 0], [edm('Int32', '5'), 5], [edm('Int32', '-2147483648'), -2147483648], [edm('Int32',
    '2147483647'), 2147483647],
    [edm('Int64', '5'), null], [edm('Double', '5'), null], ['5', null]]],
  L: ['INT64', 'INTEGER', [[edm('Int64', '9007199254740992'), 9007199254740992n], [edm('Int64', '9007199254740993'), 9007199254740993n],
    [edm('Int64', '9223372036854775807'), 9223372036854775807n], [edm('Int64', '-9223372036854775808'), -9223372036854775808n],
    [edm('Int64', '5'), 5], [edm('Int64', '10'), 10], [edm('Int64', '-7'), -7], [edm('Int32', '5'), 5], [edm('Double', '5.5'), null], ['9',
      null]]],
  D: ['DOUBLE', 'REAL', [[edm('Double', '22'), 22], [edm('Double', '22.5'), 22.5], [edm('Int32', '22'), 22], [edm('Int64', '22'), 22],
    [edm('Double', '-0.0'), -0],
    [edm('Double', '1e300'), 1e300], [edm('Double', '5e-324'), 5e-324], [edm('Double', 'NaN'), null], [edm('Double', 'Infinity'), Infinity],
    [edm('Double', '-Infinity'), -Infinity], [edm('Int64', '9007199254740993'), null], ['22', null]]],
  S: ['STRING', 'TEXT', [['', ''], ['5', '5'], ['true', 'true'], ["it's", "it's"], ['a b+c%20&d', 'a b+c%20&d'], ['é', 'é'], ['東京', '東京'], ['😀',
    '😀'], ['\uFF5E', '\uFF5E'],
    ['Abc', 'Abc'], ['abc', 'abc'], ['2024-06-15T10:00:00Z', '2024-06-15T10:00:00Z'], [edm('Int32', '5'), null], [true, null], [`${GUID}`,
      GUID]]],
  B: ['BOOLEAN', 'BOOLEAN', [[true, 1], [false, 0], ['true', null], [edm('Int32', '1'), null]]],
  T: ['DATETIME', 'TEXT COLLATE ts_datetime', [...['2024-06-15T10:00:00.0000000Z', '2024-06-15T10:00:00.0000001Z', '2024-06-15T10:00:00.1234567Z',
    '2024-06-15T10:00:00.1239999Z',
    '2024-06-15T10:00:00.1240000Z', '1601-01-01T00:00:00.0000000Z', '9999-12-31T23:59:59.9999999Z'].map((t) => [edm('DateTime', t), t]),
    [edm('DateTime', '2024-06-15T10:00:01Z'), '2024-06-15T10:00:01.0000000Z'], ['2024-06-15T10:00:00Z', null], [edm('Int32', '5'), null]]],
  G: ['GUID', 'TEXT COLLATE NOCASE', [[edm('Guid', GUID), GUID], [edm('Guid', GUID.toUpperCase()), GUID], [edm('Guid',
    '00000000-0000-0000-0000-000000000000'), '00000000-0000-0000-0000-000000000000'],
    [edm('Guid', 'ffffffff-0000-0000-0000-000000000000'), 'ffffffff-0000-0000-0000-000000000000'], [GUID, null]]],
  X: ['BINARY', 'BLOB', [[new Uint8Array(), Buffer.alloc(0)], [new Uint8Array([0]), Buffer.from([0])], [new Uint8Array([0, 255, 16]),
    Buffer.from([0, 255, 16])],
    [new Uint8Array([255]), Buffer.from([255])], ['AP8Q', null]]],
  A: ['ANY', 'BLOB', [[edm('Int32', '5'), 5], [edm('Int64', '5'), 5], [edm('Double', '5'), 5.0], ['5', '5'], [true, 1], [new Uint8Array([53]),
    Buffer.from([53])],
    [edm('DateTime', '2024-06-15T10:00:00Z'), '2024-06-15T10:00:00.0000000Z'], [edm('Guid', GUID), GUID], [edm('Double', '5.5'), 5.5]]],
};
const OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'IS', 'IS NOT'];
const LITERALS = {
  I: ['0', '5', '5.0', '4.5', "'5'", '2147483647', '2147483648', '-2147483648', "'x'"],
  L: ['5', '10', '-7', '5.0', "'5'", '9007199254740992', '9007199254740993', '9007199254740994', '9007199254740992.0', '9223372036854775807',
    '(-9223372036854775807 - 1)', '9.3e18'],
  D: ['22', '22.0', '22.5', "'22'", '0', '-0.0', '1e300', '5e-324', '9e999', '-9e999', '9007199254740993', "'NaN'"],
  S: ["''", "'5'", '5', "'true'", "'it''s'", "'a b+c%20&d'", "'é'", "'東京'", "'😀'", "'abc'", "'2024-06-15T10:00:00Z'", `'${GUID}'`],
  B: ['1', '0', '2', "'1'", 'TRUE'],
  T: ["'2024-06-15T10:00:00Z'", "'2024-06-15T10:00:00.0000001Z'", "'2024-06-15T12:00:00.1234567+02:00'", "'2024-06-15 10:00:00.123'",
    "'2024-06-15'", "'2024-06-15T10:00:00.124Z'", "'1601-01-01'", "'9999-12-31T23:59:59.9999999Z'", "'x'", '5'],
  G: [`'${GUID}'`, `'${GUID.toUpperCase()}'`, "'00000000-0000-0000-0000-000000000000'", "'ff'", '5'],
  X: ["x''", "x'00'", "x'00ff10'", "x'ff'", "'AP8Q'"],
  A: ['5', '5.0', "'5'", '1', "x'35'", "'2024-06-15T10:00:00.0000000Z'", `'${GUID}'`],
};
const MORE = {
  I: ['I BETWEEN 0 AND 5', 'I IN (5, 0, NULL)', 'NOT I = 5', 'I > 4 AND I < 6', 'I = 5 OR L = 10', 'I'],
  L: ['L BETWEEN 9007199254740992 AND 9007199254740993', 'L IN (5, 9007199254740993)', 'L NOT IN (5)', 'L > 4 AND L <= 9007199254740992',
    'L = 5 OR D = 22', 'L + 0 = 5'],
  D: ['D BETWEEN 22 AND 22.5', 'D IN (22, 0.0)', 'D IS NULL', 'D > 1e299 AND D < 9e999', 'D = I', 'NOT (D < 22)'],
  S: ["S LIKE 'a%'", "S LIKE 'A_C'", "S GLOB 'a*'", "S GLOB '[é-東]*'", "S IN ('', '5', '😀')", "S LIKE '%''%'", "S > '' AND S < 'b'",
    "S = 'abc' COLLATE NOCASE", 'S IS NULL', "S BETWEEN '5' AND 'a'"],
  B: ['B', 'NOT B', 'B IS TRUE', 'B IS NOT TRUE', 'B IN (0, 1)', 'B IS NULL'],
  T: ["T BETWEEN '2024-06-15T10:00:00.0000001Z' AND '2024-06-15T10:00:00.1239999Z'",
    "T IN ('2024-06-15T10:00:00Z', '2024-06-15T10:00:00.1234567Z')", "date(T) = '2024-06-15'",
    "T > '2024-06-15T10:00:00.1234567Z' AND T < '2024-06-15T10:00:00.124Z'", 'T IS NOT NULL'],
  G: [`G IN ('${GUID.toUpperCase()}', 'x')`, "G LIKE '0A1B%'", `NOT G = '${GUID}'`, 'G IS NULL'],
  X: ["X IN (x'00', x'')", "X BETWEEN x'00' AND x'00ff'", 'length(X) = 0', 'X IS NULL'],
  A: ["A IN (5, '5')", 'A BETWEEN 1 AND 6', 'typeof(A) = \'integer\'', "A LIKE '5%'", 'A IS NULL'],
};

/** The rows of ODD three times: r at the emulator, l local, n ordinary. */
async function oddities(folder) {
  const client = await newTable();
  const db = connect(path.join(folder, 'odd.db'));
  const names = Object.keys(ODD);
  const columns = names.map((name) => `${name} ${ODD[name][0]}`).join(', ');
  db.exec(foreign('r', columns, client.tableName));
  db.exec(`CREATE VIRTUAL TABLE l USING table_storage(${columns}, OPTIONS (table 'Odd'))`);
  db.exec(`CREATE TABLE n(PartitionKey TEXT, RowKey TEXT, ${names.map((name) => `${name} ${ODD[name][1]}`).join(', ')})`);
  const insert = db.prepare(`INSERT INTO n VALUES (?, ?, ${names.map(() => '?').join(', ')})`);
  const most = Math.max(...names.map((name) => ODD[name][2].length));
  for (let i = 0; i <= most; i++) {  // the last row has no property at all
    const entity = { partitionKey: `p${i % 3}`, rowKey: String(i).padStart(2, '0') };
    const values = [];
    for (const name of names) {
      const [written, read] = ODD[name][2][i] ?? [undefined, null];
      if (written !== undefined) entity[name] = written;
      // better-sqlite3 binds a number as a double.
      values.push(Number.isInteger(read) && written.type !== 'Double' ? BigInt(read) : read);
    }
    await client.createEntity(entity);
    insert.run(entity.partitionKey, entity.rowKey, ...values);
  }
  db.exec('INSERT INTO l(PartitionKey, RowKey, _properties) SELECT PartitionKey, RowKey, _properties FROM r');
  return db;
}

test('conditions on every type, with the values on which Azurite errs', async (folder) => {
  const db = await oddities(folder);
  const conditions = [];
  for (const name of Object.keys(ODD)) {
    for (const literal of LITERALS[name]) for (const operator of OPERATORS) conditions.push(`${name} ${operator} ${literal}`);
    conditions.push(...MORE[name]);
  }
  const list = (table, condition) => rows(db, `SELECT RowKey, I, L, D, S, B, T, G, hex(X), A FROM ${table} WHERE ${condition}`, []).join('\n');
  assert.equal(list('r', '1'), list('n', '1'));
  const wrong = [];
  let found = 0;
  for (const condition of conditions) {
    for (const where of [condition, `PartitionKey = 'p1' AND ${condition}`]) {
      const want = list('n', where);
      found += want !== '';
      for (const table of ['r', 'l']) {
        const got = list(table, where);
        if (got !== want) wrong.push(`${table}: ${where}\n  got  ${got}\n  want ${want}`);
      }
    }
  }
  db.close();
  assert.ok(found > 500, `only ${found} conditions that anything meets`);
  assert.ok(wrong.length === 0, `${wrong.length} of ${conditions.length} conditions:\n${wrong.slice(0, 40).join('\n')}`);
});

// Not `eq` on an Int64: Azurite misses it, and a filter of the user's own goes as it is.
test('_filter is sent as it stands and means the same', async (folder) => {
  const db = await tripled(folder);
  const filters = ["Owner eq 'ann'", "Owner eq 'ann' and Active eq true", "(Slots ge 2 and Slots le 3) or Owner eq 'Bob'", 'Weight gt 5.5',
    "PartitionKey eq 'site1' and RowKey lt 'd10'",
    "Name ge 'Device C' and Name lt 'Device F'", "Device eq 'd04' and not (Level gt 2)", "Message eq 'it''s gone'",
      "Seen ge datetime'2024-06-18T00:00:00Z'", 'Slots gt 1'];
  for (const filter of filters) {
    const table = /Device eq|Message/.test(filter) ? 'Alerts' : 'Devices';
    const list = (name) => rows(db, `SELECT PartitionKey, RowKey FROM ${name} WHERE _filter = ?`, [filter]);
    const got = list(table);
    assert.ok(got.length > 0, filter);
    assert.deepEqual(got, list(`l_${table}`), filter);
  }
  db.close();
});

test('more entities than a page: counts, ranges, order, early end', async (folder) => {
  const client = await newTable();
  const db = connect(path.join(folder, 'pages.db'));
  db.exec(foreign('r', 'N INT64, D DOUBLE', client.tableName));
  db.exec(`CREATE TABLE n AS WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 2499)
           SELECT 'p' || (i % 2) AS PartitionKey, printf('%05d', i) AS RowKey, i * 9007199254741 AS N, i / 2.0 AS D FROM s`);
  db.exec('INSERT INTO r(PartitionKey, RowKey, N, D) SELECT * FROM n');
  for (const sql of ['SELECT count(*), sum(N / 1000), avg(D) FROM T', "SELECT count(*) FROM T WHERE PartitionKey = 'p1' AND RowKey >= '00100'",
    'SELECT N FROM T WHERE N = 2490 * 9007199254741',
    '/*ordered*/ SELECT PartitionKey, RowKey FROM T ORDER BY PartitionKey, RowKey LIMIT 20 OFFSET 1240',
      '/*ordered*/ SELECT RowKey FROM T ORDER BY N DESC LIMIT 5',
    'SELECT PartitionKey, count(*), min(RowKey), max(D) FROM T GROUP BY PartitionKey',
      'SELECT count(*) FROM T a JOIN n b ON a.PartitionKey = b.PartitionKey AND a.RowKey = b.RowKey WHERE b.D < 20',
    '/*ordered*/ SELECT RowKey FROM T WHERE D >= 1000 ORDER BY PartitionKey, RowKey LIMIT 3']) {
    assert.deepEqual(rows(db, sql.replace(/\bT\b/, 'r'), []), rows(db, sql.replace(/\bT\b/, 'n'), []), sql);
  }
  let seen = 0;
  for (const row of db.prepare('SELECT RowKey FROM r').iterate()) if (row && ++seen === 1100) break;
  assert.equal(seen, 1100);
  db.close();
});
