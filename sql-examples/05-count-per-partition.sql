-- Counting: the service cannot count, so people read whole tables by hand. Here it is count(*).
.read sql-examples/data/load.sql

-- Entities come in key order, so GROUP BY PartitionKey needs no sorting.
SELECT PartitionKey AS origin, count(*) AS flights, min(RowKey) AS first, max(RowKey) AS last
FROM flights GROUP BY PartitionKey ORDER BY flights DESC, origin LIMIT 8;

-- How even are the partitions?
WITH sizes AS (SELECT count(*) AS n FROM flights GROUP BY PartitionKey)
SELECT count(*) AS partitions, sum(n) AS entities, min(n) AS smallest, max(n) AS largest, round(avg(n), 1) AS mean
FROM sizes;

-- Airports that no flight of the sample leaves from: an anti-join.
SELECT count(*) AS airports_without_departure FROM airports AS a
WHERE NOT EXISTS (SELECT 1 FROM flights AS f WHERE f.PartitionKey = a.RowKey);
