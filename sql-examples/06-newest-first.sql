-- Newest first: row keys of reverse ticks turn the ascending key order into "latest on top".
.read sql-examples/data/load.sql

-- The first entities of the partition are the newest readings: no sorting, and reading stops after three.
SELECT RowKey, ts_from_reverse_ticks(RowKey) AS time, Temperature, Humidity
FROM readings WHERE PartitionKey = 'greenhouse-1' ORDER BY RowKey LIMIT 3;

-- "Since 10:15" is a range of keys. Later times have smaller keys, hence <=.
SELECT ts_from_reverse_ticks(RowKey) AS time, Temperature
FROM readings
WHERE PartitionKey = 'cellar' AND RowKey <= ts_reverse_ticks('2024-06-15T10:15:00Z') ORDER BY RowKey;

-- The latest reading of each device: a look-up of one entity per device.
WITH latest AS (SELECT PartitionKey, min(RowKey) AS RowKey FROM readings GROUP BY PartitionKey)
SELECT r.PartitionKey AS device, ts_from_reverse_ticks(r.RowKey) AS time, r.Temperature, r.Location
FROM latest JOIN readings AS r USING (PartitionKey, RowKey) ORDER BY device;
