// A database with the extension, for tests that speak SQL.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "extension/table_storage.h"

namespace table_storage::test {

class Database {
 public:
  explicit Database(const std::string& file = ":memory:") {
    EXPECT_EQ(sqlite3_open(file.c_str(), &db_), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_tablestorage_init(db_, &message, nullptr), SQLITE_OK) << (message ? message : "");
  }
  ~Database() { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK) << "something was left open"; }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  sqlite3* handle() const { return db_; }

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql << "\n"
                                                                                    << sqlite3_errmsg(db_);
  }

  /// The error message of a statement that must fail; its extended code in `code`.
  std::string error(const std::string& sql, int* code = nullptr) {
    EXPECT_NE(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    if (code != nullptr) *code = sqlite3_extended_errcode(db_);
    return sqlite3_errmsg(db_);
  }

  /// Rows as text, columns joined by '|', NULL as "NULL".
  std::vector<std::string> rows(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sql << "\n"
        << sqlite3_errmsg(db_);
    std::vector<std::string> all;
    int rc = SQLITE_DONE;
    while (statement != nullptr && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
      std::string row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        row += (i > 0 ? "|" : "") + std::string(text == nullptr ? "NULL" : text);
      }
      all.push_back(row);
    }
    EXPECT_EQ(rc, SQLITE_DONE) << sql << "\n" << sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    return all;
  }

  std::string value(const std::string& sql) {
    const std::vector<std::string> all = rows(sql);
    EXPECT_EQ(all.size(), 1U) << sql;
    return all.empty() ? "" : all.front();
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace table_storage::test
