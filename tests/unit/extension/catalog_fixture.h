// A database whose Connection a test can reach, with the extension's table module and the functions on
// servers; and variables of the environment that last as long as an object.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/local/local_backend.h"
#include "extension/catalog/connection.h"
#include "extension/functions/functions.h"
#include "extension/module/module.h"
#include "extension/module/table_state.h"
#include "parser/error.h"

namespace table_storage::test {

class Variable {
 public:
  Variable(const std::string& name, const char* value) : name_(name) {
    if (const char* before = getenv(name.c_str())) before_ = before;
    if (value == nullptr) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value, 1);
    }
  }
  ~Variable() {
    if (before_) {
      setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// What `action` throws, as text; "nothing" if it does not.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// Options from pairs of name and value.
inline catalog::Options options(std::vector<std::pair<std::string, std::string>> pairs) {
  catalog::Options all;
  for (auto& [name, value] : pairs) all.push_back({name, value, 0});
  return all;
}

class CatalogDatabase {
 public:
  explicit CatalogDatabase(const std::string& file = ":memory:", bool read_only = false) {
    EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db_,
                              read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              nullptr),
              SQLITE_OK);
    auto made = std::make_shared<catalog::Connection>(db_);
    connection_ = made.get();
    backend::local::LocalBackend::register_functions(db_);
    EXPECT_EQ(functions::register_table_functions(db_, made), SQLITE_OK);
    EXPECT_EQ(functions::register_tables_module(db_, made), SQLITE_OK);
    EXPECT_EQ(functions::register_server_functions(db_, made), SQLITE_OK);
    EXPECT_EQ(functions::register_datetime_collation(db_), SQLITE_OK);
    EXPECT_EQ(module::register_module(db_, std::make_shared<module::Session>(made)), SQLITE_OK);
  }
  ~CatalogDatabase() { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK) << "something was left open"; }
  CatalogDatabase(const CatalogDatabase&) = delete;
  CatalogDatabase& operator=(const CatalogDatabase&) = delete;

  sqlite3* handle() const { return db_; }
  catalog::Connection& connection() const { return *connection_; }
  catalog::UserMappings& mappings() const { return connection_->user_mappings(); }
  catalog::StoredServer server(const std::string& name) const {
    return catalog::require_server(db_, name, "main");
  }

  void create_server(const std::string& name, std::vector<std::pair<std::string, std::string>> pairs,
                     const std::string& schema = "main") const {
    catalog::create_server(db_, schema, name, options(std::move(pairs)));
  }

  void run(const std::string& sql) const {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql << "\n"
                                                                                    << sqlite3_errmsg(db_);
  }

  /// Rows joined by '/', columns by '|', NULL as "NULL"; for an error "error: …".
  std::string rows(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    int rc = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
    std::string all;
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
      rc = sqlite3_step(statement);
      if (rc != SQLITE_ROW) break;
      if (!all.empty()) all += '/';
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        all += (i > 0 ? "|" : "") + std::string(text == nullptr ? "NULL" : text);
      }
    }
    if (rc != SQLITE_DONE) all = std::string("error: ") + sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    return all;
  }

 private:
  sqlite3* db_ = nullptr;
  catalog::Connection* connection_ = nullptr;
};

}  // namespace table_storage::test
