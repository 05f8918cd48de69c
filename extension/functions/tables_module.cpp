// ts_tables(server [, schema]): the entity tables of a server.
#include <string>
#include <utility>
#include <vector>

#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"

namespace table_storage::functions {

int register_tables_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection) {
  return register_list(
      db, {.name = "ts_tables",
           .columns = "name TEXT",
           .arguments = {{.name = "server"}, {.name = "schema", .required = false, .default_value = "main"}},
           .usage = "a server, as in SELECT * FROM ts_tables('local')",
           .rows = [connection](const std::vector<std::string>& arguments) {
             std::vector<ListRow> rows;
             const auto backend = connection->open_backend(arguments[0], arguments[1]);
             for (std::string& name : backend->list_tables()) rows.push_back({std::move(name)});
             return rows;
           }});
}

}  // namespace table_storage::functions
