// What PostgreSQL 15 does with the same statements, as far as they are good and their objects decide.
//
// Each was given to PostgreSQL 15.18 (Debian 12) by psql, in a transaction of its own, with postgres_fdw in
// place of table_storage and its names in place of ours: host for endpoint, fetch_size for page_size, port
// for max_retries, user for account_key, table_name for table, column_name for property, public for main.
// `postgres` is the SQLSTATE and the message; empty: it was done, with the same command tag as here. What is
// good and bad in the words of a statement is compared in parser/fdw_postgres_test.cpp.
//
// What differs throughout: PostgreSQL sends a NOTICE where IF [NOT] EXISTS finds nothing to do, and with
// CASCADE; SQLite has none. Here a message says what would be right, so PostgreSQL's HINT and DETAIL are part
// of it.
#include <string>
#include <vector>

#include "tests/unit/extension/fdw_fixture.h"

namespace table_storage::test {
namespace {

struct Comparison {
  std::string statement;
  std::string postgres;
  std::string here;        // the tag, or how the message begins
  std::string difference;  // why one does what the other refuses
};

// clang-format off
const std::vector<Comparison> kComparisons = {
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (pagesize '5'))", R"(HV00D: invalid option "fetchsize")", R"(server n has no option pagesize; did you mean page_size?)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (account_key 'x'))", R"(HV00D: invalid option "user")", R"(account_key is an option of a user mapping, not of server n)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (page_size 'many'))", R"(22023: invalid value for integer option "fetch_size": many)", R"(option page_size of server n takes an integer from 1 up to 1000)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (page_size '0'))", R"(22023: "fetch_size" must be an integer value greater than zero)", R"(option page_size of server n takes an integer from 1 up to 1000)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (updatable 'maybe'))", R"(42601: updatable requires a Boolean value)", R"(option updatable of server n takes true or false)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'a', endpoint 'b'))", R"(42710: option "host" provided more than once)", R"(line 1, column 75: option endpoint is given twice)", ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER other)", R"(42704: foreign-data wrapper "other" does not exist)", R"(line 1, column 38: the foreign-data wrapper is table_storage, not other)", ""},
    {R"(CREATE SERVER s FOREIGN DATA WRAPPER table_storage)", R"(42710: server "s" already exists)", R"(server "s" already exists)", ""},
    {R"(CREATE SERVER IF NOT EXISTS s FOREIGN DATA WRAPPER table_storage)", "", R"(CREATE SERVER)", ""},
    {R"(CREATE SERVER IF NOT EXISTS s FOREIGN DATA WRAPPER table_storage OPTIONS (pagesize '5'))", "", R"(CREATE SERVER)", ""},
    {R"(ALTER SERVER s OPTIONS (ADD page_size '6'))", R"(42710: option "fetch_size" provided more than once)", R"(option page_size of server "s" is there already; SET changes it)", ""},
    {R"(ALTER SERVER s OPTIONS (page_size '6'))", R"(42710: option "fetch_size" provided more than once)", R"(option page_size of server "s" is there already; SET changes it)", ""},
    {R"(ALTER SERVER s OPTIONS (SET max_retries '6'))", R"(42704: option "port" not found)", R"(option max_retries of server "s" is not set; ADD sets it)", ""},
    {R"(ALTER SERVER s OPTIONS (DROP max_retries))", R"(42704: option "port" not found)", R"(option max_retries of server "s" is not set)", ""},
    {R"(ALTER SERVER s OPTIONS (SET nonsense '6'))", R"(42704: option "nonsense" not found)", R"(server s has no option nonsense)", ""},
    {R"(ALTER SERVER s OPTIONS (DROP nonsense))", R"(42704: option "nonsense" not found)", R"(server s has no option nonsense)", ""},
    {R"(ALTER SERVER s OPTIONS (SET page_size '6', ADD max_retries '1', DROP endpoint))", "", R"(ALTER SERVER)", ""},
    {R"(ALTER SERVER s OPTIONS (SET page_size '6', SET page_size '7'))", "", R"(line 1, column 48: option page_size is given twice)", R"(two values for one option are a slip)"},
    {R"(ALTER SERVER nobody OPTIONS (ADD max_retries '6'))", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(ALTER SERVER s RENAME TO e)", R"(42710: server "e" already exists)", R"(server "e" already exists)", ""},
    {R"(ALTER SERVER s RENAME TO n)", "", R"(ALTER SERVER)", ""},
    {R"(ALTER SERVER s RENAME TO s)", R"(42710: server "s" already exists)", R"(ALTER SERVER)", R"(names compare without case, so this may change the case)"},
    {R"(DROP SERVER s)", R"(2BP01: cannot drop server s because other objects depend on it)", R"(cannot drop server "s" because other objects depend on it: foreign table main.t, foreign table main.two, its user mapping; DROP SERVER … CASCADE drops these too, entities stay)", ""},
    {R"(DROP SERVER s RESTRICT)", R"(2BP01: cannot drop server s because other objects depend on it)", R"(cannot drop server "s" because other objects depend on it: foreign table main.t, foreign table main.two, its user mapping; DROP SERVER … CASCADE drops these too, entities stay)", ""},
    {R"(DROP SERVER s CASCADE)", "", R"(DROP SERVER)", ""},
    {R"(DROP SERVER nobody)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(DROP SERVER IF EXISTS nobody)", "", R"(DROP SERVER)", ""},
    {R"(DROP SERVER IF EXISTS nobody, e)", "", R"(DROP SERVER)", ""},
    {R"(DROP SERVER e, nobody)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(DROP SERVER e, e)", "", R"(DROP SERVER)", ""},
    {R"(CREATE USER MAPPING FOR CURRENT_USER SERVER s)", R"(42710: user mapping for "postgres" already exists for server "s")", R"(a user mapping already exists for server "s" (there is one for CURRENT_USER and PUBLIC alike); ALTER USER MAPPING changes it)", ""},
    {R"(CREATE USER MAPPING IF NOT EXISTS FOR CURRENT_USER SERVER s)", "", R"(CREATE USER MAPPING)", ""},
    {R"(CREATE USER MAPPING FOR PUBLIC SERVER s)", "", R"(a user mapping already exists for server "s" (there is one for CURRENT_USER and PUBLIC alike); ALTER USER MAPPING changes it)", R"(SQLite has no roles: a server has one user mapping)"},
    {R"(CREATE USER MAPPING FOR CURRENT_USER SERVER nobody)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(CREATE USER MAPPING FOR CURRENT_USER SERVER e OPTIONS (account_kye 'x'))", R"(HV00D: invalid option "usr")", R"(user mapping e has no option account_kye; did you mean account_key?)", ""},
    {R"(CREATE USER MAPPING FOR CURRENT_USER SERVER e OPTIONS (page_size '5'))", R"(HV00D: invalid option "fetch_size")", R"(page_size is an option of a server or a table, not of user mapping e)", ""},
    {R"(ALTER USER MAPPING FOR CURRENT_USER SERVER e OPTIONS (ADD account_key 'x'))", R"(42704: user mapping for "postgres" does not exist for server "e")", R"(there is no user mapping for server "e"; CREATE USER MAPPING makes one)", ""},
    {R"(ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (ADD account_key 'x'))", R"(42710: option "user" provided more than once)", R"(option account_key of user mapping "s" is there already; SET changes it)", ""},
    {R"(ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (SET sas_token 'x'))", R"(42704: option "password" not found)", R"(option sas_token of user mapping "s" is not set; ADD sets it)", ""},
    {R"(ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (DROP account_key))", "", R"(ALTER USER MAPPING)", ""},
    {R"(ALTER USER MAPPING FOR CURRENT_USER SERVER nobody OPTIONS (DROP account_key))", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(DROP USER MAPPING FOR CURRENT_USER SERVER e)", R"(42704: user mapping for "postgres" does not exist for server "e")", R"(there is no user mapping for server "e")", ""},
    {R"(DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER e)", "", R"(DROP USER MAPPING)", ""},
    {R"(DROP USER MAPPING FOR CURRENT_USER SERVER s)", "", R"(DROP USER MAPPING)", ""},
    {R"(DROP USER MAPPING FOR CURRENT_USER SERVER nobody)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER nobody)", "", R"(DROP USER MAPPING)", ""},
    {R"(CREATE FOREIGN TABLE n (a text) SERVER nobody)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(CREATE FOREIGN TABLE n (a text) SERVER s OPTIONS (tabel 'T'))", R"(HV00D: invalid option "tablename")", R"(table n has no option tabel; did you mean table?)", ""},
    {R"(CREATE FOREIGN TABLE n (a text OPTIONS (proprty 'A')) SERVER s)", R"(HV00D: invalid option "columnname")", R"(OutOfRangeInput: the SQL name "n" cannot name an entity table; give its name with OPTIONS (table '…'): table name 'n' has 1 characters; a table name has 3 to 63)", ""},
    {R"(CREATE FOREIGN TABLE n (a text, a int) SERVER s)", R"(42701: column "a" specified more than once)", R"(line 1, column 33: there is a column a already, and SQL names do not tell upper from lower case. Two properties whose names differ in case need two column names: OPTIONS (property 'a') says which property a column shows)", ""},
    {R"(CREATE FOREIGN TABLE n (a tex) SERVER s)", R"(42704: type "tex" does not exist)", R"(line 1, column 27: column a has the unknown type tex; did you mean TEXT? Types are STRING (TEXT, VARCHAR), INT32, INT64 (INTEGER, INT, BIGINT), DOUBLE (REAL, FLOAT, SINGLE, DECIMAL), BOOLEAN (BOOL), DATETIME (TIMESTAMP), GUID (UUID), BINARY (BLOB), ANY)", ""},
    {R"(CREATE FOREIGN TABLE t (a text) SERVER s)", R"(42P07: relation "t" already exists)", R"(foreign table "t" already exists in schema main)", ""},
    {R"(CREATE FOREIGN TABLE IF NOT EXISTS t (a text) SERVER s)", "", R"(CREATE FOREIGN TABLE)", ""},
    {R"(CREATE FOREIGN TABLE IF NOT EXISTS t (a text) SERVER nobody)", "", R"(CREATE FOREIGN TABLE)", ""},
    {R"(CREATE FOREIGN TABLE plain (a text) SERVER s)", R"(42P07: relation "plain" already exists)", R"(table "plain" already exists in schema main)", ""},
    {R"(CREATE FOREIGN TABLE IF NOT EXISTS plain (a text) SERVER s)", "", R"(CREATE FOREIGN TABLE)", ""},
    {R"(CREATE FOREIGN TABLE nowhere.n (a text) SERVER s)", R"(3F000: schema "nowhere" does not exist)", R"(schema "nowhere" does not exist; there are main, temp, far, into_it)", ""},
    {R"(ALTER FOREIGN TABLE t ADD a int)", R"(42701: column "a" of relation "t" already exists)", R"(column "a" of foreign table "t" already exists)", ""},
    {R"(ALTER FOREIGN TABLE t ADD COLUMN IF NOT EXISTS a int)", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE t DROP c)", R"(42703: column "c" of relation "t" does not exist)", R"(column "c" of foreign table "t" does not exist)", ""},
    {R"(ALTER FOREIGN TABLE t DROP IF EXISTS c)", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE two DROP a)", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE t ALTER c TYPE int)", R"(42703: column "c" of relation "t" does not exist)", R"(column "c" of foreign table "t" does not exist)", ""},
    {R"(ALTER FOREIGN TABLE two ALTER a TYPE int)", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE two ALTER a OPTIONS (SET property 'A'))", R"(42704: option "column_name" not found)", R"(option property of column "a" is not set; ADD sets it)", ""},
    {R"(ALTER FOREIGN TABLE two ALTER a OPTIONS (ADD property 'A'))", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE two ALTER a OPTIONS (DROP property))", R"(42704: option "column_name" not found)", R"(option property of column "a" is not set)", ""},
    {R"(ALTER FOREIGN TABLE t OPTIONS (ADD table 'Xyz'))", R"(42710: option "table_name" provided more than once)", R"(option table of table "t" is there already; SET changes it)", ""},
    {R"(ALTER FOREIGN TABLE t OPTIONS (DROP updatable))", R"(42704: option "schema_name" not found)", R"(option updatable of table "t" is not set)", ""},
    {R"(ALTER FOREIGN TABLE nobody OPTIONS (ADD table 'Xyz'))", R"(42P01: relation "nobody" does not exist)", R"(foreign table "nobody" does not exist)", ""},
    {R"(ALTER FOREIGN TABLE IF EXISTS nobody OPTIONS (ADD table 'Xyz'))", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(ALTER FOREIGN TABLE plain OPTIONS (ADD table 'Xyz'))", R"(42809: "plain" is not a foreign table)", R"("plain" in schema main is not a foreign table of table_storage but another table; SQLite's own ALTER TABLE and DROP TABLE are for it)", ""},
    {R"(ALTER FOREIGN TABLE t RENAME COLUMN a TO b)", R"(42701: column "b" of relation "t" already exists)", R"(column "b" of foreign table "t" already exists)", ""},
    {R"(ALTER FOREIGN TABLE t RENAME COLUMN c TO d)", R"(42703: column "c" does not exist)", R"(column "c" of foreign table "t" does not exist)", ""},
    {R"(ALTER FOREIGN TABLE t RENAME TO two)", R"(42P07: relation "t2" already exists)", R"(foreign table "two" already exists in schema main)", ""},
    {R"(ALTER FOREIGN TABLE t RENAME TO n)", "", R"(ALTER FOREIGN TABLE)", ""},
    {R"(DROP FOREIGN TABLE nobody)", R"(42704: foreign table "nobody" does not exist)", R"(foreign table "nobody" does not exist)", ""},
    {R"(DROP FOREIGN TABLE IF EXISTS nobody)", "", R"(DROP FOREIGN TABLE)", ""},
    {R"(DROP FOREIGN TABLE plain)", R"(42809: "plain" is not a foreign table)", R"("plain" in schema main is not a foreign table of table_storage but another table; SQLite's own ALTER TABLE and DROP TABLE are for it)", ""},
    {R"(DROP FOREIGN TABLE IF EXISTS plain)", R"(42809: "plain" is not a foreign table)", R"("plain" in schema main is not a foreign table of table_storage but another table; SQLite's own ALTER TABLE and DROP TABLE are for it)", ""},
    {R"(DROP FOREIGN TABLE v)", R"(42809: "v" is not a foreign table)", R"("v" in schema main is not a foreign table of table_storage but a view; SQLite's own DROP VIEW is for it)", ""},
    {R"(DROP FOREIGN TABLE two)", "", R"(DROP FOREIGN TABLE)", ""},
    {R"(DROP FOREIGN TABLE t)", R"(2BP01: cannot drop foreign table t because other objects depend on it)", R"(DROP FOREIGN TABLE)", R"(SQLite keeps views whose table is gone, as after its own DROP TABLE)"},
    {R"(DROP FOREIGN TABLE t CASCADE)", "", R"(DROP FOREIGN TABLE)", ""},
    {R"(DROP TABLE two)", R"(42809: "t2" is not a table)", R"(line 1, column 6: expected SERVER, USER MAPPING or FOREIGN TABLE after DROP before `TABLE`; an ordinary table is none of fdw()'s, a foreign one is a FOREIGN TABLE)", ""},
    {R"(IMPORT FOREIGN SCHEMA x FROM SERVER nobody INTO main)", R"(42704: server "nobody" does not exist)", R"(server "nobody" does not exist)", ""},
    {R"(IMPORT FOREIGN SCHEMA x FROM SERVER s INTO nowhere)", R"(3F000: schema "nowhere" does not exist)", R"(schema "nowhere" does not exist; there are main, temp, far, into_it)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO main)", "", R"(IMPORT FOREIGN SCHEMA)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO (devices) FROM SERVER far INTO main)", "", R"(IMPORT FOREIGN SCHEMA)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO (nothing) FROM SERVER far INTO main)", "", R"(server far has no table nothing)", R"(a misspelt name would go unnoticed)"},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO (devices, devices) FROM SERVER far INTO main)", "", R"(IMPORT FOREIGN SCHEMA)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables EXCEPT (nothing) FROM SERVER far INTO main)", "", R"(IMPORT FOREIGN SCHEMA)", ""},
    {R"(IMPORT FOREIGN SCHEMA nowhere FROM SERVER far INTO main)", R"(HV00Q: schema "nowhere" is not present on foreign server "far")", R"(IMPORT FOREIGN SCHEMA)", R"(a service has no schemas, and the name is free)"},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO into_it)", R"(42P07: relation "alerts" already exists)", R"(the name of table alerts of server far is taken: schema into_it has a table alerts. Drop or rename it, leave the table out with EXCEPT (alerts), or import into another schema)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO main OPTIONS (sample_row 'true'))", R"(HV00D: invalid option "import_nonsense")", R"(IMPORT FOREIGN SCHEMA has no option sample_row)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO main OPTIONS (sample_rows 'maybe'))", R"(42601: import_default requires a Boolean value)", R"(sample_rows takes the number of entities to look at, from 1 to 1000000, or all; not 'maybe')", ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER e INTO main)", R"(42704: user mapping not found for "postgres")", R"(the service of server e: nothing says where it is: give endpoint, account or connection_string, or a user mapping with connection_string; backend 'local' keeps the entities in SQLite)", ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO main; IMPORT FOREIGN SCHEMA tables FROM SERVER far INTO main)", R"(42P07: relation "alerts" already exists)", R"(IMPORT FOREIGN SCHEMA)", R"(importing again brings tables up to date)"},
    {R"(DROP SERVER e, s)", R"(2BP01: cannot drop desired object(s) because other objects depend on them)", R"(cannot drop server "s" because other objects depend on it: foreign table main.t, foreign table main.two, its user mapping; DROP SERVER … CASCADE drops these too, entities stay)", ""},
};
// clang-format on

class FdwPostgres : public FdwTest {
 protected:
  FdwPostgres() {
    fdw("CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'http://127.0.0.1:1/acc', "
        "page_size "
        "'5');"
        "CREATE SERVER e FOREIGN DATA WRAPPER table_storage;"
        "CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (account_key 'env:U');"
        "CREATE FOREIGN TABLE t (a text, b int) SERVER s OPTIONS (table 'Tab');"
        "CREATE FOREIGN TABLE two (a text) SERVER s;"
        "CREATE SERVER far FOREIGN DATA WRAPPER table_storage OPTIONS (backend 'local', database 'far')");
    db_.run(
        "CREATE VIEW v AS SELECT * FROM t; CREATE TABLE plain (a int);"
        "ATTACH ':memory:' AS far; SELECT ts_create_table('local', 'devices', 'far');"
        "SELECT ts_create_table('local', 'alerts', 'far');"
        "ATTACH ':memory:' AS into_it; CREATE TABLE into_it.alerts(x int)");
  }
};

TEST_F(FdwPostgres, DoesTheSameOrSaysWhy) {
  for (const Comparison& c : kComparisons) {
    db_.run("BEGIN");
    const bool done = c.here == c.here.substr(0, c.here.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ "));
    const std::string answer = done ? fdw(c.statement) : refusal(c.statement);
    EXPECT_EQ(done ? answer : answer.substr(0, c.here.size()), c.here) << c.statement << "\n" << answer;
    EXPECT_EQ(done == c.postgres.empty(), c.difference.empty()) << c.statement;
    db_.run("ROLLBACK");
  }
}

}  // namespace
}  // namespace table_storage::test
