// The SQL functions, the table-valued functions and the collation that the extension registers.
#pragma once

#include <memory>

#include "extension/catalog/connection.h"
#include "extension/sqlite.h"

namespace table_storage::functions {

/// ts_version() → text.
int register_version(sqlite3* db);

/// Row keys out of times, in the usual patterns: 19 digits of 100 ns ticks since year 1, so that text order
/// is time order, or the ticks left until the end of year 9999, so that the newest comes first.
///   ts_ticks(time) → text          ts_from_ticks(ticks) → time
///   ts_reverse_ticks(time) → text  ts_from_reverse_ticks(ticks) → time
/// Times are texts as a DATETIME column takes and shows them; NULL gives NULL.
int register_ticks(sqlite3* db);

/// Collation ts_datetime: compares texts that are times as instants. Texts that are not come after all times,
/// in byte order.
int register_datetime_collation(sqlite3* db);

/// ts_create_table(server, name [, schema]) and ts_drop_table(server, name [, schema]); both return the name.
/// They act, so they are not to be called from views and triggers (DIRECTONLY).
int register_table_functions(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// Table-valued ts_tables(server): one row an entity table, columns `name` and `schema`.
int register_tables_module(sqlite3* db, std::shared_ptr<catalog::Connection> connection);

}  // namespace table_storage::functions
