// The virtual table module `table_storage`.
#pragma once

#include <memory>

#include "extension/sqlite.h"

namespace table_storage::module {

class Session;

/// Registers the module on the connection; it keeps `session` until SQLite closes. Returns a result code.
int register_module(sqlite3* db, std::shared_ptr<Session> session);

}  // namespace table_storage::module
