-- fdw(): what it refuses, with its messages.
.print words
SELECT fdw('');
SELECT fdw('SELECT 1');
SELECT fdw('CREATE SRVER x FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER x FORIEGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER postgres_fdw');
SELECT fdw('CREATE SERVER FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTOINS (page_size "5")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (page_size = "5")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (page_size 5)');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (page_size "5", page_size "6")');
SELECT fdw('CREATE FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE TABLE x (a text)');
SELECT fdw('ALTER SERVER x OWNER TO me');
SELECT fdw('CREATE USER MAPPING FOR bob SERVER x');
SELECT fdw('DROP SERVER a;
  DROP SERVER b,;');
SELECT fdw('DROP SERVER a /* to be continued');
SELECT fdw(42);
SELECT fdw(NULL);
.print servers
SELECT fdw('CREATE SERVER local FOREIGN DATA WRAPPER table_storage');
SELECT fdw('ALTER SERVER env OPTIONS (page_size "5")');
SELECT fdw('CREATE SERVER x TYPE "blob" FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (pagesize "5")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (page_size "none")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (metadata "none")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (account "contoso/evil")');
SELECT fdw('CREATE SERVER nowhere.x FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER good FOREIGN DATA WRAPPER table_storage');
SELECT fdw('CREATE SERVER GOOD FOREIGN DATA WRAPPER table_storage');
SELECT fdw('ALTER SERVER good OPTIONS (SET page_size "5")');
SELECT fdw('ALTER SERVER god OPTIONS (page_size "5")');
SELECT fdw('DROP SERVER temp.good');
.print secrets: no file keeps them and no message repeats them
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (connection_string "AccountName=a;AccountKey=c2VjcmV0")');
SELECT fdw('CREATE SERVER x FOREIGN DATA WRAPPER table_storage OPTIONS (account_key "c2VjcmV0")');
SELECT fdw('CREATE FOREIGN TABLE abc () SERVER good OPTIONS (connection_string "AccountName=a;AccountKey=c2VjcmV0")');
SELECT fdw('CREATE USER MAPPING FOR USER SERVER good OPTIONS (account_key c2VjcmV0)');
SELECT fdw('CREATE USER MAPPING FOR USER SERVER good OPTIONS (account_key "c2VjcmV0)');
.print user mappings
SELECT fdw('CREATE USER MAPPING FOR USER SERVER god');
SELECT fdw('CREATE USER MAPPING FOR USER SERVER local');
SELECT fdw('ALTER USER MAPPING FOR USER SERVER good OPTIONS (account_key "env:K")');
SELECT fdw('DROP USER MAPPING FOR USER SERVER good');
SELECT fdw('CREATE USER MAPPING FOR USER SERVER good OPTIONS (page_size "5")');
SELECT fdw('CREATE USER MAPPING FOR USER SERVER good OPTIONS (account_key "env:K")');
SELECT fdw('CREATE USER MAPPING FOR PUBLIC SERVER good OPTIONS (account_key "env:K")');
SELECT fdw('DROP SERVER good');
.print foreign tables
CREATE TABLE plain(a);
CREATE VIEW seen AS SELECT 1;
SELECT fdw('CREATE FOREIGN TABLE abc (a tex) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE abc (a text NOT NULL) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE abc (a text, A text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE abc (a text)');
SELECT fdw('CREATE FOREIGN TABLE abc ("two words" text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE abc (a text) SERVER god');
SELECT fdw('CREATE FOREIGN TABLE a_b (a text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE plain (a text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE public.abc (a text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE abc (a text) SERVER good OPTIONS (tabel "Abc")');
SELECT fdw('CREATE FOREIGN TABLE abc (alpha text) SERVER good');
SELECT fdw('CREATE FOREIGN TABLE ABC (alpha text) SERVER good');
SELECT fdw('ALTER FOREIGN TABLE abc ADD alpha int');
SELECT fdw('ALTER FOREIGN TABLE abc DROP alhpa');
SELECT fdw('ALTER FOREIGN TABLE abc DROP RowKey');
SELECT fdw('ALTER FOREIGN TABLE abc ALTER alpha SET NOT NULL');
SELECT fdw('ALTER FOREIGN TABLE abc ALTER alpha TYPE int OPTIONS (property "x")');
SELECT fdw('ALTER FOREIGN TABLE abc OPTIONS (DROP updatable)');
SELECT fdw('ALTER FOREIGN TABLE abc SET SCHEMA temp');
SELECT fdw('ALTER FOREIGN TABLE abd ADD a int');
SELECT fdw('ALTER FOREIGN TABLE plain ADD a int');
SELECT fdw('DROP FOREIGN TABLE seen');
SELECT fdw('DROP FOREIGN TABLE abc, nobody');
SELECT fdw('DROP SERVER good RESTRICT');
.print import
SELECT fdw('IMPORT FOREIGN SCHEMA tables FROM SERVER god INTO main');
SELECT fdw('IMPORT FOREIGN SCHEMA tables FROM SERVER local INTO public');
SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Nothing) FROM SERVER local INTO main');
SELECT fdw('IMPORT FOREIGN SCHEMA tables FROM SERVER local INTO main OPTIONS (sample_row "5")');
SELECT fdw('IMPORT FOREIGN SCHEMA tables FROM local INTO main');
.print who may call it
INSERT INTO plain SELECT fdw('DROP SERVER good CASCADE');
CREATE VIEW hostile AS SELECT fdw('DROP SERVER good CASCADE');
SELECT * FROM hostile;
CREATE TRIGGER trap AFTER INSERT ON plain BEGIN SELECT fdw('DROP SERVER good CASCADE'); END;
INSERT INTO plain VALUES (1);
.print nothing of all this was done
SELECT name, options, user_mapping FROM table_storage_servers;
SELECT schema, name FROM pragma_table_list WHERE type = 'virtual' AND name IN ('abc', 'abd', 'a_b', 'x');
