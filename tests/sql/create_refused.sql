-- CREATE VIRTUAL TABLE: everything that is refused, with its message.
-- Only local: what is refused is refused before anything is asked of a backend.
.print types and names
CREATE VIRTUAL TABLE tab USING table_storage(a NUMBER);
CREATE VIRTUAL TABLE tab USING table_storage(a);
CREATE VIRTUAL TABLE tab USING table_storage(a INT32, A STRING);
CREATE VIRTUAL TABLE tab USING table_storage(PartitionKey STRING);
CREATE VIRTUAL TABLE tab USING table_storage(rowkey STRING);
CREATE VIRTUAL TABLE tab USING table_storage(Timestamp DATETIME);
CREATE VIRTUAL TABLE tab USING table_storage(_etag STRING);
CREATE VIRTUAL TABLE tab USING table_storage(_filter STRING);
CREATE VIRTUAL TABLE tab USING table_storage("two words" STRING);
CREATE VIRTUAL TABLE tab USING table_storage("" STRING);
.print constraints
CREATE VIRTUAL TABLE tab USING table_storage(a STRING NOT NULL);
CREATE VIRTUAL TABLE tab USING table_storage(a STRING PRIMARY KEY);
CREATE VIRTUAL TABLE tab USING table_storage(a INT32 DEFAULT 5);
CREATE VIRTUAL TABLE tab USING table_storage(a STRING COLLATE NOCASE);
CREATE VIRTUAL TABLE tab USING table_storage(PRIMARY KEY (PartitionKey, RowKey));
.print options
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (colour 'red'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING OPTIONS (table 'x'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (property 'x'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (table 'abc', table 'cde'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (on_type_mismatch 'maybe'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (on_type_mismach 'null'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (estimated_rows '-1'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (updatable 'maybe'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING OPTIONS (colour 'red'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS ());
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (table));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING OPTIONS (property ''));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING OPTIONS (property 'x'), b STRING OPTIONS (property 'x'));
.print servers
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, SERVER nowhere);
CREATE VIRTUAL TABLE tab USING table_storage(SERVER local, SERVER local);
.print names of entity tables
CREATE VIRTUAL TABLE t USING table_storage(a STRING);
CREATE VIRTUAL TABLE some_table USING table_storage(a STRING);
CREATE VIRTUAL TABLE some_table USING table_storage(a STRING, OPTIONS (table 'SomeTable'));
SELECT count(*) FROM some_table;
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (table '9lives'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (table 'tables'));
CREATE VIRTUAL TABLE tab USING table_storage(a STRING, OPTIONS (table ''));
.print secrets: SQLite would keep the text for all to read, and no message repeats it
CREATE VIRTUAL TABLE tab USING table_storage(OPTIONS (connection_string 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0'));
CREATE VIRTUAL TABLE tab USING table_storage(accountKey='c2VjcmV0');
.print what virtual tables cannot do
CREATE VIRTUAL TABLE good USING table_storage(a STRING);
ALTER TABLE good ADD COLUMN b STRING;
ALTER TABLE good RENAME COLUMN a TO b;
ALTER TABLE good RENAME TO better;
CREATE INDEX i ON good(a);
CREATE TRIGGER g AFTER INSERT ON good BEGIN SELECT 1; END;
SELECT count(*) FROM good;
.print what is not updatable
CREATE VIRTUAL TABLE fixed USING table_storage(a STRING, OPTIONS (table 'good', updatable 'false'));
INSERT INTO good(PartitionKey, RowKey, a) VALUES ('p', 'r', 'x');
SELECT a FROM fixed;
INSERT INTO fixed(PartitionKey, RowKey) VALUES ('p', 's');
UPDATE fixed SET a = 'y';
DELETE FROM fixed;
SELECT a FROM fixed;
