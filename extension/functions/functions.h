// The SQL functions, the table-valued functions and the collation that the extension registers.
#pragma once

#include <memory>

#include "extension/catalog/connection.h"
#include "extension/sqlite.h"

namespace table_storage::module {
class Session;
}

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
int register_tables_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// Table-valued ts_schema(server, table [, sample_rows [, schema]]): one row a property of the entities
/// looked at: `property`, the `column_name` and column definition (`suggestion`) that IMPORT FOREIGN SCHEMA
/// would give it, `types` (JSON object: count by Edm type), `count` and `missing` (entities with and without
/// it), keys of the first entity that has it, `notice`. DIRECTONLY.
int register_schema_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// ts_import_notices: `schema`, `table_name`, `column_name`, `property`, `notice`; one row a table that the
/// last IMPORT FOREIGN SCHEMA of this connection made or looked at, and one for each column that is not as
/// one might expect.
int register_import_notices(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// Table-valued ts_pending: what COMMIT would send to remote services, one row an operation: `group_number`
/// (an entity group transaction is one request and is atomic), `operation`, `server`, `foreign_table`,
/// `entity_table`, `PartitionKey`, `RowKey`, `if_match` (the ETag asked for; '*' any), `bytes` (of the
/// operation in the request). Empty outside a transaction. DIRECTONLY.
int register_pending_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// ts_servers: `name`, `schema` it is stored in (NULL: built in), `backend`, `options`, `user_mapping`
/// (without secrets; NULL: none) and whether all of that was `confirmed` in this connection. ts_options:
/// every option that there is; `carriers` may have it. ts_connections: for each service that is open,
/// `requests` sent so far and `open_connections`. ts_disconnect(server): closes them, and reads what
/// references point to again at the next use. Returns the number of services.
int register_server_functions(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// ts_requests: the last 1000 requests of each open service, oldest first: `id`, `time` the answer was taken,
/// `server`, `asked` (in words), `method`, `request` (path and query as they read; no secret is in them),
/// `status` (NULL: no answer, `failure` says why), `attempts`, `rows`, `sent_bytes`, `received_bytes` (of
/// bodies), `ms` (of the last attempt). DIRECTONLY.
int register_requests_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

/// Table-valued ts_explain(sql): what the statement would ask of its foreign tables; it is prepared, not run.
/// For each scan (`scan`, `foreign_table`) one row with `item` 'request': `detail` is the request as it will
/// be sent, {…} where a value is not known yet, `pushed` its price class (point, points, partition,
/// partitions, range, table scan), `reason` says what that means, and `requests`, `entities`, `bytes` are
/// what one execution is expected to take (NULL: not known). Then one row with `item` 'condition' for each
/// condition: `pushed` is exact, superset or local, `reason` says why. DIRECTONLY.
int register_explain_module(sqlite3* db, const std::shared_ptr<module::Session>& session);

}  // namespace table_storage::functions
