// ts_servers, ts_options, ts_connections and ts_disconnect(server).
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/remote/service.h"
#include "extension/catalog/environment_server.h"
#include "extension/catalog/options.h"
#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

using ConnectionPointer = std::shared_ptr<catalog::Connection>;

std::string options_without(const catalog::Options& options, std::string_view left_out) {
  catalog::Options kept;
  for (const definition::Option& option : options) {
    if (catalog::folded(option.name) != left_out) kept.push_back(option);
  }
  return catalog::options_text(kept);
}

/// What a mapping holds, and where. Secrets of this connection are named, not shown; nor is a text that is no
/// reference where there should be one, since somebody may have put a secret into the file by hand.
ListValue mapping_text(const catalog::UserMapping& mapping) {
  catalog::Options shown;
  for (const catalog::MappingOption& option : mapping) {
    std::string value = option.value;
    if (catalog::holds_secret(option.name) && !catalog::is_stored_reference(value)) {
      const bool in_memory = catalog::kind_of_reference(value) == catalog::ReferenceKind::memory;
      value = in_memory ? "(in memory)" : "(hidden)";
    }
    shown.push_back({option.name, value, 0});
  }
  return catalog::options_text(shown);
}

ListValue confirmed(const catalog::UserMapping& mapping) {
  for (const catalog::MappingOption& option : mapping) {
    if (!option.confirmed) return std::int64_t{0};
  }
  return std::int64_t{1};
}

std::vector<ListRow> servers(catalog::Connection& connection) {
  std::vector<ListRow> rows;
  rows.push_back({"local", {}, "local", "", {}, {}});
  const auto environment = backend::remote::process_environment();
  if (catalog::has_environment_server(environment)) {
    std::string options, mapping;
    try {
      const auto definition = catalog::environment_server(environment);
      options = definition->connection_string.empty()
                    ? "account '" + definition->account + "'"
                    : "connection_string '" + definition->connection_string + "'";
      mapping = std::get<std::string>(mapping_text(definition->user_mapping));
    } catch (const Error& error) {
      options = error.what();
    }
    rows.push_back({"env", {}, "remote", options, mapping.empty() ? ListValue() : mapping, {}});
  }
  for (const catalog::StoredServer& server : catalog::list_servers(connection.db())) {
    const std::string* backend = catalog::find_value(server.options, "backend");
    const auto mapping = connection.user_mappings().find(server);
    rows.push_back({server.name, server.schema, backend != nullptr ? catalog::folded(*backend) : "remote",
                    options_without(server.options, "backend"),
                    mapping ? mapping_text(*mapping) : ListValue(),
                    mapping ? confirmed(*mapping) : ListValue()});
  }
  return rows;
}

std::string_view name_of(catalog::OptionType type) {
  switch (type) {
    case catalog::OptionType::text:
      return "text";
    case catalog::OptionType::boolean:
      return "boolean";
    case catalog::OptionType::integer:
      return "integer";
    case catalog::OptionType::choice:
      return "choice";
  }
  return {};
}

std::vector<ListRow> options(catalog::Connection&) {
  using catalog::ObjectKind;
  std::vector<ListRow> rows;
  for (const catalog::OptionSpec& option : catalog::all_options()) {
    std::string carriers;
    for (const ObjectKind kind :
         {ObjectKind::server, ObjectKind::user_mapping, ObjectKind::table, ObjectKind::column}) {
      if (option.carried_by(kind)) carriers += (carriers.empty() ? "" : ", ") + std::string(name_of(kind));
    }
    rows.push_back({std::string(option.name), carriers, std::string(name_of(option.type)),
                    catalog::value_choices(option),
                    option.default_value.empty() ? ListValue() : std::string(option.default_value),
                    std::string(option.meaning)});
  }
  return rows;
}

std::vector<ListRow> connections(catalog::Connection& connection) {
  std::vector<ListRow> rows;
  for (const catalog::Connection::OpenService& open : connection.open_services()) {
    const backend::remote::Service& service = *open.service;
    const backend::remote::TransportCounters& counters = service.counters();
    const std::string& name = service.options().name;
    rows.push_back({name.empty() ? open.name : name, service.endpoint().origin + service.endpoint().base_path,
                    std::string(backend::remote::name_of(service.endpoint().dialect)),
                    static_cast<std::int64_t>(counters.requests),
                    static_cast<std::int64_t>(counters.open_connections)});
  }
  return rows;
}

void disconnect(sqlite3_context* context, int, sqlite3_value** argv) {
  module::guarded_result(context, [&] {
    const ConnectionPointer& connection = *static_cast<ConnectionPointer*>(sqlite3_user_data(context));
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
      throw Error(Error::Kind::invalid, "",
                  "ts_disconnect wants the server as text, not " + module::describe(argv[0]));
    }
    const std::size_t given_up = connection->disconnect(std::string(module::text_of(argv[0])));
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(given_up));
  });
}

}  // namespace

int register_server_functions(sqlite3* db, const ConnectionPointer& connection) {
  const auto list = [&](const char* name, const char* columns,
                        std::vector<ListRow> (*rows)(catalog::Connection&)) {
    return register_list(db, {name, columns, {}, "", [connection, rows](const std::vector<std::string>&) {
                                return rows(*connection);
                              }});
  };
  int rc = list("ts_servers",
                "name TEXT, schema TEXT, backend TEXT, options TEXT, user_mapping TEXT, confirmed INTEGER",
                servers);
  if (rc == SQLITE_OK) {
    rc = list("ts_options",
              "name TEXT, carriers TEXT, type TEXT, takes TEXT, default_value TEXT, meaning TEXT", options);
  }
  if (rc == SQLITE_OK) {
    rc = list("ts_connections",
              "server TEXT, endpoint TEXT, dialect TEXT, requests INTEGER, open_connections INTEGER",
              connections);
  }
  if (rc == SQLITE_OK) {
    rc = sqlite3_create_function_v2(db, "ts_disconnect", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                    new ConnectionPointer(connection), disconnect, nullptr, nullptr,
                                    [](void* p) { delete static_cast<ConnectionPointer*>(p); });
  }
  return rc;
}

}  // namespace table_storage::functions
