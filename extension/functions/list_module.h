// Table-valued functions without arguments that show a list: the rows are made when a scan begins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "extension/catalog/connection.h"
#include "extension/sqlite.h"

namespace table_storage::functions {

using ListValue =
    std::variant<std::monostate, std::int64_t, std::string, double>;  // NULL, integer, text, real
using ListRow = std::vector<ListValue>;                               // by column

/// `declaration` is the CREATE TABLE text for sqlite3_declare_vtab(); `name` and it are constants. `rows` may
/// throw Error. The function is DIRECTONLY: views and triggers of a database do not reach it.
int register_list(sqlite3* db, const char* name, const char* declaration,
                  std::function<std::vector<ListRow>(catalog::Connection&)> rows,
                  std::shared_ptr<catalog::Connection> connection);

}  // namespace table_storage::functions
