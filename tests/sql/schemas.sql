-- Temp and attached schemas, and what the store's tables are to others.
-- Only local: the entities of a foreign table lie in its own schema.
ATTACH ':memory:' AS other;
CREATE VIRTUAL TABLE tab USING table_storage(v INT32);
CREATE VIRTUAL TABLE temp.tab USING table_storage(v INT32);
CREATE VIRTUAL TABLE other.tab USING table_storage(v INT32);
INSERT INTO main.tab(PartitionKey, RowKey, v) VALUES ('p', 'main', 1);
INSERT INTO temp.tab(PartitionKey, RowKey, v) VALUES ('p', 'temp', 2);
INSERT INTO other.tab(PartitionKey, RowKey, v) VALUES ('p', 'other', 3);
.print each schema has entities of its own
SELECT RowKey, v FROM main.tab;
SELECT RowKey, v FROM temp.tab;
SELECT RowKey, v FROM other.tab;
SELECT count(*) FROM main.tab NATURAL JOIN other.tab;
.print a transaction over all three
BEGIN;
UPDATE main.tab SET v = 10;
UPDATE temp.tab SET v = 20;
DELETE FROM other.tab;
ROLLBACK;
SELECT (SELECT v FROM main.tab), (SELECT v FROM temp.tab), (SELECT v FROM other.tab);
DROP TABLE temp.tab;
SELECT RowKey FROM tab;
DETACH other;
