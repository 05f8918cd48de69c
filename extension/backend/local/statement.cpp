#include "extension/backend/local/statement.h"

#include <algorithm>
#include <new>
#include <utility>

#include "extension/sqlite.h"

namespace table_storage::backend::local {

std::string quoted_identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

Error storage_error(sqlite3* db, int rc, const std::string& doing) {
  if ((rc & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  const int extended = sqlite3_extended_errcode(db);
  std::string text = sqlite3_errmsg(db);
  if ((extended & 0xFF) != (rc & 0xFF)) text = sqlite3_errstr(rc);  // the connection has gone on since
  return Error(Error::Kind::storage, "", doing + ": " + text)
      .native((extended & 0xFF) == (rc & 0xFF) ? extended : rc);
}

void throw_storage_error(sqlite3* db, int rc, const std::string& doing) {
  throw storage_error(db, rc, doing);
}

bool table_exists(sqlite3* db, const std::string& schema, const std::string& table) {
  const int rc = sqlite3_table_column_metadata(db, schema.c_str(), table.c_str(), nullptr, nullptr, nullptr,
                                               nullptr, nullptr, nullptr);
  if ((rc & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  return rc == SQLITE_OK;
}

bool next_row(sqlite3_stmt* statement, const std::string& doing) {
  const int rc = sqlite3_step(statement);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE) throw_storage_error(sqlite3_db_handle(statement), rc, doing);
  return rc == SQLITE_ROW;
}

void bind_text(sqlite3_stmt* statement, int place, std::string_view text) {
  const int rc =
      sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (rc == SQLITE_NOMEM) throw std::bad_alloc();
  if (rc != SQLITE_OK) throw_storage_error(sqlite3_db_handle(statement), rc, "binding a text");
}

void execute(sqlite3* db, const std::string& sql, const std::string& doing) {
  const int rc = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) throw_storage_error(db, rc, doing);
}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

int Statement::prepare(sqlite3* db, const std::string& sql, bool persistent) {
  sqlite3_stmt* made = nullptr;
  const int rc = sqlite3_prepare_v3(db, sql.c_str(), static_cast<int>(sql.size() + 1),
                                    persistent ? SQLITE_PREPARE_PERSISTENT : 0u, &made, nullptr);
  handle_.reset(made);
  return rc;
}

void Statement::reset() {
  if (!handle_) return;
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

// What was bound stays.
ResetAtEnd::~ResetAtEnd() { sqlite3_reset(statement_.get()); }

Statement StatementPool::take(unsigned shape) {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    if (idle_[i].shape != shape) continue;
    Statement found = std::move(idle_[i].statement);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    return found;
  }
  return {};
}

void StatementPool::give_back(unsigned shape, Statement statement, unsigned generation) noexcept {
  if (!statement || generation != generation_) return;  // its destructor finalises it
  if (idle_.size() >= kKept) idle_.erase(idle_.begin());
  idle_.push_back({shape, std::move(statement)});
}

void StatementPool::finalize_all() {
  ++generation_;
  idle_.clear();
}

}  // namespace table_storage::backend::local
