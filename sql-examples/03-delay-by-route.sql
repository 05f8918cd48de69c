-- Delay by route, with the names of both airports: a join over foreign tables (the main report).
.read sql-examples/data/load.sql

-- An airport's code is its row key, and the state, its partition, is not known here: each look-up by code alone would
-- scan the airports. MATERIALIZED reads them once, and SQLite indexes what it has read.
WITH place AS MATERIALIZED (SELECT RowKey AS code, City || ' (' || RowKey || ')' AS name FROM airports)
SELECT o.name                 AS "from",
       d.name                 AS "to",
       count(*)               AS flights,
       round(avg(f.Delay), 1) AS avg_delay,
       max(f.Delay)           AS worst,
       printf('%d%%', round(100.0 * sum(f.Delay > 15) / count(*))) AS late,
       f.Distance             AS miles
FROM flights AS f
JOIN place AS o ON o.code = f.PartitionKey
JOIN place AS d ON d.code = f.Destination
GROUP BY f.PartitionKey, f.Destination
HAVING count(*) >= 7
ORDER BY avg(f.Delay) DESC, f.PartitionKey, f.Destination
LIMIT 15;

-- Per state of departure, and how many of the flights stayed inside it.
WITH place AS MATERIALIZED (SELECT RowKey AS code, PartitionKey AS state FROM airports)
SELECT o.state, count(*) AS flights, round(avg(f.Delay), 1) AS avg_delay, sum(d.state = o.state) AS within_state
FROM flights AS f
JOIN place AS o ON o.code = f.PartitionKey
JOIN place AS d ON d.code = f.Destination
GROUP BY o.state
ORDER BY flights DESC, o.state
LIMIT 10;

-- The other way round it needs no such help: a state is a partition of airports, an airport a partition of flights, so
-- both tables are read by key.
SELECT a.RowKey AS code, a.Name, count(*) AS flights, round(avg(f.Delay), 1) AS avg_delay
FROM airports AS a JOIN flights AS f ON f.PartitionKey = a.RowKey
WHERE a.PartitionKey = 'FL'
GROUP BY a.RowKey ORDER BY flights DESC, code LIMIT 5;
