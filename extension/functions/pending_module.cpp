// ts_pending: what the open transaction would send to remote services.
//
//   BEGIN;
//   DELETE FROM readings WHERE Temperature IS NULL;
//   SELECT operation, count(*) FROM ts_pending GROUP BY operation;   -- a look before it happens
//   ROLLBACK;                                                        -- or COMMIT
//
// Entities of the local server are written inside SQLite's own transaction: nothing is pending for them.
#include <cstdint>
#include <string>
#include <vector>

#include "extension/backend/remote/transaction.h"
#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"

namespace table_storage::functions {

namespace {

using backend::OperationKind;
using backend::remote::PendingShown;

std::string name_of(OperationKind kind) {
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

/// The rows are those of the moment when the scan begins: the statement may be the one that writes.
std::vector<ListRow> pending(catalog::Connection& connection) {
  std::vector<ListRow> rows;
  for (const PendingShown& row : connection.remote_transaction().pending()) {
    rows.push_back({static_cast<std::int64_t>(row.group), name_of(row.kind), row.server, row.foreign_table,
                    row.table, row.partition_key, row.row_key, text_or_null(row.if_match),
                    static_cast<std::int64_t>(row.bytes)});
  }
  return rows;
}

}  // namespace

int register_pending_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection) {
  return register_list(
      db,
      {.name = "ts_pending",
       .columns = "group_number INTEGER, operation TEXT, server TEXT, foreign_table TEXT, entity_table TEXT, "
                  "PartitionKey TEXT, RowKey TEXT, if_match TEXT, bytes INTEGER",
       .arguments = {},
       .usage = "",
       .rows = [connection](const std::vector<std::string>&) { return pending(*connection); }});
}

}  // namespace table_storage::functions
