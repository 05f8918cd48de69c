-- Time ranges: the flights of one origin between two moments, read as one range of row keys.
.read sql-examples/data/load.sql

-- Row keys start with the time, so the range of times is a range of keys: only the flights shown are read.
SELECT RowKey, Destination, Delay FROM flights
WHERE PartitionKey = 'SEA' AND RowKey >= '2001-01-05' AND RowKey < '2001-01-09';

-- The same by the property At. Any way of writing the moments will do, an offset too; they are compared as times.
SELECT At, Destination, Delay FROM flights
WHERE PartitionKey = 'SEA' AND At BETWEEN '2001-01-05T00:00:00Z' AND '2001-01-08 22:59:59-01:00'
ORDER BY At;

-- SQLite's date functions read the column as it is.
SELECT strftime('%w', At) AS weekday, count(*) AS flights, round(avg(Delay), 1) AS avg_delay
FROM flights WHERE PartitionKey = 'ORD' GROUP BY weekday ORDER BY weekday;
