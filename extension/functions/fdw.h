// fdw(text), PostgreSQL's statements about foreign data as one SQL function.
#pragma once

#include <memory>

#include "extension/catalog/connection.h"
#include "extension/sqlite.h"

namespace table_storage::functions {

/// fdw(text) → the command tag of the text's last statement. It acts, so it is not to be called from views
/// and triggers (DIRECTONLY).
int register_fdw(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection);

}  // namespace table_storage::functions
