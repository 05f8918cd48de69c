#include "extension/module/module.h"

#include <new>
#include <utility>

#include "extension/backend/remote/transaction.h"
#include "extension/module/cursor.h"
#include "extension/module/foreign_table.h"
#include "extension/module/guard.h"
#include "extension/module/planner.h"
#include "extension/module/writer.h"

// The callbacks of sqlite3_module, each a thin border: a cast, the work elsewhere, errors into codes.

namespace table_storage::module {

namespace {

using SessionPointer = std::shared_ptr<Session>;

ForeignTable& table_of(sqlite3_vtab* vtab) { return ForeignTableVtab::of(vtab); }

int open_table(sqlite3* db, void* aux, int argc, const char* const* argv, sqlite3_vtab** out, char** message,
               bool creating) {
  return guarded(*message, [&] {
    const SessionPointer& session = *static_cast<SessionPointer*>(aux);
    ForeignTableDefinition definition = define(session->connection(), argc, argv, creating);
    const std::string text = declaration(definition);
    if (int rc = sqlite3_declare_vtab(db, text.c_str()); rc != SQLITE_OK) {
      return set_message(*message, sqlite3_errmsg(db)) ? rc : SQLITE_NOMEM;
    }
    // INSERT OR IGNORE and its kind need the module's word that a failed xUpdate has changed nothing.
    sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
    *out = &(new ForeignTableVtab(session, std::move(definition)))->base;
    return SQLITE_OK;
  });
}

int create(sqlite3* db, void* aux, int argc, const char* const* argv, sqlite3_vtab** out, char** message) {
  const int rc = open_table(db, aux, argc, argv, out, message, true);
  // SQLite counts a new table among those of the transaction, and never calls xBegin for it.
  if (rc == SQLITE_OK) {
    table_of(*out).state().writing = true;
    table_of(*out).set_new(true);
  }
  return rc;
}

int connect(sqlite3* db, void* aux, int argc, const char* const* argv, sqlite3_vtab** out, char** message) {
  return open_table(db, aux, argc, argv, out, message, false);
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<ForeignTableVtab*>(vtab);
  return SQLITE_OK;
}

/// Whether COMMIT has still to send what the table has written.
bool holds_writes(ForeignTable& table) {
  const backend::Table* open = table.open_backend_table();
  return open != nullptr && table.connection().remote_transaction().holds_writes(*open);
}

/// DROP TABLE drops the mapping; the entities stay. SQLite tells a dropped table nothing of the end of the
/// transaction: its writes would neither be sent at COMMIT nor be forgotten at ROLLBACK.
int destroy(sqlite3_vtab* vtab) {
  return guarded(vtab->zErrMsg, [&] {
    if (holds_writes(table_of(vtab))) return SQLITE_LOCKED;
    table_of(vtab).forget_state();
    return disconnect(vtab);
  });
}

int best_index_callback(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return guarded(vtab->zErrMsg, [&] {
    ForeignTable& table = table_of(vtab);
    table.refresh();
    const int rc = best_index(table, info);
    info->idxNum = table.plan_epoch();
    return rc;
  });
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return guarded(vtab->zErrMsg, [&] {
    table_of(vtab).refresh();
    auto* opened = new CursorVtab(table_of(vtab));
    table_of(vtab).set_newest_cursor(&opened->cursor);
    table_of(vtab).count_cursor();
    *out = &opened->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  ForeignTable& table = table_of(cursor->pVtab);
  Cursor& closed = CursorVtab::of(cursor);
  if (Cursor* successor = table.newest_cursor(); successor != nullptr && successor != &closed) {
    successor->inherit(closed);
  }
  table.set_newest_cursor(nullptr);
  delete reinterpret_cast<CursorVtab*>(cursor);
  table.uncount_cursor();
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int epoch, const char* plan_text, int, sqlite3_value** argv) {
  table_of(cursor->pVtab).set_newest_cursor(nullptr);
  return guarded(cursor->pVtab->zErrMsg, [&] {
    table_of(cursor->pVtab).check_plan_epoch(epoch);
    CursorVtab::of(cursor).filter(plan_text, argv);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  return guarded(cursor->pVtab->zErrMsg, [&] {
    CursorVtab::of(cursor).next();
    return SQLITE_OK;
  });
}

int eof(sqlite3_vtab_cursor* cursor) { return CursorVtab::of(cursor).eof() ? 1 : 0; }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  guarded_result(context, [&] { CursorVtab::of(cursor).column(context, index); });
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  return guarded(cursor->pVtab->zErrMsg, [&] {
    *out = CursorVtab::of(cursor).rowid();
    return SQLITE_OK;
  });
}

int update(sqlite3_vtab* vtab, int argc, sqlite3_value** argv, sqlite3_int64* rowid_out) {
  return guarded(vtab->zErrMsg, [&] {
    table_of(vtab).note_write();
    write_row(table_of(vtab), argc, argv, rowid_out);
    return SQLITE_OK;
  });
}

int begin(sqlite3_vtab* vtab) {
  return guarded(vtab->zErrMsg, [&] {
    table_of(vtab).refresh();
    table_of(vtab).backend_table().begin();
    table_of(vtab).state().writing = true;
    table_of(vtab).note_write();  // from now on ETags are kept
    return SQLITE_OK;
  });
}

/// For the callbacks of a transaction: a table that no statement has used has nothing to tell its backend.
template <class Body>
int with_open_backend(sqlite3_vtab* vtab, Body&& body) {
  return guarded(vtab->zErrMsg, [&] {
    if (backend::Table* open = table_of(vtab).open_backend_table()) body(*open);
    return SQLITE_OK;
  });
}

/// A table that was made inside a savepoint is not told that it was rolled back to, which undoes the table.
void refuse_writes_of_undone_table(ForeignTable& table) {
  if (!table.is_new() || !holds_writes(table)) return;
  const ForeignTableDefinition& definition = table.definition();
  if (sqlite3_table_column_metadata(table.connection().db(), definition.schema.c_str(),
                                    definition.name.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr) == SQLITE_OK) {
    return;
  }
  throw Error(
      Error::Kind::invalid, "",
      "table " + definition.name +
          " was made and written after a savepoint that was rolled back; nothing of the transaction "
          "is sent. Create foreign tables before the savepoint, or end the transaction with ROLLBACK");
}

int sync(sqlite3_vtab* vtab) {
  return with_open_backend(vtab, [vtab](backend::Table& table) {
    // All of them, before the first table sends anything.
    for (const auto& [address, other] : table_of(vtab).session().tables()) {
      refuse_writes_of_undone_table(*other);
    }
    table.sync();
  });
}

void end_transaction(ForeignTable& table) {
  table.set_new(false);
  table.note_write();
  table.state().writing = false;
  table.state().rows.clear();
}

int commit(sqlite3_vtab* vtab) {
  end_transaction(table_of(vtab));
  return with_open_backend(vtab, [](backend::Table& table) { table.commit(); });
}

int rollback(sqlite3_vtab* vtab) {
  end_transaction(table_of(vtab));
  return with_open_backend(vtab, [](backend::Table& table) { table.rollback(); });
}

int savepoint(sqlite3_vtab* vtab, int number) {
  return with_open_backend(vtab, [number](backend::Table& table) { table.savepoint(number); });
}

int release(sqlite3_vtab* vtab, int number) {
  return with_open_backend(vtab, [number](backend::Table& table) { table.release_savepoint(number); });
}

int rollback_to(sqlite3_vtab* vtab, int number) {
  table_of(vtab).note_write();
  return with_open_backend(vtab, [number](backend::Table& table) { table.rollback_to(number); });
}

int rename(sqlite3_vtab* vtab, const char* new_name) {
  return guarded(vtab->zErrMsg, [&] {
    ForeignTable& table = table_of(vtab);
    const ForeignTableDefinition& definition = table.definition();
    if (definition.entity_table_is_sql_name) {
      throw Error(
          Error::Kind::invalid, "",
          "renaming " + definition.name + " to " + new_name +
              " would show another entity table, because the table's name is its SQL name; drop it and "
              "create " +
              new_name + " with OPTIONS (table '" + definition.entity_table + "') instead (entities stay)");
    }
    table.forget_state();
    return SQLITE_OK;
  });
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 2;
  module.xCreate = create;
  module.xConnect = connect;
  module.xBestIndex = best_index_callback;
  module.xDisconnect = disconnect;
  module.xDestroy = destroy;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  module.xUpdate = update;
  module.xBegin = begin;
  module.xSync = sync;
  module.xCommit = commit;
  module.xRollback = rollback;
  module.xRename = rename;
  module.xSavepoint = savepoint;
  module.xRelease = release;
  module.xRollbackTo = rollback_to;
  return module;
}

const sqlite3_module kModule = make_module();

}  // namespace

int register_module(sqlite3* db, std::shared_ptr<Session> session) {
  auto* kept = new SessionPointer(std::move(session));
  return sqlite3_create_module_v2(db, "table_storage", &kModule, kept,
                                  [](void* p) { delete static_cast<SessionPointer*>(p); });
}

}  // namespace table_storage::module
