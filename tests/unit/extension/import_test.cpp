// IMPORT FOREIGN SCHEMA on the local backend and on the fake service: what it makes, keeps and refuses.
#include "extension/catalog/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "extension/backend/remote/sas.h"
#include "extension/catalog/foreign_tables.h"
#include "parser/error.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::catalog {
namespace {

using edm::Value;
using fake::Fault;
using test::Database;
using Selection = ImportRequest::Selection;
using Strings = std::vector<std::string>;

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {Error::Kind::invalid, "none", "none"};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string text_of(ImportAction action) {
  return action == ImportAction::created   ? "created"
         : action == ImportAction::updated ? "updated"
                                           : "unchanged";
}

/// One database with what imports need; the extension has a Connection of its own beside this one.
struct Importer {
  Database db;
  Connection connection{db.handle()};

  /// "created Devices, unchanged Things"
  std::string run(const ImportRequest& request) {
    std::string out;
    for (const ImportedTable& table : import_foreign_schema(connection, request))
      out += (out.empty() ? "" : ", ") + text_of(table.action) + " " + table.name;
    return out;
  }
  std::string error(const ImportRequest& request) {
    return error_of([&] { run(request); }).what();
  }
  /// CREATE VIRTUAL TABLE from the name on, blanks made one.
  std::string sql(const std::string& table, const std::string& schema = "main") {
    return db.value("SELECT replace(replace(sql, char(10), ''), '  ', ' ') FROM " + schema +
                    ".sqlite_master WHERE name = '" + table + "'");
  }
  /// Notices about a table: "column: text", the table's own first.
  Strings notices(const std::string& table) {
    Strings all;
    for (const ImportNotice& notice : connection.import_notices) {
      if (notice.table == table) all.push_back(notice.column + ": " + notice.text);
    }
    return all;
  }
};

ImportRequest from_local(Selection selection = Selection::all, Strings names = {}) {
  ImportRequest request;
  request.server = "local";
  request.selection = selection;
  request.names = std::move(names);
  return request;
}

class LocalImport : public ::testing::Test {
 protected:
  void SetUp() override {
    db_.run("CREATE VIRTUAL TABLE temp.raw USING table_storage(OPTIONS (table 'Unused'))");
    fill("main", "Devices",
         {"('a','1','{\"Name\":\"x\",\"Weight\":2,\"InUse\":true}')",
          "('b','1','{\"Name\":\"y\",\"Weight\":2.5}')"});
    fill("main", "Order", {"('p','1','{\"Select\":1,\"note\":\"n\",\"Note\":true}')"});
    db_.run("SELECT ts_create_table('local', 'Empty')");
  }

  void fill(const std::string& schema, const std::string& table, const Strings& rows) {
    db_.run("CREATE VIRTUAL TABLE " + schema + ".filling USING table_storage(OPTIONS (table '" + table +
            "'))");
    for (const std::string& row : rows)
      db_.run("INSERT INTO " + schema + ".filling(PartitionKey, RowKey, _properties) VALUES " + row);
    db_.run("DROP TABLE " + schema + ".filling");
  }

  Importer importer_;
  Database& db_ = importer_.db;
};

// --- What it makes ---------------------------------------------------------------------------------------

TEST_F(LocalImport, MakesATableForEachEntityTable) {
  EXPECT_EQ(importer_.run(from_local()), "created Devices, created Empty, created Order");
  EXPECT_EQ(importer_.sql("Devices"),
            "CREATE VIRTUAL TABLE Devices USING table_storage( Name STRING, Weight DOUBLE, InUse BOOLEAN, "
            "SERVER local, OPTIONS (table 'Devices'))");
  EXPECT_EQ(
      importer_.sql("Order"),
      "CREATE VIRTUAL TABLE \"Order\" USING table_storage( \"Select\" INT32, note STRING, Note_2 BOOLEAN "
      "OPTIONS (property 'Note'), SERVER local, OPTIONS (table 'Order'))");
  EXPECT_EQ(importer_.sql("Empty"),
            "CREATE VIRTUAL TABLE Empty USING table_storage( SERVER local, OPTIONS (table 'Empty'))");
  EXPECT_EQ(db_.rows("SELECT Name, Weight, InUse FROM Devices"), (Strings{"x|2.0|1", "y|2.5|NULL"}));
  EXPECT_EQ(db_.rows("SELECT \"Select\", note, Note_2 FROM \"Order\""), Strings{"1|n|1"});
  EXPECT_EQ(db_.rows("SELECT * FROM Empty"), Strings{});
  // The mapping can be renamed, as the entity table's name stands in it.
  db_.run("ALTER TABLE Devices RENAME TO Machines");
  EXPECT_EQ(db_.value("SELECT count(*) FROM Machines"), "2");
}

TEST_F(LocalImport, SaysWhatItDid) {
  importer_.run(from_local());
  EXPECT_EQ(importer_.notices("Devices"), Strings{": created with 3 columns, from all 2 entities"});
  EXPECT_EQ(importer_.notices("Empty"), Strings{": created with 0 columns: the table is empty"});
  EXPECT_EQ(
      importer_.notices("Order"),
      (Strings{": created with 3 columns, from all 1 entities",
               "Note_2: the column is called Note_2, as SQL names do not tell upper from lower case and "
               "another property has this one"}));
}

TEST_F(LocalImport, LimitToAndExcept) {
  EXPECT_EQ(importer_.run(from_local(Selection::limit_to, {"ORDER", "Devices", "devices"})),
            "created Devices, created Order");
  Importer other;
  other.db.run("SELECT ts_create_table('local', 'One'), ts_create_table('local', 'Two')");
  EXPECT_EQ(other.run(from_local(Selection::except, {"one", "Three"})), "created Two");
  EXPECT_EQ(other.connection.import_notices.front().text,
            "EXCEPT names Three, which server local does not have");
  EXPECT_EQ(other.run(from_local(Selection::except, {"One", "Two"})), "");
  EXPECT_EQ(other.connection.import_notices.front().text, "there is no table to import from server local");
}

TEST_F(LocalImport, IntoTempAndAttached) {
  ImportRequest request = from_local();
  request.schema = "temp";
  EXPECT_EQ(importer_.run(request), "") << "entities of the local server live in the schema of the table";
  fill("temp", "Notes", {"('p','r','{\"A\":1}')"});
  EXPECT_EQ(importer_.run(request), "created Notes");
  EXPECT_EQ(db_.rows("SELECT A FROM temp.Notes"), Strings{"1"});
  db_.run("ATTACH ':memory:' AS \"other db\"");
  fill("\"other db\"", "Notes", {"('p','r','{\"B\":2}')"});
  request.schema = "Other DB";
  EXPECT_EQ(importer_.run(request), "created Notes");
  EXPECT_EQ(db_.rows("SELECT B FROM \"other db\".Notes"), Strings{"2"});
}

TEST_F(LocalImport, OptionsGoToEveryTable) {
  ImportRequest request = from_local(Selection::limit_to, {"Devices"});
  request.options = {{"sample_rows", "1", 0}, {"updatable", "false", 0}};
  importer_.run(request);
  EXPECT_EQ(importer_.sql("Devices"),
            "CREATE VIRTUAL TABLE Devices USING table_storage( Name STRING, Weight DOUBLE, InUse BOOLEAN, "
            "SERVER local, OPTIONS (table 'Devices', updatable 'false'))");
  request.options = {{"Sample_Rows", "all", 0}, {"updatable", "true", 0}};
  EXPECT_EQ(importer_.run(request), "updated Devices");
  EXPECT_TRUE(has(importer_.sql("Devices"), "updatable 'true'"));
}

// --- Again -----------------------------------------------------------------------------------------------

TEST_F(LocalImport, AgainWithoutChangesTouchesNothing) {
  importer_.run(from_local());
  const std::string version = db_.value("PRAGMA schema_version");
  EXPECT_EQ(importer_.run(from_local()), "unchanged Devices, unchanged Empty, unchanged Order");
  EXPECT_EQ(db_.value("PRAGMA schema_version"), version);
  EXPECT_EQ(importer_.notices("Devices"), Strings{": unchanged, from all 2 entities"});
}

TEST_F(LocalImport, AgainAddsWhatIsNew) {
  importer_.run(from_local());
  db_.run("CREATE VIEW heavy AS SELECT Name FROM Devices WHERE Weight > 2");
  db_.run(
      "INSERT INTO Devices(PartitionKey, RowKey, _properties) VALUES "
      "('c','1','{\"Weight\":\"much\",\"Tag\":1,\"tag\":2}')");
  EXPECT_EQ(importer_.run(from_local(Selection::limit_to, {"Devices"})), "updated Devices");
  EXPECT_EQ(
      importer_.sql("Devices"),
      "CREATE VIRTUAL TABLE Devices USING table_storage( Name STRING, Weight ANY, InUse BOOLEAN, Tag INT32, "
      "tag_2 INT32 OPTIONS (property 'tag'), SERVER local, OPTIONS (table 'Devices'))");
  const Strings notices = importer_.notices("Devices");
  EXPECT_EQ(notices.front(), ": updated, 2 columns added, from all 3 entities");
  EXPECT_TRUE(has(notices.at(1), "Weight: was declared DOUBLE")) << notices.at(1);
  EXPECT_EQ(db_.rows("SELECT Weight FROM Devices ORDER BY PartitionKey"), (Strings{"2", "2.5", "much"}));
  EXPECT_EQ(db_.rows("SELECT count(*) FROM heavy"), Strings{"2"});
}

TEST_F(LocalImport, AgainKeepsTheUsersOwn) {
  db_.run(
      "CREATE VIRTUAL TABLE devices USING table_storage( /* mine, */ [the name] VARCHAR(10) OPTIONS "
      "(property "
      "'Name'), weight ANY OPTIONS (property 'Weight'), Later GUID, OPTIONS (on_type_mismatch 'error', "
      "estimated_rows '5', table 'DEVICES'))");
  EXPECT_EQ(importer_.run(from_local(Selection::limit_to, {"Devices"})), "updated Devices");
  EXPECT_EQ(
      importer_.sql("Devices"),
      "CREATE VIRTUAL TABLE Devices USING table_storage( \"the name\" VARCHAR(10) OPTIONS (property 'Name'), "
      "weight ANY OPTIONS (property 'Weight'), Later GUID, InUse BOOLEAN, OPTIONS (on_type_mismatch 'error', "
      "estimated_rows '5', table 'DEVICES'))");
  EXPECT_TRUE(has(importer_.notices("Devices").at(1), "Later: not seen in the 2 entities"));
  EXPECT_EQ(importer_.run(from_local(Selection::limit_to, {"Devices"})), "unchanged Devices");
}

// --- What it refuses -------------------------------------------------------------------------------------

TEST_F(LocalImport, NamesThatAreTaken) {
  db_.run("CREATE TABLE ORDER_(x); CREATE TABLE \"order\"(x)");
  EXPECT_EQ(
      importer_.error(from_local()),
      "the name of table Order of server local is taken: schema main has a table order. Drop or rename it, "
      "leave the table out with EXCEPT (Order), or import into another schema");
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_master WHERE name IN ('Devices', 'Empty')"), "0")
      << "checked before anything is made";
  db_.run("DROP TABLE \"order\"; CREATE VIEW \"Order\" AS SELECT 1");
  EXPECT_TRUE(has(importer_.error(from_local()), "schema main has a view Order."));
  db_.run("DROP VIEW \"Order\"; CREATE INDEX \"Order\" ON order_(x)");
  EXPECT_TRUE(has(importer_.error(from_local()), "schema main has an index Order."));
  db_.run("DROP INDEX \"Order\"; CREATE VIRTUAL TABLE \"Order\" USING fts5(x)");
  EXPECT_TRUE(has(importer_.error(from_local()), "schema main has a table Order."));
  db_.run(
      "DROP TABLE \"Order\"; CREATE VIRTUAL TABLE \"Order\" USING table_storage(OPTIONS (table 'Devices'))");
  EXPECT_TRUE(has(importer_.error(from_local()),
                  "schema main has a foreign table Order for table Devices of the same server."));
  db_.run(
      "DROP TABLE \"Order\"; CREATE VIRTUAL TABLE \"Order\" USING table_storage(OPTIONS (endpoint "
      "'http://127.0.0.1:1/devstoreaccount1'))");
  EXPECT_TRUE(
      has(importer_.error(from_local()), "schema main has a foreign table Order of another service."));
  EXPECT_EQ(importer_.run(from_local(Selection::except, {"Order"})), "created Devices, created Empty");
}

TEST_F(LocalImport, WrongRequests) {
  ImportRequest request = from_local(Selection::limit_to, {"Devcies"});
  EXPECT_EQ(importer_.error(request), "server local has no table Devcies; did you mean Devices?");
  request = from_local();
  request.server = "nowhere";
  EXPECT_TRUE(has(importer_.error(request), "nowhere"));
  request = from_local();
  request.schema = "elsewhere";
  EXPECT_EQ(importer_.error(request), "there is no schema elsewhere to import into; there are main, temp");
  request = from_local();
  request.options = {{"sample_rows", "none", 0}};
  EXPECT_TRUE(has(importer_.error(request), "from 1 to 1000000, or all"));
  request.options = {{"table", "Devices", 0}};
  EXPECT_TRUE(has(importer_.error(request), "no option table; it takes sample_rows"));
  request.options = {{"sampel_rows", "1", 0}};
  EXPECT_TRUE(has(importer_.error(request), "no option sampel_rows; it takes sample_rows"));
  request.options = {{"property", "x", 0}};
  EXPECT_TRUE(has(importer_.error(request), "no option property"));
  request.options = {{"updatable", "perhaps", 0}};
  EXPECT_TRUE(has(importer_.error(request), "true or false"));
}

TEST_F(LocalImport, TooManyColumns) {
  db_.run("CREATE VIRTUAL TABLE wide USING table_storage(OPTIONS (table 'Wide'))");
  const auto widen = [&](int entity, int from, int to) {
    db_.run("INSERT INTO wide(PartitionKey, RowKey, _properties) WITH RECURSIVE n(i) AS (SELECT " +
            std::to_string(from) + " UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(to) +
            ") SELECT 'p', '" + std::to_string(entity) + "', json_group_object('P' || i, i) FROM n");
  };
  for (int i = 0; i < 9; ++i) widen(i, i * 220, i * 220 + 219);
  widen(9, 1980, 1991);
  db_.run("DROP TABLE wide");
  EXPECT_EQ(importer_.run(from_local(Selection::limit_to, {"Wide"})), "created Wide");
  EXPECT_EQ(db_.value("SELECT count(*) FROM pragma_table_xinfo('Wide')"), "1998");
  db_.run("INSERT INTO Wide(PartitionKey, RowKey, _properties) VALUES ('q', 'r', '{\"P1992\":1}')");
  const std::string error = importer_.error(from_local());
  EXPECT_TRUE(
      has(error,
          "importing table Wide of server local: it has 1993 different properties, and there is room for "
          "1992: SQLite takes 2000 columns"))
      << error;
  EXPECT_TRUE(has(error, "EXCEPT (Wide)")) << error;
  EXPECT_EQ(db_.value("SELECT count(*) FROM pragma_table_xinfo('Wide')"), "1998");
}

TEST(ReadOnlyImport, SaysSo) {
  const std::string path = ::testing::TempDir() + "import_read_only.db";
  std::remove(path.c_str());
  {
    Database made(path);
    made.run("SELECT ts_create_table('local', 'Devices')");
  }
  Importer importer;
  importer.db.run("ATTACH 'file:" + path + "?mode=ro' AS ro");
  ImportRequest request = from_local();
  request.schema = "ro";
  const Error error = error_of([&] { importer.run(request); });
  EXPECT_EQ(error.native_code(), SQLITE_READONLY);
  EXPECT_TRUE(has(error.what(), "schema ro is read-only")) << error.what();
  importer.db.run("DETACH ro");
  std::remove(path.c_str());
}

// --- ts_schema -------------------------------------------------------------------------------------------

TEST_F(LocalImport, SchemaShowsTheEvidence) {
  EXPECT_EQ(db_.rows("SELECT property, column_name, suggestion, types, count, missing, first_partition_key, "
                     "first_row_key, notice FROM ts_schema('local', 'devices')"),
            (Strings{"Name|Name|Name STRING|{\"String\":2}|2|0|a|1|NULL",
                     "Weight|Weight|Weight DOUBLE|{\"Int32\":1,\"Double\":1}|2|0|a|1|NULL",
                     "InUse|InUse|InUse BOOLEAN|{\"Boolean\":1}|1|1|a|1|NULL"}));
  EXPECT_EQ(db_.rows("SELECT suggestion FROM ts_schema('local', 'Order')").at(2),
            "Note_2 BOOLEAN OPTIONS (property 'Note')");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_schema('local', 'Empty')"), Strings{});
  // The suggestions are what CREATE VIRTUAL TABLE takes.
  db_.run("CREATE VIRTUAL TABLE made USING table_storage(" +
          db_.value("SELECT group_concat(suggestion, ', ') FROM ts_schema('local', 'Order', 'all', 'main')") +
          ", OPTIONS (table 'Order'))");
  EXPECT_EQ(db_.value("SELECT Note_2 FROM made"), "1");
}

TEST_F(LocalImport, SchemaRefuses) {
  EXPECT_EQ(db_.error("SELECT * FROM ts_schema('local', 'Devcies')"),
            "server local has no table Devcies; did you mean Devices?");
  EXPECT_TRUE(has(db_.error("SELECT * FROM ts_schema('local')"), "ts_schema wants a server and a table"));
  EXPECT_TRUE(has(db_.error("SELECT * FROM ts_schema('local', 5)"), "the table as text, not 5"));
  EXPECT_TRUE(has(db_.error("SELECT * FROM ts_schema('local', 'Devices', 0)"), "from 1 to 1000000, or all"));
  EXPECT_TRUE(has(db_.error("SELECT * FROM ts_schema('local', 'no-name')"), "InvalidResourceName"));
  db_.run("CREATE VIEW v AS SELECT * FROM ts_schema('local', 'Devices')");
  EXPECT_TRUE(has(db_.error("SELECT * FROM v"), "unsafe use of virtual table"));
}

TEST_F(LocalImport, NoticesAreATable) {
  const std::string notices =
      "SELECT schema, table_name, column_name, property, notice FROM ts_import_notices";
  EXPECT_EQ(db_.rows(notices), Strings{});
  EXPECT_EQ(
      db_.value(
          "SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (\"Order\") FROM SERVER local INTO main')"),
      "IMPORT FOREIGN SCHEMA");
  EXPECT_EQ(
      db_.rows(notices),
      (Strings{
          "main|Order|NULL|NULL|created with 3 columns, from all 1 entities",
          "main|Order|Note_2|Note|the column is called Note_2, as SQL names do not tell upper from lower "
          "case and another property has this one"}));
}

// --- Remote ----------------------------------------------------------------------------------------------

class RemoteImport : public ::testing::Test {
 protected:
  void SetUp() override {
    service_.create_table("Things");
    service_.put("Things", {"p", "1"}, {{"N", Value::int32(1)}, {"Mixed", Value::string("x")}});
    service_.put("Things", {"p", "2"}, {{"N", Value::int64(2)}, {"Mixed", Value::boolean(true)}});
    service_.create_table("Other");
    request_.server = service_.endpoint();
  }
  void TearDown() override {
    for (const std::string& line : service_.violations()) ADD_FAILURE() << "breaks the protocol: " << line;
  }

  /// A server given by the connection string of a SAS, in a variable of the environment.
  void use_sas(const std::string& table) {
    backend::remote::TableSas sas;
    sas.table = table;
    sas.permissions = "r";
    sas.expiry = "2099-01-01T00:00:00Z";
    const backend::remote::SharedKey key(service_.account().name, service_.account().key);
    const std::string text = "TableEndpoint=" + service_.endpoint() +
                             ";SharedAccessSignature=" + backend::remote::make_sas(key, sas);
    ::setenv("TABLE_STORAGE_IMPORT_TEST", text.c_str(), 1);
    request_.server = "env:TABLE_STORAGE_IMPORT_TEST";
    // The service lets a SAS of one table list nothing.
    service_.add_fault({.action = Fault::Action::answer,
                        .path_contains = "/Tables",
                        .times = 0,
                        .status = 403,
                        .code = "AuthorizationFailure"});
  }

  fake::FakeService service_;
  ImportRequest request_;
  Importer importer_;  // last: it is closed before the service goes
};

TEST_F(RemoteImport, MakesTablesThatWork) {
  EXPECT_EQ(importer_.run(request_), "created Other, created Things");
  EXPECT_EQ(importer_.sql("Things"),
            "CREATE VIRTUAL TABLE Things USING table_storage( N INT64, Mixed ANY, OPTIONS "
            "(endpoint '" +
                service_.endpoint() + "', table 'Things'))");
  EXPECT_EQ(importer_.db.rows("SELECT N, Mixed FROM Things"), (Strings{"1|x", "2|1"}));
  EXPECT_EQ(importer_.run(request_), "unchanged Other, unchanged Things");
  service_.put("Things", {"p", "3"}, {{"New", Value::real(1)}});
  EXPECT_EQ(importer_.run(request_), "unchanged Other, updated Things");
}

TEST_F(RemoteImport, TheTableOfAnotherServer) {
  importer_.db.run("CREATE VIRTUAL TABLE things USING table_storage(SERVER local)");
  EXPECT_TRUE(has(importer_.error(request_), "has a foreign table things of server local"));
}

TEST_F(RemoteImport, ASasOfOneTableImportsThatOne) {
  use_sas("Things");
  request_.selection = Selection::limit_to;
  request_.names = {"Things", "THINGS"};
  EXPECT_EQ(importer_.run(request_), "created Things");
  EXPECT_EQ(importer_.sql("Things"),
            "CREATE VIRTUAL TABLE Things USING table_storage( N INT64, Mixed ANY, OPTIONS (connection_string "
            "'env:TABLE_STORAGE_IMPORT_TEST', table 'Things'))");
  EXPECT_EQ(importer_.db.rows("SELECT N FROM Things"), (Strings{"1", "2"}));
  request_.names = {"Other"};
  const std::string refused = importer_.error(request_);
  EXPECT_TRUE(has(refused, "importing table Other of server env:TABLE_STORAGE_IMPORT_TEST")) << refused;
  EXPECT_FALSE(has(refused, "sig=")) << refused;
  request_.selection = Selection::all;
  const std::string error = importer_.error(request_);
  EXPECT_TRUE(has(error, "AuthorizationFailure")) << error;
  EXPECT_TRUE(has(error, "LIMIT TO")) << error;
}

TEST_F(RemoteImport, AMissingTableOfALimitedImport) {
  use_sas("Missing");
  request_.selection = Selection::limit_to;
  request_.names = {"Missing"};
  const std::string error = importer_.error(request_);
  EXPECT_TRUE(has(error, "TableNotFound: importing table Missing of server")) << error;
}

TEST_F(RemoteImport, AFailureOnTheWayMakesNothing) {
  service_.add_fault({.action = Fault::Action::answer,
                      .path_contains = "/Things",
                      .times = 0,
                      .status = 400,
                      .code = "InvalidInput"});
  EXPECT_TRUE(has(importer_.error(request_), "importing table Things of server an endpoint"));
  EXPECT_EQ(importer_.db.value("SELECT count(*) FROM sqlite_master"), "0");
}

TEST_F(RemoteImport, ALargeTableCostsFewRequests) {
  for (int p = 0; p < 300; ++p) {
    for (int r = 0; r < 20; ++r) {
      service_.put("Things", {"device-" + std::to_string(1000 + p), "r" + std::to_string(100 + r)},
                   {{"N", Value::int32(r)}});
    }
  }
  service_.forget_requests();
  request_.selection = Selection::limit_to;
  request_.names = {"Things"};
  importer_.run(request_);
  EXPECT_LE(service_.request_count(), kSampleProbes + 2);
  EXPECT_TRUE(has(importer_.notices("Things").front(), "from a sample of "))
      << importer_.notices("Things").front();
  request_.options = {{"sample_rows", "all", 0}};
  importer_.run(request_);
  EXPECT_TRUE(has(importer_.notices("Things").front(), "from all 6002 entities"));
}

// Options of the server, and those that the tables are to get, count for reading the sample too.
TEST_F(RemoteImport, ReadsAsTheOptionsSay) {
  for (int i = 10; i < 35; ++i) service_.put("Things", {"q", std::to_string(i)}, {{"N", Value::int32(i)}});
  importer_.db.run("SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint \"" +
                   service_.endpoint() + "\", metadata \"full\", page_size \"10\")')");
  const auto scans = [&] {
    std::set<std::string> seen;
    for (const fake::Recorded& recorded : service_.requests()) {
      if (!has(recorded.request.path, "/Things")) continue;
      std::string top = "-";
      for (const auto& [name, value] : fake::parse_query(recorded.request.query))
        if (name == "$top") top = value;
      seen.insert(*recorded.request.header("Accept") + " " + top);
    }
    service_.forget_requests();
    return seen;
  };
  request_.server = "s";
  request_.selection = Selection::limit_to;
  request_.names = {"Things"};
  importer_.run(request_);
  EXPECT_EQ(scans(), (std::set<std::string>{"application/json;odata=fullmetadata 10"}));
  request_.options = {{"page_size", "20", 0}};
  importer_.run(request_);
  EXPECT_EQ(scans(), (std::set<std::string>{"application/json;odata=fullmetadata 20"}));
  importer_.db.rows("SELECT * FROM ts_schema('s', 'Things')");
  EXPECT_EQ(scans(), (std::set<std::string>{"application/json;odata=fullmetadata 10"}));
}

TEST_F(RemoteImport, SchemaOfARemoteTable) {
  EXPECT_EQ(
      importer_.db.rows("SELECT property, types FROM ts_schema('" + service_.endpoint() + "', 'Things')"),
      (Strings{"N|{\"Int32\":1,\"Int64\":1}", "Mixed|{\"String\":1,\"Boolean\":1}"}));
  EXPECT_TRUE(has(importer_.db.error("SELECT * FROM ts_schema('" + service_.endpoint() + "', 'Missing')"),
                  "TableNotFound"));
}

TEST(CosmosImport, NamesThatDifferInCaseAlone) {
  fake::FakeOptions options;
  options.settings.personality = fake::Personality::cosmos;
  fake::FakeService service(options);
  service.create_table("things");
  service.create_table("Things");
  service.put("things", {"p", "r"}, {{"Small", Value::int32(1)}});
  service.put("Things", {"p", "r"}, {{"Large", Value::int32(1)}});
  Importer importer;
  importer.db.run("SELECT 1");
  ImportRequest request;
  request.server = service.endpoint();
  const auto tables = import_foreign_schema(importer.connection, request);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_NE(tables[0].name, tables[1].name);
  for (const ImportedTable& table : tables) {
    EXPECT_EQ(importer.db.rows("SELECT " + std::string(table.entity_table == "things" ? "Small" : "Large") +
                               " FROM " + table.name),
              Strings{"1"});
  }
}

// --- Foreign tables --------------------------------------------------------------------------------------

TEST(ForeignTables, AreReadAsSqliteCutsThem) {
  Database db;
  db.run(
      "CREATE VIRTUAL TABLE IF NOT EXISTS main.\"a,(b\" USING \"TABLE_STORAGE\" ( A VARCHAR(10, 2) /* , */, "
      "\"x,)\" STRING OPTIONS (property 'X'), OPTIONS (table 'Things', updatable 'no'))");
  db.run(
      "CREATE VIRTUAL TABLE plain USING table_storage; CREATE TABLE t(x); CREATE VIEW v AS SELECT 1;"
      "CREATE VIRTUAL TABLE f USING fts5(x); CREATE INDEX i ON t(x); CREATE TEMP TABLE s(x)");
  const auto tables = foreign_tables(db.handle(), "MAIN");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].name, "a,(b");
  EXPECT_EQ(*tables[0].arguments, (Strings{"A VARCHAR(10, 2)", "\"x,)\" STRING OPTIONS (property 'X')",
                                           "OPTIONS (table 'Things', updatable 'no')"}));
  EXPECT_EQ(tables[1].name, "plain");
  EXPECT_EQ(*tables[1].arguments, Strings{});
  EXPECT_TRUE(find_relation(db.handle(), "main", "PLAIN")->is_foreign());
  EXPECT_FALSE(find_relation(db.handle(), "main", "f")->is_foreign());
  EXPECT_EQ(find_relation(db.handle(), "main", "V")->type, "view");
  EXPECT_EQ(find_relation(db.handle(), "main", "i")->type, "index");
  EXPECT_EQ(find_relation(db.handle(), "temp", "s")->type, "table");
  EXPECT_EQ(find_relation(db.handle(), "temp", "plain"), std::nullopt);
}

TEST(ForeignTables, CanonicalTextReadsBackTheSame) {
  definition::TableDefinition definition = definition::parse_table_definition(
      {"A VARCHAR(10,2)", "\"q\"\"x\" DOUBLE PRECISION OPTIONS (property 'it''s')", "\"SERVER\" STRING",
       "SERVER \"STRING\"", "OPTIONS (table 'Things')"});
  EXPECT_EQ(create_table_text("main", "a b", definition),
            "CREATE VIRTUAL TABLE main.\"a b\" USING table_storage(\n  A VARCHAR(10,2),\n"
            "  \"q\"\"x\" DOUBLE PRECISION OPTIONS (property 'it''s'),\n  \"SERVER\" STRING,\n"
            "  SERVER \"STRING\",\n  OPTIONS (table 'Things')\n)");
  definition.server = "prod";
  definition.columns.clear();
  EXPECT_EQ(
      create_table_text("temp", "t", definition),
      "CREATE VIRTUAL TABLE \"temp\".t USING table_storage(\n  SERVER prod,\n  OPTIONS (table 'Things')\n)");
}

}  // namespace
}  // namespace table_storage::catalog
