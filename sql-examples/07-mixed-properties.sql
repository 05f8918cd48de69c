-- Entities without a schema: properties that some have and some lack, values whose type varies.
.read sql-examples/data/load.sql

-- A missing property is NULL: avg() and count(column) leave it out, count(*) does not.
SELECT PartitionKey AS device, count(*) AS readings, count(Humidity) AS with_humidity,
       count(Battery) AS with_battery, round(avg(Temperature), 2) AS mean_temperature
FROM readings GROUP BY device;

-- `_properties` is the entity as JSON, so that properties which no column declares can be read too.
SELECT PartitionKey AS device, _properties ->> 'Firmware' AS firmware, count(*) AS readings
FROM readings GROUP BY device, firmware;

-- Which properties are there at all, and how often?
SELECT key AS property, count(*) AS entities, group_concat(DISTINCT type) AS types
FROM readings, json_each(readings._properties)
WHERE key NOT LIKE '%@odata.type' GROUP BY key ORDER BY entities DESC, key;

-- One reading holds a text where the others hold a number. A DOUBLE column shows NULL for it. A second foreign table
-- over the same entities declares the property ANY, and shows each value as what it is.
CREATE VIRTUAL TABLE raw_readings USING table_storage(Temperature ANY, OPTIONS (table 'DeviceReadings'));
SELECT ts_from_reverse_ticks(RowKey) AS time, r.Temperature, raw.Temperature AS raw, typeof(raw.Temperature) AS stored_as
FROM readings AS r JOIN raw_readings AS raw USING (PartitionKey, RowKey)
WHERE PartitionKey = 'roof' AND typeof(raw.Temperature) <> 'real';

-- The service's own filter language, where you have such filters at hand.
SELECT PartitionKey AS device, ts_from_reverse_ticks(RowKey) AS time, Battery FROM readings
WHERE _filter = 'Battery lt 3.8 or Firmware eq ''2.1.0''' AND Battery IS NOT NULL;
