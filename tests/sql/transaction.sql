-- Transactions and savepoints: reads see the writes before them, ROLLBACK drops them.
CREATE VIRTUAL TABLE tab USING table_storage(v INT32);
CREATE TABLE plain(v);
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('p', '1', 1), ('p', '2', 2), ('q', '1', 3);
.print ROLLBACK
BEGIN;
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('p', '3', 4);
UPDATE tab SET v = v * 10 WHERE PartitionKey = 'p';
DELETE FROM tab WHERE PartitionKey = 'q';
INSERT INTO plain VALUES (1);
SELECT PartitionKey, RowKey, v FROM tab;
ROLLBACK;
SELECT PartitionKey, RowKey, v FROM tab;
SELECT count(*) FROM plain;
.print COMMIT
BEGIN;
UPDATE tab SET v = 5 WHERE RowKey = '1';
INSERT INTO plain VALUES (1);
COMMIT;
SELECT PartitionKey, RowKey, v FROM tab;
.print a savepoint inside a transaction
BEGIN;
UPDATE tab SET v = 6 WHERE PartitionKey = 'p' AND RowKey = '1';
SAVEPOINT a;
UPDATE tab SET v = 7 WHERE PartitionKey = 'p' AND RowKey = '1';
SAVEPOINT b;
DELETE FROM tab;
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('new', '1', 8);
SELECT PartitionKey, v FROM tab;
ROLLBACK TO b;
SELECT PartitionKey, RowKey, v FROM tab;
RELEASE b;
ROLLBACK TO a;
SELECT v FROM tab WHERE PartitionKey = 'p' AND RowKey = '1';
COMMIT;
SELECT v FROM tab WHERE PartitionKey = 'p' AND RowKey = '1';
.print a savepoint as a transaction of its own
SAVEPOINT a;
DELETE FROM tab WHERE PartitionKey = 'p';
ROLLBACK TO a;
DELETE FROM tab WHERE PartitionKey = 'q';
RELEASE a;
SELECT PartitionKey, RowKey FROM tab;
.print a table first touched inside a savepoint that is undone
CREATE VIRTUAL TABLE late USING table_storage(v INT32);
BEGIN;
SAVEPOINT a;
SAVEPOINT b;
INSERT INTO late(PartitionKey, RowKey) VALUES ('p', '1');
ROLLBACK TO a;
INSERT INTO late(PartitionKey, RowKey) VALUES ('p', '1');
COMMIT;
SELECT count(*) FROM late;
.print a failing statement leaves the earlier ones of the transaction
BEGIN;
INSERT INTO tab(PartitionKey, RowKey) VALUES ('p', '5');
INSERT INTO tab(PartitionKey, RowKey, v) SELECT 'p', RowKey || '5', 'x' FROM tab;
INSERT INTO plain VALUES (zeroblob(-1)), (abs(-9223372036854775808));
COMMIT;
SELECT RowKey FROM tab WHERE PartitionKey = 'p';
.print a foreign table made, filled and dropped inside a transaction that is rolled back
BEGIN;
CREATE VIRTUAL TABLE gone USING table_storage(v INT32);
INSERT INTO gone(PartitionKey, RowKey, v) VALUES ('p', '1', 1);
SELECT v FROM gone;
DROP TABLE tab;
ROLLBACK;
SELECT count(*) FROM gone;
SELECT count(*) FROM tab;
CREATE VIRTUAL TABLE gone USING table_storage(v INT32);
SELECT count(*) FROM gone;
INSERT INTO gone(PartitionKey, RowKey, v) VALUES ('p', '1', 2);
SELECT v FROM gone;
.print a statement that reads what it writes
INSERT INTO gone(PartitionKey, RowKey, v) SELECT PartitionKey, RowKey || '+', v + 1 FROM gone;
UPDATE gone SET v = (SELECT max(v) FROM gone) + 1;
SELECT RowKey, v FROM gone;
.print more than one service transaction would take is one transaction here
BEGIN;
INSERT INTO gone(PartitionKey, RowKey, v)
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT 'part' || (i % 3), printf('%04d', i), i FROM n;
SELECT count(*), sum(v) FROM gone WHERE PartitionKey LIKE 'part_';
ROLLBACK;
SELECT count(*) FROM gone;
.print writing from a trigger on an ordinary table
CREATE TRIGGER log AFTER INSERT ON plain BEGIN INSERT INTO gone(PartitionKey, RowKey) VALUES ('log', new.v); END;
INSERT INTO plain VALUES ('a'), ('b');
INSERT INTO plain VALUES ('c'), ('a');
SELECT RowKey FROM gone WHERE PartitionKey = 'log';
SELECT count(*) FROM plain WHERE v IN ('a', 'b', 'c');
