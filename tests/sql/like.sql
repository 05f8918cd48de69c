-- LIKE and GLOB, on keys and on properties.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT32);
INSERT INTO tab(PartitionKey, RowKey, s, i) VALUES ('ab1', 'r', 'abc', 12), ('AB2', 'r', 'ABC', 120), ('ab_', 'r', 'a%c', 21), ('ac', 'r', 'ab', NULL),
  ('aé', 'r', 'aéx', 1), ('AÉ', 'r', NULL, 2), ('', 'r', '', 3), ('*a', 'r', '[ab]', 4), ('12', 'r', '12', 5);
.print LIKE on a key
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'ab%' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'AB_' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'ab\_' ESCAPE '\' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE '%b%' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'aé' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE '' ORDER BY 1;
SELECT count(*) FROM tab WHERE PartitionKey LIKE '%';
SELECT PartitionKey FROM tab WHERE PartitionKey NOT LIKE 'a%' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 12;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE NULL;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE (SELECT 'ac%');
.print LIKE on a property
SELECT s FROM tab WHERE s LIKE 'AB%' ORDER BY 1;
SELECT s FROM tab WHERE s LIKE 'a\%c' ESCAPE '\' ORDER BY 1;
SELECT s FROM tab WHERE s LIKE 'a%c' ORDER BY 1;
SELECT s FROM tab WHERE s NOT LIKE 'a%' ORDER BY 1;
SELECT count(*) FROM tab WHERE s LIKE '%';
SELECT i FROM tab WHERE i LIKE '12%' ORDER BY 1;
SELECT i FROM tab WHERE i LIKE '%1' ORDER BY 1;
.print the pattern on the other side
SELECT PartitionKey FROM tab WHERE 'abc' LIKE s || '%' ORDER BY 1;
.print GLOB
SELECT PartitionKey FROM tab WHERE PartitionKey GLOB 'ab*' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey GLOB 'a?' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey GLOB '[*]*' ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey GLOB '[A-Z]*' ORDER BY 1;
SELECT s FROM tab WHERE s GLOB 'a[b-c]*' ORDER BY 1;
SELECT s FROM tab WHERE s GLOB '' ORDER BY 1;
SELECT i FROM tab WHERE i GLOB '12*' ORDER BY 1;
.print with other conditions, and case_sensitive_like
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'a%' AND i > 10 ORDER BY 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'ab%' OR s LIKE '%x' ORDER BY 1;
PRAGMA case_sensitive_like = 1;
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE 'ab%' ORDER BY 1;
SELECT s FROM tab WHERE s LIKE 'A%' ORDER BY 1;
.print LIKE with LIMIT: what is cut is cut after the condition
SELECT PartitionKey FROM tab WHERE PartitionKey LIKE '%2' ORDER BY PartitionKey LIMIT 1;
SELECT PartitionKey FROM tab WHERE s LIKE '%b%' LIMIT 1 OFFSET 1;
