-- The functions: versions, entity tables, and helpers for row keys.
-- Only local: the functions get the name of the server, and this is about the built-in one.
.print version
SELECT typeof(ts_version()), ts_version() GLOB '[0-9]*.[0-9]*.[0-9]*';
.print ticks: 19 digits, so that text order is time order
SELECT ts_ticks('0001-01-01');
SELECT ts_ticks('1970-01-01T00:00:00Z');
SELECT ts_ticks('2024-06-15T00:00:00Z'), ts_ticks('2024-06-15T02:00:00+02:00'), ts_ticks('2024-06-15 00:00:00.0000001');
SELECT ts_reverse_ticks('9999-12-31T23:59:59.9999999Z'), ts_reverse_ticks('2024-06-15T00:00:00Z');
SELECT ts_from_ticks('0638540064000000001'), ts_from_reverse_ticks('2516838911999999999');
SELECT ts_from_reverse_ticks(ts_reverse_ticks('2024-06-15T12:34:56.7654321Z')), ts_from_ticks(ts_ticks('1601-01-01'));
.print newest first
SELECT ts_reverse_ticks('2024-06-15T00:00:01Z') < ts_reverse_ticks('2024-06-15T00:00:00Z'), ts_ticks('2024-06-15T00:00:01Z') > ts_ticks('2024-06-15');
.print NULL in, NULL out
SELECT ts_ticks(NULL), ts_reverse_ticks(NULL), ts_from_ticks(NULL), ts_from_reverse_ticks(NULL);
.print what is no time, and what are no ticks
SELECT ts_ticks('noon');
SELECT ts_reverse_ticks('2024-02-30');
SELECT ts_ticks(5);
SELECT ts_from_ticks('12x');
SELECT ts_from_reverse_ticks('9999999999999999999');
SELECT ts_ticks();
.print entity tables
SELECT * FROM ts_tables('local');
SELECT ts_create_table('local', 'Devices');
SELECT ts_create_table('local', 'alpha');
SELECT * FROM ts_tables('local');
SELECT ts_create_table('local', 'devices');
SELECT ts_create_table('local', 'x');
SELECT ts_create_table('local', '1abc');
SELECT ts_create_table('local', 'my-table');
SELECT ts_create_table('local', 'Tables');
SELECT ts_create_table('nowhere', 'abc');
SELECT ts_create_table(NULL, NULL);
.print the first write makes the entity table, and creating the foreign table does not
CREATE VIRTUAL TABLE readings USING table_storage(v INT32);
SELECT count(*) FROM readings;
SELECT count(*) FROM ts_tables('local');
INSERT INTO readings(PartitionKey, RowKey) VALUES ('p', 'r');
SELECT * FROM ts_tables('local');
.print dropping the entity table drops the entities
SELECT ts_drop_table('local', 'READINGS');
SELECT * FROM ts_tables('local');
SELECT count(*) FROM readings;
INSERT INTO readings(PartitionKey, RowKey) VALUES ('p', 'r');
SELECT count(*) FROM readings;
SELECT ts_drop_table('local', 'nothing');
.print inside a transaction
BEGIN;
SELECT ts_create_table('local', 'Brief');
SELECT ts_drop_table('local', 'readings');
SELECT * FROM ts_tables('local');
ROLLBACK;
SELECT * FROM ts_tables('local');
SELECT count(*) FROM readings;
.print entity tables of other schemas
ATTACH ':memory:' AS other;
SELECT ts_create_table('local', 'Elsewhere', 'other');
SELECT * FROM ts_tables('local', 'other');
SELECT count(*) FROM ts_tables('local') WHERE name = 'Elsewhere';
SELECT ts_create_table('local', 'abc', 'nowhere');
SELECT * FROM ts_tables;
SELECT * FROM ts_tables('nowhere');
.print they act, so views and triggers may not call them
CREATE VIEW act AS SELECT ts_create_table('local', 'Sneaky');
SELECT * FROM act;
