-- fdw(): PostgreSQL's statements about foreign data, from CREATE SERVER to DROP SERVER.
.print servers
SELECT fdw('CREATE SERVER prod FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint "http://127.0.0.1:1/devstoreaccount1", max_retries "0")');
SELECT fdw('CREATE SERVER IF NOT EXISTS prod FOREIGN DATA WRAPPER table_storage');
SELECT fdw('ALTER SERVER prod OPTIONS (ADD page_size "500", SET max_retries "1", DROP endpoint, account "contoso")');
SELECT * FROM table_storage_servers;
.print two ways to quote
SELECT fdw('CREATE SERVER "a ""b" FOREIGN DATA WRAPPER table_storage OPTIONS (proxy "http://it''s")');
SELECT fdw('CREATE SERVER `c` FOREIGN DATA WRAPPER table_storage OPTIONS (proxy ''http://p:1'')');
SELECT name, options FROM table_storage_servers WHERE name <> 'prod' ORDER BY name;
SELECT fdw('DROP SERVER "A ""B", c, C');
.print user mappings: references are kept, secrets are not
SELECT fdw('CREATE USER MAPPING FOR CURRENT_USER SERVER prod OPTIONS (account_key "env:CONTOSO_KEY")');
SELECT * FROM table_storage_servers;
SELECT fdw('ALTER USER MAPPING FOR USER SERVER prod OPTIONS (SET account_key "c2VjcmV0")');
SELECT * FROM table_storage_servers;
SELECT fdw('DROP USER MAPPING FOR PUBLIC SERVER prod');
SELECT fdw('DROP USER MAPPING IF EXISTS FOR PUBLIC SERVER prod');
.print foreign tables
SELECT fdw('CREATE FOREIGN TABLE readings (
  Temperature DOUBLE,                       -- with a comment
  "In use"    BOOLEAN OPTIONS (property "InUse"),
  server      TEXT /* a /* nested */ one */
) SERVER local OPTIONS (table "DeviceReadings")');
SELECT sql FROM sqlite_schema WHERE name = 'readings';
INSERT INTO readings(PartitionKey, RowKey, Temperature, "In use", server) VALUES ('sensor-1', '1', 20.25, 1, 's');
SELECT Temperature, "In use", server FROM readings;
SELECT fdw('CREATE FOREIGN TABLE IF NOT EXISTS readings () SERVER local');
.print altered: the entities stay
SELECT fdw('ALTER FOREIGN TABLE readings ADD COLUMN Humidity DOUBLE, DROP COLUMN "server", ALTER Temperature TYPE ANY,
                                         OPTIONS (ADD estimated_rows "10")');
SELECT fdw('ALTER FOREIGN TABLE readings RENAME COLUMN Temperature TO celsius; ALTER FOREIGN TABLE readings RENAME TO r');
SELECT sql FROM sqlite_schema WHERE name = 'r';
SELECT celsius, "In use", Humidity FROM r;
SELECT fdw('ALTER FOREIGN TABLE IF EXISTS readings ADD COLUMN x INT');
.print several statements are a whole
SELECT fdw('ALTER SERVER prod OPTIONS (SET page_size "7"); CREATE FOREIGN TABLE temp.other () SERVER prod; DROP SERVER nobody');
SELECT options FROM table_storage_servers;
SELECT name FROM temp.sqlite_schema WHERE name = 'other';
SELECT fdw('ALTER SERVER prod OPTIONS (SET page_size "7"); CREATE FOREIGN TABLE temp.other () SERVER prod;;');
BEGIN;
SELECT fdw('DROP FOREIGN TABLE other, r; DROP SERVER prod');
ROLLBACK;
SELECT schema, name FROM pragma_table_list WHERE name IN ('other', 'r') ORDER BY name;
.print import, and again with the user's own change
SELECT fdw('DROP FOREIGN TABLE r');
SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (DeviceReadings) FROM SERVER local INTO main');
SELECT sql FROM sqlite_schema WHERE name = 'DeviceReadings';
SELECT fdw('ALTER FOREIGN TABLE DeviceReadings OPTIONS (updatable "false"), DROP Temperature');
SELECT fdw('IMPORT FOREIGN SCHEMA tables EXCEPT (Nothing) FROM SERVER local INTO main OPTIONS (sample_rows "all")');
SELECT sql FROM sqlite_schema WHERE name = 'DeviceReadings';
.print a server and what is on it
SELECT fdw('DROP SERVER prod');
SELECT fdw('ALTER SERVER prod RENAME TO contoso');
SELECT sql FROM temp.sqlite_schema WHERE name = 'other';
SELECT fdw('DROP SERVER contoso CASCADE');
SELECT count(*) FROM table_storage_servers;
SELECT fdw('DROP FOREIGN TABLE IF EXISTS other, DeviceReadings, devicereadings CASCADE');
.print attached databases
ATTACH ':memory:' AS aux;
SELECT fdw('CREATE SERVER aux.box FOREIGN DATA WRAPPER table_storage OPTIONS (backend "local");
            CREATE FOREIGN TABLE aux.things (n INT) SERVER box');
INSERT INTO aux.things(PartitionKey, RowKey, n) VALUES ('p', 'r', 1);
SELECT n FROM things;
SELECT name, options FROM aux.table_storage_servers;
SELECT fdw('DROP SERVER aux.box CASCADE');
