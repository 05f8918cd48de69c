// Table-valued functions that show a list: the rows are made when a scan begins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "extension/sqlite.h"

namespace table_storage::functions {

using ListValue =
    std::variant<std::monostate, std::int64_t, std::string, double>;  // NULL, integer, text, real
using ListRow = std::vector<ListValue>;                               // by column

/// An empty text is NULL.
inline ListValue text_or_null(std::string text) {
  return text.empty() ? ListValue() : ListValue(std::move(text));
}

struct ListArgument {
  const char* name;
  bool required = true;
  bool may_be_integer = false;  // else it must be text
  std::string default_value{};  // of one that is not required
};

struct ListFunction {
  const char* name;
  const char* columns;  // as in CREATE TABLE; the arguments are hidden columns after them
  std::vector<ListArgument> arguments;
  const char* usage;  // what the function wants, for who has not given what is required
  /// The values of the arguments by position. May throw Error.
  std::function<std::vector<ListRow>(const std::vector<std::string>&)> rows;
};

/// The function is DIRECTONLY: views and triggers of a database do not reach it.
int register_list(sqlite3* db, ListFunction function);

}  // namespace table_storage::functions
