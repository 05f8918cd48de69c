-- DATETIME, GUID, ANY, and properties whose stored type is not the column's.
CREATE VIRTUAL TABLE events USING table_storage(at DATETIME, id GUID);
INSERT INTO events(PartitionKey, RowKey, at, id) VALUES
  ('p', '1', '2024-06-15T00:00:00Z', '00000000-0000-0000-0000-000000000001'),
  ('p', '2', '2024-06-15T02:00:00+02:00', '0000000000000000000000000000000A'),
  ('p', '3', '2024-06-15 00:00:00.1234567', '(0000000A-0000-0000-0000-000000000000)'),
  ('p', '4', '2024-06-14T23:59:59.9999999Z', NULL),
  ('p', '5', NULL, '{FFFFFFFF-0000-0000-0000-000000000000}');
.print fixed width, UTC, seven digits
SELECT RowKey, at, id FROM events;
.print instants are compared, however they are written
SELECT RowKey FROM events WHERE at = '2024-06-15';
SELECT RowKey FROM events WHERE at = '2024-06-15T00:00:00Z';
SELECT RowKey FROM events WHERE at = '2024-06-14T19:00:00-05:00';
SELECT RowKey FROM events WHERE at = '2024-06-15 00:00';
SELECT RowKey FROM events WHERE at > '2024-06-15T01:00:00+01:00';
SELECT RowKey FROM events WHERE at >= datetime('2024-06-14', '+1 day') ORDER BY 1;
SELECT RowKey FROM events WHERE at < '2024-06-15';
SELECT RowKey FROM events WHERE at BETWEEN '2024-06-14T23:59:59.9999999Z' AND '2024-06-15' ORDER BY 1;
SELECT RowKey FROM events WHERE at IN ('2024-06-15T00:00:00Z', '2024-06-15 00:00:00.1234567') ORDER BY 1;
SELECT RowKey FROM events WHERE at IN ('2024-06-15') ORDER BY 1;
SELECT RowKey FROM events WHERE at <> '2024-06-15' ORDER BY 1;
SELECT RowKey FROM events WHERE at IS NOT '2024-06-15' ORDER BY 1;
.print digits past the seventh
SELECT RowKey FROM events WHERE at < '2024-06-15T00:00:00.12345671Z' AND at > '2024-06-15' ORDER BY 1;
.print text that is no time
SELECT count(*) FROM events WHERE at = 'noon';
SELECT count(*) FROM events WHERE at = '';
SELECT count(*) FROM events WHERE at = 5;
.print order, groups, functions of SQLite
SELECT RowKey FROM events WHERE at IS NOT NULL ORDER BY at DESC, RowKey;
SELECT at, count(*) FROM events GROUP BY at;
SELECT min(at), max(at), count(DISTINCT at) FROM events;
SELECT date(at), strftime('%s', at) FROM events WHERE RowKey = '1';
.print joins on time
CREATE TABLE marks(m TEXT);
INSERT INTO marks VALUES ('2024-06-15'), ('2024-06-15T03:00:00+03:00'), ('2023-01-01');
SELECT events.RowKey, m FROM marks JOIN events ON events.at = m ORDER BY 1, 2;
SELECT RowKey FROM events WHERE at IN (SELECT m FROM marks) ORDER BY 1;
.print GUIDs compare without case
SELECT RowKey FROM events WHERE id = '0000000A-0000-0000-0000-000000000000';
SELECT RowKey FROM events WHERE id = '0000000a-0000-0000-0000-000000000000';
SELECT RowKey FROM events WHERE id IN ('FFFFFFFF-0000-0000-0000-000000000000', 'x');
SELECT RowKey FROM events WHERE id > '0000000A-0000-0000-0000-000000000000';
SELECT RowKey FROM events WHERE id = 'x';
SELECT RowKey FROM events ORDER BY id;
.print stored types that are not the column's: numbers widen, anything else is NULL
CREATE VIRTUAL TABLE raw USING table_storage(OPTIONS (table 'Mixed'));
INSERT INTO raw(PartitionKey, RowKey, _properties) VALUES
  ('p', '1', '{"v":22}'), ('p', '2', '{"v":22.5}'), ('p', '3', '{"v@odata.type":"Edm.Int64","v":"22"}'), ('p', '4', '{"v":"22"}'), ('p', '5', '{"v":true}'),
  ('p', '6', '{"v@odata.type":"Edm.DateTime","v":"2024-06-15T00:00:00Z"}'), ('p', '7', '{"v@odata.type":"Edm.Guid","v":"0000000a-0000-0000-0000-000000000000"}'),
  ('p', '8', '{"v@odata.type":"Edm.Binary","v":"MjI="}'), ('p', '9', '{}'), ('p', '10', '{"v@odata.type":"Edm.Int64","v":"9007199254740993"}'),
  ('p', '11', '{"v@odata.type":"Edm.Double","v":"NaN"}'), ('p', '12', '{"v@odata.type":"Edm.Double","v":"-Infinity"}');
CREATE VIRTUAL TABLE as_double USING table_storage(v DOUBLE, OPTIONS (table 'Mixed'));
CREATE VIRTUAL TABLE as_int32 USING table_storage(v INT32, OPTIONS (table 'Mixed'));
CREATE VIRTUAL TABLE as_int64 USING table_storage(v INT64, OPTIONS (table 'Mixed'));
CREATE VIRTUAL TABLE as_string USING table_storage(v STRING, OPTIONS (table 'Mixed'));
CREATE VIRTUAL TABLE as_any USING table_storage(v ANY, OPTIONS (table 'Mixed'));
SELECT RowKey, v FROM as_double WHERE v IS NOT NULL;
SELECT RowKey, v FROM as_int32 WHERE v IS NOT NULL;
SELECT RowKey, v FROM as_int64 WHERE v IS NOT NULL;
SELECT RowKey, v FROM as_string WHERE v IS NOT NULL;
SELECT RowKey, typeof(v), v FROM as_any WHERE RowKey <> '12';
.print conditions on such columns see what the column shows
SELECT RowKey FROM as_double WHERE v = 22 ORDER BY 1;
SELECT RowKey FROM as_double WHERE v > 22 ORDER BY 1;
SELECT RowKey FROM as_double WHERE v < 22.5 ORDER BY 1;
SELECT count(*) FROM as_double WHERE v IS NULL;
SELECT count(*) FROM as_double WHERE v <> 22;
SELECT RowKey FROM as_int32 WHERE v >= 22;
SELECT RowKey FROM as_string WHERE v < 'z';
SELECT RowKey FROM as_string WHERE v <> 'z';
SELECT RowKey FROM as_int64 WHERE v BETWEEN 22 AND 22 ORDER BY 1;
SELECT RowKey FROM as_any WHERE v = 22 ORDER BY 1;
SELECT RowKey FROM as_any WHERE v = '22' ORDER BY 1;
.print _properties shows them as they are
SELECT RowKey, _properties FROM as_int32 WHERE RowKey IN ('10', '11', '12', '4');
.print an UPDATE of another column leaves a value that the column cannot show
CREATE VIRTUAL TABLE strict USING table_storage(v INT32, w STRING, OPTIONS (table 'Mixed', on_type_mismatch 'error'));
UPDATE as_double SET v = v WHERE RowKey = '9';
UPDATE strict SET w = 'x' WHERE RowKey = '1' AND PartitionKey = 'p';
SELECT v, w FROM strict WHERE PartitionKey = 'p' AND RowKey = '1';
.print on_type_mismatch error names the entity
SELECT v FROM strict WHERE PartitionKey = 'p' AND RowKey = '4';
SELECT count(*) FROM strict WHERE v = 22;
SELECT RowKey FROM strict WHERE RowKey IN ('1', '4');
.print SQL names do not know case, property names do
CREATE VIRTUAL TABLE twins USING table_storage(name STRING OPTIONS (property 'name'), Name2 STRING OPTIONS (property 'Name'), OPTIONS (table 'Twins'));
INSERT INTO twins(PartitionKey, RowKey, NAME, name2) VALUES ('p', '1', 'lower', 'upper');
SELECT name, Name2, _properties FROM twins;
SELECT count(*) FROM twins WHERE name = 'upper';
SELECT count(*) FROM twins WHERE _filter = 'Name eq ''upper''';
CREATE VIRTUAL TABLE other_case USING table_storage(NAME STRING, OPTIONS (table 'Twins'));
SELECT NAME FROM other_case;
