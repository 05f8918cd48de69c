// The threat model, line by line: what a database from a stranger may and may not bring about.
#include "extension/catalog/trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "extension/backend/remote/endpoint.h"
#include "extension/catalog/environment_server.h"
#include "extension/catalog/server.h"
#include "parser/connection/connection_string.h"
#include "tests/unit/extension/catalog_fixture.h"

namespace table_storage::catalog {
namespace {

using test::error_of;

constexpr const char* kKey = "c2VjcmV0LWtleS1vZi10aGUtb3duZXI=";
const std::string kConnectionString = std::string("AccountName=mine;AccountKey=") + kKey;

class TrustTest : public ::testing::Test {
 protected:
  TrustTest() {
    environment_["AZURE_STORAGE_KEY"] = kKey;
    environment_["CONNECTION"] = kConnectionString;
    environment_["SAS"] = "sv=2019-02-02&sig=c2VjcmV0LXNpZ25hdHVyZQ%3D%3D";
    environment_["TOKEN"] = "a-secret-bearer-token";
  }

  ServerContext context() const {
    ServerContext context;
    context.environment = [this](std::string_view name) -> std::optional<std::string> {
      ++asked_[std::string(name)];
      const auto found = environment_.find(std::string(name));
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    };
    return context;
  }

  static ServerDefinition server(std::map<std::string, std::string> options, UserMapping mapping = {}) {
    ServerDefinition definition;
    definition.name = "server s";
    for (const auto& [name, value] : options) EXPECT_TRUE(definition.set(name, value)) << name;
    definition.user_mapping = std::move(mapping);
    return definition;
  }

  /// "opens", or why not. Nothing secret is ever in it.
  std::string opening(const ServerDefinition& definition) const {
    const std::string error = error_of([&] { open_service(definition, context()); });
    for (const auto& [name, value] : environment_) {
      if (name == "AZURE_STORAGE_ACCOUNT" || name == "AZURE_CLIENT_ID" || name == "AZURE_TENANT_ID") continue;
      EXPECT_EQ(error.find(value), std::string::npos) << name << " in: " << error;
    }
    EXPECT_EQ(error.find(kKey), std::string::npos) << error;
    return error == "nothing" ? "opens" : error;
  }
  bool opens(const ServerDefinition& definition) const { return opening(definition) == "opens"; }

  std::map<std::string, std::string> environment_;
  mutable std::map<std::string, int> asked_;
};

const std::map<std::string, std::string> kMine{{"account", "mine"}};
const std::map<std::string, std::string> kEvil{{"endpoint", "https://evil.example/mine"},
                                               {"account", "mine"}};

// Line 1: a key of the environment does not go to an address that the file names.
TEST_F(TrustTest, AKeyGoesToItsOwnAccountOnly) {
  environment_["AZURE_STORAGE_ACCOUNT"] = "mine";
  const UserMapping stored{{"account_key", "env:AZURE_STORAGE_KEY", false}};
  EXPECT_TRUE(opens(server(kMine, stored)));
  asked_.clear();
  const std::string error = opening(server(kEvil, stored));
  EXPECT_NE(error.find("account_key of its user mapping was not given in this connection"), std::string::npos)
      << error;
  EXPECT_NE(error.find("https://evil.example"), std::string::npos);
  EXPECT_NE(error.find("SELECT fdw('ALTER USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (SET account_key "
                       "\"env:AZURE_STORAGE_KEY\")')"),
            std::string::npos)
      << error;
  EXPECT_EQ(asked_["AZURE_STORAGE_KEY"], 0) << "it is not even read";
  // Another account at Microsoft's, and look-alikes of one's own.
  for (const char* address :
       {"https://other.table.core.windows.net", "https://mine.table.core.windows.net.evil.example",
        "https://mine.evil.table.core.windows.net", "https://mine.table.core.windows.net:8443",
        "http://mine.table.core.windows.net", "https://mine.table.core.windows.net.",
        "https://mine-table.core.windows.net", "https://mine.blob.core.windows.net"}) {
    EXPECT_FALSE(opens(server({{"endpoint", address}, {"account", "mine"}, {"allow_http", "true"}}, stored)))
        << address;
  }
  for (const char* address :
       {"https://mine.table.core.windows.net", "https://MINE.table.core.windows.net/",
        "https://mine-secondary.table.core.windows.net", "https://mine.table.cosmos.azure.com",
        "https://mine.table.core.usgovcloudapi.net", "https://mine.z12.table.storage.azure.net"}) {
    EXPECT_TRUE(opens(server({{"endpoint", address}}, stored)))
        << address << " " << opening(server({{"endpoint", address}}, stored));
  }
  // And without the environment's word nowhere.
  environment_.erase("AZURE_STORAGE_ACCOUNT");
  EXPECT_FALSE(opens(server(kMine, stored)));
  // Said in this connection: anywhere.
  EXPECT_TRUE(opens(server(kEvil, {{"account_key", "env:AZURE_STORAGE_KEY", true}})));
}

// Line 2: nor does any other variable, even to one's own account: it may not be a key at all.
TEST_F(TrustTest, OnlyTheAccountsOwnVariables) {
  environment_["AZURE_STORAGE_ACCOUNT"] = "mine";
  for (const MappingOption& option :
       {MappingOption{"account_key", "env:CONNECTION", false}, MappingOption{"sas_token", "env:SAS", false},
        MappingOption{"token", "env:TOKEN", false}, MappingOption{"token", "env:AZURE_STORAGE_KEY", false}}) {
    EXPECT_FALSE(opens(server(kMine, {option}))) << option.name;
  }
  environment_["AZURE_STORAGE_SAS_TOKEN"] = environment_["SAS"];
  EXPECT_TRUE(opens(server(kMine, {{"sas_token", "env:AZURE_STORAGE_SAS_TOKEN", false}})));
  EXPECT_TRUE(opens(server(kMine, {{"sas_token", "env:SAS", true}})));
}

// Line 3: a file on this machine is not read for a stranger, and never shown or sent.
TEST_F(TrustTest, StoredFilesAreNotRead) {
  environment_["AZURE_STORAGE_ACCOUNT"] = "mine";
  const std::string path = ::testing::TempDir() + "trust_" + std::to_string(getpid());
  std::ofstream(path) << "root:hunter2-hash:0:0\n";
  for (const char* option : {"account_key", "sas_token", "token", "client_secret"}) {
    for (const auto& place : {kMine, kEvil}) {
      const std::string error = opening(server(place, {{option, "file:" + path, false}}));
      EXPECT_NE(error.find("was not given in this connection"), std::string::npos) << error;
    }
  }
  // A connection string says itself where it belongs; what is none is not repeated.
  for (const ServerDefinition& definition : {server({{"connection_string", "file:" + path}}),
                                             server({}, {{"connection_string", "file:" + path, false}}),
                                             server(kMine, {{"account_key", "file:" + path, true}}),
                                             server(kMine, {{"sas_token", "file:" + path, true}})}) {
    const std::string error = opening(definition);
    EXPECT_NE(error, "opens");
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
    EXPECT_EQ(error.find("root"), std::string::npos) << error;
  }
  std::remove(path.c_str());
  // Nor does anything block or fill the memory.
  const std::string pipe = path + ".fifo";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& special :
       {pipe, std::string("/dev/zero"), std::string("/dev/tty"), std::string("/")}) {
    EXPECT_FALSE(opens(server({{"connection_string", "file:" + special}}))) << special;
  }
  std::remove(pipe.c_str());
}

// Line 4: a connection string's secret goes to the endpoint in it and nowhere else.
TEST_F(TrustTest, AConnectionStringKeepsToItsEndpoint) {
  EXPECT_TRUE(opens(server({{"connection_string", "env:CONNECTION"}})));
  EXPECT_TRUE(opens(server({}, {{"connection_string", "env:CONNECTION", false}})));
  EXPECT_TRUE(opens(server(kMine, {{"connection_string", "env:CONNECTION", false}})));
  for (const bool confirmed : {false, true}) {
    const std::string error = opening(server(kEvil, {{"connection_string", "env:CONNECTION", confirmed}}));
    EXPECT_NE(error.find("is for another endpoint or account than the server's"), std::string::npos) << error;
  }
  EXPECT_FALSE(
      opens(server({{"connection_string", "env:CONNECTION"}, {"endpoint", "https://evil.example"}})));
  EXPECT_FALSE(opens(
      server({{"connection_string", "env:CONNECTION"}}, {{"account_key", "env:AZURE_STORAGE_KEY", true}})))
      << "two credentials";
}

// Line 5: identities, and what bends them.
TEST_F(TrustTest, TokensAreForOnesOwnAccount) {
  const UserMapping cli{{"credential", "azure-cli", false}};
  EXPECT_FALSE(opens(server(kMine, cli)));
  environment_["AZURE_STORAGE_ACCOUNT"] = "mine";
  EXPECT_TRUE(opens(server(kMine, cli)));
  EXPECT_FALSE(opens(server(kEvil, cli)));
  EXPECT_TRUE(opens(server(kEvil, {{"credential", "azure-cli", true}})));

  environment_["AZURE_TENANT_ID"] = "contoso.example";
  environment_["AZURE_CLIENT_ID"] = "1234";
  environment_["AZURE_CLIENT_SECRET"] = "hunter2-client-secret";
  EXPECT_TRUE(opens(server(kMine, {{"credential", "client-secret", false}})));
  EXPECT_TRUE(opens(server(kMine, {{"credential", "client-secret", false},
                                   {"tenant_id", "contoso.example", false},
                                   {"client_secret", "env:AZURE_CLIENT_SECRET", false}})));
  EXPECT_FALSE(
      opens(server(kMine, {{"credential", "client-secret", false}, {"tenant_id", "evil.example", false}})));
  EXPECT_FALSE(
      opens(server(kMine, {{"credential", "client-secret", false}, {"client_secret", "env:TOKEN", false}})));
  EXPECT_FALSE(
      opens(server(kMine, {{"credential", "managed-identity", false}, {"client_id", "5678", false}})));
}

// Line 6: tokens go over TLS only, whoever says otherwise; and http leaves the machine with allow_http only.
TEST_F(TrustTest, NoTokenOverPlainHttp) {
  for (const char* address : {"http://127.0.0.1:1/mine", "http://storage.example/mine"}) {
    const std::string error =
        opening(server({{"endpoint", address}, {"allow_http", "true"}}, {{"token", "env:TOKEN", true}}));
    EXPECT_NE(error.find("sent over https only"), std::string::npos) << error;
  }
  const UserMapping key{{"account_key", "env:AZURE_STORAGE_KEY", true}};
  EXPECT_TRUE(opens(server({{"endpoint", "http://127.0.0.1:1/mine"}}, key)));
  EXPECT_TRUE(opens(server({{"endpoint", "http://storage.example/mine"}, {"allow_http", "true"}}, key)));
  const std::string error = opening(server({{"endpoint", "http://storage.example/mine"}}, key));
  EXPECT_NE(error.find("plain http to storage.example"), std::string::npos) << error;
}

// Line 7: the stranger's certificate authority, or proxy, is no way for a credential.
TEST_F(TrustTest, NoWayThatAStrangerChose) {
  const std::map<std::string, std::string> place{{"connection_string", "env:CONNECTION"}};
  auto with = [&](std::map<std::string, std::string> more, UserMapping mapping = {}) {
    more.insert(place.begin(), place.end());
    return server(more, std::move(mapping));
  };
  EXPECT_NE(opening(with({{"ca_file", "evil.pem"}})).find("ca_file names a file"), std::string::npos);
  environment_["MY_CA"] = "/etc/ssl/my.pem";
  EXPECT_TRUE(opens(with({{"ca_file", "env:MY_CA"}})));
  EXPECT_NE(opening(with({{"ca_file", "env:OTHER_CA"}})).find("OTHER_CA is not set"), std::string::npos);
  EXPECT_TRUE(opens(with({{"proxy", "http://evil.example:3128"}}))) << "it sees TLS and nothing else";
  environment_["CONNECTION"] =
      std::string("TableEndpoint=http://plain.example/mine;AccountName=mine;AccountKey=") + kKey;
  EXPECT_TRUE(opens(with({{"allow_http", "true"}})));
  EXPECT_NE(
      opening(with({{"allow_http", "true"}, {"proxy", "http://evil.example:3128"}})).find("proxy would see"),
      std::string::npos);
  const UserMapping said{{"account_key", "env:AZURE_STORAGE_KEY", true}};
  EXPECT_TRUE(opens(server({{"account", "mine"}, {"ca_file", "my.pem"}, {"proxy", "http://mine:1"}}, said)));
}

// Line 8: a secret in an option of a server is refused, with the way that is open.
TEST_F(TrustTest, NoSecretIsStored) {
  test::CatalogDatabase db;
  const std::vector<std::pair<std::string, std::string>> secrets{
      {"connection_string", kConnectionString},
      {"endpoint", "https://mine.table.core.windows.net/?sv=2019&sig=c2VjcmV0LXNpZ25hdHVyZQ%3D%3D"},
      {"proxy", "http://user:hunter2@proxy.example:1"},
      {"ca_file", kConnectionString}};
  for (const auto& [option, value] : secrets) {
    const std::string error = error_of([&] { db.create_server("s", {{option, value}}); });
    EXPECT_NE(error.find("CREATE USER MAPPING FOR CURRENT_USER SERVER \"s\""), std::string::npos) << error;
    EXPECT_EQ(error.find(kKey), std::string::npos) << error;
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
    EXPECT_EQ(error.find("c2VjcmV0"), std::string::npos) << error;
  }
  EXPECT_EQ(db.rows("SELECT count(*) FROM sqlite_schema"), "0");
}

TEST_F(TrustTest, TheEnvironmentsOwnServer) {
  environment_.clear();
  EXPECT_FALSE(environment_server(context().environment));
  environment_["AZURE_STORAGE_CONNECTION_STRING"] = kConnectionString;
  environment_["AZURE_STORAGE_ACCOUNT"] = "other";
  EXPECT_EQ(environment_server(context().environment)->connection_string,
            "env:AZURE_STORAGE_CONNECTION_STRING");
  EXPECT_TRUE(opens(*environment_server(context().environment)));
  environment_.erase("AZURE_STORAGE_CONNECTION_STRING");
  EXPECT_NE(error_of([&] { environment_server(context().environment); }).find("nothing says how to sign in"),
            std::string::npos);
  environment_["AZURE_STORAGE_KEY"] = kKey;
  EXPECT_TRUE(opens(*environment_server(context().environment)));
  EXPECT_EQ(environment_server(context().environment)->user_mapping.front().value, "env:AZURE_STORAGE_KEY");
  environment_["AZURE_STORAGE_AUTH_MODE"] = "login";
  EXPECT_EQ(environment_server(context().environment)->user_mapping.front().value, "default");
  EXPECT_TRUE(opens(*environment_server(context().environment)));
  environment_["AZURE_STORAGE_AUTH_MODE"] = "hope";
  EXPECT_NE(error_of([&] { environment_server(context().environment); }).find("neither login"),
            std::string::npos);
}

TEST_F(TrustTest, SaysWhatIsMissing) {
  EXPECT_NE(opening(server({})).find("nothing says where it is"), std::string::npos);
  EXPECT_NE(opening(server(kMine)).find("nothing says how to sign in to https://mine.table.core.windows.net"),
            std::string::npos);
  EXPECT_NE(opening(server({{"account", "no/account"}})).find("no account has"), std::string::npos);
  EXPECT_TRUE(opens(server({{"endpoint", "http://127.0.0.1:10002/devstoreaccount1"}}))) << "the public key";
  EXPECT_NE(opening(server(kMine, {{"account_key", "env:NOT_THERE", true}}))
                .find("server s: account_key: the environment variable NOT_THERE is not set"),
            std::string::npos);
}

}  // namespace
}  // namespace table_storage::catalog
