-- Writing: INSERT, UPDATE (a merge), INSERT OR REPLACE, DELETE, and ROLLBACK over all of them.
.read sql-examples/data/load.sql
-- Everything below is about three readings.
CREATE TEMP VIEW shown AS
  SELECT RowKey, Temperature, Humidity, _properties ->> 'Firmware' AS firmware
  FROM readings WHERE PartitionKey = 'attic';
INSERT INTO readings(PartitionKey, RowKey, Temperature, Humidity, _properties) VALUES
  ('attic', '1', 20.5, 50, '{"Firmware": "1.0"}'),
  ('attic', '2', 21, NULL, '{}'),
  ('attic', '3', 21.5, 52, NULL);
SELECT * FROM shown;

-- UPDATE changes what it names and leaves the rest: no declared column has to know Firmware. NULL removes a property.
UPDATE readings SET Temperature = Temperature + 1, Humidity = NULL WHERE PartitionKey = 'attic' AND RowKey < '3';
SELECT * FROM shown;

-- INSERT of an entity that exists is an error; OR IGNORE skips it, OR REPLACE puts a new entity in its place.
INSERT OR IGNORE  INTO readings(PartitionKey, RowKey, Temperature) VALUES ('attic', '1', 0);
INSERT OR REPLACE INTO readings(PartitionKey, RowKey, Temperature) VALUES ('attic', '1', 19);
SELECT * FROM shown;

-- A transaction may touch any number of partitions and tables, and its own reads see it. ROLLBACK undoes all of it.
BEGIN;
DELETE FROM readings WHERE Location = 'Cellar' OR PartitionKey = 'attic';
UPDATE readings SET PartitionKey = 'greenhouse', RowKey = PartitionKey || '_' || RowKey WHERE Location = 'Greenhouse';
SELECT PartitionKey, count(*) AS inside_transaction FROM readings GROUP BY PartitionKey;
ROLLBACK;
SELECT PartitionKey, count(*) AS after_rollback FROM readings GROUP BY PartitionKey;

DELETE FROM readings WHERE PartitionKey = 'attic' AND Temperature < 20;
SELECT RowKey, changes() AS deleted FROM shown;
