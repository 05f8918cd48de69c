// The queries of queries.sql in one connection on foreign tables and on ordinary copies: the rows must be the same.
// Each query runs as it stands, with its literals bound as parameters, and, where it has several tables, with only
// some of them foreign, so that SQLite chooses other join orders.
import assert from 'node:assert/strict';

import { TABLE, bound, queries, rows, show, withTables } from './node_compare.mjs';
import { filled, test, text } from './node_harness.mjs';

function compare(folder, variants) {
  const db = filled(folder);
  db.exec(text('native_copy.sql'));
  assert.equal(db.prepare('SELECT count(*) FROM n_Devices').pluck().get(), 30);
  const wrong = [];
  let compared = 0;
  for (const query of queries) {
    for (const { sql, values } of variants(query)) {
      const want = rows(db, withTables(sql, () => false), values);
      compared++;
      let got;
      try {
        got = rows(db, sql, values);
      } catch (error) {
        got = [`error: ${error.message}`];
      }
      if (got.join('\n') !== want.join('\n')) {
        const bind = values.length ? ` with ${show(values)}` : '';
        wrong.push(`${sql}${bind}\n  got  ${got.length}: ${got.slice(0, 6)}\n  want ${want.length}: ${want.slice(0, 6)}`);
      }
    }
  }
  db.close();
  assert.ok(wrong.length === 0, `${wrong.length} of ${compared} queries differ:\n${wrong.join('\n')}`);
  return compared;
}

test('queries as they stand', (folder) => {
  const compared = compare(folder, (sql) => [{ sql, values: [] }]);
  assert.ok(compared > 150, `only ${compared} queries`);
});

test('queries with bound parameters', (folder) => {
  const compared = compare(folder, (query) => [bound(query)].filter(Boolean));
  assert.ok(compared > 120, `only ${compared} queries`);
});

test('joins of foreign tables with ordinary ones, either way round', (folder) => {
  const compared = compare(folder, (query) => {
    // Ordinary tables number their rows differently.
    if ((query.match(TABLE) ?? []).length < 2 || query.includes('rowid')) return [];
    return [0, 1].map((side) => ({ sql: withTables(query, (number) => number % 2 === side), values: [] }));
  });
  assert.ok(compared > 80, `only ${compared} queries`);
});

test('joins whose order is fixed by CROSS JOIN, and after ANALYZE', (folder) => {
  const db = filled(folder);
  db.exec(text('native_copy.sql'));
  let want;
  for (const analyzed of [false, true]) {
    if (analyzed) db.exec('ANALYZE');
    for (const [a, b] of [['n_Devices', 'n_Readings'], ['Devices', 'Readings'], ['Readings', 'Devices'], ['Devices', 'n_Readings'], ['n_Readings', 'Devices']]) {
      const device = a.includes('Devices') ? 'a' : 'b';
      const reading = device === 'a' ? 'b' : 'a';
      const got = db.prepare(`SELECT count(*), sum(${device}.Slots), min(${reading}.RowKey) FROM ${a} a CROSS JOIN ${b} b
        ON ${reading}.PartitionKey = ${device}.RowKey WHERE ${reading}.Quality = 'good'`).raw().get();
      want ??= got;
      assert.equal(want[0], 68);
      assert.deepEqual(got, want, `${a} CROSS JOIN ${b}, analyzed: ${analyzed}`);
    }
  }
  db.close();
});

test('one prepared statement run again with other parameters and after changes', (folder) => {
  const db = filled(folder);
  const byLevel = db.prepare('SELECT RowKey FROM Alerts WHERE Level = ? ORDER BY PartitionKey, RowKey').pluck();
  assert.deepEqual(byLevel.all(2), ['003', '004']);
  assert.deepEqual(byLevel.all('1'), ['001', '003']);
  assert.deepEqual(byLevel.all(null), []);
  db.exec("UPDATE Alerts SET Level = 2 WHERE Level = 1");
  assert.deepEqual(byLevel.all(2n), ['001', '003', '004', '003']);
  const joined = db.prepare('SELECT count(*) FROM Alerts a JOIN Devices d ON d.RowKey = a.Device').pluck();
  assert.equal(joined.get(), 6);
  db.exec("DELETE FROM Devices WHERE RowKey = 'd04'");
  assert.equal(joined.get(), 4, 'a join must not answer from an earlier run');
  db.exec("INSERT INTO Devices(PartitionKey, RowKey) VALUES ('z', 'd09'), ('z', 'd99')");
  assert.equal(joined.get(), 6);
  db.close();
});
