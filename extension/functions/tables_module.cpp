// ts_tables(server [, schema]): the entity tables of a server.
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "extension/functions/functions.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

using ConnectionPointer = std::shared_ptr<catalog::Connection>;

enum TablesColumn : int { kName, kServer, kSchema };

struct TablesVtab {
  sqlite3_vtab base{};
  ConnectionPointer connection;
};

struct TablesCursor {
  sqlite3_vtab_cursor base{};
  std::string server;
  std::string schema;
  std::vector<std::string> names;
  std::size_t at = 0;
};

TablesCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<TablesCursor*>(cursor); }

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    const int rc =
        sqlite3_declare_vtab(db, "CREATE TABLE x(name TEXT, server TEXT HIDDEN, schema TEXT HIDDEN)");
    if (rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);  // it asks whatever server it is told
    auto* vtab = new TablesVtab;
    vtab->connection = *static_cast<ConnectionPointer*>(aux);
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<TablesVtab*>(vtab);
  return SQLITE_OK;
}

/// idxNum: 1 = server given, 2 = schema given; the arguments come in that order.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return module::guarded(vtab->zErrMsg, [&] {
    int place[2] = {-1, -1};
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != kServer && constraint.iColumn != kSchema) continue;
      if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (!constraint.usable) return SQLITE_CONSTRAINT;
      place[constraint.iColumn - kServer] = i;
    }
    if (place[0] < 0) {
      throw Error(Error::Kind::invalid, "",
                  "ts_tables wants a server, as in SELECT * FROM ts_tables('local')");
    }
    int argument = 0;
    info->idxNum = 0;
    for (int k = 0; k < 2; ++k) {
      if (place[k] < 0) continue;
      info->aConstraintUsage[place[k]].argvIndex = ++argument;
      info->aConstraintUsage[place[k]].omit = 1;
      info->idxNum |= 1 << k;
    }
    info->estimatedCost = 100;
    info->estimatedRows = 20;
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new TablesCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<TablesCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int which, const char*, int, sqlite3_value** argv) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    TablesCursor& cursor = of(base);
    cursor.names.clear();
    cursor.at = 0;
    int next = 0;
    auto argument = [&](const char* what) {
      sqlite3_value* value = argv[next++];
      if (sqlite3_value_type(value) != SQLITE_TEXT) {
        throw Error(Error::Kind::invalid, "",
                    std::string("ts_tables wants the ") + what + " as text, not " + module::describe(value));
      }
      return std::string(module::text_of(value));
    };
    cursor.server = argument("server");
    cursor.schema = (which & 2) != 0 ? argument("schema") : "main";
    auto& connection = *reinterpret_cast<TablesVtab*>(base->pVtab)->connection;
    cursor.names = connection.open_backend(cursor.server, cursor.schema)->list_tables();
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).names.size() ? 1 : 0; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const TablesCursor& cursor = of(base);
  const std::string& text = index == kName     ? cursor.names[cursor.at]
                            : index == kServer ? cursor.server
                                               : cursor.schema;
  sqlite3_result_text(context, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
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

int register_tables_module(sqlite3* db, ConnectionPointer connection) {
  return sqlite3_create_module_v2(db, "ts_tables", &kModule, new ConnectionPointer(std::move(connection)),
                                  [](void* p) { delete static_cast<ConnectionPointer*>(p); });
}

}  // namespace table_storage::functions
