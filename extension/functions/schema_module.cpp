// ts_schema(server, table [, sample_rows [, schema]]): what the entities of a table hold, one row a property.
// ts_import_notices: what the last IMPORT FOREIGN SCHEMA of this connection has to say.
#include <string>
#include <vector>

#include "extension/catalog/import.h"
#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"
#include "parser/json/entity_json.h"

namespace table_storage::functions {

namespace {

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

std::vector<ListRow> schema_of(catalog::Connection& connection, const std::vector<std::string>& arguments) {
  const catalog::SampleSize size = catalog::parse_sample_rows(arguments[2]);
  const catalog::OpenTable open =
      catalog::open_entity_table(connection, arguments[0], arguments[3], arguments[1]);
  const catalog::Evidence evidence = catalog::sample(*open.table, size);
  std::vector<ListRow> rows;
  std::size_t at = 0;
  for (const catalog::ColumnSuggestion& suggestion : catalog::suggest(evidence)) {
    const catalog::PropertyEvidence& property = evidence.properties()[at++];
    rows.push_back({property.name, text_or_null(suggestion.column.name), text_or_null(suggestion.text()),
                    types_text(property), static_cast<std::int64_t>(property.count()),
                    static_cast<std::int64_t>(evidence.entities() - property.count()),
                    property.first_partition_key, property.first_row_key, text_or_null(suggestion.notice)});
  }
  return rows;
}

std::vector<ListRow> import_notices(catalog::Connection& connection) {
  std::vector<ListRow> rows;
  for (const catalog::ImportNotice& notice : connection.import_notices) {
    rows.push_back({text_or_null(notice.schema), text_or_null(notice.table), text_or_null(notice.column),
                    text_or_null(notice.property), text_or_null(notice.text)});
  }
  return rows;
}

}  // namespace

int register_schema_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection) {
  return register_list(
      db,
      {.name = "ts_schema",
       .columns =
           "property TEXT, column_name TEXT, suggestion TEXT, types TEXT, count INTEGER, missing INTEGER, "
           "first_partition_key TEXT, first_row_key TEXT, notice TEXT",
       .arguments = {{.name = "server"},
                     {.name = "table"},
                     {.name = "sample_rows",
                      .required = false,
                      .may_be_integer = true,
                      .default_value = std::to_string(catalog::kDefaultSampleRows)},
                     {.name = "schema", .required = false, .default_value = "main"}},
       .usage = "a server and a table, as in SELECT * FROM ts_schema('local', 'Devices')",
       .rows = [connection](const std::vector<std::string>& arguments) {
         return schema_of(*connection, arguments);
       }});
}

int register_import_notices(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection) {
  return register_list(
      db, {.name = "ts_import_notices",
           .columns = "schema TEXT, table_name TEXT, column_name TEXT, property TEXT, notice TEXT",
           .arguments = {},
           .usage = "",
           .rows = [connection](const std::vector<std::string>&) { return import_notices(*connection); }});
}

}  // namespace table_storage::functions
