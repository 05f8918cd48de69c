-- A missing property is NULL, and NULL is SQL's NULL: three-valued logic, whatever the service's filters do.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT32, d DOUBLE, b BOOLEAN);
INSERT INTO tab(PartitionKey, RowKey, s, i, d, b) VALUES ('p', '1', 'x', 1, 1.5, 1), ('p', '2', '', 0, 0.0, 0), ('p', '3', NULL, NULL, NULL, NULL), ('p', '4', 'y', NULL, -1, NULL);
SELECT RowKey FROM tab WHERE i IS NULL;
SELECT RowKey FROM tab WHERE i IS NOT NULL;
SELECT RowKey FROM tab WHERE s IS NULL;
SELECT RowKey FROM tab WHERE s = NULL;
SELECT RowKey FROM tab WHERE s IS 'x';
SELECT RowKey FROM tab WHERE s IS NOT 'x';
SELECT RowKey FROM tab WHERE s IS (SELECT NULL);
SELECT RowKey FROM tab WHERE i IS NOT (SELECT NULL);
SELECT RowKey FROM tab WHERE s <> 'x';
SELECT RowKey FROM tab WHERE s < 'x';
SELECT RowKey FROM tab WHERE NOT s = 'x';
SELECT RowKey FROM tab WHERE NOT (i > 0 OR d > 0);
SELECT RowKey FROM tab WHERE i < 1;
SELECT RowKey FROM tab WHERE i <= 0 OR i IS NULL ORDER BY RowKey;
SELECT RowKey FROM tab WHERE i IN (0, NULL);
SELECT RowKey FROM tab WHERE i NOT IN (0);
SELECT RowKey FROM tab WHERE i NOT IN (0, NULL);
SELECT RowKey FROM tab WHERE i IN ();
SELECT RowKey FROM tab WHERE i NOT IN ();
SELECT RowKey FROM tab WHERE i BETWEEN NULL AND 5;
SELECT RowKey FROM tab WHERE i IN (SELECT NULL);
SELECT RowKey FROM tab WHERE i IS NOT DISTINCT FROM NULL;
SELECT RowKey FROM tab WHERE b IS NOT TRUE;
SELECT RowKey FROM tab WHERE b IS TRUE;
SELECT RowKey FROM tab WHERE coalesce(i, 9) = 9;
.print keys are never NULL
SELECT RowKey FROM tab WHERE RowKey IS NULL;
SELECT count(*) FROM tab WHERE RowKey IS NOT NULL;
SELECT RowKey FROM tab WHERE RowKey = NULL;
SELECT RowKey FROM tab WHERE PartitionKey = 'p' AND RowKey > NULL;
SELECT RowKey FROM tab WHERE RowKey IN ('1', NULL);
SELECT RowKey FROM tab WHERE RowKey NOT IN ('1', NULL);
.print aggregates and order
SELECT count(*), count(i), sum(i), avg(d), min(s), max(i), total(i) FROM tab;
SELECT i, count(*) FROM tab GROUP BY i;
SELECT RowKey, i FROM tab ORDER BY i, RowKey;
SELECT RowKey, i FROM tab ORDER BY i DESC NULLS LAST, RowKey;
SELECT DISTINCT i FROM tab ORDER BY i;
.print joins on NULL
SELECT a.RowKey, b.RowKey FROM tab a JOIN tab b ON a.i = b.i ORDER BY 1, 2;
SELECT a.RowKey, b.RowKey FROM tab a JOIN tab b ON a.i IS b.i ORDER BY 1, 2;
SELECT a.RowKey, b.RowKey FROM tab a LEFT JOIN tab b ON a.i = b.i ORDER BY 1, 2;
SELECT a.RowKey FROM tab a LEFT JOIN tab b ON b.PartitionKey = 'none' WHERE b.RowKey IS NULL ORDER BY 1;
