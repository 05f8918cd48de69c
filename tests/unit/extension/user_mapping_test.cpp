// User mappings: which half goes where, what follows ROLLBACK, what counts as said in this connection.
#include "extension/catalog/user_mapping.h"

#include <unistd.h>

#include <cstdio>

#include "extension/catalog/reference.h"
#include "tests/unit/extension/catalog_fixture.h"

namespace table_storage::catalog {
namespace {

using test::CatalogDatabase;
using test::error_of;
using test::options;
using Action = OptionChange::Action;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kKey = "c2VjcmV0LWtleQ==";

class UserMappingTest : public ::testing::Test {
 protected:
  UserMappingTest() : file_(::testing::TempDir() + "mapping_" + std::to_string(getpid()) + ".db") {
    std::remove(file_.c_str());
    db_ = std::make_unique<CatalogDatabase>(file_);
    db_->create_server("prod", {{"endpoint", "https://a.example"}});
  }
  ~UserMappingTest() override {
    db_.reset();
    std::remove(file_.c_str());
  }

  std::string creating(const Pairs& pairs) {
    return error_of([&] { db_->mappings().create(db_->server("prod"), options(pairs)); });
  }
  std::string altering(std::vector<OptionChange> changes) {
    return error_of([&] { db_->mappings().alter(db_->server("prod"), changes); });
  }

  /// "account_key=env:K!, tenant_id=x": with '!' where it was said in this connection; secrets in brackets.
  static std::string shown(const CatalogDatabase& db) {
    const auto mapping = db.mappings().find(db.server("prod"));
    if (!mapping) return "none";
    std::string text;
    for (const MappingOption& option : *mapping) {
      std::string value = option.value;
      if (kind_of_reference(value) == ReferenceKind::memory) {
        const auto secret = db.mappings().secret(value);
        value = secret ? "<" + std::string(secret->view()) + ">" : "<gone>";
      }
      text += (text.empty() ? "" : ", ") + option.name + "=" + value + (option.confirmed ? "!" : "");
    }
    return text;
  }
  std::string shown() const { return shown(*db_); }
  std::string stored() const { return db_->rows("SELECT user_mapping FROM table_storage_servers"); }

  const std::string file_;
  std::unique_ptr<CatalogDatabase> db_;
};

TEST_F(UserMappingTest, ReferencesAreStoredAndSecretsAreNot) {
  EXPECT_EQ(shown(), "none");
  EXPECT_EQ(creating({{"credential", "client-secret"}, {"client_id", "id"}, {"client_secret", "hunter2"}}),
            "nothing");
  EXPECT_EQ(shown(), "credential=client-secret!, client_id=id!, client_secret=<hunter2>!");
  EXPECT_EQ(stored(), "credential 'client-secret', client_id 'id'");
  CatalogDatabase other(file_);
  EXPECT_EQ(shown(other), "credential=client-secret, client_id=id") << "another connection has not said it";
  EXPECT_EQ(creating({{"account_key", "env:K"}}).substr(0, 54),
            "a user mapping already exists for server \"prod\" (there");
  EXPECT_TRUE(db_->mappings().drop(db_->server("prod")));
  EXPECT_EQ(shown(), "none");
  EXPECT_EQ(stored(), "NULL");
  EXPECT_EQ(db_->mappings().secrets_kept(), 0U);
  EXPECT_FALSE(db_->mappings().drop(db_->server("prod")));
}

TEST_F(UserMappingTest, AWholeConnectionStringStaysInMemory) {
  const std::string text = std::string("AccountName=acct;AccountKey=") + kKey;
  EXPECT_EQ(creating({{"connection_string", text}}), "nothing");
  EXPECT_EQ(shown(), "connection_string=<" + text + ">!");
  EXPECT_EQ(stored(), "NULL");
  EXPECT_EQ(db_->rows("SELECT user_mapping, confirmed FROM ts_servers WHERE name = 'prod'"),
            "connection_string '(in memory)'|1");
  EXPECT_EQ(
      db_->rows("SELECT options LIKE '%" + std::string(kKey) + "%' FROM temp.table_storage_user_mappings"),
      "0");
}

TEST_F(UserMappingTest, SecretsFollowRollback) {
  db_->run("BEGIN");
  EXPECT_EQ(creating({{"account_key", kKey}}), "nothing");
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">!");
  db_->run("ROLLBACK");
  EXPECT_EQ(shown(), "none");
  db_->mappings().wipe_unused();
  EXPECT_EQ(db_->mappings().secrets_kept(), 0U);

  EXPECT_EQ(creating({{"account_key", kKey}}), "nothing");
  db_->run("BEGIN; SAVEPOINT s");
  EXPECT_EQ(altering({{Action::set, "account_key", "b3RoZXI="}}), "nothing");
  EXPECT_EQ(shown(), "account_key=<b3RoZXI=>!");
  EXPECT_EQ(db_->mappings().secrets_kept(), 2U) << "the transaction may still bring it back";
  db_->run("ROLLBACK TO s");
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">!");
  db_->mappings().drop(db_->server("prod"));
  EXPECT_EQ(shown(), "none");
  db_->run("ROLLBACK");
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">!");
}

TEST_F(UserMappingTest, AlterConfirmsWhatItSays) {
  EXPECT_EQ(altering({}), "there is no user mapping for server \"prod\"; CREATE USER MAPPING makes one");
  EXPECT_EQ(creating({{"credential", "azure-cli"}, {"tenant_id", "t"}}), "nothing");
  CatalogDatabase other(file_);
  EXPECT_EQ(shown(other), "credential=azure-cli, tenant_id=t");
  const std::vector<OptionChange> same{{Action::set, "tenant_id", "t"}};
  other.mappings().alter(other.server("prod"), same);
  EXPECT_EQ(shown(other), "credential=azure-cli, tenant_id=t!");
  const std::vector<OptionChange> more{{Action::set, "credential", "managed-identity"},
                                       {Action::drop, "tenant_id", ""}};
  other.mappings().alter(other.server("prod"), more);
  EXPECT_EQ(shown(other), "credential=managed-identity!");
  EXPECT_EQ(shown(), "credential=managed-identity") << "the file counts, and it is not what was said here";
}

TEST_F(UserMappingTest, IfNotExistsConfirmsTheSameAndLeavesTheRest) {
  const auto again = [](CatalogDatabase& db, const Pairs& pairs) {
    return db.mappings().create_if_missing(db.server("prod"), options(pairs));
  };
  EXPECT_TRUE(again(*db_, {{"account_key", "env:K"}}));
  CatalogDatabase other(file_);
  EXPECT_FALSE(again(other, {{"account_key", "env:OTHER"}}));
  EXPECT_EQ(shown(other), "account_key=env:K");
  EXPECT_FALSE(again(other, {{"account_key", "env:K"}}));
  EXPECT_EQ(shown(other), "account_key=env:K!");
}

// A file that cannot be written still takes what lives in memory, and confirmations.
TEST_F(UserMappingTest, ReadOnlyFile) {
  EXPECT_EQ(creating({{"account_key", "env:K"}}), "nothing");
  CatalogDatabase reader(file_, true);
  EXPECT_FALSE(
      reader.mappings().create_if_missing(reader.server("prod"), options({{"account_key", "env:K"}})));
  EXPECT_EQ(shown(reader), "account_key=env:K!");
  const std::vector<OptionChange> change{{Action::set, "account_key", "env:L"}};
  EXPECT_NE(error_of([&] { reader.mappings().alter(reader.server("prod"), change); }).find("read-only"),
            std::string::npos);
  db_->mappings().drop(db_->server("prod"));
  EXPECT_EQ(shown(reader), "none");
  reader.mappings().create(reader.server("prod"), options({{"account_key", kKey}}));
  EXPECT_EQ(shown(reader), std::string("account_key=<") + kKey + ">!");
}

// What was said holds for the server as it was. Here ALTER SERVER keeps it, elsewhere it does not.
TEST_F(UserMappingTest, AnotherEndpointIsNotConfirmed) {
  EXPECT_EQ(creating({{"account_key", kKey}}), "nothing");
  const std::vector<OptionChange> slow{{Action::add, "request_timeout", "5"}};
  const std::vector<OptionChange> moved{{Action::set, "endpoint", "https://b.example"}};
  CatalogDatabase other(file_);
  alter_server(other.handle(), other.server("prod"), slow);
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">!") << "it says nothing of where requests go";
  alter_server(other.handle(), other.server("prod"), moved);
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">");

  const std::vector<OptionChange> back{{Action::set, "endpoint", "https://a.example"}};
  alter_server(other.handle(), other.server("prod"), back);
  const StoredServer before = db_->server("prod");
  alter_server(db_->handle(), before, moved);
  db_->mappings().server_changed(before, db_->server("prod"));
  EXPECT_EQ(shown(), std::string("account_key=<") + kKey + ">!");

  const StoredServer old = db_->server("prod");
  rename_server(db_->handle(), old, "live");
  db_->mappings().server_renamed(old, "live");
  EXPECT_TRUE(db_->mappings().find(db_->server("live"))->front().confirmed);
  const StoredServer live = db_->server("live");
  drop_server(db_->handle(), live);
  db_->mappings().server_dropped(live);
  EXPECT_EQ(db_->mappings().secrets_kept(), 0U);
}

TEST_F(UserMappingTest, RefusesWhatCannotBe) {
  EXPECT_EQ(creating({{"account_key", "env:A"}, {"sas_token", "env:B"}}),
            "the user mapping of server \"prod\" has account_key and sas_token; keep one of them");
  EXPECT_EQ(
      creating({{"tenant_id", "x"}}),
      "the user mapping of server \"prod\" has tenant_id without credential, which says how it is used");
  EXPECT_EQ(
      creating({{"credential", "azure-cli"}, {"client_secret", "env:X"}}),
      "the user mapping of server \"prod\" has client_secret, which goes with credential 'client-secret'");
  EXPECT_EQ(creating({{"credential", "magic"}}),
            "option credential of user mapping prod takes azure-cli, managed-identity, client-secret, "
            "workload-identity or default");
  EXPECT_EQ(creating({{"endpoint", "https://x"}}).substr(0, 57),
            "endpoint is an option of a server or a table, not of user");
  EXPECT_EQ(creating({{"account_key", "env:A"}, {"Account_key", "env:B"}}),
            "option Account_key of user mapping \"prod\" is given twice");
  for (const char* name : {"account_key", "sas_token", "connection_string"}) {
    const std::string error = creating({{name, "hunter2 is no secret of that kind"}});
    EXPECT_NE(error, "nothing") << name;
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
  }
  const std::string jwt = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln";
  EXPECT_EQ(
      creating({{"credential", "azure-cli"}, {"tenant_id", jwt}}),
      "the user mapping of server \"prod\": option tenant_id holds what looks like a token, and would be "
      "kept in the database file");
  db_->create_server("here", {{"backend", "local"}});
  EXPECT_EQ(error_of([&] {
              db_->mappings().create(db_->server("here"), options({{"account_key", "env:A"}}));
            }),
            "server \"here\" keeps its entities in SQLite and takes no user mapping");
  EXPECT_EQ(error_of([&] { db_->server("local"); }),
            "server \"local\" is built in: it cannot be altered or dropped, and takes no user mapping");
  EXPECT_EQ(stored(), "NULL/NULL");
}

// A stranger's file that guesses at the secrets of this connection, or holds one itself.
TEST_F(UserMappingTest, WhatAFileMayHold) {
  EXPECT_EQ(creating({{"account_key", kKey}}), "nothing");
  db_->create_server("evil", {{"endpoint", "https://evil.example"}});
  db_->run("UPDATE table_storage_servers SET user_mapping = 'account_key ''memory:1''' WHERE name = 'evil'");
  EXPECT_EQ(error_of([&] { db_->mappings().find(db_->server("evil")); }),
            "the user mapping of server \"evil\" holds a reference that only a connection can make");
  db_->run("UPDATE table_storage_servers SET user_mapping = 'account_key ''hunter2''' WHERE name = 'evil'");
  EXPECT_EQ(db_->rows("SELECT user_mapping, confirmed FROM ts_servers WHERE name = 'evil'"),
            "account_key '(hidden)'|0");
}

}  // namespace
}  // namespace table_storage::catalog
