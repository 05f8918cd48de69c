-- The small database of the client tests: devices with every type, their readings, alerts on them. Small enough that
-- every query of queries.sql is quick even as a cross join, odd enough to have each kind of trap: missing properties,
-- one property with several types, empty strings, letters of every UTF-8 length, integers past 2^53.
CREATE VIRTUAL TABLE Devices USING table_storage(
  Name STRING, Owner STRING, Weight DOUBLE, Slots INT32, Serial INT64, Active BOOLEAN, Seen DATETIME, Code GUID,
  Raw BINARY, Extra ANY);
CREATE VIRTUAL TABLE Readings USING table_storage(
  Temperature DOUBLE, Humidity INT32, Quality STRING, At DATETIME);
CREATE VIRTUAL TABLE Alerts USING table_storage(
  Device STRING, Level INTEGER, Message STRING);

-- Three sites, 24 devices. A property that is NULL is missing in the entity.
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23)
INSERT INTO Devices(PartitionKey, RowKey, Name, Owner, Weight, Slots, Serial, Active, Seen, Code, Raw, Extra)
SELECT 'site' || (i % 3), printf('d%02d', i),
       CASE WHEN i % 7 = 6 THEN NULL WHEN i = 5 THEN '' ELSE 'Device ' || char(65 + i) END,
       CASE i % 4 WHEN 0 THEN 'ann' WHEN 1 THEN 'Bob' WHEN 2 THEN 'bob' END,
       CASE WHEN i % 5 = 4 THEN NULL ELSE i * 1.25 - 5 END,
       CASE WHEN i % 6 = 5 THEN NULL ELSE i % 4 END,
       CASE WHEN i % 8 = 7 THEN NULL ELSE 9007199254740992 + i % 6 END,
       CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN 0 END,
       CASE WHEN i % 9 = 8 THEN NULL ELSE strftime('%Y-%m-%dT%H:%M:%SZ', '2024-06-15', (i * 5) || ' hours') END,
       CASE WHEN i % 4 = 3 THEN NULL ELSE printf('0a1b2c3d-0000-4000-8000-0000000000%02x', i) END,
       CASE WHEN i % 5 = 0 THEN NULL ELSE unhex_of.b END,
       CASE i % 6 WHEN 0 THEN i WHEN 1 THEN i + 0.5 WHEN 2 THEN 'text ' || i WHEN 3 THEN x'0102' WHEN 4 THEN CAST(i AS TEXT) END
FROM n, (SELECT x'00FF10' AS b) AS unhex_of;
INSERT INTO Devices(PartitionKey, RowKey, Name, Weight, Serial) VALUES
  ('', '', 'both keys empty', 0.0, 0),
  ('site1', '', 'no row key', -0.0, -9223372036854775808),
  ('Site1', 'd01', 'another case', 1e300, 9223372036854775807),
  ('straße', 'ключ', 'größer', 9e999, -1),
  ('site2', char(0xFB01) || 'x', 'ligature', 1e-300, 1),
  ('site2', char(0x1F600), 'smile', 2.5, 2);

-- Ten readings for each device of site0 and site1; PartitionKey is the device's RowKey.
WITH RECURSIVE n(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM n WHERE j < 9)
INSERT INTO Readings(PartitionKey, RowKey, Temperature, Humidity, Quality, At)
SELECT d.RowKey, printf('%04d', j * 7),
       CASE WHEN (j + d.Slots) % 5 = 4 THEN NULL ELSE 15 + j * 0.5 + coalesce(d.Slots, 0) END,
       CASE WHEN j % 4 = 3 THEN NULL ELSE 40 + (j * 13) % 30 END,
       CASE j % 3 WHEN 0 THEN 'good' WHEN 1 THEN 'bad' END,
       strftime('%Y-%m-%dT%H:%M:%SZ', '2024-06-15', (j * 90) || ' minutes')
FROM n, Devices AS d WHERE d.PartitionKey IN ('site0', 'site1') AND d.RowKey <> '';

INSERT INTO Alerts(PartitionKey, RowKey, Device, Level, Message) VALUES
  ('2024-06', '001', 'd00', 1, 'battery low'),
  ('2024-06', '002', 'd04', 3, 'no contact'),
  ('2024-06', '003', 'd04', 2, '100% full'),
  ('2024-06', '004', NULL, 2, 'unknown device'),
  ('2024-07', '001', 'd09', NULL, 'under_score'),
  ('2024-07', '002', 'd99', 5, 'it''s gone'),
  ('2024-07', '003', 'd01', 1, NULL);
