// A connection of the chaos run: statements in, rows as text and the error out.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

namespace table_storage::chaos {

struct Result {
  int code = SQLITE_OK;           // extended
  std::vector<std::string> rows;  // columns joined by '|'
  std::string message;            // of an error
  bool ok() const { return code == SQLITE_OK; }
};

class Connection {
 public:
  /// In memory; with the extension, if it is wanted.
  explicit Connection(bool with_extension);
  ~Connection() { sqlite3_close(db_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result run(const std::string& sql);
  /// The same, where an error would be a fault of this program.
  Result must(const std::string& sql);
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace table_storage::chaos
