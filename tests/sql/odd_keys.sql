-- Keys and values that addresses, filters, JSON and the bodies of batches could misread: written, found, changed and removed many at a time.
CREATE VIRTUAL TABLE tab USING table_storage(v INT32, s STRING);
CREATE TABLE odd(n INTEGER PRIMARY KEY, k TEXT);
INSERT INTO odd(k) VALUES (''), (' '), ('a '), (' a'), ('it''s'), (''''), (''''''), (''','''), (''',RowKey='''), ('a"b'), ('%'), ('%27'), ('%2F'), ('%25'), ('a+b'), ('a&b=c'), ('a;b,c'), (')'), ('('), ('))'),
  ('{}'), ('{"a":1}'), ('PUT http:x'), ('DELETE'), ('--changeset'), ('$top'), ('a=b'), ('@x'), ('~._-'), ('*'), ('[a]'), ('null'), ('05'), ('5'), ('5.0'), ('Ünï'), ('中'), ('😀'),
  (char(0xE000)), (char(0xFFFD)), (char(0xA0)), ('a' || char(0x2028)), (char(0x2029) || 'a'), (char(0xFEFF) || 'a'), ('e' || char(0x301)), (char(0xE9));
.print as row keys of one partition
INSERT INTO tab(PartitionKey, RowKey, v, s) SELECT 'p', k, n, k FROM odd;
SELECT count(*), sum(v) FROM tab;
SELECT count(*) FROM odd JOIN tab ON PartitionKey = 'p' AND RowKey = k AND v = n AND s = k;
SELECT count(*) FROM odd WHERE (SELECT v FROM tab WHERE PartitionKey = 'p' AND RowKey = k) = n;
SELECT count(*) FROM odd WHERE (SELECT sum(v) FROM tab WHERE s = k) = n;
SELECT count(*) FROM tab WHERE RowKey NOT IN (SELECT k FROM odd);
UPDATE tab SET v = v + 1000, s = s || 'x' WHERE PartitionKey = 'p';
SELECT count(*) FROM odd JOIN tab ON PartitionKey = 'p' AND RowKey = k AND v = n + 1000 AND s = k || 'x';
INSERT OR REPLACE INTO tab(PartitionKey, RowKey, s) SELECT 'p', k, k FROM odd;
SELECT count(*), count(v), count(s) FROM tab;
.print without any property
INSERT OR REPLACE INTO tab(PartitionKey, RowKey) SELECT 'p', k FROM odd;
SELECT count(*), count(v), count(s) FROM tab;
DELETE FROM tab WHERE RowKey IN (SELECT k FROM odd WHERE n % 2 = 0);
SELECT count(*) FROM tab;
DELETE FROM tab;
SELECT count(*) FROM tab;
.print as partition keys
INSERT INTO tab(PartitionKey, RowKey, v) SELECT k, r, n FROM odd, (SELECT 'r' AS r UNION SELECT 's');
UPDATE tab SET v = v + 1000;
SELECT count(*) FROM odd JOIN tab ON PartitionKey = k AND RowKey IN ('r', 's') AND v = n + 1000;
SELECT PartitionKey, count(*) FROM tab GROUP BY PartitionKey ORDER BY PartitionKey LIMIT 5;
DELETE FROM tab WHERE RowKey = 'r';
SELECT count(*), count(DISTINCT PartitionKey) FROM tab;
.print as both, moved
UPDATE tab SET PartitionKey = 'q', RowKey = PartitionKey;
SELECT count(*) FROM odd JOIN tab ON PartitionKey = 'q' AND RowKey = k AND v = n + 1000;
DELETE FROM tab;
SELECT count(*) FROM tab;
