-- _filter: values of every type against literals of every type, by the service's rules and not by the emulator's.
CREATE VIRTUAL TABLE vals USING table_storage(OPTIONS (table 'Vals'));
INSERT INTO vals(PartitionKey, RowKey, _properties) VALUES
  ('p', 'absent', '{}'), ('p', 'bin', '{"v@odata.type":"Edm.Binary","v":"AQID"}'), ('p', 'boolf', '{"v":false}'), ('p', 'boolt', '{"v":true}'),
  ('p', 'date', '{"v@odata.type":"Edm.DateTime","v":"2020-01-02T03:04:05Z"}'), ('p', 'date7', '{"v@odata.type":"Edm.DateTime","v":"2020-01-02T03:04:05.1234567Z"}'),
  ('p', 'dbl5', '{"v":5.0}'), ('p', 'dbl5h', '{"v":5.5}'), ('p', 'dblinf', '{"v@odata.type":"Edm.Double","v":"Infinity"}'), ('p', 'dblnan', '{"v@odata.type":"Edm.Double","v":"NaN"}'),
  ('p', 'guid', '{"v@odata.type":"Edm.Guid","v":"c9da6455-213d-42c9-9a79-3e9149a57833"}'), ('p', 'int5', '{"v":5}'), ('p', 'intneg', '{"v":-3}'),
  ('p', 'long10', '{"v@odata.type":"Edm.Int64","v":"10"}'), ('p', 'long5', '{"v@odata.type":"Edm.Int64","v":"5"}'), ('p', 'longneg', '{"v@odata.type":"Edm.Int64","v":"-3"}'),
  ('p', 'str5', '{"v":"5"}'), ('p', 'stra', '{"v":"a"}'), ('p', 'strdate', '{"v":"2020-01-02T03:04:05Z"}'), ('p', 'strempty', '{"v":""}'),
  ('p', 'strguid', '{"v":"c9da6455-213d-42c9-9a79-3e9149a57833"}');
CREATE TABLE literals(n INTEGER PRIMARY KEY, l);
INSERT INTO literals(l) VALUES ('5'), ('5L'), ('5.0'), ('5.5'), ('''5'''), ('''a'''), (''''''), ('true'), ('false'), ('guid''c9da6455-213d-42c9-9a79-3e9149a57833'''),
  ('datetime''2020-01-02T03:04:05Z'''), ('datetime''2020-01-02T03:04:05.1234Z'''), ('X''010203'''), ('-3'), ('1e300'), ('INF'), ('NaN'), ('5000000000L');
CREATE TABLE operators(n INTEGER PRIMARY KEY, o);
INSERT INTO operators(o) VALUES ('eq'), ('gt'), ('ge'), ('lt'), ('le'), ('ne');
SELECT format('v %s %s', o, l), (SELECT group_concat(RowKey, ' ') FROM vals WHERE _filter = format('v %s %s', o, l)) FROM literals, operators ORDER BY literals.n, operators.n;
.print joined, turned round, with keys
CREATE TABLE filters(n INTEGER PRIMARY KEY, f);
INSERT INTO filters(f) VALUES ('v'), ('not v'), ('not (v eq 5)'), ('v ge 5 and v le 5'), ('v lt 5 or v gt 9'), ('not (v lt 5)'), ('not (nosuch ne 1)'), ('nosuch ne 1'), ('5 eq v'), ('5L lt v'),
  ('RowKey ge ''int5'' and v eq 5L'), ('RowKey lt ''bool'' or v eq ''a'''), ('not (RowKey lt ''str'')'), ('PartitionKey eq ''p'' and not (v ne 5)'), ('v eq 5L or v eq ''5'' or v eq 5.5'),
  ('Timestamp gt datetime''2020-01-01T00:00:00Z'' and v lt -3L'), ('Timestamp lt datetime''2020-01-01T00:00:00Z'''), ('v gt -3 and v ne 10');
SELECT f, (SELECT group_concat(RowKey, ' ') FROM vals WHERE _filter = f) FROM filters ORDER BY n;
.print beside conditions of SQL, and under a limit
CREATE VIRTUAL TABLE ints USING table_storage(v INT64, OPTIONS (table 'Vals'));
SELECT RowKey, v FROM ints WHERE _filter = 'v lt 5L' AND v < 100 ORDER BY RowKey;
SELECT RowKey, v FROM ints WHERE _filter = 'v eq 5L' AND RowKey > 'a' ORDER BY PartitionKey, RowKey LIMIT 1;
SELECT RowKey FROM ints WHERE _filter = 'v ne ''5''' AND PartitionKey = 'p' ORDER BY RowKey LIMIT 2 OFFSET 3;
BEGIN;
INSERT INTO ints(PartitionKey, RowKey, v) VALUES ('p', 'new', 5);
DELETE FROM ints WHERE _filter = 'v eq 5L' AND RowKey < 'new';
SELECT group_concat(RowKey, ' ') FROM ints WHERE _filter = 'v eq 5L or v gt 9';
ROLLBACK;
SELECT count(*) FROM ints WHERE _filter = 'v eq 5L';
