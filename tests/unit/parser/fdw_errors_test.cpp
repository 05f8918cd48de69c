// The refusals of fdw()'s grammar, word by word: they are what a user reads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parser/error.h"
#include "parser/fdw/script.h"

namespace table_storage::fdw {
namespace {

struct Case {
  std::string text;
  std::size_t position;
  std::string message;  // behind the place
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    try {
      parse_script(c.text);
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::invalid);
      EXPECT_EQ(error.position(), c.position) << c.text;
      EXPECT_EQ(error.what(), place_text(c.text, c.position) + ": " + c.message);
    }
  }
}

const std::string kTypes =
    "Types are STRING (TEXT, VARCHAR), INT32, INT64 (INTEGER, INT, BIGINT), DOUBLE (REAL, FLOAT, SINGLE, "
    "DECIMAL), "
    "BOOLEAN (BOOL), DATETIME (TIMESTAMP), GUID (UUID), BINARY (BLOB), ANY";
const std::string kConstraint =
    " is refused: entities have no column constraints, any property may be missing. The primary key is "
    "(PartitionKey, RowKey) and comes by itself";

TEST(FdwErrors, Statements) {
  expect_all({
      {"SELECT 1", 0,
       "expected CREATE, ALTER, DROP or IMPORT FOREIGN SCHEMA before `SELECT`; other SQL is no business of "
       "fdw() and "
       "runs as a statement of its own"},
      {"DROP SERVER a;\n\n  DRP SERVER b", 18,
       "expected CREATE, ALTER, DROP or IMPORT FOREIGN SCHEMA before `DRP`; did you mean DROP?"},
      {"CREATE SRVER x", 7,
       "expected SERVER, USER MAPPING or FOREIGN TABLE after CREATE before `SRVER`; did you mean SERVER?"},
      {"CREATE", 6, "expected SERVER, USER MAPPING or FOREIGN TABLE after CREATE at the end"},
      {"CREATE TABLE x(a)", 7,
       "expected SERVER, USER MAPPING or FOREIGN TABLE after CREATE before `TABLE`; an ordinary table is "
       "none of "
       "fdw()'s, a foreign one is a FOREIGN TABLE"},
      {"CREATE FOREIGN DATA WRAPPER w", 15,
       "expected TABLE after FOREIGN before `DATA`; the foreign-data wrapper table_storage is there without "
       "being "
       "made"},
      {"ALTER USER x", 11, "expected MAPPING after USER before `x`"},
      {"DROP SERVER a /* never /* closed */", 14, "expected the end of this comment, */ before `/*`"},
      // Places are those of the text that was given, comments and all.
      {"DROP SERVER a /* one\n two */ DRP", 29,
       "expected a comma and another name, CASCADE, RESTRICT or the end of the statement before `DRP`"},
      {"DROP SERVER a // gone", 14,
       "expected a comma and another name, CASCADE, RESTRICT or the end of the statement before `//`"},
      {"DROP SERVER \"\".a", 12, "the name between the quotes is empty"},
      {"DROP SERVER a \x01", 14,
       "expected a comma and another name, CASCADE, RESTRICT or the end of the statement before ` `"},
  });
  try {
    parse_script(" /* nothing */ ;");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the text has no statement; expected CREATE, ALTER, DROP or IMPORT FOREIGN SCHEMA");
  }
}

TEST(FdwErrors, OtherSql) {
  for (const std::string word :
       {"select", "INSERT", "update", "delete", "pragma", "begin", "commit", "with", "grant", "set"}) {
    expect_all({{word + " x", 0,
                 "expected CREATE, ALTER, DROP or IMPORT FOREIGN SCHEMA before `" + word +
                     "`; other SQL is no business of fdw() and runs as a statement of its own"}});
  }
}

TEST(FdwErrors, Servers) {
  expect_all({
      {"CREATE SERVER prod FORIEGN DATA WRAPPER table_storage", 19,
       "expected TYPE, VERSION or FOREIGN DATA WRAPPER table_storage before `FORIEGN`; did you mean "
       "FOREIGN?"},
      {"CREATE SERVER FOREIGN DATA WRAPPER table_storage", 14,
       "expected the name of the server before `FOREIGN`"},
      {"CREATE SERVER prod FOREIGN DATA WRAPPER table_strage", 40,
       "the foreign-data wrapper is table_storage, not table_strage"},
      {"CREATE SERVER prod FOREIGN DATA WRAPPER table_storage OPTOINS (a 'b')", 54,
       "expected OPTIONS (...) or the end of the statement before `OPTOINS`; did you mean OPTIONS?"},
      {"CREATE SERVER prod FOREIGN DATA WRAPPER table_storage OPTIONS (a 'b') DROP SERVER x", 70,
       "expected the end of the statement before `DROP`"},
      {"CREATE SERVER IF EXISTS prod", 17, "expected NOT EXISTS after IF before `EXISTS`"},
      {"CREATE SERVER \"\" FOREIGN DATA WRAPPER table_storage", 14, "the name between the quotes is empty"},
      {"ALTER SERVER s", 14, "expected OPTIONS (...), VERSION or RENAME TO at the end"},
      {"ALTER SERVER s VERSION 2", 23, "expected the version in quotes, or NULL before `2`"},
      {"ALTER SERVER s OWNER TO me", 15,
       "expected OPTIONS (...), VERSION or RENAME TO before `OWNER`; SQLite has no roles, so nothing has an "
       "owner"},
      {"DROP SERVER a CASCAD", 14,
       "expected a comma and another name, CASCADE, RESTRICT or the end of the statement before `CASCAD`; "
       "did you "
       "mean CASCADE?"},
      {"DROP SERVER", 11, "expected the name of the server at the end"},
      {"DROP SERVER main.", 17, "expected the name of the server at the end"},
  });
}

TEST(FdwErrors, Options) {
  const std::string start = "CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS ";
  expect_all({
      {start, 59, "expected (name 'value') at the end"},
      {start + "()", 60, "expected an option (name 'value') before `)`"},
      {start + "(a 'b', a 'd')", 67, "option a is given twice"},
      {start + "(a 'b', A 'd')", 67, "option A is given twice"},
      {start + "(a 'b' c 'd')", 66, "expected a comma or ) after the option"},
      {start + "(a 'b'", 65, "expected a comma or ) after the option at the end"},
      {start + "(a 5)", 62, "expected a value in quotes, as in (page_size '500')"},
      {start + "(a = '5')", 62,
       "expected a value in quotes; an option is written without =, as in (endpoint 'https://...')"},
      {start + "(a 'b)", 65, "expected the closing ' at the end"},
      {"ALTER SERVER s OPTIONS (DROP a 'b')", 31, "expected a comma or ) after the option"},
      {"ALTER SERVER s OPTIONS (SET a)", 29, "expected a value in quotes, as in (page_size '500')"},
  });
}

TEST(FdwErrors, UserMappings) {
  expect_all({
      {"CREATE USER MAPPING FOR bob SERVER x", 24,
       "expected CURRENT_USER, USER or PUBLIC before `bob`; SQLite has no roles, so a mapping is for whoever "
       "uses the "
       "database"},
      {"CREATE USER MAPPING FOR PUBLC SERVER x", 24,
       "expected CURRENT_USER, USER or PUBLIC before `PUBLC`; did you mean PUBLIC?"},
      {"CREATE USR MAPPING FOR PUBLIC SERVER x", 7,
       "expected SERVER, USER MAPPING or FOREIGN TABLE after CREATE before `USR`; did you mean USER?"},
      {"CREATE USER MAPPING USER SERVER x", 20, "expected FOR before `USER`"},
      {"ALTER USER MAPPING FOR USER SERVER s", 36, "expected OPTIONS (...) at the end"},
      {"DROP USER MAPPING FOR USER SERVER s CASCADE", 36,
       "expected the end of the statement before `CASCADE`"},
  });
}

TEST(FdwErrors, ForeignTables) {
  expect_all({
      {"CREATE FOREIGN TABLE t SERVER s", 23, "expected ( and the columns before `SERVER`"},
      {"CREATE FOREIGN TABLE t (a text) OPTIONS (table 'T')", 32,
       "expected SERVER and its name before `OPTIONS`"},
      {"CREATE FOREIGN TABLE t (a text,) SERVER s", 31, "expected a column (name and type) before `)`"},
      {"CREATE FOREIGN TABLE t (a text", 30, "expected a comma or ) after the column at the end"},
      {"CREATE FOREIGN TABLE t (a tex) SERVER s", 26,
       "column a has the unknown type tex; did you mean TEXT? " + kTypes},
      {"CREATE FOREIGN TABLE t (a) SERVER s", 25,
       "expected the type of the column at the end of the column. " + kTypes},
      {"CREATE FOREIGN TABLE t (\n  a text NOT NULL) SERVER s", 34, "NOT NULL" + kConstraint},
      {"CREATE FOREIGN TABLE t (a text, PRIMARY KEY (a)) SERVER s", 32, "PRIMARY KEY" + kConstraint},
      {"CREATE FOREIGN TABLE t (a /* c */ text OPTIONS (property x)) SERVER s", 57,
       "expected a value in quotes, as in OPTIONS (table 'DeviceReadings')"},
      {"CREATE FOREIGN TABLE t (RowKey text) SERVER s", 24,
       "RowKey is a key of every table and exists without being declared. Leave it out"},
      {"ALTER FOREIGN TABLE t DORP b", 22,
       "expected ADD COLUMN, DROP COLUMN, ALTER COLUMN, OPTIONS (...), RENAME COLUMN or RENAME TO before "
       "`DORP`; did "
       "you mean DROP?"},
      {"ALTER FOREIGN TABLE t ALTER c TYPE tekst", 35, "column c has the unknown type tekst. " + kTypes},
      {"ALTER FOREIGN TABLE t ALTER c TYPE text OPTIONS (property 'b')", 35,
       "ALTER COLUMN changes the type or the options; write another ALTER COLUMN c OPTIONS (...) behind a "
       "comma"},
      {"ALTER FOREIGN TABLE t ALTER c SET NOT NULL", 30,
       "expected TYPE or OPTIONS (...) after the column before `SET`; entities have no column constraints "
       "and no "
       "defaults, any property may be missing"},
      {"ALTER FOREIGN TABLE t ALTER c DROP DEFAULT", 30,
       "expected TYPE or OPTIONS (...) after the column before `DROP`; entities have no column constraints "
       "and no "
       "defaults, any property may be missing"},
      {"CREATE FOREIGN TABLE t (a text OPTIONS (property 'A)) SERVER s", 62,
       "expected a comma or ) after the column at the end"},
      {"ALTER FOREIGN TABLE t SET SCHEMA temp", 22,
       "expected ADD COLUMN, DROP COLUMN, ALTER COLUMN, OPTIONS (...), RENAME COLUMN or RENAME TO before "
       "`SET`; to "
       "have it in another schema, drop it there and create it here (entities stay)"},
      {"ALTER FOREIGN TABLE t ADD PRIMARY KEY (a)", 26, "PRIMARY KEY" + kConstraint},
      {"DROP FOREIGN TABLE", 18, "expected the name of the table at the end"},
  });
}

TEST(FdwErrors, Import) {
  expect_all({
      {"IMPORT FOREIGN SCHEMA LIMIT TO (a) FROM SERVER x INTO main", 22,
       "expected the name of the foreign schema, such as tables, before `LIMIT`"},
      {"IMPORT FOREIGN SCHEMA tables LIMIT (a) FROM SERVER x INTO main", 35,
       "expected TO after LIMIT before `(`"},
      {"IMPORT FOREIGN SCHEMA tables LIMIT TO () FROM SERVER x INTO main", 39,
       "expected the name of a table of the service before `)`"},
      {"IMPORT FOREIGN SCHEMA tables FORM SERVER x INTO main", 29,
       "expected LIMIT TO, EXCEPT or FROM SERVER before `FORM`; did you mean FROM?"},
      {"IMPORT FOREIGN SCHEMA tables FROM x INTO main", 34, "expected SERVER after FROM before `x`"},
      {"IMPORT FOREIGN SCHEMA tables FROM SERVER x", 42, "expected INTO and the name of a schema at the end"},
  });
}

// Rule: no secret in an error, wherever a quote or a comma was forgotten.
TEST(FdwErrors, NoSecretIsRepeated) {
  const std::string secret = "bXlzZWNyZXQ";
  const std::string mapping = "CREATE USER MAPPING FOR USER SERVER s OPTIONS ";
  for (const std::string& text :
       {mapping + "(account_key " + secret + "==)", mapping + "(account_key = '" + secret + "==')",
        mapping + "(account_key E'" + secret + "==')", mapping + "(account_key 'x'" + secret + "')",
        mapping + "(account_key '" + secret + ")", mapping + "('" + secret + "')",
        mapping + "'" + secret + "'", mapping + "(account_key 'x' '" + secret + "')",
        mapping + "(account_key 'x', account_key '" + secret + "')",
        mapping + "(AccountKey=" + secret + "==;x)", mapping + "(account_key 'x') '" + secret + "'",
        "CREATE FOREIGN TABLE t (a text OPTIONS (property = '" + secret + "')) SERVER s",
        "CREATE FOREIGN TABLE t (a text OPTIONS (property " + secret + ")) SERVER s",
        "CREATE FOREIGN TABLE t (a text '" + secret + "') SERVER s",
        "CREATE FOREIGN TABLE t (a '" + secret + "') SERVER s"}) {
    try {
      parse_script(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(secret), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace table_storage::fdw
