-- CREATE VIRTUAL TABLE: columns, types and their synonyms, what the schema shows.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT32, l INT64, d DOUBLE, b BOOLEAN, at DATETIME, g GUID, x BINARY, a ANY);
.print keys come first, and hidden columns are hidden
SELECT name, hidden FROM pragma_table_xinfo('tab') ORDER BY hidden, cid;
.print an empty table
SELECT * FROM tab;
SELECT count(*) FROM tab;
.print no columns at all
CREATE VIRTUAL TABLE bare USING table_storage;
CREATE VIRTUAL TABLE bare2 USING table_storage();
INSERT INTO bare(PartitionKey, RowKey) VALUES ('p', 'r');
SELECT PartitionKey, RowKey, Timestamp IS NOT NULL FROM bare;
.print synonyms of the types, told by what is stored
CREATE VIRTUAL TABLE texts USING table_storage(a STRING, b TEXT, c VARCHAR(10), d char, e NVARCHAR(20), f CLOB);
INSERT INTO texts(PartitionKey, RowKey, a, b, c, d, e, f) VALUES ('p', 'r', 'x', 'x', 'x', 'x', 'x', 'x');
SELECT _properties FROM texts;
CREATE VIRTUAL TABLE wholes USING table_storage(a INT32, b INTEGER, c int, d INT64, e BigInt);
INSERT INTO wholes(PartitionKey, RowKey, a, b, c, d, e) VALUES ('p', 'r', 7, 7, 7, 7, 7);
SELECT _properties FROM wholes;
CREATE VIRTUAL TABLE reals USING table_storage(a DOUBLE, b REAL, c FLOAT, d SINGLE, e DECIMAL(10,2), f NUMERIC);
INSERT INTO reals(PartitionKey, RowKey, a, b, c, d, e, f) VALUES ('p', 'r', 7, 7, 7, 7, 7, 7);
SELECT _properties FROM reals;
CREATE VIRTUAL TABLE others USING table_storage(a BOOLEAN, b BOOL, c DATETIME, d DATETIMEOFFSET, e TIMESTAMP, f GUID, g UUID, h BINARY, i BLOB, j VARBINARY);
INSERT INTO others(PartitionKey, RowKey, a, b, c, d, e, f, g, h, i, j) VALUES ('p', 'r', 1, 0, '2024-06-15', '2024-06-15', '2024-06-15',
  '00000000-0000-0000-0000-00000000000A', '0000000000000000000000000000000b', x'00ff', x'', x'616263');
SELECT _properties FROM others;
.print quoted names, and a property of another name
CREATE VIRTUAL TABLE named USING table_storage("In use" BOOLEAN OPTIONS (property 'InUse'), [order] INT32, `group` STRING, SERVER local, OPTIONS (table 'Things'));
INSERT INTO named(PartitionKey, RowKey, "In use", "order", "group") VALUES ('p', 'r', 1, 2, 'three');
SELECT "In use", "order", "group", _properties FROM named;
.print IF NOT EXISTS
CREATE VIRTUAL TABLE IF NOT EXISTS named USING table_storage(x STRING);
SELECT "order" FROM named;
.print a second table over the same entities
CREATE VIRTUAL TABLE things USING table_storage(InUse BOOLEAN);
SELECT PartitionKey, RowKey, InUse FROM things;
.print DROP TABLE drops the mapping, never the entities
DROP TABLE named;
DROP TABLE things;
CREATE VIRTUAL TABLE again USING table_storage("group" STRING, OPTIONS (table 'things'));
SELECT "group" FROM again;
.print the file stays sound
PRAGMA integrity_check;
