-- UPDATE: a merge of what the statement names. Stored types stay where the value fits them.
CREATE VIRTUAL TABLE tab USING table_storage(t DOUBLE, n INT64, s STRING, at DATETIME);
INSERT INTO tab(PartitionKey, RowKey, _properties) VALUES
  ('p', '1', '{"t":2,"n":5,"s":"one","Other":"kept"}'),
  ('p', '2', '{"t":2.5,"n@odata.type":"Edm.Int64","n":"5","s":"two"}'),
  ('q', '1', '{"s":"three"}');
.print only what is named changes; what no column declares stays
UPDATE tab SET s = 'ONE' WHERE RowKey = '1' AND PartitionKey = 'p';
SELECT PartitionKey, RowKey, _properties FROM tab;
.print a stored Int32 stays one where the new value fits it, and becomes the column's type where not
UPDATE tab SET t = 3, n = 6 WHERE PartitionKey = 'p';
SELECT t, n, _properties FROM tab WHERE PartitionKey = 'p';
UPDATE tab SET t = t + 0.5, n = 3000000000 WHERE PartitionKey = 'p';
SELECT t, n, _properties FROM tab WHERE PartitionKey = 'p';
.print NULL removes a property; a property that was missing appears
UPDATE tab SET s = NULL, at = '2024-06-15' WHERE PartitionKey = 'p' AND RowKey = '2';
SELECT _properties FROM tab WHERE RowKey = '2';
.print changes() counts entities, also those that stay as they are
UPDATE tab SET s = s;
SELECT changes();
UPDATE tab SET s = 'x' WHERE PartitionKey = 'none';
SELECT changes();
.print keys may change; the rest moves along, hidden properties too
UPDATE tab SET PartitionKey = 'r', RowKey = RowKey || 'a' WHERE PartitionKey = 'p' AND RowKey = '1';
SELECT PartitionKey, RowKey, _properties FROM tab;
.print all keys shifted at once: the rows met on the way are not met again
CREATE VIRTUAL TABLE line USING table_storage(v INT32);
INSERT INTO line(PartitionKey, RowKey, v) VALUES ('p', '1', 1), ('p', '2', 2), ('p', '3', 3);
UPDATE line SET RowKey = '1' || RowKey, v = v * 10;
SELECT RowKey, v FROM line;
.print refused: keys that are taken or NULL, values that do not fit, columns of the service
UPDATE line SET RowKey = '12' WHERE RowKey = '11';
UPDATE line SET RowKey = NULL WHERE RowKey = '11';
UPDATE line SET v = 'many' WHERE RowKey = '11';
UPDATE line SET Timestamp = '2024-01-01' WHERE RowKey = '11';
UPDATE line SET _etag = 'x' WHERE RowKey = '11';
UPDATE line SET _filter = 'x' WHERE RowKey = '11';
SELECT RowKey, v FROM line;
.print UPDATE FROM
CREATE TABLE corrections(k TEXT, v INT);
INSERT INTO corrections VALUES ('11', 111), ('13', 133), ('99', 999);
UPDATE line SET v = c.v FROM corrections AS c WHERE c.k = line.RowKey;
SELECT RowKey, v FROM line;
UPDATE tab SET s = line.v FROM line WHERE tab.PartitionKey = 'q' AND line.RowKey = '12';
SELECT s FROM tab WHERE PartitionKey = 'q';
.print UPDATE FROM keeps what it does not name
UPDATE tab SET n = 1 FROM line WHERE line.RowKey = '12' AND tab.PartitionKey = 'r';
SELECT _properties FROM tab WHERE PartitionKey = 'r';
.print UPDATE … ORDER BY … LIMIT
UPDATE line SET v = 0 ORDER BY RowKey DESC LIMIT 2;
SELECT RowKey, v FROM line;
.print the ETag changes with every write, and only then
CREATE TEMP TABLE seen AS SELECT RowKey AS k, _etag AS e FROM line;
UPDATE line SET v = 1 WHERE RowKey = '12';
SELECT RowKey, _etag = (SELECT e FROM seen WHERE k = RowKey) FROM line;
