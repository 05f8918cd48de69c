// ts_schema(server, table [, sample_rows [, schema]]): what the entities of a table hold, one row a property.
// ts_import_notices: what the last IMPORT FOREIGN SCHEMA of this connection has to say.
#include <array>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "extension/catalog/import.h"
#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

namespace table_storage::functions {

namespace {

using ConnectionPointer = std::shared_ptr<catalog::Connection>;

enum SchemaColumn : int {
  kProperty,
  kColumnName,
  kSuggestion,
  kTypes,
  kCount,
  kMissing,
  kFirstPartitionKey,
  kFirstRowKey,
  kNotice,
  // The arguments, hidden.
  kServer,
  kTable,
  kSampleRows,
  kSchema
};
constexpr int kArguments = 4;

constexpr const char* kDeclaration =
    "CREATE TABLE x(property TEXT, column_name TEXT, suggestion TEXT, types TEXT, count INTEGER, "
    "missing INTEGER, first_partition_key TEXT, first_row_key TEXT, notice TEXT, server TEXT HIDDEN, "
    "\"table\" TEXT HIDDEN, sample_rows HIDDEN, schema TEXT HIDDEN)";

struct SchemaVtab {
  sqlite3_vtab base{};
  ConnectionPointer connection;
};

struct SchemaCursor {
  sqlite3_vtab_cursor base{};
  std::array<std::string, kArguments> arguments;
  catalog::Evidence evidence;
  std::vector<catalog::ColumnSuggestion> columns;
  std::size_t at = 0;
};

SchemaCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<SchemaCursor*>(cursor); }

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    if (const int rc = sqlite3_declare_vtab(db, kDeclaration); rc != SQLITE_OK) return rc;
    // It asks a service: not for views and triggers of a file from somewhere.
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    auto* vtab = new SchemaVtab;
    vtab->connection = *static_cast<ConnectionPointer*>(aux);
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<SchemaVtab*>(vtab);
  return SQLITE_OK;
}

/// idxNum: bit k says that argument k is given; they come in their order.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return module::guarded(vtab->zErrMsg, [&] {
    std::array<int, kArguments> place{-1, -1, -1, -1};
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn < kServer || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (!constraint.usable) return SQLITE_CONSTRAINT;
      place[static_cast<std::size_t>(constraint.iColumn - kServer)] = i;
    }
    if (place[0] < 0 || place[1] < 0) {
      throw Error(Error::Kind::invalid, "",
                  "ts_schema wants a server and a table, as in SELECT * FROM ts_schema('local', 'Devices')");
    }
    int argument = 0;
    info->idxNum = 0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      if (place[k] < 0) continue;
      info->aConstraintUsage[place[k]].argvIndex = ++argument;
      info->aConstraintUsage[place[k]].omit = 1;
      info->idxNum |= 1 << k;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 20;
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new SchemaCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<SchemaCursor*>(cursor);
  return SQLITE_OK;
}

/// sample_rows may be a number too.
std::string argument(int index, sqlite3_value* value) {
  constexpr std::array<const char*, kArguments> kNames{"server", "table", "sample_rows", "schema"};
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_TEXT && !(index == kSampleRows - kServer && type == SQLITE_INTEGER)) {
    throw Error(Error::Kind::invalid, "",
                std::string("ts_schema wants the ") + kNames[static_cast<std::size_t>(index)] +
                    " as text, not " + module::describe(value));
  }
  return std::string(module::text_of(value));
}

int filter(sqlite3_vtab_cursor* base, int which, const char*, int, sqlite3_value** argv) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    SchemaCursor& cursor = of(base);
    cursor.columns.clear();
    cursor.at = 0;
    cursor.arguments = {"", "", std::to_string(catalog::kDefaultSampleRows), "main"};
    int next = 0;
    for (int k = 0; k < kArguments; ++k) {
      if ((which & (1 << k)) != 0) cursor.arguments[static_cast<std::size_t>(k)] = argument(k, argv[next++]);
    }
    const auto& [server, table, sample_rows, schema] = cursor.arguments;
    const catalog::SampleSize size = catalog::parse_sample_rows(sample_rows);
    auto& connection = *reinterpret_cast<SchemaVtab*>(base->pVtab)->connection;
    const catalog::OpenTable open = catalog::open_entity_table(connection, server, schema, table);
    cursor.evidence = catalog::sample(*open.table, size);
    cursor.columns = catalog::suggest(cursor.evidence);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).columns.size() ? 1 : 0; }

/// {"Int32":12,"Double":988}
std::string types_text(const catalog::PropertyEvidence& property) {
  std::string out = "{";
  for (std::size_t t = 0; t < property.counts.size(); ++t) {
    if (property.counts[t] == 0) continue;
    if (out.size() > 1) out += ',';
    json::append_string(out, edm::name_of(static_cast<edm::Type>(t)).substr(4));  // less "Edm."
    out += ':' + std::to_string(property.counts[t]);
  }
  return out += '}';
}

void result_text(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

/// Empty is NULL.
void result_optional(sqlite3_context* context, const std::string& text) {
  if (!text.empty()) result_text(context, text);
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  module::guarded_result(context, [&] {
    const SchemaCursor& cursor = of(base);
    const catalog::ColumnSuggestion& suggestion = cursor.columns[cursor.at];
    const catalog::PropertyEvidence& property = cursor.evidence.properties()[cursor.at];
    switch (index) {
      case kProperty:
        return result_text(context, property.name);
      case kColumnName:
        return result_optional(context, suggestion.column.name);
      case kSuggestion:
        return result_optional(context, suggestion.text());
      case kTypes:
        return result_text(context, types_text(property));
      case kCount:
        return sqlite3_result_int64(context, static_cast<sqlite3_int64>(property.count()));
      case kMissing:
        return sqlite3_result_int64(
            context, static_cast<sqlite3_int64>(cursor.evidence.entities() - property.count()));
      case kFirstPartitionKey:
        return result_text(context, property.first_partition_key);
      case kFirstRowKey:
        return result_text(context, property.first_row_key);
      case kNotice:
        return result_optional(context, suggestion.notice);
      default:
        return result_text(context, cursor.arguments[static_cast<std::size_t>(index - kServer)]);
    }
  });
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

std::vector<ListRow> import_notices(catalog::Connection& connection) {
  const auto shown = [](const std::string& text) { return text.empty() ? ListValue() : ListValue(text); };
  std::vector<ListRow> rows;
  for (const catalog::ImportNotice& notice : connection.import_notices) {
    rows.push_back({shown(notice.schema), shown(notice.table), shown(notice.column), shown(notice.property),
                    shown(notice.text)});
  }
  return rows;
}

}  // namespace

int register_schema_module(sqlite3* db, ConnectionPointer connection) {
  return sqlite3_create_module_v2(db, "ts_schema", &kModule, new ConnectionPointer(std::move(connection)),
                                  [](void* p) { delete static_cast<ConnectionPointer*>(p); });
}

int register_import_notices(sqlite3* db, ConnectionPointer connection) {
  return register_list(
      db, "ts_import_notices",
      "CREATE TABLE x(schema TEXT, table_name TEXT, column_name TEXT, property TEXT, notice TEXT)",
      import_notices, std::move(connection));
}

}  // namespace table_storage::functions
