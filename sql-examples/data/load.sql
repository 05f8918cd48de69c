-- Loads the extension and three tables of entities. The reports start with `.read sql-examples/data/load.sql`
-- and are run from the top of the repository, after it was built (sql-examples/run.sh builds it).
.bail on
.load build/extension/table_storage

-- A foreign table names the properties that SQL should see. PartitionKey, RowKey and Timestamp come first by
-- themselves. With no SERVER named, the entities live in this database: in :memory: here, in your file otherwise.
CREATE VIRTUAL TABLE flights USING table_storage(
  At          DATETIME,   -- departure; the source has local times, which are taken as they stand
  Destination STRING,
  Delay       INT32,      -- minutes; negative: early
  Distance    INT32       -- miles
);
CREATE VIRTUAL TABLE airports USING table_storage(
  Name STRING, City STRING, Country STRING, Latitude DOUBLE, Longitude DOUBLE
);
CREATE VIRTUAL TABLE readings USING table_storage(
  Temperature DOUBLE,
  Humidity    DOUBLE,
  Location    STRING,
  Battery     DOUBLE,
  OPTIONS (table 'DeviceReadings')   -- the name of the entity table, where it is not the SQL name
);

CREATE TEMP TABLE flights_csv(origin, at, destination, delay, distance);
CREATE TEMP TABLE airports_csv(state, iata, name, city, country, latitude, longitude);
.import --csv --skip 1 --schema temp sql-examples/data/flights.csv flights_csv
.import --csv --skip 1 --schema temp sql-examples/data/airports.csv airports_csv

BEGIN;
-- Keys carry the two questions asked most: "this origin", "this origin from then till then".
INSERT INTO flights(PartitionKey, RowKey, At, Destination, Delay, Distance)
  SELECT origin, at || '_' || destination, at, destination, delay, distance FROM flights_csv;
INSERT INTO airports(PartitionKey, RowKey, Name, City, Country, Latitude, Longitude)
  SELECT state, iata, name, city, country, latitude, longitude FROM airports_csv;
-- The readings differ from one another, so they come as JSON: `_properties` takes every property an object has.
-- ts_reverse_ticks() makes row keys that sort newest first.
INSERT INTO readings(PartitionKey, RowKey, _properties)
  SELECT value ->> 'device', ts_reverse_ticks(value ->> 'time'), value -> 'properties'
  FROM json_each(readfile('sql-examples/data/readings.json'));
COMMIT;

DROP TABLE flights_csv;
DROP TABLE airports_csv;
.mode box
.nullvalue NULL
