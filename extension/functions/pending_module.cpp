// ts_pending: what the open transaction would send to remote services.
//
//   BEGIN;
//   DELETE FROM readings WHERE Temperature IS NULL;
//   SELECT operation, count(*) FROM ts_pending GROUP BY operation;   -- a look before it happens
//   ROLLBACK;                                                        -- or COMMIT
//
// Entities of the local server are written inside SQLite's own transaction: nothing is pending for them.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/backend/remote/transaction.h"
#include "extension/functions/functions.h"
#include "extension/module/guard.h"

namespace table_storage::functions {

namespace {

using backend::OperationKind;
using backend::remote::PendingShown;
using ConnectionPointer = std::shared_ptr<catalog::Connection>;

enum PendingColumn : int {
  kGroup,
  kOperation,
  kServer,
  kForeignTable,
  kEntityTable,
  kPartitionKey,
  kRowKey,
  kIfMatch,
  kBytes
};

constexpr const char* kDeclaration =
    "CREATE TABLE x(group_number INTEGER, operation TEXT, server TEXT, foreign_table TEXT, entity_table "
    "TEXT, "
    "PartitionKey TEXT, RowKey TEXT, if_match TEXT, bytes INTEGER)";

struct PendingVtab {
  sqlite3_vtab base{};
  ConnectionPointer connection;
};

/// The rows are those of the moment when the scan began: the statement may be the one that writes.
struct PendingCursor {
  sqlite3_vtab_cursor base{};
  std::vector<PendingShown> rows;
  std::size_t at = 0;
};

PendingCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<PendingCursor*>(cursor); }

std::string_view name_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::insert:
      return "insert";
    case OperationKind::insert_or_replace:
      return "insert or replace";
    case OperationKind::insert_or_merge:
      return "insert or merge";
    case OperationKind::replace:
      return "replace";
    case OperationKind::merge:
      return "merge";
    case OperationKind::remove:
      return "delete";
  }
  return "";
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    if (const int rc = sqlite3_declare_vtab(db, kDeclaration); rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    auto* vtab = new PendingVtab;
    vtab->connection = *static_cast<ConnectionPointer*>(aux);
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<PendingVtab*>(vtab);
  return SQLITE_OK;
}

/// There is one way to read it.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 1000;
  info->estimatedRows = 1000;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new PendingCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<PendingCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value**) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    PendingCursor& cursor = of(base);
    cursor.at = 0;
    cursor.rows = reinterpret_cast<PendingVtab*>(base->pVtab)->connection->remote_transaction().pending();
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).rows.size() ? 1 : 0; }

void show(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const PendingShown& row = of(base).rows[of(base).at];
  switch (index) {
    case kGroup:
      sqlite3_result_int64(context, static_cast<sqlite3_int64>(row.group));
      break;
    case kOperation:
      show(context, name_of(row.kind));
      break;
    case kServer:
      show(context, row.server);
      break;
    case kForeignTable:
      show(context, row.foreign_table);
      break;
    case kEntityTable:
      show(context, row.table);
      break;
    case kPartitionKey:
      show(context, row.partition_key);
      break;
    case kRowKey:
      show(context, row.row_key);
      break;
    case kIfMatch:
      if (!row.if_match.empty()) show(context, row.if_match);
      break;
    case kBytes:
      sqlite3_result_int64(context, static_cast<sqlite3_int64>(row.bytes));
      break;
    default:
      break;
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

int register_pending_module(sqlite3* db, ConnectionPointer connection) {
  return sqlite3_create_module_v2(db, "ts_pending", &kModule, new ConnectionPointer(std::move(connection)),
                                  [](void* p) { delete static_cast<ConnectionPointer*>(p); });
}

}  // namespace table_storage::functions
