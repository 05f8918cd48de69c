-- ORDER BY, GROUP BY, DISTINCT, LIMIT, OFFSET, UNION ALL, row values.
CREATE VIRTUAL TABLE tab USING table_storage(x INT32, s STRING);
INSERT INTO tab(PartitionKey, RowKey, x, s)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11) SELECT 'p' || (i % 3), 'r' || (11 - i), i * 5 % 12, 's' || (i % 2) FROM n;
.print by key
SELECT PartitionKey, RowKey FROM tab ORDER BY PartitionKey, RowKey;
SELECT PartitionKey, RowKey FROM tab ORDER BY PartitionKey DESC, RowKey DESC LIMIT 3;
SELECT PartitionKey, RowKey FROM tab ORDER BY PartitionKey, RowKey DESC LIMIT 5;
SELECT RowKey FROM tab ORDER BY RowKey LIMIT 4;
SELECT RowKey FROM tab WHERE PartitionKey = 'p1' ORDER BY RowKey;
SELECT RowKey FROM tab WHERE PartitionKey = 'p1' ORDER BY RowKey DESC;
SELECT RowKey FROM tab WHERE PartitionKey IN ('p2', 'p0') ORDER BY RowKey;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey IN ('p2', 'p0', 'p0') ORDER BY PartitionKey, RowKey;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey IN ('r7', 'r1', 'r10') ORDER BY PartitionKey, RowKey;
.print by a property
SELECT x FROM tab ORDER BY x DESC LIMIT 3;
SELECT s, x FROM tab ORDER BY s, x LIMIT 3 OFFSET 4;
SELECT x FROM tab ORDER BY -x LIMIT 2;
.print LIMIT and OFFSET
SELECT RowKey FROM tab ORDER BY PartitionKey, RowKey LIMIT 3 OFFSET 2;
SELECT RowKey FROM tab ORDER BY PartitionKey, RowKey LIMIT 0;
SELECT count(*) FROM (SELECT RowKey FROM tab LIMIT -1);
SELECT count(*) FROM (SELECT RowKey FROM tab LIMIT -1 OFFSET 5);
SELECT count(*) FROM (SELECT RowKey FROM tab LIMIT 5 OFFSET 100);
SELECT RowKey FROM tab WHERE x % 2 = 0 ORDER BY PartitionKey, RowKey LIMIT 2;
SELECT RowKey FROM tab WHERE x > 5 ORDER BY PartitionKey, RowKey LIMIT 2 OFFSET 1;
SELECT RowKey FROM tab WHERE s = 's1' AND x IN (1, 3, 5, 7) ORDER BY PartitionKey, RowKey LIMIT 2 OFFSET 1;
SELECT RowKey FROM tab WHERE PartitionKey = 'p1' AND (x = 5 OR x = 8) ORDER BY RowKey LIMIT 1 OFFSET 1;
.print UNION ALL: LIMIT and OFFSET are for the whole
SELECT RowKey FROM tab WHERE PartitionKey = 'p0' UNION ALL SELECT RowKey FROM tab WHERE PartitionKey = 'p1' LIMIT 3 OFFSET 2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 'p0' UNION ALL SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 'p1' ORDER BY 2 LIMIT 4;
SELECT s FROM tab UNION SELECT s FROM tab WHERE x = 0;
SELECT x FROM tab WHERE s = 's0' INTERSECT SELECT x FROM tab WHERE x > 5;
SELECT x FROM tab EXCEPT SELECT x FROM tab WHERE x > 2;
.print GROUP BY, DISTINCT, MIN and MAX
SELECT PartitionKey, count(*), sum(x), min(s), group_concat(RowKey) FROM tab GROUP BY PartitionKey;
SELECT s, count(*), sum(x) FROM tab GROUP BY s;
SELECT PartitionKey, s, max(x) FROM tab GROUP BY PartitionKey, s;
SELECT s, PartitionKey, max(x) FROM tab GROUP BY s, PartitionKey;
SELECT DISTINCT PartitionKey FROM tab;
SELECT DISTINCT s FROM tab ORDER BY s DESC;
SELECT min(PartitionKey), max(PartitionKey) FROM tab;
SELECT min(RowKey) FROM tab WHERE PartitionKey = 'p2';
SELECT max(RowKey) FROM tab WHERE PartitionKey = 'p2';
SELECT min(x), PartitionKey, RowKey FROM tab;
SELECT count(DISTINCT s), count(DISTINCT PartitionKey) FROM tab;
.print row values
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, RowKey) > ('p1', 'r4') ORDER BY 1, 2 LIMIT 4;
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, RowKey) <= ('p0', 'r2') ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, RowKey) = ('p1', 'r4');
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, RowKey) BETWEEN ('p0', 'r8') AND ('p1', 'r10') ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, RowKey) IN (VALUES ('p1', 'r4'), ('p1', 'r5'), ('p2', 'r0')) ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey, x) IN (SELECT 'p1', 8) ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE (PartitionKey = 'p1' AND RowKey > 'r4') OR PartitionKey > 'p1' ORDER BY PartitionKey, RowKey LIMIT 2;
.print text against the bounds of a range
SELECT RowKey FROM tab WHERE RowKey >= 'r1' AND RowKey < 'r2' ORDER BY 1;
SELECT RowKey FROM tab WHERE RowKey > 'r1' AND RowKey <= 'r11' ORDER BY 1;
SELECT RowKey FROM tab WHERE RowKey > 'r5' AND RowKey < 'r4';
SELECT RowKey FROM tab WHERE RowKey > 'r1' AND RowKey > 'r7' AND RowKey <= 'r8' AND RowKey < 'z' ORDER BY 1;
SELECT RowKey FROM tab WHERE RowKey = 'r5' AND RowKey = 'r6';
SELECT RowKey FROM tab WHERE RowKey = 'r5' AND RowKey > 'r4' AND RowKey IN ('r5', 'r6');
SELECT RowKey FROM tab WHERE PartitionKey IN ('p0', 'p1') AND PartitionKey > 'p0' AND RowKey < 'r2' ORDER BY 1;
