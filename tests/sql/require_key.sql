-- Option require_key: what it says of scans that no partition key bounds, and which it lets pass.
CREATE VIRTUAL TABLE strict USING table_storage(n INT32, OPTIONS (table 'Things', require_key 'error'));
CREATE VIRTUAL TABLE warning USING table_storage(n INT32, OPTIONS (table 'Things', require_key 'warn'));
CREATE VIRTUAL TABLE free USING table_storage(n INT32, OPTIONS (table 'Things'));
INSERT INTO free(PartitionKey, RowKey, n) VALUES ('a', '1', 1), ('a', '2', 2), ('b', '1', 3);
.print refused
SELECT count(*) FROM strict;
SELECT n FROM strict WHERE RowKey = '1';
SELECT n FROM strict WHERE n > 1;
SELECT n FROM strict WHERE PartitionKey <> 'a';
SELECT n FROM strict WHERE PartitionKey LIKE '%a';
UPDATE strict SET n = 0;
.print allowed
SELECT n FROM strict WHERE PartitionKey = 'b';
SELECT n FROM strict WHERE PartitionKey IN ('a', 'b') AND n > 1 ORDER BY n;
SELECT n FROM strict WHERE PartitionKey >= 'b';
SELECT n FROM strict WHERE PartitionKey LIKE 'A%' ORDER BY n;
SELECT f.n, s.n FROM free f CROSS JOIN strict s ON s.PartitionKey = f.PartitionKey AND s.RowKey = f.RowKey ORDER BY f.n;
SELECT (SELECT max(n) FROM strict s WHERE s.PartitionKey = f.PartitionKey) FROM free f ORDER BY f.n;
DELETE FROM strict WHERE PartitionKey = 'b';
.print warned
.log stdout
SELECT count(*) FROM warning WHERE n > 0;
SELECT count(*) FROM warning WHERE RowKey = '1';
SELECT count(*) FROM warning WHERE PartitionKey = 'a';
