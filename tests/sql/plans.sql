-- EXPLAIN QUERY PLAN: what is asked of the store and what is left to SQLite. The language stands in parser/plan/plan.h.
-- Only local: a plan is made without a backend.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT32, d DOUBLE, at DATETIME, a ANY, "two words" INT32 OPTIONS (property 'TwoWords'));
.print nothing asked
EXPLAIN QUERY PLAN SELECT count(*) FROM tab;
EXPLAIN QUERY PLAN SELECT s, i FROM tab;
.print keys
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'p' AND RowKey = 'r';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'p';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'p' AND RowKey >= 'a' AND RowKey < 'b' ORDER BY RowKey;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey IN ('p', 'q') AND RowKey IN ('1', '2', '3');
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE RowKey = 'r';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey LIKE 'ab%';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey GLOB 'ab*';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'P' COLLATE NOCASE;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE rowid = 5;
.print properties
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i = 5 AND d > 1.5;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i IN (1, 2, 3);
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i <> 5;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i IS NULL;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i IS NOT NULL;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE at >= '2024-06-15';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE a = 5;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE "two words" = 5;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE lower(s) = 'x';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE s LIKE 'x%';
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE Timestamp > '2024-06-15';
.print hidden columns
EXPLAIN QUERY PLAN SELECT _etag FROM tab WHERE PartitionKey = 'p';
EXPLAIN QUERY PLAN SELECT _properties FROM tab WHERE PartitionKey = 'p';
EXPLAIN QUERY PLAN SELECT RowKey FROM tab WHERE _filter = 'i gt 5' AND PartitionKey = 'p';
.print order and limit
EXPLAIN QUERY PLAN SELECT RowKey FROM tab ORDER BY PartitionKey, RowKey LIMIT 5;
EXPLAIN QUERY PLAN SELECT RowKey FROM tab ORDER BY PartitionKey, RowKey LIMIT 5 OFFSET 10;
EXPLAIN QUERY PLAN SELECT RowKey FROM tab WHERE PartitionKey = 'p' ORDER BY RowKey DESC LIMIT 5;
EXPLAIN QUERY PLAN SELECT RowKey FROM tab ORDER BY RowKey;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE i > 5 LIMIT 5;
EXPLAIN QUERY PLAN SELECT PartitionKey, count(*) FROM tab GROUP BY PartitionKey;
EXPLAIN QUERY PLAN SELECT DISTINCT PartitionKey FROM tab;
EXPLAIN QUERY PLAN SELECT min(RowKey) FROM tab WHERE PartitionKey = 'p';
.print OR
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'p' OR i = 5;
EXPLAIN QUERY PLAN SELECT s FROM tab WHERE PartitionKey = 'p' AND (i = 5 OR i = 6);
.print joins
CREATE VIRTUAL TABLE other USING table_storage(k STRING, i INT32);
EXPLAIN QUERY PLAN SELECT tab.s FROM other CROSS JOIN tab ON tab.PartitionKey = other.k;
EXPLAIN QUERY PLAN SELECT tab.s FROM other CROSS JOIN tab ON tab.i = other.i WHERE other.PartitionKey = 'p';
EXPLAIN QUERY PLAN SELECT (SELECT count(*) FROM tab WHERE tab.i = other.i) FROM other;
.print writes
EXPLAIN QUERY PLAN UPDATE tab SET s = 'x' WHERE PartitionKey = 'p' AND RowKey = 'r';
EXPLAIN QUERY PLAN DELETE FROM tab WHERE i = 5;
