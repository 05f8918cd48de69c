-- Joins, OR plans and subqueries: one entity is one row, whichever way the planner goes.
CREATE VIRTUAL TABLE l USING table_storage(x INT32, s STRING, OPTIONS (table 'lefts'));
CREATE VIRTUAL TABLE r USING table_storage(x INT64, s STRING, OPTIONS (table 'rights'));
INSERT INTO l(PartitionKey, RowKey, x, s)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
  SELECT 'p' || (i % 4), printf('%02d', i), nullif(i % 7, 3), 's' || (i % 5) FROM n;
INSERT INTO r(PartitionKey, RowKey, x, s)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
  SELECT 'p' || (i % 3 + 1), printf('%02d', i * 2), nullif(i % 9, 3), 's' || (i % 4) FROM n;
.print OR: rows that meet both arms come once
SELECT count(*), sum(RowKey) FROM l WHERE x = 1 OR s = 's1';
SELECT count(*), sum(RowKey) FROM l WHERE PartitionKey = 'p1' OR x = 2 OR RowKey > '50';
SELECT count(*), sum(RowKey) FROM l WHERE (PartitionKey = 'p1' AND RowKey = '05') OR (PartitionKey = 'p1' AND RowKey >= '05') OR x = 5;
SELECT count(*) FROM l WHERE PartitionKey = 'p1' AND (x = 1 OR x > 5);
SELECT count(*) FROM l WHERE PartitionKey = 'p1' OR PartitionKey = 'p3';
SELECT count(*), sum(RowKey) FROM l WHERE (PartitionKey = 'p1' AND RowKey > '20') OR PartitionKey > 'p1';
.print inner joins, by keys and by properties
SELECT count(*) FROM l JOIN r ON l.PartitionKey = r.PartitionKey AND l.RowKey = r.RowKey;
SELECT count(*), sum(l.RowKey * r.RowKey) FROM l JOIN r ON l.x = r.x;
SELECT count(*), sum(l.RowKey * r.RowKey) FROM l JOIN r ON l.x = r.x AND l.s = r.s;
SELECT count(*), sum(l.RowKey * r.RowKey) FROM l JOIN r ON l.x = r.x AND l.RowKey < r.RowKey;
SELECT count(*), sum(l.RowKey * r.RowKey) FROM l JOIN r ON l.PartitionKey = r.PartitionKey AND r.RowKey BETWEEN l.RowKey AND l.RowKey + 5;
SELECT count(*) FROM l AS a JOIN l AS b ON a.x = b.x JOIN r ON r.s = b.s WHERE a.PartitionKey = 'p1';
SELECT count(*) FROM l CROSS JOIN r;
SELECT count(*) FROM l NATURAL JOIN (SELECT PartitionKey, RowKey FROM r);
.print outer joins
SELECT count(*), count(r.RowKey) FROM l LEFT JOIN r ON l.x = r.x AND r.s = 's1';
SELECT count(*), count(r.RowKey) FROM l LEFT JOIN r USING (PartitionKey, RowKey);
SELECT count(*), count(l.RowKey), count(r.RowKey) FROM l RIGHT JOIN r ON l.x = r.x AND l.s = r.s;
SELECT count(*), count(l.RowKey), count(r.RowKey) FROM l RIGHT JOIN r USING (PartitionKey, RowKey);
SELECT count(*), count(l.RowKey), count(r.RowKey) FROM l FULL JOIN r ON l.PartitionKey = r.PartitionKey AND l.RowKey = r.RowKey;
SELECT count(*), count(l.RowKey), count(r.RowKey) FROM l FULL JOIN r ON l.x = r.x AND l.PartitionKey = 'p2';
SELECT count(*), sum(r.RowKey) FROM l RIGHT JOIN r ON l.x = r.x WHERE l.RowKey IS NULL;
SELECT l.RowKey, r.RowKey FROM l FULL JOIN r ON l.RowKey = r.RowKey WHERE coalesce(l.RowKey, r.RowKey) IN ('06', '07', '76', '77') ORDER BY 1, 2;
.print subqueries
SELECT count(*) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.x = l.x AND r.PartitionKey = l.PartitionKey);
SELECT count(*) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.RowKey = l.RowKey);
SELECT count(*) FROM l WHERE x IN (SELECT x FROM r WHERE s = 's2');
SELECT count(*) FROM l WHERE x NOT IN (SELECT x FROM r WHERE s = 's2' AND x IS NOT NULL);
SELECT count(*) FROM l WHERE (PartitionKey, RowKey) IN (SELECT PartitionKey, RowKey FROM r);
SELECT sum((SELECT count(*) FROM r WHERE r.RowKey < l.RowKey)) FROM l;
SELECT sum((SELECT min(r.RowKey) FROM r WHERE r.PartitionKey = l.PartitionKey AND r.RowKey > l.RowKey)) FROM l;
SELECT sum((SELECT r.x FROM r WHERE r.PartitionKey = l.PartitionKey ORDER BY r.RowKey LIMIT 1 OFFSET 2)) FROM l;
.print recursion and windows
WITH RECURSIVE walk(k, steps) AS (SELECT min(RowKey), 0 FROM l UNION ALL SELECT (SELECT min(RowKey) FROM l WHERE RowKey > k), steps + 1 FROM walk WHERE k IS NOT NULL)
  SELECT max(steps) FROM walk;
SELECT PartitionKey, RowKey, sum(x) OVER (PARTITION BY PartitionKey ORDER BY RowKey) FROM l WHERE RowKey < '08';
.print with an ordinary table, either way round
CREATE TABLE n(k TEXT, v);
INSERT INTO n SELECT RowKey, x FROM l WHERE x > 2;
SELECT count(*), sum(v) FROM n JOIN r ON r.RowKey = n.k;
SELECT count(*), sum(v) FROM r CROSS JOIN n ON r.RowKey = n.k;
SELECT count(*) FROM n CROSS JOIN l ON l.RowKey = n.k AND l.x = n.v;
SELECT count(*), count(r.RowKey) FROM n LEFT JOIN r ON r.x = n.v AND r.PartitionKey = 'p1';
