// Which entity tables of a server an IMPORT FOREIGN SCHEMA is about. Internal to the import; the connection's
// thread only.
#pragma once

#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/import.h"

namespace table_storage::catalog {

struct TableChoice {
  std::vector<std::string> tables;   // in the order of the service's list
  std::vector<std::string> remarks;  // what has no effect, or was left out
};

/// Asks for the list of tables. Where that is not allowed, as with a SAS of one table, LIMIT TO is taken at
/// its word. `server` is for messages. Throws Error for a table that LIMIT TO names and the server does not
/// have, and for a list that is refused where there is no LIMIT TO.
TableChoice choose_tables(backend::Backend& backend, const ImportRequest& request, const std::string& server);

/// The table that a name means, the exact one before one in another case; null if there is none.
const std::string* find_table(const std::vector<std::string>& tables, const std::string& name);

/// Throws Error(missing): `server` has no such table, but maybe one of a name like it.
[[noreturn]] void refuse_unknown_table(const std::string& server, const std::vector<std::string>& tables,
                                       const std::string& name);

}  // namespace table_storage::catalog
