-- The hidden columns _etag, _properties and _filter.
CREATE VIRTUAL TABLE tab USING table_storage(i INT32, s STRING);
.print _properties writes what no column declares
INSERT INTO tab(PartitionKey, RowKey, i, _properties) VALUES ('p', '1', 1, '{"Extra":true,"Ratio":0.5,"Big@odata.type":"Edm.Int64","Big":"9007199254740993"}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES
  ('p', '2', '{"s":"from JSON","When@odata.type":"Edm.DateTime","When":"2024-06-15T12:00:00.5Z"}'),
  ('p', '3', '{"Id@odata.type":"Edm.Guid","Id":"C9DA6455-213D-42C9-9A79-3E9149A57833","Raw@odata.type":"Edm.Binary","Raw":"AP8=","Not":null}'),
  ('p', '4', '{}'), ('p', '5', NULL);
SELECT RowKey, i, s, _properties FROM tab;
.print it is read with SQLite's JSON functions
SELECT RowKey, _properties ->> 'Extra', _properties ->> '$.Ratio' FROM tab WHERE RowKey = '1';
SELECT RowKey FROM tab WHERE _properties ->> 'Big' = '9007199254740993';
.print where a column and the JSON both name a property, the column counts
INSERT INTO tab(PartitionKey, RowKey, i, _properties) VALUES ('p', '6', 1, '{"i":2}');
SELECT i, _properties FROM tab WHERE RowKey = '6';
.print JSON that is not an object, or is none
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '[1]');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"a":1');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"a":{"b":1}}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"a":1,"a":2}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"a@odata.type":"Edm.Int64","a":"x"}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"a@odata.type":"Edm.Decimal","a":"1"}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"two words":1}');
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES ('p', '7', '{"PartitionKey":"x"}');
SELECT count(*) FROM tab;
.print UPDATE of _properties
UPDATE tab SET _properties = '{"Only":1}' WHERE RowKey = '2';
SELECT _properties FROM tab WHERE RowKey = '2';
UPDATE tab SET _properties = '{"Only":1,"s":"json"}', s = 'column', i = 5 WHERE RowKey = '2';
SELECT _properties FROM tab WHERE RowKey = '2';
UPDATE tab SET _properties = '{}' WHERE RowKey = '2';
SELECT _properties FROM tab WHERE RowKey = '2';
UPDATE tab SET _properties = NULL WHERE RowKey = '2';
UPDATE tab SET _properties = 'x' WHERE RowKey = '2';
.print _etag
SELECT count(*), min(_etag LIKE 'W/"datetime''%''"') FROM tab;
SELECT RowKey FROM tab WHERE _etag = (SELECT _etag FROM tab WHERE RowKey = '3') AND RowKey = '3';
.print Timestamp is the time of the last write, in UTC
SELECT RowKey FROM tab WHERE Timestamp > datetime('now', '-1 hour') AND Timestamp <= datetime('now', '+1 minute') AND RowKey < '3';
SELECT count(*) FROM tab WHERE Timestamp < '2020-01-01';
SELECT length(Timestamp), substr(Timestamp, 11, 1), substr(Timestamp, 28) FROM tab WHERE RowKey = '1';
.print _filter: the service's own filters
CREATE VIRTUAL TABLE jobs USING table_storage(Priority INT32, Status STRING);
INSERT INTO jobs(PartitionKey, RowKey, Priority, Status, _properties) VALUES
  ('a', '1', 1, 'open', '{"Owner":"ann"}'), ('a', '2', 9, 'open', '{}'), ('a', '3', 9, 'done', '{"Owner":"bob"}'),
  ('b', '1', 6, 'done', '{}'), ('b', '2', NULL, 'open', '{"Owner":"bob"}'), ('b', '3', 7, NULL, '{"Due@odata.type":"Edm.DateTime","Due":"2024-06-15T00:00:00Z"}');
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Priority gt 5 and (Status eq ''open'' or Owner eq ''bob'')';
.print a missing property makes a comparison false, and not turns that round: the service's logic, not SQL's
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'not (Status eq ''done'')';
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Owner ne ''bob''';
.print with keys, with SQL conditions, with LIMIT
SELECT RowKey FROM jobs WHERE _filter = 'PartitionKey eq ''a'' and RowKey ge ''2''';
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Priority ge 6' AND PartitionKey = 'b' AND Status IS NULL;
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Priority ge 6' ORDER BY PartitionKey, RowKey LIMIT 1 OFFSET 1;
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Due lt datetime''2024-06-16T00:00:00Z''';
SELECT count(*) FROM jobs WHERE _filter = 'Timestamp gt datetime''2020-01-01T00:00:00Z''';
.print an Int32 property is no Int64: the service's types
SELECT count(*) FROM jobs WHERE _filter = 'Priority gt 5L';
.print one filter for each table: to SQL two different ones are two values, and alternatives belong into the filter
SELECT count(*) FROM jobs WHERE _filter = 'Priority ge 6' AND _filter = 'Status eq ''done''';
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Priority eq 1' OR _filter = 'Priority eq 6';
SELECT PartitionKey, RowKey FROM jobs WHERE _filter IN ('Priority eq 1', 'Priority eq 6');
.print a filter stands under AND: elsewhere there is no row-by-row value, and rows would go missing without a word
SELECT PartitionKey, RowKey FROM jobs WHERE _filter = 'Priority eq 1' OR Status = 'done' ORDER BY 1, 2;
DELETE FROM jobs WHERE _filter = 'Priority eq 1' OR Status = 'done';
UPDATE jobs SET Status = 'x' WHERE _filter = 'Priority eq 1' OR Status = 'done';
SELECT PartitionKey, RowKey FROM jobs WHERE NOT _filter = 'Priority eq 1';
SELECT PartitionKey, RowKey FROM jobs WHERE lower(_filter) = 'x';
SELECT j.RowKey FROM (SELECT 'Priority eq 7' AS f) JOIN jobs AS j ON j._filter = f;
UPDATE jobs SET Status = 'late' WHERE _filter = 'Priority eq 7';
SELECT count(*) FROM jobs WHERE Status = 'late';
.print filters that are none
SELECT count(*) FROM jobs WHERE _filter = 'Priority gt';
SELECT count(*) FROM jobs WHERE _filter = 'Priority > 5';
SELECT count(*) FROM jobs WHERE _filter = 'Status eq null';
SELECT count(*) FROM jobs WHERE _filter = 'startswith(Status, ''o'')';
SELECT count(*) FROM jobs WHERE _filter = '';
SELECT count(*) FROM jobs WHERE _filter = NULL;
SELECT count(*) FROM jobs WHERE _filter > 'Priority eq 1';
SELECT count(*) FROM jobs WHERE _filter = 5;
.print the column shows the filter, and without one there is nothing to show
SELECT RowKey, _filter FROM jobs WHERE _filter = 'Priority eq 1';
SELECT _filter FROM jobs WHERE PartitionKey = 'a' AND RowKey = '1';
