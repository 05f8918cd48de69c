#include "extension/module/foreign_table.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/catalog/options.h"
#include "extension/catalog/table_options.h"
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
      // The column's name may be any; the property has it only where no option says otherwise.
      const bool by_name = columns[i].property == columns[i].name;
      error.prefix("column " + module::quoted(columns[i].name) +
                   (by_name ? ", which needs OPTIONS (property '…') to say what it shows" : ""));
      throw;
    }
    for (int key : {kPartitionKey, kRowKey, kTimestamp}) {
      const std::string& system = columns[static_cast<std::size_t>(key)].name;
      if (columns[i].property == system) {
        throw Error(Error::Kind::invalid, "",
                    "column " + module::quoted(columns[i].name) + " cannot stand for property '" + system +
                        "': every foreign table has a column of that name");
      }
    }
    for (std::size_t j = kFirstProperty; j < i; ++j) {
      if (columns[i].property == columns[j].property) {
        throw Error(Error::Kind::invalid, "",
                    "columns " + module::quoted(columns[j].name) + " and " + module::quoted(columns[i].name) +
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
  } else {
    definition.remote.set(option.name, option.value);
  }
}

/// Options that the table or its server may carry. `server` holds those of the server.
void apply_settings(ForeignTableDefinition& definition, std::span<const definition::Option> server) {
  const auto value = [&](std::string_view name) {
    return catalog::effective_value(name, {definition.options, server});
  };
  const auto number = [&](std::string_view name) {
    return static_cast<std::uint64_t>(catalog::parse_integer(value(name)).value_or(0));
  };
  const auto is = [&](std::string_view name, std::string_view choice) {
    return same_name(value(name), choice);
  };
  backend::TableOptions& backend = definition.backend_options;
  catalog::set_table_options(backend, {definition.options, server});
  definition.on_type_mismatch =
      is("on_type_mismatch", "error") ? OnTypeMismatch::error : OnTypeMismatch::null;
  definition.updatable = catalog::parse_boolean(value("updatable")).value_or(true);
  definition.require_key = is("require_key", "error")  ? RequireKey::error
                           : is("require_key", "warn") ? RequireKey::warn
                                                       : RequireKey::off;
  definition.join_cache_memory = number("join_cache_memory") << 20;
  definition.max_requests =
      number("max_requests") == 0 ? std::nullopt : std::optional(number("max_requests"));
  const std::chrono::seconds time(number("statement_timeout"));
  if (!definition.max_requests && time.count() == 0) {
    backend.budget.reset();
  } else {
    if (!backend.budget) backend.budget = std::make_shared<backend::RequestBudget>();
    backend.budget->limit = definition.max_requests.value_or(std::numeric_limits<std::uint64_t>::max());
    backend.budget->time = time;
  }
  // The default of estimated_rows gives way to what a scan has counted.
  const auto states = [](std::span<const definition::Option> options) {
    return std::any_of(options.begin(), options.end(), [](const definition::Option& option) {
      return same_name(option.name, "estimated_rows");
    });
  };
  definition.estimated_rows = states(definition.options) || states(server)
                                  ? catalog::parse_integer(value("estimated_rows"))
                                  : std::nullopt;
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
  definition.backend_options.name = definition.name;
  const std::vector<std::string> arguments(argv + 3, argv + argc);
  catalog::refuse_secrets(arguments);
  definition::TableDefinition parsed = definition::parse_table_definition(arguments);

  if (parsed.server) definition.server = *parsed.server;
  if (creating && !connection.has_server(definition.server, definition.schema)) {
    std::string known;
    for (const std::string& server : connection.servers())
      known += (known.empty() ? "" : ", ") + module::quoted(server);
    throw Error(Error::Kind::invalid, "",
                "server " + module::quoted(definition.server) + " does not exist; there is " + known);
  }
  for (const definition::Option& option : parsed.options) apply_option(definition, option);
  definition.options = parsed.options;
  apply_settings(definition, {});
  if (definition.entity_table_is_sql_name) {
    try {
      backend::check_table_name(definition.entity_table);
    } catch (Error& error) {
      error.prefix("the SQL name " + module::quoted(definition.name) +
                   " cannot name an entity table; give its name with OPTIONS (table '…')");
      throw;
    }
  }

  definition.remote.name = "table " + definition.name;
  for (const definition::Option& option : parsed.options) {
    if (!parsed.server || !catalog::is_service_option(option.name)) continue;
    throw Error(Error::Kind::invalid, "",
                definition.name + " names SERVER " + module::quoted(*parsed.server) + ", and then option " +
                    std::string(catalog::find_option(option.name)->name) +
                    " belongs to the server; a table of its own service names no SERVER");
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
      state_(session_->state_of(definition_.schema, definition_.name)) {
  const bool local =
      !definition_.remote.is_remote() && catalog::folded(definition_.server) == catalog::kLocalServer;
  // Services are not told apart: the same one may be reached by two names.
  writes_ = session_->writes_of(local ? "schema " + definition_.schema : "service", definition_.entity_table);
  // Only a stored server can change under an open table.
  if (!definition_.remote.is_remote() && !catalog::is_builtin_server(definition_.server))
    server_reader_.emplace(connection().db(), definition_.server, definition_.schema);
}

std::string address_of(const sqlite3_vtab* table) {
  char* text = sqlite3_mprintf("%p", table);
  if (text == nullptr) throw std::bad_alloc();
  struct Free {
    void operator()(char* p) const { sqlite3_free(p); }
  };
  return std::unique_ptr<char, Free>(text).get();
}

std::optional<std::uint64_t> ForeignTable::likely_rows() const {
  if (definition_.estimated_rows) return static_cast<std::uint64_t>(*definition_.estimated_rows);
  if (state_->known_rows) return std::max(*state_->known_rows, state_->at_least_rows);
  // A scan that ended early tells little of a small table.
  constexpr std::uint64_t kTelling = 8'000;
  if (state_->at_least_rows >= kTelling) return 2 * state_->at_least_rows;
  return std::nullopt;
}

backend::Table& ForeignTable::backend_table() {
  if (!table_) refresh();
  return *table_;
}

void ForeignTable::refresh() {
  const std::uint64_t generation = connection().generation();
  if (table_ && (state_->writing || (!server_reader_ && generation == generation_))) return;
  if (!server_reader_) {
    open(definition_.remote.is_remote() ? catalog::Connection::server_in_use(definition_.remote)
                                        : connection().find_server(definition_.server, definition_.schema));
  } else if (std::optional<catalog::ServerReader::Row> row = server_reader_->read()) {
    if (table_ && row == server_row_ && generation == generation_) return;
    const catalog::ServerInUse server = connection().server_in_use(*row, definition_.schema);
    apply_settings(definition_, server.options);
    if (!server.remote) writes_ = session_->writes_of("schema " + server.schema, definition_.entity_table);
    open(server);
    server_row_ = std::move(row);
  } else {
    catalog::require_server(connection().db(), definition_.server, definition_.schema);  // says what there is
    throw Error(Error::Kind::invalid, "", "server " + module::quoted(definition_.server) + " does not exist");
  }
  generation_ = generation;
}

void ForeignTable::open(const catalog::ServerInUse& server) {
  std::unique_ptr<backend::Backend> backend = connection().open_backend(server);
  std::unique_ptr<backend::Table> table =
      backend->open_table(definition_.entity_table, definition_.backend_options);
  if (table_) {
    const backend::Capabilities before = table_->capabilities();
    const backend::Capabilities after = table->capabilities();
    if (before.dialect != after.dialect || before.key_order != after.key_order) ++plan_epoch_;
    // A scan of a statement that is under way may still use it.
    if (open_cursors_ > 0) retired_.emplace_back(std::move(backend_), std::move(table_));
    table_.reset();
  }
  backend_ = std::move(backend);
  table_ = std::move(table);
  if (state_->writing) table_->begin();  // made or reconnected in a transaction that is under way
}

void ForeignTable::check_plan_epoch(int epoch) {
  if (epoch == plan_epoch_) return;
  connection().servers_changed();
  throw Error(
      Error::Kind::storage, "",
      "the server of table " + definition_.name +
          " was changed after this statement was prepared, and its plan no longer holds; run it again")
      .native(SQLITE_ABORT);
}

namespace {

class PlanResolver {
 public:
  PlanResolver(const ForeignTableDefinition& definition, std::string_view text)
      : definition_(definition), text_(text), plan_(plan::parse_plan(text)) {}

  ResolvedPlan run() {
    ResolvedPlan resolved;
    resolved.text = text_;
    resolved.access = plan_.access;
    if (plan_.access == plan::Plan::Access::row) {
      const plan::Condition& row = plan_.keys.front();
      resolved.keys.push_back({-1, row.op, row.argument.position - 1, row.argument.literal});
    } else {
      for (const plan::Condition& key : plan_.keys) resolved.keys.push_back(resolve(key));
    }
    for (const plan::Condition& condition : plan_.filter) resolved.filter.push_back(resolve(condition));
    for (const plan::Condition& condition : plan_.match) resolved.match.push_back(resolve(condition));
    for (const plan::Argument& argument : plan_.odata) resolved.odata.push_back(argument.position - 1);
    for (const std::string& name : plan_.order) resolved.order.push_back(index(name));
    resolved.distinct_partitions = plan_.distinct_partitions;
    if (plan_.limit) resolved.limit = plan_.limit->position - 1;
    if (plan_.offset) resolved.offset = plan_.offset->position - 1;
    resolved.slots.assign(definition_.columns.size(), -1);
    resolved.projection.timestamp = false;
    for (const std::string& name : plan_.fetch) {
      const int column = index(name);
      const Column& fetched = definition_.columns[static_cast<std::size_t>(column)];
      if (fetched.role == Column::Role::timestamp) {
        resolved.projection.timestamp = true;
        continue;
      }
      if (fetched.role == Column::Role::properties) {
        resolved.projection.all_properties = true;
        continue;
      }
      if (fetched.role == Column::Role::etag) {
        resolved.etag = true;
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
      throw Error(
          Error::Kind::invalid, "",
          "the plan names column " + module::quoted(name) + ", which " + definition_.name + " does not have");
    }
    return column;
  }

  ResolvedCondition resolve(const plan::Condition& condition) const {
    return {index(condition.column), condition.op, condition.argument.position - 1,
            condition.argument.literal};
  }

  const ForeignTableDefinition& definition_;
  std::string_view text_;
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
