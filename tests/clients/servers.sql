-- Servers over the entities of data.sql: its tables are imported into main, into temp and into an attached database,
-- which are both gone when the file is opened again. The account key is a made-up one and is in no file.
DROP TABLE Devices;
DROP TABLE Readings;
DROP TABLE Alerts;
ATTACH ':memory:' AS aux;
SELECT fdw('CREATE SERVER site FOREIGN DATA WRAPPER table_storage OPTIONS (backend "local", database "main");
            CREATE SERVER cloud FOREIGN DATA WRAPPER table_storage OPTIONS (account "contoso");
            CREATE USER MAPPING FOR CURRENT_USER SERVER cloud OPTIONS (account_key "aHVudGVyMmh1bnRlcjI=");
            CREATE FOREIGN TABLE Far (N INT32) SERVER cloud');
SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Devices, Readings) FROM SERVER site INTO main');
SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Alerts) FROM SERVER site INTO temp');
SELECT fdw('IMPORT FOREIGN SCHEMA tables EXCEPT (Devices, Readings) FROM SERVER site INTO aux');
