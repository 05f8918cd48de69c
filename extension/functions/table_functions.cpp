#include <string>
#include <utility>
#include <vector>

#include "extension/functions/functions.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

using ConnectionPointer = std::shared_ptr<catalog::Connection>;

std::string text_argument(const char* function, const char* what, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    throw Error(Error::Kind::invalid, "",
                std::string(function) + " wants the " + what + " as text, not " + module::describe(value));
  }
  return std::string(module::text_of(value));
}

/// Both functions: find the backend, do one thing to one table, return its name.
template <class Act>
void act_on_table(sqlite3_context* context, const char* function, int argc, sqlite3_value** argv, Act&& act) {
  module::guarded_result(context, [&] {
    const ConnectionPointer& connection = *static_cast<ConnectionPointer*>(sqlite3_user_data(context));
    const std::string server = text_argument(function, "server", argv[0]);
    const std::string table = text_argument(function, "name of the table", argv[1]);
    const std::string schema = argc > 2 ? text_argument(function, "schema", argv[2]) : "main";
    act(*connection->open_backend(server, schema), table);
    sqlite3_result_value(context, argv[1]);
  });
}

void create_table(sqlite3_context* context, int argc, sqlite3_value** argv) {
  act_on_table(context, "ts_create_table", argc, argv,
               [](backend::Backend& backend, const std::string& name) { backend.create_table(name); });
}

void drop_table(sqlite3_context* context, int argc, sqlite3_value** argv) {
  act_on_table(context, "ts_drop_table", argc, argv,
               [](backend::Backend& backend, const std::string& name) { backend.drop_table(name); });
}

}  // namespace

int register_table_functions(sqlite3* db, const ConnectionPointer& connection) {
  struct Entry {
    const char* name;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  };
  for (const Entry& entry : {Entry{"ts_create_table", create_table}, Entry{"ts_drop_table", drop_table}}) {
    for (int arguments : {2, 3}) {
      const int rc = sqlite3_create_function_v2(
          db, entry.name, arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY, new ConnectionPointer(connection),
          entry.function, nullptr, nullptr, [](void* p) { delete static_cast<ConnectionPointer*>(p); });
      if (rc != SQLITE_OK) return rc;
    }
  }
  return SQLITE_OK;
}

}  // namespace table_storage::functions
