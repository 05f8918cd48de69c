#include "extension/catalog/user_mapping.h"

#include <algorithm>
#include <array>
#include <set>

#include "extension/backend/local/statement.h"
#include "extension/catalog/reference.h"
#include "extension/sql_values.h"
#include "parser/connection/connection_string.h"
#include "parser/definition/closest.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::execute;
using backend::local::quoted_identifier;
using backend::local::Statement;
using backend::local::table_exists;
using backend::local::throw_storage_error;
using definition::equal_without_case;

bool holds_secret(std::string_view option) {
  constexpr std::array<std::string_view, 5> kSecret{"connection_string", "account_key", "sas_token", "token",
                                                    "client_secret"};
  return std::any_of(kSecret.begin(), kSecret.end(),
                     [&](std::string_view name) { return equal_without_case(name, option); });
}

namespace {

constexpr const char* kMappingsTable = "table_storage_user_mappings";
constexpr const char* kQualified = "temp.table_storage_user_mappings";

/// May stand in the file.
bool is_storable(const definition::Option& option) {
  return !holds_secret(option.name) || is_stored_reference(option.value) ||
         equal_without_case(option.value, "UseDevelopmentStorage=true");
}

std::string mapping_text(const StoredServer& server) {
  return "the user mapping of server " + quoted_identifier(server.name);
}

/// A secret that was written out must be one; said at once, not when a query fails.
void check_secret(const definition::Option& option) {
  if (equal_without_case(option.name, "account_key") && !edm::parse_base64(option.value)) {
    refuse(
        "account_key is neither 'env:NAME' nor 'file:PATH' nor base64; copy the key whole, with the = at "
        "its end");
  }
  if (equal_without_case(option.name, "sas_token")) connection::parse_sas(option.value, "sas_token");
  if (equal_without_case(option.name, "connection_string")) connection::parse_connection_string(option.value);
}

sqlite3_stmt* bound(Statement& statement, std::initializer_list<std::string_view> values) {
  int place = 0;
  for (const std::string_view value : values) {
    backend::local::bind_text(statement.get(), ++place, value);
  }
  return statement.get();
}

void run(sqlite3* db, const std::string& sql, std::initializer_list<std::string_view> values) {
  const std::string doing = "keeping a user mapping in temp";
  Statement statement;
  if (const int rc = statement.prepare(db, sql); rc != SQLITE_OK) throw_storage_error(db, rc, doing);
  const int rc = sqlite3_step(bound(statement, values));
  if (rc != SQLITE_DONE) throw_storage_error(db, rc, doing);
}

Options plain(const UserMapping& mapping) {
  Options options;
  for (const MappingOption& option : mapping) options.push_back({option.name, option.value, 0});
  return options;
}

bool same_options(const Options& a, const Options& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const definition::Option& option) {
           const std::string* other = find_value(b, option.name);
           return other != nullptr && *other == option.value;
         });
}

}  // namespace

std::optional<SessionMapping> SessionMappingReader::read(const std::string& schema,
                                                         const std::string& server) {
  if (!statement_) {
    if (!table_exists(db_, "temp", kMappingsTable)) return std::nullopt;
    const int rc = statement_.prepare(db_,
                                      std::string("SELECT options, confirmed FROM ") + kQualified +
                                          " WHERE server_schema = ?1 AND server = ?2",
                                      true);
    if (rc != SQLITE_OK) throw_storage_error(db_, rc, "reading user mappings of this connection");
  }
  {
    const backend::local::ResetAtEnd reset(statement_);
    const int rc = sqlite3_step(bound(statement_, {schema, server}));
    if (rc == SQLITE_ROW) return SessionMapping{text_at(statement_.get(), 0), text_at(statement_.get(), 1)};
    if (rc == SQLITE_DONE) return std::nullopt;
    if ((rc & 0xFF) != SQLITE_ERROR) throw_storage_error(db_, rc, "reading user mappings of this connection");
  }
  statement_.finalize();  // the table is gone, by a ROLLBACK of the transaction that made it
  return std::nullopt;
}

std::optional<UserMapping> combined_mapping(const StoredServer& server,
                                            const std::optional<SessionMapping>& session) {
  if (!server.user_mapping && !session) return std::nullopt;
  const Options said = session ? parse_options(session->options) : Options{};
  const bool holds = session && session->confirmed == place_of(server.options);
  UserMapping mapping;
  for (const definition::Option& option : server.user_mapping.value_or(Options{})) {
    // memory: in a file would be somebody's guess at a secret of this connection.
    if (kind_of_reference(option.value) == ReferenceKind::memory)
      refuse(mapping_text(server) + " holds a reference that only a connection can make");
    const std::string* value = find_value(said, option.name);
    mapping.push_back({option.name, option.value, holds && value != nullptr && *value == option.value});
  }
  for (const definition::Option& option : said) {
    if (kind_of_reference(option.value) != ReferenceKind::memory) continue;
    std::erase_if(mapping,
                  [&](const MappingOption& other) { return equal_without_case(other.name, option.name); });
    mapping.push_back({option.name, option.value, holds});
  }
  // What was confirmed here has been dropped elsewhere.
  if (mapping.empty() && !server.user_mapping) return std::nullopt;
  return mapping;
}

void check_mapping_options(const Options& options, const StoredServer& server) {
  check_options(ObjectKind::user_mapping, options, server.name);
  const std::string what = mapping_text(server);
  if (const std::string* backend = find_value(server.options, "backend");
      backend != nullptr && equal_without_case(*backend, "local")) {
    refuse("server " + quoted_identifier(server.name) +
           " keeps its entities in SQLite and takes no user mapping");
  }
  for (const definition::Option& option : options) {
    if (kind_of_reference(option.value) == ReferenceKind::memory) {
      if (!holds_secret(option.name)) refuse(what + ": option " + option.name + " is no secret");
    } else if (holds_secret(option.name)) {
      if (!is_storable(option)) check_secret(option);
    } else if (const std::string_view shape = secret_shape(option.value); !shape.empty()) {
      refuse(what + ": option " + option.name + " holds what looks like " + std::string(shape) +
             ", and would be kept in the database file");
    }
  }

  std::string ways;
  std::size_t count = 0;
  for (const std::string_view way : {"account_key", "sas_token", "token", "credential"}) {
    if (find_value(options, way) == nullptr) continue;
    ways += (ways.empty() ? "" : " and ") + std::string(way);
    ++count;
  }
  if (count > 1) refuse(what + " has " + ways + "; keep one of them");
  const std::string* credential = find_value(options, "credential");
  for (const std::string_view detail : {"tenant_id", "client_id", "client_secret"}) {
    if (credential == nullptr && find_value(options, detail) != nullptr)
      refuse(what + " has " + std::string(detail) + " without credential, which says how it is used");
  }
  if (credential != nullptr && !equal_without_case(*credential, "client-secret") &&
      find_value(options, "client_secret") != nullptr)
    refuse(what + " has client_secret, which goes with credential 'client-secret'");
}

std::optional<SessionMapping> UserMappings::session_of(const StoredServer& server) {
  return SessionMappingReader(db_).read(server.schema, server.name);
}

void UserMappings::write_session(const std::string& schema, const std::string& server,
                                 const SessionMapping& mapping) {
  execute(db_,
          std::string("CREATE TABLE IF NOT EXISTS ") + kQualified +
              "(server_schema TEXT COLLATE NOCASE, server TEXT COLLATE NOCASE, options TEXT, confirmed TEXT, "
              "PRIMARY KEY (server_schema, server))",
          "keeping a user mapping in temp");
  run(db_, std::string("INSERT OR REPLACE INTO ") + kQualified + " VALUES (?1, ?2, ?3, ?4)",
      {schema, server, mapping.options, mapping.confirmed});
}

void UserMappings::delete_session(const StoredServer& server) {
  if (!table_exists(db_, "temp", kMappingsTable)) return;
  run(db_, std::string("DELETE FROM ") + kQualified + " WHERE server_schema = ?1 AND server = ?2",
      {server.schema, server.name});
}

std::string UserMappings::keep(std::string_view value) {
  secrets_.emplace(++last_, std::make_shared<const Secret>(value));
  return "memory:" + std::to_string(last_);
}

std::shared_ptr<const Secret> UserMappings::secret(std::string_view reference) const {
  const auto number = parse_integer(reference.substr(std::min(reference.find(':') + 1, reference.size())));
  const auto found = number ? secrets_.find(*number) : secrets_.end();
  return found == secrets_.end() ? nullptr : found->second;
}

std::set<std::int64_t> UserMappings::used() {
  std::set<std::int64_t> used;
  if (!secrets_.empty() && table_exists(db_, "temp", kMappingsTable)) {
    Statement rows;
    const int rc = rows.prepare(db_, std::string("SELECT options FROM ") + kQualified);
    // A secret is forgotten only when it is known that nothing refers to it.
    if (rc != SQLITE_OK) throw_storage_error(db_, rc, "reading user mappings of this connection");
    while (backend::local::next_row(rows.get(), "reading user mappings of this connection")) {
      for (const definition::Option& option : parse_options(text_at(rows.get(), 0))) {
        if (kind_of_reference(option.value) != ReferenceKind::memory) continue;
        if (const auto number = parse_integer(option.value.substr(7))) used.insert(*number);
      }
    }
  }
  return used;
}

void UserMappings::wipe_all_but(const std::set<std::int64_t>& used) noexcept {
  if (sqlite3_get_autocommit(db_) == 0) return;
  std::erase_if(secrets_, [&](const auto& secret) { return used.count(secret.first) == 0; });
}

void UserMappings::wipe_unused() {
  if (!secrets_.empty() && sqlite3_get_autocommit(db_) != 0) wipe_all_but(used());
}

std::optional<UserMapping> UserMappings::find(const StoredServer& server) {
  return combined_mapping(server, session_of(server));
}

void UserMappings::write(const StoredServer& server, const UserMapping& mapping) {
  Options stored, said;
  bool all_in_memory = !mapping.empty();
  for (const MappingOption& option : mapping) {
    definition::Option kept{option.name, option.value, 0};
    const bool in_memory = kind_of_reference(kept.value) == ReferenceKind::memory;
    if (!in_memory && !is_storable(kept)) {
      kept.value = keep(kept.value);
    } else if (!in_memory) {
      stored.push_back(kept);
      all_in_memory = false;
    }
    if (option.confirmed) said.push_back(kept);
  }
  const std::optional<Options> to_store = all_in_memory ? std::nullopt : std::optional(stored);
  const bool changes = to_store.has_value() != server.user_mapping.has_value() ||
                       (to_store && !same_options(*to_store, *server.user_mapping));
  if (changes) store_user_mapping(db_, server, to_store);
  write_session(server.schema, server.name, {options_text(said), place_of(server.options)});
  wipe_unused();
}

void UserMappings::create(const StoredServer& server, const Options& options) {
  if (find(server)) {
    throw Error(Error::Kind::conflict, "",
                "a user mapping already exists for server " + quoted_identifier(server.name) +
                    " (there is one for CURRENT_USER and PUBLIC alike); ALTER USER MAPPING changes it")
        .native(SQLITE_ERROR);
  }
  check_mapping_options(options, server);
  UserMapping mapping;
  for (const definition::Option& option : options) mapping.push_back({option.name, option.value, true});
  write(server, mapping);
}

bool UserMappings::create_if_missing(const StoredServer& server, const Options& options) {
  const auto existing = find(server);
  if (!existing) {
    create(server, options);
    return true;
  }
  check_mapping_options(options, server);
  if (same_options(plain(*existing), options)) {
    UserMapping mapping = *existing;
    for (MappingOption& option : mapping) option.confirmed = true;
    write(server, mapping);
  }
  return false;
}

void UserMappings::alter(const StoredServer& server, std::span<const OptionChange> changes) {
  const auto existing = find(server);
  if (!existing) {
    refuse("there is no user mapping for server " + quoted_identifier(server.name) +
           "; CREATE USER MAPPING makes one");
  }
  const Options options = changed_options(plain(*existing), changes, ObjectKind::user_mapping, server.name);
  check_mapping_options(options, server);
  UserMapping mapping;
  for (const definition::Option& option : options) {
    const bool said_now = std::any_of(changes.begin(), changes.end(), [&](const OptionChange& change) {
      return change.action != OptionChange::Action::drop && equal_without_case(change.name, option.name);
    });
    const bool said_before =
        std::any_of(existing->begin(), existing->end(), [&](const MappingOption& before) {
          return before.confirmed && equal_without_case(before.name, option.name);
        });
    mapping.push_back({option.name, option.value, said_now || said_before});
  }
  write(server, mapping);
}

bool UserMappings::drop(const StoredServer& server) {
  const bool existed = find(server).has_value();
  if (server.user_mapping) store_user_mapping(db_, server, std::nullopt);
  delete_session(server);
  wipe_unused();
  return existed;
}

void UserMappings::server_changed(const StoredServer& before, const StoredServer& after) {
  auto session = session_of(before);
  if (!session || session->confirmed != place_of(before.options)) return;
  session->confirmed = place_of(after.options);
  write_session(after.schema, after.name, *session);
}

void UserMappings::server_dropped(const StoredServer& server) {
  delete_session(server);
  wipe_unused();
}

void UserMappings::server_renamed(const StoredServer& server, const std::string& new_name) {
  const auto session = session_of(server);
  if (!session) return;
  delete_session(server);
  write_session(server.schema, new_name, *session);
}

}  // namespace table_storage::catalog
