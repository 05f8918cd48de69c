// Several inner statements as one, where nothing around them does it already. The connection's thread only.
#pragma once

struct sqlite3;

namespace table_storage::backend::local {

class LocalDatabase;

/// Within xUpdate SQLite refuses SAVEPOINT (SQLITE_BUSY, "SQL statements in progress"), and the statement
/// under way keeps the transaction together. Elsewhere, for one in autocommit mode, every inner statement
/// would commit by itself: there this opens a savepoint, which is undone unless release() is reached.
class InnerSavepoint {
 public:
  /// Throws Error(storage).
  explicit InnerSavepoint(LocalDatabase& database);
  ~InnerSavepoint();
  InnerSavepoint(const InnerSavepoint&) = delete;
  InnerSavepoint& operator=(const InnerSavepoint&) = delete;

  /// False where a write is under way: then whoever wants to undo keeps a log.
  bool is_open() const { return open_; }
  /// Throws Error(storage), when a commit fails.
  void release();

 private:
  LocalDatabase& database_;
  bool open_ = false;
};

}  // namespace table_storage::backend::local
