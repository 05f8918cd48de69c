#include "extension/module/foreign_table.h"

#include <algorithm>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/catalog/options.h"
#include "parser/definition/table_definition.h"
#include "parser/error.h"

namespace table_storage::module {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(a.size())) == 0;
}

/// SQLite's compiled limit; the declaration would fail with less to say.
constexpr std::size_t kMaxColumns = 2000;

/// Option `property`, else the column's name; it has to be a name that an entity can have.
std::string property_of(const definition::Column& column) {
  std::string property = column.name;
  for (const definition::Option& option : column.options) {
    catalog::validate(catalog::ObjectKind::column, option.name, option.value, column.name);
    if (same_name(option.name, "property")) property = option.value;
  }
  return property;
}

void check_property_names(const std::vector<Column>& columns) {
  for (std::size_t i = kFirstProperty; i < columns.size(); ++i) {
    try {
      backend::check_property_name(columns[i].property);
    } catch (Error& error) {
      error.prefix("column " + quoted(columns[i].name));
      throw;
    }
    for (int key : {kPartitionKey, kRowKey, kTimestamp}) {
      const std::string& system = columns[static_cast<std::size_t>(key)].name;
      if (columns[i].property == system) {
        throw Error(Error::Kind::invalid, "",
                    "column " + quoted(columns[i].name) + " cannot stand for property '" + system +
                        "': every foreign table has a column of that name");
      }
    }
    for (std::size_t j = kFirstProperty; j < i; ++j) {
      if (columns[i].property == columns[j].property) {
        throw Error(Error::Kind::invalid, "",
                    "columns " + quoted(columns[j].name) + " and " + quoted(columns[i].name) +
                        " both stand for property '" + columns[i].property +
                        "'; one property has one column (ANY shows every type)");
      }
    }
  }
}

void apply_option(ForeignTableDefinition& definition, const definition::Option& option) {
  catalog::validate(catalog::ObjectKind::table, option.name, option.value, definition.name);
  if (same_name(option.name, "table")) {
    backend::check_table_name(option.value);
    definition.entity_table = option.value;
    definition.entity_table_is_sql_name = false;
  } else if (same_name(option.name, "on_type_mismatch")) {
    definition.on_type_mismatch =
        same_name(option.value, "error") ? OnTypeMismatch::error : OnTypeMismatch::null;
  } else if (same_name(option.name, "estimated_rows")) {
    definition.estimated_rows = catalog::parse_integer(option.value);
  } else if (same_name(option.name, "updatable")) {
    definition.updatable = catalog::parse_boolean(option.value).value_or(true);
  } else {
    definition.remote.set(option.name, option.value);
  }
}

}  // namespace

int ForeignTableDefinition::column(std::string_view wanted) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (same_name(columns[i].name, wanted)) return static_cast<int>(i);
  }
  return -1;
}

ForeignTableDefinition define(const catalog::Connection& connection, int argc, const char* const* argv,
                              bool creating) {
  ForeignTableDefinition definition;
  definition.schema = argv[1];
  definition.name = argv[2];
  definition.entity_table = definition.name;
  const std::vector<std::string> arguments(argv + 3, argv + argc);
  catalog::refuse_secrets(arguments);
  definition::TableDefinition parsed = definition::parse_table_definition(arguments);

  if (parsed.server) definition.server = *parsed.server;
  if (creating && !connection.has_server(definition.server)) {
    std::string known;
    for (const std::string& server : connection.servers())
      known += (known.empty() ? "" : ", ") + quoted(server);
    throw Error(Error::Kind::invalid, "",
                "server " + quoted(definition.server) + " does not exist; there is " + known);
  }
  for (const definition::Option& option : parsed.options) apply_option(definition, option);
  if (definition.entity_table_is_sql_name) {
    try {
      backend::check_table_name(definition.entity_table);
    } catch (Error& error) {
      error.prefix("the SQL name " + quoted(definition.name) +
                   " cannot name an entity table; give its name with OPTIONS (table '…')");
      throw;
    }
  }

  definition.remote.name = "table " + definition.name;
  if (definition.remote.is_remote() && parsed.server) {
    throw Error(Error::Kind::invalid, "",
                definition.name + " names SERVER " + quoted(*parsed.server) +
                    " and a service of its own (connection_string or endpoint); give one of them");
  }

  definition.columns = system_columns();
  for (definition::Column& column : parsed.columns) {
    Column made;
    made.property = property_of(column);
    made.name = std::move(column.name);
    made.type = column.type;
    definition.columns.push_back(std::move(made));
  }
  if (definition.columns.size() > kMaxColumns) {
    throw Error(Error::Kind::invalid, "",
                definition.name + " would have " + std::to_string(definition.columns.size()) +
                    " columns with the six of every foreign table; SQLite allows 2000");
  }
  check_property_names(definition.columns);
  return definition;
}

// No PRIMARY KEY: in a rowid virtual table it would only decorate table_info, but SQLite keeps an index
// object for it whose root page is a number of no meaning, and PRAGMA integrity_check then reports the file
// as damaged.
std::string declaration(const ForeignTableDefinition& definition) {
  std::string text;
  for (const Column& column : definition.columns) text += (text.empty() ? "" : ", ") + column.declaration();
  return "CREATE TABLE x(" + text + ")";
}

ForeignTable::ForeignTable(std::shared_ptr<Session> session, ForeignTableDefinition definition)
    : session_(std::move(session)),
      definition_(std::move(definition)),
      state_(session_->state_of(definition_.schema, definition_.name)) {}

backend::Table& ForeignTable::backend_table() {
  if (!table_) {
    backend_ = definition_.remote.is_remote()
                   ? connection().open_backend(definition_.remote)
                   : connection().open_backend(definition_.server, definition_.schema);
    table_ = backend_->open_table(definition_.entity_table);
  }
  return *table_;
}

namespace {

class PlanResolver {
 public:
  PlanResolver(const ForeignTableDefinition& definition, std::string_view text)
      : definition_(definition), plan_(plan::parse_plan(text)) {}

  ResolvedPlan run() {
    ResolvedPlan resolved;
    resolved.access = plan_.access;
    if (plan_.access == plan::Plan::Access::row) {
      const plan::Condition& row = plan_.keys.front();
      resolved.keys.push_back({-1, row.op, row.argument.position - 1, row.argument.literal});
    } else {
      for (const plan::Condition& key : plan_.keys) resolved.keys.push_back(resolve(key));
    }
    for (const plan::Condition& condition : plan_.filter) resolved.filter.push_back(resolve(condition));
    for (const plan::Argument& argument : plan_.odata) resolved.odata.push_back(argument.position - 1);
    for (const std::string& name : plan_.order) resolved.order.push_back(index(name));
    if (plan_.limit) resolved.limit = plan_.limit->position - 1;
    if (plan_.offset) resolved.offset = plan_.offset->position - 1;
    resolved.slots.assign(definition_.columns.size(), -1);
    for (const std::string& name : plan_.fetch) {
      const int column = index(name);
      const Column& fetched = definition_.columns[static_cast<std::size_t>(column)];
      if (fetched.role == Column::Role::properties) {
        resolved.projection.all_properties = true;
        continue;
      }
      resolved.slots[static_cast<std::size_t>(column)] =
          static_cast<int>(resolved.projection.properties.size());
      resolved.projection.properties.push_back(fetched.property);
    }
    return resolved;
  }

 private:
  int index(const std::string& name) const {
    const int column = definition_.column(name);
    if (column < 0) {
      throw Error(Error::Kind::invalid, "",
                  "the plan names column " + quoted(name) + ", which " + definition_.name + " does not have");
    }
    return column;
  }

  ResolvedCondition resolve(const plan::Condition& condition) const {
    return {index(condition.column), condition.op, condition.argument.position - 1,
            condition.argument.literal};
  }

  const ForeignTableDefinition& definition_;
  plan::Plan plan_;
};

}  // namespace

std::shared_ptr<const ResolvedPlan> ForeignTable::resolve(std::string_view plan_text) {
  auto place = plans_.find(plan_text);
  if (place == plans_.end()) {
    auto resolved = std::make_shared<const ResolvedPlan>(PlanResolver(definition_, plan_text).run());
    // Ad-hoc statements must not fill the memory of a long-lived connection.
    constexpr std::size_t kMaxPlans = 256;
    if (plans_.size() >= kMaxPlans) plans_.clear();
    place = plans_.emplace(std::string(plan_text), std::move(resolved)).first;
  }
  return place->second;
}

}  // namespace table_storage::module
