#include "tests/concurrency/connection.h"

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

namespace table_storage::concurrency {

namespace fs = std::filesystem;

const std::string& extension_path() {
  static const std::string path = TABLE_STORAGE_SO;
  return path;
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "concurrency-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Connection::Connection(const std::string& file, int busy_timeout_ms) {
  if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("cannot open " + file);
  sqlite3_busy_timeout(db_, busy_timeout_ms);
  // Quicker, and of no matter: no machine loses its power here.
  sqlite3_exec(db_, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  sqlite3_enable_load_extension(db_, 1);
  char* message = nullptr;
  if (sqlite3_load_extension(db_, extension_path().c_str(), nullptr, &message) != SQLITE_OK) {
    const std::string text = message == nullptr ? "" : message;
    sqlite3_free(message);
    sqlite3_close(db_);
    throw std::runtime_error("cannot load " + extension_path() + ": " + text);
  }
}

Connection::~Connection() { sqlite3_close_v2(db_); }

int Connection::run(const std::string& sql) {
  return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) & 0xFF;
}

std::string Connection::value(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
  std::string text;
  if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    text = found == nullptr ? "NULL" : found;
    rc = sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return rc == SQLITE_DONE || rc == SQLITE_ROW ? text : "error " + std::to_string(rc & 0xFF);
}

sqlite3_stmt* Connection::open_scan(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK ||
      sqlite3_step(statement) != SQLITE_ROW) {
    const std::string message = sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    throw std::runtime_error(sql + ": " + message);
  }
  return statement;
}

int Connection::close() {
  const int rc = sqlite3_close(db_);
  if (rc == SQLITE_OK) db_ = nullptr;
  return rc;
}

int Connection::close_later() {
  const int rc = sqlite3_close_v2(db_);
  db_ = nullptr;
  return rc;
}

void make_database(const std::string& file, const std::string& journal) {
  Connection db(file);
  const int rc =
      db.run("PRAGMA journal_mode = " + journal +
             ";CREATE VIRTUAL TABLE things USING table_storage(a INT64, b STRING);"
             "CREATE TABLE native(PartitionKey TEXT, RowKey TEXT, a INT, b TEXT, "
             "PRIMARY KEY(PartitionKey, RowKey)) WITHOUT ROWID;"
             "INSERT INTO things(PartitionKey, RowKey, a, b) VALUES ('p', 'r', 1, 'x'), ('p', 's', 2, 'y');"
             "INSERT INTO native SELECT PartitionKey, RowKey, a, b FROM things;");
  if (rc != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(db.handle()));
}

std::size_t open_files(const std::string& prefix) {
  std::size_t count = 0;
  std::error_code gone;  // the folder's own descriptor
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd"))
    if (fs::read_symlink(entry.path(), gone).string().starts_with(prefix)) ++count;
  return count;
}

std::size_t threads() {
  const fs::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace table_storage::concurrency
