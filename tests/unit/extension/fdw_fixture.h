// SQL through fdw(), for its tests.
#pragma once

#include <string>

#include "tests/unit/extension/database.h"

namespace table_storage::test {

class FdwTest : public ::testing::Test {
 protected:
  static std::string call(const std::string& script) {
    std::string text = "SELECT fdw('";
    for (const char c : script) text += c == '\'' ? std::string(2, c) : std::string(1, c);
    return text + "')";
  }

  /// The command tag.
  std::string fdw(const std::string& script) { return db_.value(call(script)); }
  /// The message of a script that must fail.
  std::string refusal(const std::string& script, int* code = nullptr) {
    return db_.error(call(script), code);
  }

  /// "main.a, temp.b": the foreign tables there are.
  std::string tables() {
    return db_.value(
        "SELECT coalesce(group_concat(t, ', '), '') FROM (SELECT schema || '.' || name AS t FROM "
        "pragma_table_list "
        "WHERE type = 'virtual' AND name NOT LIKE 'ts\\_%' ESCAPE '\\' AND name NOT LIKE 'pragma%' ORDER BY "
        "t)");
  }
  /// "main.s(options)mapping": the servers that were made, as they are stored.
  std::string servers(const std::string& schema = "main") {
    return db_.value(
        "SELECT coalesce(group_concat(s, '; '), '') FROM (SELECT name || '(' || options || ')' || "
        "coalesce(user_mapping, '') AS s FROM " +
        schema + ".table_storage_servers ORDER BY name)");
  }
  std::string definition(const std::string& name, const std::string& schema = "main") {
    return db_.value("SELECT replace(replace(sql, char(10), ''), '  ', ' ') FROM " + schema +
                     ".sqlite_schema WHERE name = '" + name + "'");
  }

  const std::string kServer = "CREATE SERVER s FOREIGN DATA WRAPPER table_storage";
  Database db_;
};

}  // namespace table_storage::test
