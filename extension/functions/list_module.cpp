#include "extension/functions/list_module.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

struct ListVtab {
  sqlite3_vtab base{};
  const ListFunction* function = nullptr;
  int first_argument = 0;  // column
};

struct ListCursor {
  sqlite3_vtab_cursor base{};
  std::vector<std::string> arguments;
  std::vector<ListRow> rows;
  std::size_t at = 0;
};

ListCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<ListCursor*>(cursor); }
ListVtab& of(sqlite3_vtab* vtab) { return *reinterpret_cast<ListVtab*>(vtab); }

int count_columns(std::string_view columns) {
  return 1 + static_cast<int>(std::count(columns.begin(), columns.end(), ','));
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    const auto* function = static_cast<const ListFunction*>(aux);
    std::string declaration = std::string("CREATE TABLE x(") + function->columns;
    for (const ListArgument& argument : function->arguments) {
      declaration +=
          std::string(", \"") + argument.name + "\"" + (argument.may_be_integer ? "" : " TEXT") + " HIDDEN";
    }
    if (const int rc = sqlite3_declare_vtab(db, (declaration + ")").c_str()); rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    auto* vtab = new ListVtab;
    vtab->function = function;
    vtab->first_argument = count_columns(function->columns);
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete &of(vtab);
  return SQLITE_OK;
}

/// idxNum: bit k says that argument k is given; they come in their order.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return module::guarded(vtab->zErrMsg, [&] {
    const ListFunction& function = *of(vtab).function;
    std::vector<int> place(function.arguments.size(), -1);
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      const int argument = constraint.iColumn - of(vtab).first_argument;
      if (argument < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (!constraint.usable) return SQLITE_CONSTRAINT;
      place[static_cast<std::size_t>(argument)] = i;
    }
    int given = 0;
    info->idxNum = 0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      if (place[k] < 0) {
        if (!function.arguments[k].required) continue;
        throw Error(Error::Kind::invalid, "", std::string(function.name) + " wants " + function.usage);
      }
      info->aConstraintUsage[place[k]].argvIndex = ++given;
      info->aConstraintUsage[place[k]].omit = 1;
      info->idxNum |= 1 << k;
    }
    info->estimatedCost = 100;
    info->estimatedRows = 25;
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new ListCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &of(cursor);
  return SQLITE_OK;
}

std::string value_of(const ListFunction& function, const ListArgument& argument, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_TEXT && !(argument.may_be_integer && type == SQLITE_INTEGER)) {
    throw Error(Error::Kind::invalid, "",
                std::string(function.name) + " wants the " + argument.name + " as text, not " +
                    module::describe(value));
  }
  return std::string(module::text_of(value));
}

int filter(sqlite3_vtab_cursor* base, int which, const char*, int, sqlite3_value** argv) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    const ListFunction& function = *of(base->pVtab).function;
    ListCursor& cursor = of(base);
    cursor.rows.clear();
    cursor.at = 0;
    cursor.arguments.clear();
    for (std::size_t k = 0; k < function.arguments.size(); ++k) {
      const ListArgument& argument = function.arguments[k];
      const bool given = (which & (1 << k)) != 0;
      cursor.arguments.push_back(given ? value_of(function, argument, *argv++) : argument.default_value);
    }
    cursor.rows = function.rows(cursor.arguments);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).rows.size() ? 1 : 0; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const auto show = [&](const std::string& text) {
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  };
  const ListCursor& cursor = of(base);
  if (const int argument = index - of(base->pVtab).first_argument; argument >= 0) {
    show(cursor.arguments[static_cast<std::size_t>(argument)]);
    return SQLITE_OK;
  }
  const ListValue& value = cursor.rows[cursor.at][static_cast<std::size_t>(index)];
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(context, *integer);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    show(*text);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_result_double(context, *real);
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(of(cursor).at) + 1;
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xConnect = connect;  // no xCreate: it exists by its name alone
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}

const sqlite3_module kModule = make_module();

}  // namespace

int register_list(sqlite3* db, ListFunction function) {
  const char* name = function.name;
  return sqlite3_create_module_v2(db, name, &kModule, new ListFunction(std::move(function)),
                                  [](void* p) { delete static_cast<ListFunction*>(p); });
}

}  // namespace table_storage::functions
