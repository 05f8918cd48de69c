-- Point reads: one entity by both its keys, the cheapest question a table service knows.
.read sql-examples/data/load.sql

-- Both keys are given, so the store is asked for this one entity and nothing else.
SELECT PartitionKey AS state, RowKey AS code, Name, City FROM airports
WHERE PartitionKey = 'HI' AND RowKey = 'HNL';

-- Several entities by their keys: an IN list goes to the store whole.
SELECT PartitionKey AS state, RowKey AS code, Name FROM airports
WHERE PartitionKey IN ('AK', 'WA') AND RowKey IN ('ANC', 'SEA', 'JFK') ORDER BY RowKey;

-- Keys are case-sensitive, as the service's are: no such entity.
SELECT count(*) AS found FROM airports WHERE PartitionKey = 'hi' AND RowKey = 'hnl';
