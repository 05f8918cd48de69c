#include "extension/functions/list_module.h"

#include <utility>

#include "extension/module/guard.h"

namespace table_storage::functions {

namespace {

struct List {
  const char* declaration;
  std::function<std::vector<ListRow>(catalog::Connection&)> rows;
  std::shared_ptr<catalog::Connection> connection;
};

struct ListVtab {
  sqlite3_vtab base{};
  const List* list = nullptr;
};

struct ListCursor {
  sqlite3_vtab_cursor base{};
  std::vector<ListRow> rows;
  std::size_t at = 0;
};

ListCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<ListCursor*>(cursor); }

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    const auto* list = static_cast<const List*>(aux);
    if (const int rc = sqlite3_declare_vtab(db, list->declaration); rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    auto* vtab = new ListVtab;
    vtab->list = list;
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<ListVtab*>(vtab);
  return SQLITE_OK;
}

/// There is one way to read it.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 100;
  info->estimatedRows = 20;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new ListCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<ListCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value**) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    const List& list = *reinterpret_cast<ListVtab*>(base->pVtab)->list;
    of(base).rows = list.rows(*list.connection);
    of(base).at = 0;
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).rows.size() ? 1 : 0; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const ListValue& value = of(base).rows[of(base).at][static_cast<std::size_t>(index)];
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(context, *integer);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_result_text(context, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_result_double(context, *real);
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(of(cursor).at) + 1;
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xConnect = connect;  // no xCreate: it exists by its name alone
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}

const sqlite3_module kModule = make_module();

}  // namespace

int register_list(sqlite3* db, const char* name, const char* declaration,
                  std::function<std::vector<ListRow>(catalog::Connection&)> rows,
                  std::shared_ptr<catalog::Connection> connection) {
  return sqlite3_create_module_v2(db, name, &kModule,
                                  new List{declaration, std::move(rows), std::move(connection)},
                                  [](void* p) { delete static_cast<List*>(p); });
}

}  // namespace table_storage::functions
