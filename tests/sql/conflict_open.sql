-- INSERT OR … in an open transaction, and how much of a statement stays.
-- Only local: a service says at COMMIT that an entity exists, so there no statement before it can fail for that.
CREATE VIRTUAL TABLE tab USING table_storage(v INT32, w STRING);
INSERT INTO tab(PartitionKey, RowKey, v, w) VALUES ('p', '1', 1, 'old'), ('p', '2', 2, 'old');
.print ABORT, the default: nothing of the statement stays, the transaction does
BEGIN;
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('p', '0', 0);
INSERT INTO tab(PartitionKey, RowKey, v) VALUES ('p', '3', 3), ('p', '1', 10), ('p', '4', 4);
SELECT RowKey, v FROM tab;
COMMIT;
SELECT count(*) FROM tab;
.print FAIL keeps what came before
INSERT OR FAIL INTO tab(PartitionKey, RowKey, v) VALUES ('p', '7', 7), ('p', '1', 10), ('p', '8', 8);
SELECT RowKey FROM tab WHERE RowKey > '6';
.print ROLLBACK ends the transaction
BEGIN;
DELETE FROM tab WHERE RowKey = '2';
INSERT OR ROLLBACK INTO tab(PartitionKey, RowKey) VALUES ('p', '9'), ('p', '1');
ROLLBACK;
SELECT group_concat(RowKey, ' ') FROM tab;
