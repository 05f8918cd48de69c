// What PostgreSQL 15 says to the same statements.
//
// Each was given to PostgreSQL 15.18 (Debian 12) by psql, in a transaction of its own, with a foreign-data
// wrapper table_storage without handler and validator, servers s (option a, user mapping with option u) and e
// (with nothing), and a foreign table t (a text, b int) on s. The SQLSTATE is what it answered; empty: it was
// done. 42601 is a syntax error; with 0A000, 42701, 42704, 42710, 42P01 and 55000 the statement is good and
// its objects are not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parser/error.h"
#include "parser/fdw/script.h"

namespace table_storage::fdw {
namespace {

struct Verdict {
  std::string statement;
  std::string sqlstate;    // of PostgreSQL
  bool accepted;           // by parse_script()
  std::string difference;  // why that is not the same
};

const std::vector<Verdict> kVerdicts = {
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage)", "", true, ""},
    {R"(create server n foreign data wrapper table_storage)", "", true, ""},
    {R"(CREATE SERVER IF NOT EXISTS s FOREIGN DATA WRAPPER table_storage)", "", true, ""},
    {R"(CREATE SERVER n TYPE 'x' VERSION '1' FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'https://a', "page_size" '5'))",
     "", true, ""},
    {R"(CREATE SERVER n VERSION NULL FOREIGN DATA WRAPPER table_storage)", "", true, ""},
    {R"(CREATE SERVER n VERSION '1' TYPE 'x' FOREIGN DATA WRAPPER table_storage)", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS ())", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint "https://a"))", "42601", true,
     "values may stand in double quotes, so that SQL text around needs no doubling"},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'it''s'))", "", true, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint = 'x'))", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (page_size 5))", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'a' page_size '5'))", "42601",
     false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'a', endpoint 'b'))", "42710",
     false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint 'a',))", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint E'a'))", "", false,
     "no escape strings: a value is read as SQLite would read it"},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint $$a$$))", "", false,
     "no dollar quotes, as in SQLite"},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (SET endpoint 'a'))", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage OPTIONS (set 'a'))", "", true, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER other)", "42704", false, ""},
    {R"(CREATE SERVER n)", "42601", false, ""},
    {R"(CREATE SERVER FOREIGN DATA WRAPPER table_storage)", "42601", false, ""},
    {R"(CREATE SERVER "" FOREIGN DATA WRAPPER table_storage)", "42601", false, ""},
    {R"(CREATE SERVER server FOREIGN DATA WRAPPER table_storage)", "", true, ""},
    {R"(CREATE SERVER user FOREIGN DATA WRAPPER table_storage)", "42601", true,
     "words that SQLite and services use as names are not reserved"},
    {R"(CREATE SERVER `n` FOREIGN DATA WRAPPER table_storage)", "42601", true, "SQLite's quotes"},
    {R"(CREATE SERVER [n] FOREIGN DATA WRAPPER table_storage)", "42601", true, "SQLite's quotes"},
    {R"(CREATE SERVER if FOREIGN DATA WRAPPER table_storage)", "", false,
     "a server called if needs quotes, for the sake of better errors about IF EXISTS"},
    {R"(CREATE SERVER /* a /* nested */ comment */ n -- and a line)", "42601", false, ""},
    {R"(CREATE SERVER n FOREIGN DATA WRAPPER table_storage /* open)", "42601", false, ""},
    {R"(ALTER SERVER s OPTIONS (ADD b 'x', SET a 'y'))", "", true, ""},
    {R"(ALTER SERVER s OPTIONS (b 'x', DROP a))", "", true, ""},
    {R"(ALTER SERVER s OPTIONS (DROP a 'x'))", "42601", false, ""},
    {R"(ALTER SERVER s OPTIONS (SET a))", "42601", false, ""},
    {R"(ALTER SERVER s OPTIONS (add 'x'))", "", true, ""},
    {R"(ALTER SERVER s VERSION '2')", "", true, ""},
    {R"(ALTER SERVER s VERSION '2' OPTIONS (SET a 'y'))", "", true, ""},
    {R"(ALTER SERVER s)", "42601", false, ""},
    {R"(ALTER SERVER s RENAME TO t)", "", true, ""},
    {R"(ALTER SERVER s RENAME t)", "42601", false, ""},
    {R"(ALTER SERVER IF EXISTS s RENAME TO t)", "42601", false, ""},
    {R"(ALTER SERVER s OWNER TO CURRENT_USER)", "", false, "SQLite has no roles"},
    {R"(DROP SERVER e)", "", true, ""},
    {R"(DROP SERVER IF EXISTS nobody)", "", true, ""},
    {R"(DROP SERVER e, nobody)", "42704", true, ""},
    {R"(DROP SERVER e CASCADE)", "", true, ""},
    {R"(DROP SERVER e RESTRICT)", "", true, ""},
    {R"(DROP SERVER e CASCADE RESTRICT)", "42601", false, ""},
    {R"(DROP SERVER e f)", "42601", false, ""},
    {R"(CREATE USER MAPPING FOR CURRENT_USER SERVER e OPTIONS (account_key 'x'))", "", true, ""},
    {R"(CREATE USER MAPPING FOR USER SERVER e)", "", true, ""},
    {R"(CREATE USER MAPPING FOR CURRENT_ROLE SERVER e)", "", true, ""},
    {R"(CREATE USER MAPPING FOR SESSION_USER SERVER e)", "", true, ""},
    {R"(CREATE USER MAPPING FOR public SERVER e)", "", true, ""},
    {R"(CREATE USER MAPPING FOR postgres SERVER e)", "", false, "SQLite has no roles"},
    {R"(CREATE USER MAPPING IF NOT EXISTS FOR USER SERVER s)", "", true, ""},
    {R"(CREATE USER MAPPING USER SERVER e)", "42601", false, ""},
    {R"(CREATE USER MAPPING FOR USER)", "42601", false, ""},
    {R"(ALTER USER MAPPING FOR USER SERVER s OPTIONS (SET u 'y'))", "", true, ""},
    {R"(ALTER USER MAPPING FOR USER SERVER s)", "42601", false, ""},
    {R"(DROP USER MAPPING FOR USER SERVER s)", "", true, ""},
    {R"(DROP USER MAPPING IF EXISTS FOR PUBLIC SERVER e)", "", true, ""},
    {R"(DROP USER MAPPING FOR USER SERVER s CASCADE)", "42601", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text, b int OPTIONS (property 'B')) SERVER s OPTIONS (table 'N'))", "",
     true, ""},
    {R"(CREATE FOREIGN TABLE n () SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE n SERVER s)", "42601", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text))", "42601", false, ""},
    {R"(CREATE FOREIGN TABLE IF NOT EXISTS t (a text) SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE public.n (a text) SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE a.b.c (a text) SERVER s)", "0A000", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text,) SERVER s)", "42601", false, ""},
    {R"(CREATE FOREIGN TABLE n (a) SERVER s)", "42601", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text, a int) SERVER s)", "42701", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text NOT NULL) SERVER s)", "", false, "entities have no constraints"},
    {R"(CREATE FOREIGN TABLE n (a text DEFAULT 'x') SERVER s)", "", false, "entities have no defaults"},
    {R"(CREATE FOREIGN TABLE n (a text PRIMARY KEY) SERVER s)", "0A000", false, ""},
    {R"(CREATE FOREIGN TABLE n (a text, CHECK (a > 'b')) SERVER s)", "", false,
     "entities have no constraints"},
    {R"(CREATE FOREIGN TABLE n (a text COLLATE "C") SERVER s)", "", false, "entities have no collations"},
    {R"(CREATE FOREIGN TABLE n (a varchar(10), b double precision, c decimal(10,2)) SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE n (a uuid, b timestamp, c boolean, d bigint) SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE n (a int[]) SERVER s)", "", false, "the service has no arrays"},
    {R"(CREATE FOREIGN TABLE n (a guid) SERVER s)", "42704", true, "types of the service"},
    {R"(CREATE FOREIGN TABLE n (server text, options int) SERVER s)", "", true, ""},
    {R"(CREATE FOREIGN TABLE n (order text) SERVER s)", "42601", true,
     "words that services use as names are not reserved"},
    {R"(CREATE FOREIGN TABLE n (a text) INHERITS (other) SERVER s)", "42P01", false, ""},
    {R"(ALTER FOREIGN TABLE t ADD COLUMN c int, DROP COLUMN b, ALTER COLUMN a TYPE varchar)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t ADD c int OPTIONS (property 'C'))", "", true, ""},
    {R"(ALTER FOREIGN TABLE t ADD COLUMN IF NOT EXISTS a int)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t DROP COLUMN IF EXISTS zz CASCADE)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t ALTER a SET DATA TYPE varchar)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t ALTER a TYPE varchar OPTIONS (property 'C'))", "42601", false, ""},
    {R"(ALTER FOREIGN TABLE t ALTER a OPTIONS (ADD property 'C'))", "", true, ""},
    {R"(ALTER FOREIGN TABLE t ALTER a SET NOT NULL)", "", false, "entities have no constraints"},
    {R"(ALTER FOREIGN TABLE t OPTIONS (ADD table 'T'))", "", true, ""},
    {R"(ALTER FOREIGN TABLE t OPTIONS (ADD table 'T'), OPTIONS (DROP table))", "", true, ""},
    {R"(ALTER FOREIGN TABLE t)", "42601", false, ""},
    {R"(ALTER FOREIGN TABLE IF EXISTS zz OPTIONS (ADD table 'T'))", "", true, ""},
    {R"(ALTER FOREIGN TABLE ONLY t ADD c int)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t RENAME a TO c)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t RENAME COLUMN a TO c)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t RENAME TO u)", "", true, ""},
    {R"(ALTER FOREIGN TABLE t SET SCHEMA pg_temp)", "0A000", false, ""},
    {R"(DROP FOREIGN TABLE t)", "", true, ""},
    {R"(DROP FOREIGN TABLE IF EXISTS t, public.zz CASCADE)", "", true, ""},
    {R"(DROP FOREIGN TABLE)", "42601", false, ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER s INTO public)", "55000", true, ""},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO (a, "b c") FROM SERVER s INTO public OPTIONS (sample_rows '5'))",
     "55000", true, ""},
    {R"(IMPORT FOREIGN SCHEMA tables EXCEPT (a) FROM SERVER s INTO public)", "55000", true, ""},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO () FROM SERVER s INTO public)", "42601", false, ""},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT TO (order) FROM SERVER s INTO public)", "42601", true,
     "words that services use as names are not reserved"},
    {R"(IMPORT FOREIGN SCHEMA tables LIMIT (a) FROM SERVER s INTO public)", "42601", false, ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM s INTO public)", "42601", false, ""},
    {R"(IMPORT FOREIGN SCHEMA tables FROM SERVER s)", "42601", false, ""},
    {R"(IMPORT FOREIGN SCHEMA FROM SERVER s INTO public)", "42601", false, ""},
    {R"(CREATE FOREIGN DATA WRAPPER w)", "", false, "the wrapper is built in"},
};

bool accepts(const std::string& statement) {
  try {
    parse_script(statement);
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(error.position().has_value()) << statement;
    return false;
  }
}

TEST(FdwPostgres, SameVerdictOrAReason) {
  for (const Verdict& verdict : kVerdicts) {
    EXPECT_EQ(accepts(verdict.statement), verdict.accepted) << verdict.statement;
    const bool syntax_error = verdict.sqlstate == "42601";
    if (verdict.sqlstate.empty() || syntax_error) {
      EXPECT_EQ(verdict.accepted == !syntax_error, verdict.difference.empty()) << verdict.statement;
    }
  }
}

}  // namespace
}  // namespace table_storage::fdw
