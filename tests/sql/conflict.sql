-- INSERT OR …: what happens to the entity that is there, to the rest of the statement, and to the transaction.
CREATE VIRTUAL TABLE tab USING table_storage(v INT32, w STRING);
INSERT INTO tab(PartitionKey, RowKey, v, w) VALUES ('p', '1', 1, 'old'), ('p', '2', 2, 'old');
.print ABORT, the default: nothing of the statement stays
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('p', '3', 3), ('p', '1', 10), ('p', '4', 4);
SELECT count(*) FROM tab;
.print IGNORE skips the row
INSERT OR IGNORE INTO tab(PartitionKey, RowKey, v) VALUES ('p', '3', 3), ('p', '1', 10), ('p', '4', 4);
SELECT changes();
SELECT RowKey, v FROM tab;
.print REPLACE puts a new entity in the place of the old: w is gone
INSERT OR REPLACE INTO tab(PartitionKey, RowKey, v) VALUES ('p', '1', 11), ('p', '5', 5);
SELECT RowKey, v, w FROM tab WHERE RowKey IN ('1', '2', '5');
REPLACE INTO tab(PartitionKey, RowKey, w) VALUES ('p', '1', 'new');
SELECT v, w FROM tab WHERE RowKey = '1';
.print the same key twice in one REPLACE: the last one stays
INSERT OR REPLACE INTO tab(PartitionKey, RowKey, v) VALUES ('p', '6', 1), ('p', '6', 2);
SELECT v FROM tab WHERE RowKey = '6';
.print a value that does not fit is no conflict: IGNORE does not hide it, and REPLACE removes nothing
INSERT OR IGNORE INTO tab(PartitionKey, RowKey, v) VALUES ('p', '9', 'x');
INSERT OR REPLACE INTO tab(PartitionKey, RowKey, v) VALUES ('p', '2', 'x');
SELECT v, w FROM tab WHERE RowKey = '2';
.print UPDATE OR …: keys that collide
UPDATE tab SET RowKey = '3' WHERE RowKey = '2';
UPDATE OR IGNORE tab SET RowKey = '3' WHERE RowKey = '2';
SELECT RowKey, v, w FROM tab WHERE RowKey IN ('2', '3');
UPDATE OR REPLACE tab SET RowKey = '3' WHERE RowKey = '2';
SELECT RowKey, v, w FROM tab WHERE RowKey IN ('2', '3');
