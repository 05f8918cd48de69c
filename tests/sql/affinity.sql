-- Right-hand sides take the affinity of the column, as with an ordinary table: text and numbers meet as SQL says.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT64, n INT32, d DOUBLE, b BOOLEAN, a ANY);
INSERT INTO tab(PartitionKey, RowKey, s, i, n, d, b, a) VALUES
  ('5', '1', '5', 5, 5, 5.0, 1, 5), ('5', '10', '10', 10, 10, 10.0, 0, '5'), ('5', '2', '5.0', 4, 4, 4.5, 1, 5.0),
  ('50', '5', '05', 9223372036854775807, 2147483647, 1e300, 0, '05'), ('6', '6', ' 5', -9223372036854775807, -2147483648, -0.5, 0, x'35'),
  ('a', 'b', 'b', NULL, NULL, NULL, NULL, NULL);
.print keys
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 5 ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey = 5;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 5 AND RowKey = 10;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 5.0;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey BETWEEN 1 AND 5 ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey > 5 ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey IN (5, 6) ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey IN (6) ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey IN ('b', 6.0, NULL) ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey IS 6;
SELECT PartitionKey, RowKey FROM tab WHERE RowKey = (SELECT 6);
SELECT PartitionKey, RowKey FROM tab WHERE RowKey = (SELECT '6');
SELECT PartitionKey, RowKey FROM tab WHERE RowKey = x'36';
SELECT PartitionKey, RowKey FROM tab WHERE RowKey < x'00' ORDER BY 1, 2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = CAST('5' AS TEXT) AND RowKey = +2;
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = NULL OR RowKey = NULL;
.print text
SELECT RowKey FROM tab WHERE s = 5 ORDER BY 1;
SELECT RowKey FROM tab WHERE s = 5.0 ORDER BY 1;
SELECT RowKey FROM tab WHERE s > 5 ORDER BY 1;
SELECT RowKey FROM tab WHERE s IN (5, 10) ORDER BY 1;
SELECT RowKey FROM tab WHERE s <> 5 ORDER BY 1;
SELECT RowKey FROM tab WHERE +s = 5 ORDER BY 1;
.print whole numbers
SELECT RowKey FROM tab WHERE i = '5';
SELECT RowKey FROM tab WHERE i = ' 5 ';
SELECT RowKey FROM tab WHERE i = '5x';
SELECT RowKey FROM tab WHERE i > '4' ORDER BY 1;
SELECT RowKey FROM tab WHERE i > '6x' ORDER BY 1;
SELECT RowKey FROM tab WHERE i < 'x' ORDER BY 1;
SELECT RowKey FROM tab WHERE i < x'00' ORDER BY 1;
SELECT RowKey FROM tab WHERE i = 5.0;
SELECT RowKey FROM tab WHERE i > 4.5 ORDER BY 1;
SELECT RowKey FROM tab WHERE i <= 9.99 ORDER BY 1;
SELECT RowKey FROM tab WHERE i < 1e19 ORDER BY 1;
SELECT RowKey FROM tab WHERE i > -1e19 ORDER BY 1;
SELECT RowKey FROM tab WHERE i = 9223372036854775807;
SELECT RowKey FROM tab WHERE i = 9223372036854775807.0;
SELECT RowKey FROM tab WHERE i >= 9223372036854775807.0;
SELECT RowKey FROM tab WHERE i = '9223372036854775807';
SELECT RowKey FROM tab WHERE i IN ('5', 10.0, 'x') ORDER BY 1;
SELECT RowKey FROM tab WHERE i = 5.5;
SELECT RowKey FROM tab WHERE i <> 5 ORDER BY 1;
SELECT RowKey FROM tab WHERE i IS NOT 5 ORDER BY 1;
SELECT RowKey FROM tab WHERE n > 2147483646.5;
SELECT RowKey FROM tab WHERE n < 3000000000 ORDER BY 1;
SELECT RowKey FROM tab WHERE n > 3000000000 ORDER BY 1;
SELECT RowKey FROM tab WHERE n = '2147483647';
SELECT RowKey FROM tab WHERE n >= -2147483649 ORDER BY 1;
.print doubles
SELECT RowKey FROM tab WHERE d = 5;
SELECT RowKey FROM tab WHERE d = '5';
SELECT RowKey FROM tab WHERE d = '4.50';
SELECT RowKey FROM tab WHERE d > 4 ORDER BY 1;
SELECT RowKey FROM tab WHERE d > 'x' ORDER BY 1;
SELECT RowKey FROM tab WHERE d < 'x' ORDER BY 1;
SELECT RowKey FROM tab WHERE d > 9223372036854775807 ORDER BY 1;
SELECT RowKey FROM tab WHERE d = 1e300;
SELECT RowKey FROM tab WHERE d < 1e999 ORDER BY 1;
SELECT RowKey FROM tab WHERE d BETWEEN -1 AND '5' ORDER BY 1;
.print booleans
SELECT RowKey FROM tab WHERE b ORDER BY 1;
SELECT RowKey FROM tab WHERE NOT b ORDER BY 1;
SELECT RowKey FROM tab WHERE b = 1 ORDER BY 1;
SELECT RowKey FROM tab WHERE b = TRUE ORDER BY 1;
SELECT RowKey FROM tab WHERE b = '1' ORDER BY 1;
SELECT RowKey FROM tab WHERE b = 2;
SELECT RowKey FROM tab WHERE b < 2 ORDER BY 1;
SELECT RowKey FROM tab WHERE b > 0.5 ORDER BY 1;
SELECT RowKey FROM tab WHERE b IS FALSE ORDER BY 1;
SELECT RowKey FROM tab WHERE b IN (0) ORDER BY 1;
.print ANY
SELECT RowKey, a FROM tab WHERE a = 5 ORDER BY 1;
SELECT RowKey, a FROM tab WHERE a = '5' ORDER BY 1;
SELECT RowKey, a FROM tab WHERE a = x'35' ORDER BY 1;
SELECT RowKey, a FROM tab WHERE a > 4 ORDER BY 1;
SELECT RowKey, a FROM tab WHERE a < '1' ORDER BY 1;
SELECT RowKey, a FROM tab WHERE a IN (5, '05') ORDER BY 1;
SELECT RowKey, typeof(a) FROM tab WHERE a IS NOT NULL ORDER BY 1;
.print columns against columns, in a join
CREATE TABLE probe(k, kt TEXT, ki INT, kr REAL);
INSERT INTO probe VALUES (5, 5, 5, 5), ('5', '5.0', '10', 4.5), (10.0, 'b', 4, 1e300);
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.PartitionKey = p.k ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.s = p.k ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.s = p.kt ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.s = p.ki ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.i = p.k ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.i = p.kt ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.i = p.kr ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.d = p.ki ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.d = p.kt ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.a = p.k ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.a = p.ki ORDER BY 1, 2;
SELECT t.RowKey, p.rowid FROM probe p JOIN tab t ON t.a = p.kt ORDER BY 1, 2;
SELECT t.RowKey FROM tab t WHERE t.i IN (SELECT k FROM probe) ORDER BY 1;
SELECT t.RowKey FROM tab t WHERE t.s IN (SELECT k FROM probe) ORDER BY 1;
SELECT t.RowKey FROM tab t WHERE t.RowKey IN (SELECT ki FROM probe) ORDER BY 1;
SELECT t.RowKey FROM tab t WHERE t.RowKey IN (SELECT kr FROM probe) ORDER BY 1;
