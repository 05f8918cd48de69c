#include "extension/backend/local/names.h"

#include <limits>
#include <new>
#include <utility>

#include "extension/backend/local/statement.h"
#include "extension/sql_values.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

constexpr const char* kTable = "ts_property_names";

// The statement that adds a name is an inner one: last_insert_rowid() of the application must not show it.
class KeepLastRowid {
 public:
  explicit KeepLastRowid(sqlite3* db) : db_(db), rowid_(sqlite3_last_insert_rowid(db)) {}
  ~KeepLastRowid() { sqlite3_set_last_insert_rowid(db_, rowid_); }
  KeepLastRowid(const KeepLastRowid&) = delete;
  KeepLastRowid& operator=(const KeepLastRowid&) = delete;

 private:
  sqlite3* db_;
  sqlite3_int64 rowid_;
};

}  // namespace

void NameStore::append(std::string name) {
  const std::string& kept = texts_.emplace_back(std::move(name));
  try {
    by_id_.push_back(kept);
    ids_.emplace(kept, size());
  } catch (...) {
    if (by_id_.size() == texts_.size()) by_id_.pop_back();
    texts_.pop_back();
    throw;
  }
}

PropertyNames::PropertyNames(sqlite3* db, std::string schema) : db_(db), schema_(std::move(schema)) {}

void PropertyNames::forget() noexcept {
  if (spare_) store_ = std::move(spare_);
}

void PropertyNames::refresh() {
  if (!spare_) spare_ = std::make_shared<NameStore>();
  const std::string doing = "reading the property names of schema " + schema_;
  Statement query;
  const int prepared = query.prepare(
      db_, "SELECT id, name FROM " + quoted_identifier(schema_) + "." + kTable + " WHERE id > ? ORDER BY id");
  if (prepared != SQLITE_OK) {
    const Error error = storage_error(db_, prepared, doing);
    if (!table_exists(db_, schema_, kTable)) return;
    throw error;
  }
  NameStore& store = *store_;
  sqlite3_bind_int64(query.get(), 1, store.size());
  while (next_row(query.get(), doing)) {
    const sqlite3_int64 id = sqlite3_column_int64(query.get(), 0);
    if (id != sqlite3_int64{store.size()} + 1 || id >= std::numeric_limits<NameId>::max()) {
      throw Error(Error::Kind::corrupt, "",
                  std::string(kTable) + " of schema " + schema_ +
                      " is damaged: it should go on with number " + std::to_string(store.size() + 1) +
                      " and has " + std::to_string(id))
          .native(SQLITE_CORRUPT);
    }
    store.append(text_at(query.get(), 1));
  }
}

NameId PropertyNames::add(std::string_view name) {
  // Another connection may add names at the same time where no transaction keeps it out: its number wins.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    refresh();
    if (const NameId id = store_->find(name); id != 0) return id;
    if (insert(store_->size() + 1, name)) {
      store_->append(std::string(name));
      return store_->size();
    }
  }
  throw Error(Error::Kind::storage, "",
              "cannot add property name '" + std::string(name) + "' to " + kTable + " of schema " + schema_ +
                  ": other connections keep adding names")
      .native(SQLITE_BUSY);
}

bool PropertyNames::insert(NameId id, std::string_view name) {
  const std::string doing = "adding property name '" + std::string(name) + "' to schema " + schema_;
  const KeepLastRowid keep(db_);
  const std::string table = quoted_identifier(schema_) + "." + kTable;
  if (!table_exists(db_, schema_, kTable)) {
    execute(db_,
            "CREATE TABLE IF NOT EXISTS " + table + "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            doing);
  }
  Statement statement;
  const int prepared = statement.prepare(db_, "INSERT INTO " + table + "(id, name) VALUES (?, ?)");
  if (prepared != SQLITE_OK) throw_storage_error(db_, prepared, doing);
  sqlite3_bind_int64(statement.get(), 1, id);
  bind_text(statement.get(), 2, name);
  const int rc = sqlite3_step(statement.get());
  if (rc == SQLITE_DONE) return true;
  if ((rc & 0xFF) == SQLITE_CONSTRAINT) return false;
  throw_storage_error(db_, rc, doing);
}

}  // namespace table_storage::backend::local
