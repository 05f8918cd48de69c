// The virtual table module `table_storage`.
#pragma once

#include <memory>

#include "extension/catalog/connection.h"
#include "extension/sqlite.h"

namespace table_storage::module {

/// Registers the module on the connection; it keeps `connection` until SQLite closes. Returns a result code.
int register_module(sqlite3* db, std::shared_ptr<catalog::Connection> connection);

}  // namespace table_storage::module
