// A connection to a database file with the loadable extension, for tests about several of them at once. Each
// belongs to one thread.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

namespace table_storage::concurrency {

/// Path of table_storage.so.
const std::string& extension_path();

/// A folder that goes with the object, and the files in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class Connection {
 public:
  /// Throws std::runtime_error if the file does not open or the extension does not load.
  explicit Connection(const std::string& file, int busy_timeout_ms = 0);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() const { return db_; }
  /// Primary result code of the statements.
  int run(const std::string& sql);
  /// First value of the first row, as text; "error N" for a failure, "" for no row.
  std::string value(const std::string& sql);
  /// A statement at its first row; to be finalized by the caller.
  sqlite3_stmt* open_scan(const std::string& sql);
  /// Without the wait for statements that are not finalized.
  int close();
  int close_later();  // sqlite3_close_v2

 private:
  sqlite3* db_ = nullptr;
};

/// Makes `file` with the given journal, a foreign table `things(a INT64, b STRING)` and a native table of the
/// same shape, `native(PartitionKey, RowKey, a, b)` WITHOUT ROWID, so that rows come in the same order; both
/// hold two rows.
void make_database(const std::string& file, const std::string& journal);

/// Open file descriptors of this process whose path begins with `prefix`, and its threads.
std::size_t open_files(const std::string& prefix);
std::size_t threads();

}  // namespace table_storage::concurrency
