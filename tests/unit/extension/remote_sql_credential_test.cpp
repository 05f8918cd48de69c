// Foreign tables over services that want to know who asks: every way to say it, from SQL to the wire.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "extension/backend/remote/sas.h"
#include "tests/unit/extension/catalog_fixture.h"
#include "tests/unit/extension/remote_fixture.h"
#include "tests/unit/extension/tls_front.h"
#include "tests/unit/extension/token_endpoint.h"

namespace table_storage::test {
namespace {

namespace remote = backend::remote;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Reads, writes one entity, a group, and reads what it wrote.
void use(Database& db, const std::string& table) {
  db.run("DELETE FROM " + table);
  db.run("INSERT INTO " + table + " (PartitionKey, RowKey, N) VALUES ('p', 'a', 1)");
  db.run("INSERT INTO " + table + " (PartitionKey, RowKey, N) VALUES ('p', 'b', 2), ('p', 'it''s ~%é', 3)");
  db.run("UPDATE " + table + " SET N = 4 WHERE RowKey = 'b'");
  EXPECT_EQ(db.rows("SELECT RowKey, N FROM " + table + " ORDER BY 1"),
            (std::vector<std::string>{"a|1", "b|4", "it's ~%é|3"}));
  EXPECT_EQ(db.value("SELECT N FROM " + table + " WHERE PartitionKey = 'p' AND RowKey = 'it''s ~%é'"), "3");
}

// --- Keys and signatures in connection strings ---

class RemoteConnectionString : public RemoteTest {
 protected:
  RemoteConnectionString() : key_(service_.account().name, service_.account().key) {}

  void map_string(const std::string& name, const std::string& text, const std::string& more = {}) {
    setenv("TS_REMOTE_TEST", text.c_str(), 1);
    db_.run("CREATE VIRTUAL TABLE " + name +
            " USING table_storage(N INT32, OPTIONS (table 'Things', connection_string 'env:TS_REMOTE_TEST', "
            "dialect 'storage', max_retries '0'" +
            more + "))");
  }
  std::string table_sas(const std::string& permissions = "raud") const {
    remote::TableSas sas;
    sas.table = "things";
    sas.permissions = permissions;
    sas.expiry = "2099-01-01T00:00:00Z";
    return remote::make_sas(key_, sas);
  }

  const remote::SharedKey key_;
};

TEST_F(RemoteConnectionString, OfEveryShape) {
  remote::AccountSas account;
  account.expiry = "2099-01-01T00:00:00Z";
  account.protocol = "https,http";
  const std::string endpoint = service_.endpoint();
  const std::string name = service_.account().name, key = service_.account().key;
  const std::vector<std::string> all{
      "TableEndpoint=" + endpoint + ";AccountName=" + name + ";AccountKey=" + key,
      "tableendpoint=" + endpoint + "/; ;accountname=" + name + ";ACCOUNTKEY=" + key + ";",
      "BlobEndpoint=http://127.0.0.1:1/x;AccountName=" + name + ";AccountKey=" + key +
          ";TableEndpoint=" + endpoint + ";TableSecondaryEndpoint=" + endpoint + "-secondary",
      "TableEndpoint=" + endpoint + ";SharedAccessSignature=" + table_sas(),
      "TableEndpoint=" + endpoint + ";SharedAccessSignature=?" + remote::make_sas(key_, account),
      "TableEndpoint=" + endpoint + "?" + table_sas(),
      "TableEndpoint=" + endpoint + "/?" + remote::make_sas(key_, account)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    const std::string table = "t" + std::to_string(i);
    map_string(table, all[i]);
    use(db_, table);
  }
  // Another variable than the one that the tables still read.
  EXPECT_FALSE(holds(db_.value("SELECT group_concat(sql) FROM sqlite_schema"), key));
}

TEST_F(RemoteConnectionString, InAFile) {
  const std::string file = ::testing::TempDir() + "string_" + std::to_string(getpid());
  std::ofstream(file) << service_.connection_string() << "\n";
  const std::string table =
      "t USING table_storage(N INT32, OPTIONS (table 'Things', connection_string 'file:" + file +
      "', dialect 'storage'))";
  db_.run("CREATE VIRTUAL TABLE temp." + table);
  use(db_, "t");
  std::remove(file.c_str());
}

TEST_F(RemoteConnectionString, ASasThatDoesNotAllowIt) {
  map_string("r", "TableEndpoint=" + service_.endpoint() + ";SharedAccessSignature=" + table_sas("r"));
  put("a", 1);
  EXPECT_EQ(db_.value("SELECT N FROM r"), "1");
  const std::string message = db_.error("INSERT INTO r (PartitionKey, RowKey) VALUES ('p', 'b')");
  EXPECT_TRUE(holds(message, "403") && holds(message, "nothing was applied")) << message;
  EXPECT_TRUE(holds(message, "PartitionKey 'p', RowKey 'b'")) << message;
  EXPECT_FALSE(holds(message, "sig=")) << message;
}

TEST_F(RemoteConnectionString, WithoutASecret) {
  map_string("t", "TableEndpoint=http://127.0.0.1:" + std::to_string(service_.port()) + "/other");
  db_.error("SELECT N FROM t");  // the service knows no such account
  ASSERT_EQ(sent().size(), 1U);
  EXPECT_EQ(header(sent().front(), "Authorization"), "-");
  EXPECT_FALSE(holds(sent().front().query, "sig="));
}

TEST_F(RemoteConnectionString, AClockThatIsOffIsNamedForWritesToo) {
  map_string("t", service_.connection_string());
  service_.configure([](fake::Settings& settings) { settings.clock_offset = std::chrono::minutes(-40); });
  for (const char* sql : {"SELECT N FROM t", "INSERT INTO t (PartitionKey, RowKey) VALUES ('p', 'r')"}) {
    const std::string message = db_.error(sql);
    EXPECT_TRUE(holds(message, "403") && holds(message, "40 minutes")) << message;
  }
}

// --- Bearer tokens, over TLS ---

class RemoteToken : public RemoteTest {
 protected:
  RemoteToken()
      : RemoteTest(with_tokens()),
        front_(certificate_, service_.port()),
        authority_("AZURE_AUTHORITY_HOST", tokens_.origin().c_str()),
        metadata_("AZURE_POD_IDENTITY_AUTHORITY_HOST", tokens_.origin().c_str()) {}

  static fake::FakeOptions with_tokens() {
    fake::FakeOptions options;
    for (int i = 1; i <= 99; ++i) options.settings.bearer_tokens.push_back("token-" + std::to_string(i));
    return options;
  }
  void only_token(const std::string& token) {
    service_.configure([&](fake::Settings& settings) { settings.bearer_tokens = {token}; });
  }

  void sign_in(const std::string& server, const std::string& mapping) {
    db_.run("SELECT fdw('CREATE SERVER " + server +
            " FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint \"" + front_.origin() +
            "/devstoreaccount1\", dialect \"storage\", max_retries \"0\", ca_file \"" + certificate_.file() +
            "\"); CREATE USER MAPPING FOR CURRENT_USER SERVER " + server + " OPTIONS (" + mapping +
            "); CREATE FOREIGN TABLE t_" + server + " (N INT32) SERVER " + server +
            " OPTIONS (table \"Things\")')");
  }
  /// What the last request of the table carried.
  std::string bearer() const { return header(sent().back(), "Authorization"); }

  TokenEndpoint tokens_;
  Certificate certificate_;
  TlsFront front_;
  const Variable authority_, metadata_;
};

constexpr const char* kApplication =
    "tenant_id \"contoso.example\", client_id \"1234\", client_secret \"hunter2\"";

TEST_F(RemoteToken, OfAClientSecret) {
  sign_in("s", std::string("credential \"client-secret\", ") + kApplication);
  use(db_, "t_s");
  EXPECT_EQ(bearer(), "Bearer token-1") << "one token for all requests";
  EXPECT_EQ(tokens_.requests().size(), 1U);
  const Rows requests = db_.rows("SELECT * FROM ts_requests");
  EXPECT_FALSE(requests.empty());
  for (const std::string& row : requests) EXPECT_FALSE(holds(row, "token-1") || holds(row, "hunter2")) << row;
}

TEST_F(RemoteToken, OfAMachinesIdentity) {
  sign_in("s", "credential \"managed-identity\"");
  use(db_, "t_s");
  EXPECT_EQ(tokens_.requests().front().path, "/metadata/identity/oauth2/token");
  EXPECT_EQ(bearer(), "Bearer token-1");
}

TEST_F(RemoteToken, OfAWorkload) {
  const std::string file = ::testing::TempDir() + "assertion_" + std::to_string(getpid());
  std::ofstream(file) << "assertion-1";
  const Variable variable("AZURE_FEDERATED_TOKEN_FILE", file.c_str());
  sign_in("s", "credential \"workload-identity\", tenant_id \"contoso.example\", client_id \"1234\"");
  use(db_, "t_s");
  EXPECT_TRUE(holds(tokens_.requests().front().body, "client_assertion=assertion-1"));
  // The platform replaces the file, and the next token is asked for with what is in it then.
  std::ofstream(file) << "assertion-2";
  only_token("token-2");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t_s"), "3");
  EXPECT_TRUE(holds(tokens_.requests().back().body, "client_assertion=assertion-2"));
  std::remove(file.c_str());
}

TEST_F(RemoteToken, OfTheAzureCli) {
  const std::string folder = ::testing::TempDir() + "az_sql_" + std::to_string(getpid());
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  const std::string program = folder + "/az", count = folder + "/count";
  std::ofstream(program)
      << "#!/bin/sh\necho x >>" << count << "\nn=$(wc -l <" << count
      << ")\necho \"{\\\"accessToken\\\":\\\"token-$n\\\",\\\"expires_on\\\":9000000000}\"\n";
  ASSERT_EQ(chmod(program.c_str(), 0755), 0);
  const Variable path("PATH", (folder + ":" + getenv("PATH")).c_str());
  sign_in("s", "credential \"azure-cli\"");
  use(db_, "t_s");
  EXPECT_EQ(bearer(), "Bearer token-1") << "az is run once";
  only_token("token-2");
  use(db_, "t_s");
  EXPECT_EQ(bearer(), "Bearer token-2");
  std::remove(program.c_str());
  std::remove(count.c_str());
  rmdir(folder.c_str());
}

TEST_F(RemoteToken, OfTheEnvironmentAndOfAFile) {
  Variable variable("TS_REMOTE_TOKEN", "token-7");
  sign_in("e", "token \"env:TS_REMOTE_TOKEN\"");
  use(db_, "t_e");
  EXPECT_EQ(bearer(), "Bearer token-7");
  const std::string file = ::testing::TempDir() + "token_sql_" + std::to_string(getpid());
  std::ofstream(file) << "token-8\n";
  sign_in("f", "token \"file:" + file + "\"");
  use(db_, "t_f");
  EXPECT_EQ(bearer(), "Bearer token-8");
  std::ofstream(file) << "token-9\n";
  only_token("token-9");
  use(db_, "t_f");
  EXPECT_EQ(bearer(), "Bearer token-9");
  std::remove(file.c_str());
}

// A token is renewed when two thirds of its short life are over, while it still holds.
TEST_F(RemoteToken, IsRenewedBeforeItExpires) {
  tokens_.expires_in(1);
  sign_in("s", std::string("credential \"client-secret\", ") + kApplication);
  EXPECT_EQ(db_.value("SELECT count(*) FROM t_s"), "0");
  EXPECT_EQ(bearer(), "Bearer token-1");
  tokens_.expires_in(3600);
  sqlite3_sleep(800);
  EXPECT_EQ(db_.value("SELECT count(*) FROM t_s"), "0");
  EXPECT_EQ(bearer(), "Bearer token-2");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t_s"), "0");
  EXPECT_EQ(bearer(), "Bearer token-2");
}

// A transaction that lasts longer than its token, and a COMMIT of many groups at once.
TEST_F(RemoteToken, IsRenewedInsideACommit) {
  sign_in("s", std::string("credential \"client-secret\", ") + kApplication);
  db_.run("BEGIN; SELECT count(*) FROM t_s");
  db_.run(
      "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 30) "
      "INSERT INTO t_s (PartitionKey, RowKey, N) SELECT n % 10, n, n FROM i");
  only_token("token-2");
  db_.run("COMMIT");
  EXPECT_EQ(service_.size("Things"), 30U);
  EXPECT_EQ(tokens_.requests().size(), 2U) << "all groups share the new one";
}

}  // namespace
}  // namespace table_storage::test
