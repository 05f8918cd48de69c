#include "extension/catalog/import_choice.h"

#include <algorithm>
#include <string_view>

#include "extension/backend/limits.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

namespace {

using Selection = ImportRequest::Selection;

/// The service knows who asks and does not let them list tables.
bool may_not_list(const Error& error) {
  const std::string& code = error.code();
  return code.starts_with("Authorization") || code.starts_with("Authentication") || code == "Forbidden" ||
         code == "InsufficientAccountPermissions" ||
         (code.empty() && error.message().find("(HTTP 403") != std::string::npos);
}

/// LIMIT TO without a list to compare with.
TableChoice take_at_their_word(const std::vector<std::string>& names) {
  TableChoice choice;
  for (const std::string& name : names) {
    backend::check_table_name(name);
    if (find_table(choice.tables, name) == nullptr) choice.tables.push_back(name);
  }
  return choice;
}

/// A service may have tables that another of its interfaces made.
bool can_be_mapped(const std::string& name, TableChoice& choice) {
  try {
    backend::check_table_name(name);
    return true;
  } catch (const Error& error) {
    choice.remarks.push_back("left out: " + error.message());
    return false;
  }
}

}  // namespace

const std::string* find_table(const std::vector<std::string>& tables, const std::string& name) {
  auto place = std::find(tables.begin(), tables.end(), name);
  if (place == tables.end()) {
    place = std::find_if(tables.begin(), tables.end(), [&](const std::string& table) {
      return definition::equal_without_case(table, name);
    });
  }
  return place == tables.end() ? nullptr : &*place;
}

void refuse_unknown_table(const std::string& server, const std::vector<std::string>& tables,
                          const std::string& name) {
  std::string what = "server " + server + " has no table " + name;
  const std::vector<std::string_view> choices(tables.begin(), tables.end());
  if (const std::string_view near = definition::closest(name, choices); !near.empty())
    what += "; did you mean " + std::string(near) + "?";
  throw Error(Error::Kind::missing, "", what);
}

TableChoice choose_tables(backend::Backend& backend, const ImportRequest& request,
                          const std::string& server) {
  std::vector<std::string> all;
  try {
    all = backend.list_tables();
  } catch (Error& error) {
    if (!may_not_list(error)) throw;
    if (request.selection == Selection::limit_to) return take_at_their_word(request.names);
    error.prefix("the tables cannot be listed (with a SAS of one table, name it with LIMIT TO)");
    throw;
  }
  TableChoice choice;
  std::vector<const std::string*> named;
  for (const std::string& name : request.names) {
    if (const std::string* table = find_table(all, name)) {
      named.push_back(table);
    } else if (request.selection == Selection::limit_to) {
      refuse_unknown_table(server, all, name);
    } else {
      choice.remarks.push_back("EXCEPT names " + name + ", which server " + server + " does not have");
    }
  }
  for (const std::string& table : all) {
    const bool is_named = std::find(named.begin(), named.end(), &table) != named.end();
    if (request.selection != Selection::all && is_named != (request.selection == Selection::limit_to))
      continue;
    if (can_be_mapped(table, choice)) choice.tables.push_back(table);
  }
  return choice;
}

}  // namespace table_storage::catalog
