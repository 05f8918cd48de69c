// A secret of a user mapping is in no answer, error, plan, log or schema that SQL can ask for, whatever
// happens.
#include <string>
#include <vector>

#include "extension/backend/remote/sas.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class SecretsShown : public RemoteTest {
 protected:
  SecretsShown() {
    backend::remote::TableSas sas;
    sas.table = "Things";
    sas.permissions = "raud";
    sas.expiry = "2099-01-01T00:00:00Z";
    sas_ = backend::remote::make_sas(
        backend::remote::SharedKey(service_.account().name, service_.account().key), sas);
    put("r", 1);
  }

  std::string fdw(const std::string& script) {
    std::string text = "SELECT fdw('";
    for (const char c : script) text += c == '\'' ? std::string(2, c) : std::string(1, c);
    return text + "')";
  }

  /// Rows of a statement, or its error; all that it gives is looked through.
  std::string shown(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    std::string all;
    int rc = sqlite3_prepare_v2(db_.handle(), sql.c_str(), -1, &statement, nullptr);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
      rc = sqlite3_step(statement);
      for (int i = 0; rc == SQLITE_ROW && i < sqlite3_column_count(statement); ++i) {
        if (const auto* text = sqlite3_column_text(statement, i)) all += reinterpret_cast<const char*>(text);
        all += '|';
      }
    }
    if (rc != SQLITE_DONE) all += sqlite3_errmsg(db_.handle());
    sqlite3_finalize(statement);
    return all;
  }

  /// Everything that a user may ask, with `secrets` in none of it. True if the statements on the table
  /// worked.
  void look_for(const std::vector<std::string>& secrets) {
    for (const char* const sql :
         {"SELECT N FROM mapped",
          "SELECT N FROM mapped WHERE PartitionKey = 'p' AND RowKey = 'r'",
          "EXPLAIN QUERY PLAN SELECT N FROM mapped WHERE N > 1",
          "BEGIN",
          "INSERT OR REPLACE INTO mapped(PartitionKey, RowKey, N) VALUES ('p', 'new', 2)",
          "SELECT * FROM ts_pending",
          "COMMIT",
          "ROLLBACK",
          "SELECT * FROM ts_explain('SELECT N FROM mapped')",
          "SELECT * FROM ts_tables('s')",
          "SELECT ts_create_table('s', 'Made')",
          "SELECT * FROM ts_schema('s', 'Things')",
          "SELECT fdw('IMPORT FOREIGN SCHEMA tables LIMIT TO (Things) FROM SERVER s INTO temp')",
          "SELECT * FROM ts_import_notices",
          "SELECT * FROM ts_servers",
          "SELECT * FROM ts_connections",
          "SELECT * FROM ts_requests",
          "SELECT * FROM sqlite_schema",
          "SELECT * FROM sqlite_temp_schema",
          "SELECT * FROM table_storage_servers",
          "SELECT * FROM temp.table_storage_user_mappings",
          "SELECT ts_disconnect('s')"}) {
      const std::string text = shown(sql);
      for (const std::string& secret : secrets)
        EXPECT_EQ(text.find(secret), std::string::npos) << sql << ": " << text;
    }
  }

  std::string sas_;
};

TEST_F(SecretsShown, Nowhere) {
  const std::string key = service_.account().key;
  const std::string signature = sas_.substr(sas_.find("sig=") + 4, 20);
  const std::vector<std::string> secrets{key, key.substr(0, 20), signature, "sig=" + signature};
  const std::vector<std::string> ways{
      "account_key '" + key + "'", "sas_token '" + sas_ + "'", "sas_token '?" + sas_ + "'",
      "connection_string '" + service_.connection_string() + "'",
      "connection_string 'TableEndpoint=" + service_.endpoint() + ";SharedAccessSignature=" + sas_ + "'"};
  for (const std::string& way : ways) {
    SCOPED_TRACE(way.substr(0, way.find(' ')));
    db_.run(fdw("CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint '" +
                service_.endpoint() + "', max_retries '0'); CREATE USER MAPPING FOR USER SERVER s OPTIONS (" +
                way + "); CREATE FOREIGN TABLE mapped (N INT32) SERVER s OPTIONS (table 'Things')"));
    EXPECT_EQ(db_.value("SELECT N FROM mapped WHERE RowKey = 'r'"), "1");
    look_for(secrets);
    // A service that repeats what it was sent, in its error or in where it sends on to.
    for (const int status : {400, 403, 307, 500}) {
      service_.set_hook([&](const fake::Request& request) -> std::optional<fake::Answer> {
        fake::Answer answer;
        answer.status = status;
        const std::string target = request.path + "?" + request.query;
        answer.headers = {{"Content-Type", "application/json"}, {"Location", "http://127.0.0.1:1" + target}};
        answer.body = R"({"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"asked: )" +
                      target + R"("}}})";
        return answer;
      });
      look_for(secrets);
      service_.set_hook(nullptr);
    }
    db_.run(fdw("DROP SERVER s CASCADE; DROP FOREIGN TABLE IF EXISTS temp.Things"));
  }
}

}  // namespace
}  // namespace table_storage::test
