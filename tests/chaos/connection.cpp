#include "tests/chaos/connection.h"

#include <cstdio>
#include <cstdlib>

#include "extension/table_storage.h"

namespace table_storage::chaos {

Connection::Connection(bool with_extension) {
  char* message = nullptr;
  if (sqlite3_open(":memory:", &db_) == SQLITE_OK &&
      (!with_extension || sqlite3_tablestorage_init(db_, &message, nullptr) == SQLITE_OK))
    return;
  std::fprintf(stderr, "chaos: no connection: %s\n", message != nullptr ? message : sqlite3_errmsg(db_));
  std::exit(2);
}

Result Connection::run(const std::string& sql) {
  Result result;
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
  if (rc == SQLITE_OK) {
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
      std::string row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        row += (i > 0 ? "|" : "") + std::string(text == nullptr ? "NULL" : text);
      }
      result.rows.push_back(std::move(row));
    }
  }
  if (rc != SQLITE_DONE) {
    result.code = sqlite3_extended_errcode(db_);
    result.message = sqlite3_errmsg(db_);
  }
  sqlite3_finalize(statement);
  return result;
}

Result Connection::must(const std::string& sql) {
  Result result = run(sql);
  if (result.ok()) return result;
  std::fprintf(stderr, "chaos: %s: %s\n", sql.c_str(), result.message.c_str());
  std::exit(2);
}

}  // namespace table_storage::chaos
