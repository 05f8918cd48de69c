-- Two foreign tables over one entity table; views, rowid, many columns.
.print two foreign tables over one entity table see one another's writes, also inside a transaction
CREATE VIRTUAL TABLE a USING table_storage(x INT32, OPTIONS (table 'Shared'));
CREATE VIRTUAL TABLE b USING table_storage(y STRING, x ANY, OPTIONS (table 'Shared'));
BEGIN;
INSERT INTO a(PartitionKey, RowKey, x) VALUES ('p', '1', 1), ('p', '2', 2);
UPDATE b SET y = 'two' WHERE RowKey = '2';
SELECT a.RowKey, a.x, b.y FROM a JOIN b USING (PartitionKey, RowKey);
INSERT INTO b(PartitionKey, RowKey) VALUES ('p', '1');
DELETE FROM b WHERE RowKey = '1';
SELECT count(*) FROM a;
COMMIT;
.print copying from one to the other is not copying into oneself for ever
INSERT INTO a(PartitionKey, RowKey, x) SELECT PartitionKey, RowKey || 'c', x FROM b;
SELECT RowKey, x FROM a;
.print a view, and writing through it
CREATE VIEW v AS SELECT PartitionKey, RowKey, x FROM a WHERE x > 1;
SELECT * FROM v;
CREATE TRIGGER v_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO a(PartitionKey, RowKey, x) VALUES (new.PartitionKey, new.RowKey, new.x); END;
INSERT INTO v VALUES ('q', '1', 5);
SELECT count(*) FROM v;
.print rowid
SELECT count(DISTINCT rowid), min(rowid >= 0) FROM a;
SELECT RowKey FROM a WHERE rowid = (SELECT rowid FROM a WHERE PartitionKey = 'q');
SELECT count(*) FROM a WHERE rowid IN (SELECT rowid FROM a);
SELECT count(*) FROM a WHERE rowid = 1;
SELECT count(*) FROM a AS l JOIN a AS r ON l.rowid = r.rowid;
.print more than 63 columns
CREATE VIRTUAL TABLE wide USING table_storage(
  c1 INT32, c2 INT32, c3 INT32, c4 INT32, c5 INT32, c6 INT32, c7 INT32, c8 INT32, c9 INT32, c10 INT32, c11 INT32, c12 INT32, c13 INT32, c14 INT32, c15 INT32, c16 INT32,
  c17 INT32, c18 INT32, c19 INT32, c20 INT32, c21 INT32, c22 INT32, c23 INT32, c24 INT32, c25 INT32, c26 INT32, c27 INT32, c28 INT32, c29 INT32, c30 INT32, c31 INT32, c32 INT32,
  c33 INT32, c34 INT32, c35 INT32, c36 INT32, c37 INT32, c38 INT32, c39 INT32, c40 INT32, c41 INT32, c42 INT32, c43 INT32, c44 INT32, c45 INT32, c46 INT32, c47 INT32, c48 INT32,
  c49 INT32, c50 INT32, c51 INT32, c52 INT32, c53 INT32, c54 INT32, c55 INT32, c56 INT32, c57 INT32, c58 INT32, c59 INT32, c60 INT32, c61 INT32, c62 INT32, c63 INT32, c64 INT32,
  c65 INT32, c66 INT32, c67 INT32, c68 INT32, c69 INT32, c70 INT32);
INSERT INTO wide(PartitionKey, RowKey, c1, c57, c58, c59, c60, c61, c62, c63, c64, c65, c70) VALUES ('p', 'r', 1, 57, 58, 59, 60, 61, 62, 63, 64, 65, 70);
SELECT c70, c1 FROM wide WHERE c65 = 65;
SELECT c57, c58, c59, c60, c61, c62, c63, c64, c65, c66 FROM wide;
UPDATE wide SET c66 = c70 + c64;
SELECT c66, c1, c70 FROM wide WHERE c66 > 100;
