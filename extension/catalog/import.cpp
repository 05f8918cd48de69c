#include "extension/catalog/import.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/catalog/fdw_tables.h"
#include "extension/catalog/foreign_tables.h"
#include "extension/catalog/import_choice.h"
#include "extension/catalog/options.h"
#include "extension/catalog/table_options.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using definition::equal_without_case;

namespace {

constexpr int kSystemColumnCount = 6;  // PartitionKey, RowKey, Timestamp and the three hidden ones

/// Fails before anything is asked of the service.
void check_schema(sqlite3* db, const std::string& schema) {
  const std::vector<std::string> known = schemas(db);
  if (std::none_of(known.begin(), known.end(),
                   [&](const std::string& name) { return equal_without_case(name, schema); })) {
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    refuse("there is no schema " + schema + " to import into; there are " + all);
  }
  // temp can always be written, and before its first use SQLite would say it is not there.
  if (!equal_without_case(schema, "temp") && sqlite3_db_readonly(db, schema.c_str()) == 1) {
    throw Error(
        Error::Kind::invalid, "",
        "schema " + schema +
            " is read-only, so no foreign tables can be made in it; IMPORT FOREIGN SCHEMA … INTO temp "
            "makes them for this connection alone")
        .native(SQLITE_READONLY);
  }
}

/// Runs one import: chooses, reads and checks first, then makes the tables.
class Import {
 public:
  Import(Connection& connection, const ImportRequest& request)
      : connection_(connection), db_(connection.db()), request_(request), server_(request.server) {
    // A service may be given in place of a server's name; then the tables say where it is.
    const ServerDefinition service = server_from_text(request.server);
    if (!service.is_remote()) return;
    server_ = service.name;
    if (!service.endpoint.empty())
      service_options_.push_back({"endpoint", service.endpoint, 0});
    else
      service_options_.push_back({"connection_string", service.connection_string, 0});
  }

  std::vector<ImportedTable> run() {
    connection_.import_notices.clear();
    take_options();
    check_schema(db_, request_.schema);
    const ServerInUse server = connection_.find_server(request_.server, request_.schema);
    set_table_options(reading_, {table_options_, server.options});
    backend_ = connection_.open_backend(server);
    const TableChoice choice = choose_tables(*backend_, request_, server_);
    for (const std::string& remark : choice.remarks) note({}, {}, remark);
    if (choice.tables.empty()) note({}, {}, "there is no table to import from server " + server_);
    name_tables(choice.tables);
    for (Planned& table : tables_) plan(table);
    std::vector<ImportedTable> done;
    for (const Planned& table : tables_) {
      carry_out(table);
      done.push_back(table.result);
    }
    connection_.import_notices = std::move(notices_);
    return done;
  }

 private:
  struct Planned {
    ImportedTable result;
    std::optional<definition::TableDefinition> existing;
    definition::TableDefinition wanted;
  };

  std::string described(const std::string& entity_table) const {
    return "table " + entity_table + " of server " + server_;
  }

  void note(const std::string& table, const std::string& text) { note(table, {}, text); }
  void note(const std::string& table, const ColumnSuggestion& column, const std::string& text) {
    notices_.push_back({request_.schema, table, column.column.name, column.property, text});
  }

  /// Options of tables that say neither which entity table nor which service it is.
  static bool may_be_given_to_all(const OptionSpec& option) {
    return option.carried_by(ObjectKind::table) && option.name != "table" && !is_service_option(option.name);
  }

  void take_options() {
    for (const definition::Option& option : request_.options) {
      if (equal_without_case(option.name, "sample_rows")) {
        sample_ = parse_sample_rows(option.value);
        continue;
      }
      const OptionSpec* known = find_option(option.name);
      if (known == nullptr || !may_be_given_to_all(*known)) {
        std::string names;
        for (const OptionSpec& one : all_options()) {
          if (may_be_given_to_all(one)) names += (names.empty() ? "" : ", ") + std::string(one.name);
        }
        refuse("IMPORT FOREIGN SCHEMA has no option " + definition::excerpt(option.name, 40) +
               "; it takes sample_rows, and what all imported tables are to have: " + names);
      }
      validate(ObjectKind::table, option.name, option.value);
      table_options_.push_back(option);
    }
  }

  /// The definition, if the name belongs to a foreign table of the entity table on this server.
  std::optional<definition::TableDefinition> mapping_of(const std::string& name,
                                                        const std::string& entity_table) {
    const std::optional<Relation> relation = find_relation(db_, request_.schema, name);
    if (!relation || !relation->is_foreign()) return std::nullopt;
    definition::TableDefinition definition = parse(*relation);
    const std::string mapped = entity_table_of(definition, relation->name);
    const bool same = case_counts_ ? mapped == entity_table : equal_without_case(mapped, entity_table);
    if (!same || !is_on_this_server(definition)) return std::nullopt;
    return definition;
  }

  static definition::TableDefinition parse(const Relation& relation) {
    try {
      return definition::parse_table_definition(*relation.arguments);
    } catch (Error& error) {
      error.prefix("foreign table " + relation.name);
      throw;
    }
  }

  static bool names_service(const definition::Option& option) {
    return equal_without_case(option.name, "connection_string") ||
           equal_without_case(option.name, "endpoint") || equal_without_case(option.name, "account");
  }

  bool is_on_this_server(const definition::TableDefinition& definition) const {
    for (const definition::Option& option : definition.options) {
      if (names_service(option)) {
        return !service_options_.empty() && equal_without_case(option.name, service_options_.front().name) &&
               option.value == service_options_.front().value;
      }
    }
    return service_options_.empty() &&
           folded(definition.server.value_or(kLocalServer)) == folded(request_.server);
  }

  /// The SQL name of each: its own, or with a number behind it where names of the service differ in case
  /// alone. Names that an earlier import gave stay with their tables.
  void name_tables(const std::vector<std::string>& entity_tables) {
    for (const std::string& entity_table : entity_tables) {
      const auto twins =
          std::count_if(entity_tables.begin(), entity_tables.end(),
                        [&](const std::string& other) { return equal_without_case(other, entity_table); });
      case_counts_ = case_counts_ || twins > 1;
    }
    if (!entity_tables.empty() && !case_counts_) {
      const auto any = backend_->open_table(entity_tables.front(), {});
      case_counts_ = any->capabilities().dialect == backend::Dialect::cosmos;
    }
    std::vector<std::string> taken;
    const auto is_taken = [&](const std::string& name) {
      return std::any_of(taken.begin(), taken.end(),
                         [&](const std::string& other) { return equal_without_case(other, name); });
    };
    const auto candidate = [](const std::string& entity_table, std::size_t n) {
      return n == 1 ? entity_table : entity_table + "_" + std::to_string(n);
    };
    for (const std::string& entity_table : entity_tables) {
      Planned table;
      table.result.entity_table = entity_table;
      for (std::size_t n = 1; n <= (case_counts_ ? entity_tables.size() : 1) && !table.existing; ++n) {
        const std::string name = candidate(entity_table, n);
        if (is_taken(name)) continue;
        table.existing = mapping_of(name, entity_table);
        if (table.existing) table.result.name = name;
      }
      if (table.existing) taken.push_back(table.result.name);
      tables_.push_back(std::move(table));
    }
    for (Planned& table : tables_) {
      if (table.existing) continue;
      std::size_t n = 1;
      while (is_taken(candidate(table.result.entity_table, n))) ++n;
      table.result.name = candidate(table.result.entity_table, n);
      taken.push_back(table.result.name);
      check_free(table.result);
      if (n > 1) {
        note(table.result.name,
             "is called so because SQL names do not tell upper from lower case, and the "
             "server has two tables of the name " +
                 table.result.entity_table);
      }
    }
  }

  void check_free(const ImportedTable& table) const {
    const std::optional<Relation> other = find_relation(db_, request_.schema, table.name);
    if (!other) return;
    std::string what =
        "the name of " + described(table.entity_table) + " is taken: schema " + request_.schema + " has ";
    if (!other->is_foreign()) {
      what += (other->type == "index" ? "an index " : "a " + other->type + " ") + other->name;
    } else {
      const definition::TableDefinition definition = parse(*other);
      what += "a foreign table " + other->name;
      if (is_on_this_server(definition)) {
        what += " for table " + entity_table_of(definition, other->name) + " of the same server";
      } else if (std::any_of(definition.options.begin(), definition.options.end(), names_service)) {
        what += " of another service";
      } else {
        what += " of server " + definition.server.value_or(kLocalServer);
      }
    }
    refuse(what + ". Drop or rename it, leave the table out with EXCEPT (" + table.entity_table +
           "), or import into another schema");
  }

  void plan(Planned& table) {
    try {
      const auto opened = backend_->open_table(table.result.entity_table, reading_);
      const Evidence evidence = sample(*opened, sample_);
      plan(table, evidence);
    } catch (Error& error) {
      error.prefix("importing " + described(table.result.entity_table));
      throw;
    }
  }

  void plan(Planned& table, const Evidence& evidence) {
    const std::string& name = table.result.name;
    definition::TableDefinition& wanted = table.wanted;
    const std::vector<definition::Column> declared =
        table.existing ? table.existing->columns : std::vector<definition::Column>();
    const std::vector<ColumnSuggestion> columns = suggest(evidence, declared);
    for (const ColumnSuggestion& column : columns) {
      if (column.usable) wanted.columns.push_back(column.column);
    }
    if (service_options_.empty()) wanted.server = request_.server;
    if (table.existing) {
      wanted.server = table.existing->server;
      wanted.options = table.existing->options;
    }
    for (const definition::Option& option : service_options_) set_option(wanted.options, option, false);
    set_option(wanted.options, {"table", table.result.entity_table, 0}, false);
    for (const definition::Option& option : table_options_) set_option(wanted.options, option, true);

    check_width(table.result.entity_table, wanted);

    if (table.existing) {
      table.result.action = same(*table.existing, wanted) ? ImportAction::unchanged : ImportAction::updated;
    }
    note(name, summary(table, evidence, declared.size()));
    for (const ColumnSuggestion& column : columns) {
      if (!column.notice.empty()) note(name, column, column.notice);
    }
  }

  /// SQLite's limit holds for the columns, and with the same number for the arguments of the module.
  void check_width(const std::string& entity_table, const definition::TableDefinition& wanted) const {
    const int limit = sqlite3_limit(db_, SQLITE_LIMIT_COLUMN, -1);
    const int clauses = (wanted.server ? 1 : 0) + (wanted.options.empty() ? 0 : 1);
    const int most = limit - kSystemColumnCount - clauses;
    if (static_cast<std::int64_t>(wanted.columns.size()) <= most) return;
    refuse(
        "it has " + std::to_string(wanted.columns.size()) + " different properties, and there is room for " +
        std::to_string(most) + ": SQLite takes " + std::to_string(limit) +
        " columns, of which every foreign table has six already, and counts SERVER and OPTIONS too. Declare "
        "the columns that matter with CREATE FOREIGN TABLE (_properties shows the others) and leave the "
        "table out with EXCEPT (" +
        entity_table + ")");
  }

  static void set_option(std::vector<definition::Option>& options, const definition::Option& option,
                         bool replace) {
    for (definition::Option& other : options) {
      if (!equal_without_case(other.name, option.name)) continue;
      if (replace) other.value = option.value;
      return;
    }
    options.push_back(option);
  }

  /// They mean the same; the option `table` may be left to the SQL name.
  static bool same(const definition::TableDefinition& existing, const definition::TableDefinition& wanted) {
    const auto texts = [](const definition::TableDefinition& definition) {
      std::vector<std::string> all;
      for (const definition::Column& column : definition.columns) all.push_back(column_text(column));
      for (const definition::Option& option : definition.options) {
        if (!equal_without_case(option.name, "table")) all.push_back(options_clause({option}));
      }
      return all;
    };
    return texts(existing) == texts(wanted);
  }

  static std::string summary(const Planned& table, const Evidence& evidence, std::size_t declared) {
    std::string out;
    const std::size_t columns = table.wanted.columns.size();
    switch (table.result.action) {
      case ImportAction::created:
        out = "created with " + std::to_string(columns) + (columns == 1 ? " column" : " columns");
        break;
      case ImportAction::updated:
        out = "updated, " + std::to_string(columns - declared) + " columns added";
        break;
      case ImportAction::unchanged:
        out = "unchanged";
        break;
    }
    const std::string entities = std::to_string(evidence.entities());
    if (evidence.entities() == 0) return out + ": the table is empty";
    return out + (evidence.is_whole() ? ", from all " + entities + " entities"
                                      : ", from a sample of " + entities + " entities");
  }

  void carry_out(const Planned& table) {
    if (table.result.action == ImportAction::unchanged) return;
    if (table.result.action == ImportAction::updated) {
      remake_foreign_table(connection_, {request_.schema, table.result.name, *table.existing}, table.wanted);
    } else {
      execute(create_table_text(request_.schema, table.result.name, table.wanted), table);
    }
  }

  void execute(const std::string& sql, const Planned& table) const {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
    throw Error(Error::Kind::storage, "",
                "importing " + described(table.result.entity_table) + " as " + table.result.name + ": " +
                    sqlite3_errmsg(db_))
        .native(sqlite3_extended_errcode(db_));
  }

  Connection& connection_;
  sqlite3* db_;
  const ImportRequest& request_;
  std::string server_;                               // for messages
  std::vector<definition::Option> service_options_;  // of every table, where no server is named
  SampleSize sample_;
  std::vector<definition::Option> table_options_;
  backend::TableOptions reading_;  // how samples are read
  std::unique_ptr<backend::Backend> backend_;
  bool case_counts_ = false;
  std::vector<Planned> tables_;
  std::vector<ImportNotice> notices_;
};

}  // namespace

std::vector<ImportedTable> import_foreign_schema(Connection& connection, const ImportRequest& request) {
  return Import(connection, request).run();
}

OpenTable open_entity_table(Connection& connection, const std::string& server, const std::string& schema,
                            const std::string& name) {
  backend::check_table_name(name);
  OpenTable open;
  const ServerInUse used = connection.find_server(server, schema);
  backend::TableOptions options;
  set_table_options(options, {used.options});
  open.backend = connection.open_backend(used);
  open.table = open.backend->open_table(name, options);
  if (open.table->capabilities().dialect == backend::Dialect::local) {
    const std::vector<std::string> tables = open.backend->list_tables();
    if (find_table(tables, name) == nullptr) refuse_unknown_table(server, tables, name);
  }
  return open;
}

std::string create_table_text(const std::string& schema, const std::string& name,
                              const definition::TableDefinition& definition) {
  std::string out = "CREATE VIRTUAL TABLE " + identifier_text(schema) + "." + identifier_text(name) +
                    " USING table_storage(";
  const char* separator = "\n  ";
  const auto add = [&](const std::string& argument) {
    out += separator + argument;
    separator = ",\n  ";
  };
  for (const definition::Column& column : definition.columns) add(column_text(column));
  if (definition.server) {
    // A bare word that is a type reads as the type of a column named SERVER.
    const bool is_type = definition::column_type(*definition.server).has_value();
    add("SERVER " + (is_type ? '"' + *definition.server + '"' : identifier_text(*definition.server)));
  }
  if (!definition.options.empty()) add(options_clause(definition.options));
  return out + "\n)";
}

}  // namespace table_storage::catalog
