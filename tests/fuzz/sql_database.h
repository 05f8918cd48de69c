// A database in memory with the extension, for targets that speak SQL: made from an image for every input,
// with limits on what one statement may take, and without a way to files and other machines.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

namespace table_storage::fuzz {

/// The database file that `script` makes, with pages of 512 bytes so that little of it is empty.
std::vector<unsigned char> image_of(const std::string& script);

class SqlDatabase {
 public:
  explicit SqlDatabase(const std::vector<unsigned char>& image);
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  sqlite3* handle() const { return db_; }
  /// Runs all statements of `sql` until one fails; reads every column of every row. The primary result code;
  /// SQLITE_INTERRUPT after too much work.
  int run(const std::string& sql);
  /// First value of the first row of the last run(); empty for NULL and where there was none.
  const std::string& value() const { return value_; }
  std::string message() const { return sqlite3_errmsg(db_); }

 private:
  int step_all(sqlite3_stmt* statement);

  sqlite3* db_ = nullptr;
  std::string value_;
  bool has_value_ = false;
};

}  // namespace table_storage::fuzz
