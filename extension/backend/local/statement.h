// Small helpers around SQLite's C API for the local backend: statements that finalise themselves, errors with
// a sentence, names in SQL text. The same thread as the connection.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parser/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace table_storage::backend::local {

/// `name` as an identifier in SQL text, whatever characters it has.
std::string quoted_identifier(std::string_view name);

/// Error(storage) "`doing`: <SQLite's message>" with the extended result code. Call right after the failure:
/// the connection forgets the message with the next call, table_exists() included. Throws std::bad_alloc for
/// SQLITE_NOMEM, which must not be taken for something that an Error may mean.
Error storage_error(sqlite3* db, int rc, const std::string& doing);
[[noreturn]] void throw_storage_error(sqlite3* db, int rc, const std::string& doing);

/// Whether the schema has an ordinary table of this name. Reliable after a prepare, which is when SQLite has
/// read the schema anew if another connection changed it. Throws std::bad_alloc.
bool table_exists(sqlite3* db, const std::string& schema, const std::string& table);

/// Goes on to the next row; false after the last. Throws Error(storage) naming `doing` for anything else.
bool next_row(sqlite3_stmt* statement, const std::string& doing);

/// Binds a copy of the text. Throws: a parameter that stayed NULL would find no row, or another.
void bind_text(sqlite3_stmt* statement, int place, std::string_view text);

/// Runs statements without result. Throws Error(storage).
void execute(sqlite3* db, const std::string& sql, const std::string& doing);

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* made) : handle_(made) {}
  /// A result code; on failure the object is empty and the error is the connection's.
  int prepare(sqlite3* db, const std::string& sql, bool persistent = false);
  sqlite3_stmt* get() const { return handle_.get(); }
  explicit operator bool() const { return handle_ != nullptr; }
  void finalize() { handle_.reset(); }
  /// Ends the current run and lets go of what was bound, which belongs to the caller.
  void reset();

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

/// Ends the run of a statement that is kept, whatever happens while its rows are read: a statement in the
/// middle of its rows would hold a lock of the database.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd();
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

/// Prepared statements of one table that are not in use, by the shape of their SQL. A statement in use
/// belongs to its user, who gives it back reset.
class StatementPool {
 public:
  StatementPool() { idle_.reserve(kKept); }
  /// An empty Statement if there is none of that shape.
  Statement take(unsigned shape);
  /// `generation` is what generation() was when the statement was made or taken: one from before
  /// finalize_all() is finalised at last.
  void give_back(unsigned shape, Statement statement, unsigned generation) noexcept;
  unsigned generation() const { return generation_; }
  void finalize_all();

 private:
  struct Idle {
    unsigned shape;
    Statement statement;
  };
  static constexpr std::size_t kKept = 24;
  std::vector<Idle> idle_;
  unsigned generation_ = 0;
};

}  // namespace table_storage::backend::local
