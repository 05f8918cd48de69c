-- Delay by route, with the names of both airports: a join over foreign tables (the main report).
.read sql-examples/data/load.sql

-- An airport's code is its row key, and the state, its partition, is not known here: each look-up by code alone would
-- scan the airports. So after the first few look-ups the airports are read once and kept in memory until the statement
-- ends, and that copy answers the rest (the join cache, option join_cache_memory).
SELECT o.City || ' (' || o.RowKey || ')' AS "from",
       d.City || ' (' || d.RowKey || ')' AS "to",
       count(*)               AS flights,
       round(avg(f.Delay), 1) AS avg_delay,
       max(f.Delay)           AS worst,
       printf('%d%%', round(100.0 * sum(f.Delay > 15) / count(*))) AS late,
       f.Distance             AS miles
FROM flights AS f
JOIN airports AS o ON o.RowKey = f.PartitionKey
JOIN airports AS d ON d.RowKey = f.Destination
GROUP BY f.PartitionKey, f.Destination
HAVING count(*) >= 7
ORDER BY avg(f.Delay) DESC, f.PartitionKey, f.Destination
LIMIT 15;

-- Per state of departure, and how many of the flights stayed inside it.
SELECT o.PartitionKey AS state, count(*) AS flights, round(avg(f.Delay), 1) AS avg_delay,
       sum(d.PartitionKey = o.PartitionKey) AS within_state
FROM flights AS f
JOIN airports AS o ON o.RowKey = f.PartitionKey
JOIN airports AS d ON d.RowKey = f.Destination
GROUP BY o.PartitionKey
ORDER BY flights DESC, state
LIMIT 10;

-- The other way round the keys lead: a state is a partition of airports, an airport a partition of flights, so
-- both tables are read by key, and only the flights from these airports.
SELECT a.RowKey AS code, a.Name, count(*) AS flights, round(avg(f.Delay), 1) AS avg_delay
FROM airports AS a JOIN flights AS f ON f.PartitionKey = a.RowKey
WHERE a.PartitionKey = 'FL'
GROUP BY a.RowKey ORDER BY flights DESC, code LIMIT 5;
