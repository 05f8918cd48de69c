-- Top-N by a property: the service has no order but that of the keys and no secondary index, SQL has ORDER BY.
.read sql-examples/data/load.sql

SELECT PartitionKey AS origin, Destination, substr(At, 1, 16) AS "at", Delay
FROM flights ORDER BY Delay DESC, PartitionKey, RowKey LIMIT 8;

-- The worst one of each of the busiest origins. `Delay > 60` is sent to the store, the ranking is SQLite's.
WITH ranked AS (
  SELECT PartitionKey AS origin, Destination, Delay,
         row_number() OVER (PARTITION BY PartitionKey ORDER BY Delay DESC, RowKey) AS place
  FROM flights WHERE Delay > 60
)
SELECT origin, Destination, Delay FROM ranked
WHERE place = 1 AND origin IN ('ATL', 'DFW', 'LAX', 'ORD') ORDER BY origin;
