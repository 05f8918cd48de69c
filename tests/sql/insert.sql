-- INSERT: what is stored, conversions that lose nothing, and the refusals.
CREATE VIRTUAL TABLE tab USING table_storage(s STRING, i INT32, l INT64, d DOUBLE, b BOOLEAN, at DATETIME, g GUID, x BINARY, a ANY);
.print every type
INSERT INTO tab(PartitionKey, RowKey, s, i, l, d, b, at, g, x, a) VALUES
  ('p', '1', 'text', -2147483648, 9223372036854775807, 0.125, 1, '2024-06-15T12:34:56.1234567Z', 'C9DA6455-213D-42C9-9A79-3E9149A57833', x'0001ff', 'any');
SELECT s, i, l, d, b, at, g, x, a FROM tab;
.print nothing but keys
INSERT INTO tab(PartitionKey, RowKey) VALUES ('p', '2');
SELECT s, i, l, d, b, at, g, x, a, _properties FROM tab WHERE RowKey = '2';
.print numbers as keys are text, as in a TEXT column
INSERT INTO tab(PartitionKey, RowKey) VALUES (5, 6);
SELECT PartitionKey, RowKey FROM tab WHERE PartitionKey = 5;
.print empty keys are keys
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('', '', '');
SELECT PartitionKey, RowKey, s FROM tab WHERE PartitionKey = '';
.print conversions without loss
INSERT INTO tab(PartitionKey, RowKey, s, i, l, d, b, at, g, x) VALUES
  ('conv', '1', 12, '12', 12.0, 12, '1', '2024-06-15', '{c9da6455-213d-42c9-9a79-3e9149a57833}', x'');
SELECT s, i, l, d, b, at, g, x FROM tab WHERE PartitionKey = 'conv';
.print a DOUBLE column rounds integers past 2^53, as every REAL column does
INSERT INTO tab(PartitionKey, RowKey, d) VALUES ('round', '1', 9007199254740993);
SELECT d = 9007199254740992.0 FROM tab WHERE PartitionKey = 'round';
.print what an ANY column takes, it stores as it is
INSERT INTO tab(PartitionKey, RowKey, a) VALUES ('any', '1', 5), ('any', '2', 3000000000), ('any', '3', 5.0), ('any', '4', '5'), ('any', '5', x'35'), ('any', '6', NULL);
SELECT RowKey, a, _properties FROM tab WHERE PartitionKey = 'any';
.print refused: values that do not fit the type
INSERT INTO tab(PartitionKey, RowKey, i) VALUES ('bad', '1', 2147483648);
INSERT INTO tab(PartitionKey, RowKey, i) VALUES ('bad', '1', 1.5);
INSERT INTO tab(PartitionKey, RowKey, i) VALUES ('bad', '1', 'twelve');
INSERT INTO tab(PartitionKey, RowKey, l) VALUES ('bad', '1', 1e300);
INSERT INTO tab(PartitionKey, RowKey, d) VALUES ('bad', '1', 'warm');
INSERT INTO tab(PartitionKey, RowKey, b) VALUES ('bad', '1', 2);
INSERT INTO tab(PartitionKey, RowKey, b) VALUES ('bad', '1', 'perhaps');
INSERT INTO tab(PartitionKey, RowKey, at) VALUES ('bad', '1', '2024-02-30');
INSERT INTO tab(PartitionKey, RowKey, at) VALUES ('bad', '1', 'noon');
INSERT INTO tab(PartitionKey, RowKey, at) VALUES ('bad', '1', '1600-12-31');
INSERT INTO tab(PartitionKey, RowKey, g) VALUES ('bad', '1', 'c9da6455');
INSERT INTO tab(PartitionKey, RowKey, x) VALUES ('bad', '1', 'text is not bytes');
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('bad', '1', x'00');
.print refused: keys
INSERT INTO tab(PartitionKey, RowKey) VALUES (NULL, '1');
INSERT INTO tab(PartitionKey) VALUES ('bad');
INSERT INTO tab(PartitionKey, RowKey) VALUES ('bad', 'a/b');
INSERT INTO tab(PartitionKey, RowKey) VALUES ('bad', 'a' || char(9));
INSERT INTO tab(PartitionKey, RowKey) VALUES ('bad', printf('%513s', ''));
INSERT INTO tab(PartitionKey, RowKey) VALUES ('bad', x'31');
INSERT INTO tab(PartitionKey, RowKey) VALUES ('p', '1');
.print refused: limits of a property
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('bad', '1', printf('%32769s', ''));
INSERT INTO tab(PartitionKey, RowKey, x) VALUES ('bad', '1', zeroblob(65537));
.print refused: columns that the service fills, or that only ask
INSERT INTO tab(PartitionKey, RowKey, _etag) VALUES ('bad', '1', 'x');
INSERT INTO tab(PartitionKey, RowKey, _filter) VALUES ('bad', '1', 'x');
.print a Timestamp is ignored in an INSERT, as by the service
INSERT INTO tab(PartitionKey, RowKey, Timestamp) VALUES ('stamp', '1', '2001-01-01');
SELECT Timestamp > '2020-01-01' FROM tab WHERE PartitionKey = 'stamp';
INSERT INTO tab VALUES ('stamp', '2', NULL, 'all', 1, 2, 3.0, 0, NULL, NULL, NULL, NULL);
SELECT s, i, l, d, b FROM tab WHERE PartitionKey = 'stamp' AND RowKey = '2';
.print none of the refused rows is there, and the largest ones fit
SELECT count(*) FROM tab WHERE PartitionKey = 'bad';
INSERT INTO tab(PartitionKey, RowKey, s, x) VALUES ('big', printf('%512s', ''), printf('%32768s', ''), zeroblob(65536));
SELECT length(RowKey), length(s), length(x) FROM tab WHERE PartitionKey = 'big';
.print INSERT … SELECT from the table itself
INSERT INTO tab(PartitionKey, RowKey, s) SELECT 'copy', RowKey, s FROM tab WHERE PartitionKey IN ('p', 'conv') AND s IS NOT NULL AND PartitionKey <> 'conv';
SELECT PartitionKey, RowKey, s FROM tab WHERE PartitionKey = 'copy';
.print RETURNING echoes what was given
INSERT INTO tab(PartitionKey, RowKey, s) VALUES ('ret', '1', 'x') RETURNING PartitionKey, RowKey, s;
.print UPSERT is not there for virtual tables
INSERT INTO tab(PartitionKey, RowKey) VALUES ('p', '1') ON CONFLICT DO NOTHING;
