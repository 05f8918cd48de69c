-- The collation belongs to the comparison: only BINARY ones may be asked of the store.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING);
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('A', 'x', 'Hello'), ('a', 'X', 'hello'), ('a', 'x ', 'hello  '), ('b', 'é', 'É'), ('b', 'É', 'é'), ('c', '', NULL);
.print keys
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 'A' COLLATE NOCASE ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey COLLATE NOCASE = 'A' ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 'a' AND RowKey = 'x' COLLATE RTRIM;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 'a' AND RowKey = 'x' COLLATE NOCASE;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey > 'A' COLLATE NOCASE ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey COLLATE NOCASE IN ('A', 'B') ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey = 'é' COLLATE NOCASE;
.print text
SELECT s FROM tab WHERE s = 'HELLO' COLLATE NOCASE ORDER BY PartitionKey, RowKey;
SELECT s FROM tab WHERE s = 'hello' COLLATE RTRIM ORDER BY PartitionKey, RowKey;
SELECT s FROM tab WHERE s < 'hello' ORDER BY s;
SELECT s FROM tab WHERE s <> 'hello' COLLATE NOCASE ORDER BY s;
SELECT s FROM tab WHERE s BETWEEN 'a' COLLATE NOCASE AND 'i' COLLATE NOCASE ORDER BY s;
.print order
SELECT s FROM tab ORDER BY s COLLATE NOCASE, PartitionKey;
SELECT PartitionKey, RowKey FROM tab ORDER BY PartitionKey COLLATE NOCASE, RowKey COLLATE NOCASE DESC, PartitionKey DESC;
SELECT DISTINCT PartitionKey COLLATE NOCASE FROM tab;
SELECT upper(min(PartitionKey)), count(*) FROM tab GROUP BY PartitionKey COLLATE NOCASE ORDER BY 1;
.print joins: the collation of the left side counts
CREATE TABLE names(n TEXT COLLATE NOCASE);
INSERT INTO names VALUES ('HELLO'), ('É');
SELECT n, s FROM names JOIN tab ON n = s ORDER BY n, s;
SELECT n, s FROM names JOIN tab ON s = n ORDER BY n, s;
SELECT n, s FROM names JOIN tab ON s = n COLLATE NOCASE ORDER BY n, s;
SELECT s FROM tab WHERE s IN (SELECT n FROM names) ORDER BY s;
.print order beyond the basic plane: SQLite's order (UTF-8), not the service's (UTF-16)
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('u', char(0xFFFD), char(0xFFFD)), ('u', char(0x1F600), char(0x1F600)), ('u', char(0xE000), char(0xE000)), ('u', char(0xD7FF), char(0xD7FF));
SELECT hex(RowKey) FROM tab WHERE PartitionKey = 'u' ORDER BY RowKey;
SELECT hex(RowKey) FROM tab WHERE PartitionKey = 'u' ORDER BY RowKey DESC;
SELECT hex(RowKey) FROM tab WHERE PartitionKey = 'u' AND RowKey > char(0xE000) ORDER BY RowKey;
SELECT hex(RowKey) FROM tab WHERE PartitionKey = 'u' AND RowKey >= char(0x1F600) ORDER BY RowKey;
SELECT hex(RowKey) FROM tab WHERE PartitionKey = 'u' AND RowKey < char(0xFFFD) ORDER BY RowKey;
SELECT hex(s) FROM tab WHERE PartitionKey = 'u' AND s > char(0xE000) ORDER BY s;
SELECT hex(s) FROM tab WHERE PartitionKey = 'u' AND s >= char(0x1F600) ORDER BY s;
SELECT hex(s) FROM tab WHERE PartitionKey = 'u' AND s < char(0xFFFD) ORDER BY s;
SELECT hex(s) FROM tab WHERE PartitionKey = 'u' AND s BETWEEN char(0xD7FF) AND char(0xE000) ORDER BY s;
