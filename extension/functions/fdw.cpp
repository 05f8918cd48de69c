#include "extension/functions/fdw.h"

#include <string>
#include <string_view>

#include "extension/catalog/fdw_execute.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

using ConnectionPointer = std::shared_ptr<catalog::Connection>;

void fdw(sqlite3_context* context, int, sqlite3_value** argv) {
  module::guarded_result(context, [&] {
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
      throw Error(Error::Kind::invalid, "",
                  "fdw wants its statements as text, not " + module::describe(argv[0]));
    }
    // A copy: the connection is used while the text is read.
    const std::string text(module::text_of(argv[0]));
    std::string_view tag;
    try {
      tag = catalog::execute_fdw(**static_cast<ConnectionPointer*>(sqlite3_user_data(context)), text);
    } catch (Error& error) {
      // A service that did not answer an IMPORT. By this code SQLite would take the whole transaction around
      // for lost, and fdw() has put everything back.
      if ((error.native_code() & 0xFF) == SQLITE_IOERR) error.native(SQLITE_ERROR);
      throw;
    }
    // Tags are literals. By -1 SQLite knows that a zero ends the text, and shows it without a copy: what was
    // done is done, and must not look failed for want of memory.
    sqlite3_result_text(context, tag.data(), -1, SQLITE_STATIC);
  });
}

}  // namespace

int register_fdw(sqlite3* db, const ConnectionPointer& connection) {
  return sqlite3_create_function_v2(db, "fdw", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                    new ConnectionPointer(connection), fdw, nullptr, nullptr,
                                    [](void* p) { delete static_cast<ConnectionPointer*>(p); });
}

}  // namespace table_storage::functions
