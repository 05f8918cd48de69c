-- DELETE, with and without LIMIT.
CREATE VIRTUAL TABLE tab USING table_storage(v INT32, s STRING);
INSERT INTO tab(PartitionKey, RowKey, v)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
  SELECT 'p' || (i / 25), printf('%03d', i), i % 10 FROM n;
SELECT PartitionKey, count(*), sum(v) FROM tab GROUP BY 1;
.print one entity, and one that is not there
DELETE FROM tab WHERE PartitionKey = 'p0' AND RowKey = '003';
SELECT changes();
DELETE FROM tab WHERE PartitionKey = 'p0' AND RowKey = '003';
SELECT changes();
.print by a property
DELETE FROM tab WHERE v = 9;
SELECT changes(), (SELECT count(*) FROM tab);
.print by a condition that only SQLite knows
DELETE FROM tab WHERE v % 5 = 3 AND PartitionKey < 'p2';
SELECT changes();
.print two conditions that both hold for some entities: each is removed once
DELETE FROM tab WHERE v = 0 OR PartitionKey = 'p3';
SELECT changes(), (SELECT count(*) FROM tab);
.print LIMIT
DELETE FROM tab WHERE PartitionKey = 'p2' ORDER BY v DESC, RowKey LIMIT 3;
SELECT changes();
SELECT max(v), count(*) FROM tab WHERE PartitionKey = 'p2';
DELETE FROM tab ORDER BY PartitionKey DESC, RowKey DESC LIMIT 2 OFFSET 1;
SELECT group_concat(RowKey, ' ') FROM (SELECT RowKey FROM tab WHERE PartitionKey = 'p2' ORDER BY RowKey DESC LIMIT 3);
.print with a subquery over the same table
DELETE FROM tab WHERE v = (SELECT max(v) FROM tab WHERE PartitionKey = 'p1');
SELECT max(v) FROM tab;
.print everything
DELETE FROM tab;
SELECT count(*) FROM tab;
DELETE FROM tab;
SELECT changes();
.print RETURNING is not there for DELETE and UPDATE
DELETE FROM tab RETURNING RowKey;
UPDATE tab SET v = 1 RETURNING RowKey;
