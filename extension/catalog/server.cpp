#include "extension/catalog/server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "extension/catalog/account_name.h"
#include "extension/catalog/credential.h"
#include "extension/catalog/options.h"
#include "extension/catalog/trust.h"
#include "parser/connection/connection_string.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

namespace remote = backend::remote;
using definition::equal_without_case;

namespace {

struct Field {
  std::string_view option;
  std::string ServerDefinition::*value;
};

constexpr std::array kFields{
    Field{"connection_string", &ServerDefinition::connection_string},
    Field{"endpoint", &ServerDefinition::endpoint},
    Field{"account", &ServerDefinition::account},
    Field{"dialect", &ServerDefinition::dialect},
    Field{"max_retries", &ServerDefinition::max_retries},
    Field{"connect_timeout", &ServerDefinition::connect_timeout},
    Field{"request_timeout", &ServerDefinition::request_timeout},
    Field{"proxy", &ServerDefinition::proxy},
    Field{"ca_file", &ServerDefinition::ca_file},
    Field{"allow_http", &ServerDefinition::allow_http},
};

constexpr std::string_view kDevelopment = "UseDevelopmentStorage=true";

[[noreturn]] void refuse_service(const ServerDefinition& definition, const std::string& why) {
  throw Error(Error::Kind::invalid, "", "the service of " + definition.name + ": " + why);
}

/// Reads a connection string from where it is. Its content never gets into a message.
connection::ConnectionString read_string(const ServerDefinition& definition, const std::string& reference,
                                         const ServerContext& context) {
  if (equal_without_case(reference, kDevelopment)) return connection::parse_connection_string(reference);
  if (kind_of_reference(reference) == ReferenceKind::none) {
    refuse_service(
        definition,
        "connection_string says where the text is, 'env:NAME' or 'file:PATH', and is not the text itself; "
        "only 'UseDevelopmentStorage=true' may stand there");
  }
  try {
    const Secret text = dereference(reference, context.environment, context.secrets);
    return connection::parse_connection_string(text.view());
  } catch (Error& error) {
    const bool in_memory = kind_of_reference(reference) == ReferenceKind::memory;
    error.prefix("the service of " + definition.name + ": connection_string" +
                 (in_memory ? "" : " " + reference));
    throw;
  }
}

/// What endpoint and account say.
connection::ConnectionString read_address(const ServerDefinition& definition) {
  connection::ConnectionString parsed;
  if (!definition.endpoint.empty()) {
    parsed = connection::parse_endpoint_url(definition.endpoint);
    if (!parsed.sas.empty()) {
      refuse_service(
          definition,
          "an endpoint in the SQL text must not carry a SAS; a user mapping of a server takes it, as "
          "sas_token");
    }
  } else {
    const std::string& account = definition.account;
    if (!is_account_name(account))
      refuse_service(definition,
                     "account holds a character that no account has: letters, digits and '-' are right");
    parsed.endpoint =
        connection::parse_url("https://" + account + ".table.core.windows.net", "the address of the account");
  }
  parsed.account = definition.account;
  return parsed;
}

/// Where the service is, by whichever option says so. A user mapping's connection string must agree with the
/// server: its secret belongs to its own endpoint.
connection::ConnectionString read_place(const ServerDefinition& definition, const ServerContext& context) {
  const bool has_address = !definition.endpoint.empty() || !definition.account.empty();
  const MappingOption* mapped = find_option(definition.user_mapping, "connection_string");
  if (!definition.connection_string.empty()) {
    if (has_address) {
      refuse_service(definition, "give connection_string or " +
                                     std::string(definition.endpoint.empty() ? "account" : "endpoint") +
                                     ", not both");
    }
    if (mapped != nullptr)
      refuse_service(definition,
                     "the server and its user mapping both have a connection_string; keep one of them");
    return read_string(definition, definition.connection_string, context);
  }
  if (mapped == nullptr) {
    if (!has_address) {
      refuse_service(
          definition,
          "nothing says where it is: give endpoint, account or connection_string, or a user mapping with "
          "connection_string; backend 'local' keeps the entities in SQLite");
    }
    return read_address(definition);
  }
  connection::ConnectionString parsed = read_string(definition, mapped->value, context);
  if (has_address) {
    const connection::ConnectionString address = read_address(definition);
    const remote::Endpoint said = remote::make_endpoint(address.endpoint, address.account);
    const remote::Endpoint meant = remote::make_endpoint(parsed.endpoint, parsed.account);
    if (said.origin != meant.origin || said.base_path != meant.base_path || said.account != meant.account) {
      refuse_service(
          definition,
          "the connection string of its user mapping is for another endpoint or account than the server's, "
          "and its secret is not sent elsewhere");
    }
  }
  return parsed;
}

/// The emulator on this machine has an account and a key that everybody knows.
bool is_emulator(const remote::Endpoint& endpoint) {
  return endpoint.is_loopback() && endpoint.account == connection::kDevelopmentAccount;
}

std::int64_t number(const std::string& given, std::string_view option) {
  return parse_integer(given.empty() ? find_option(option)->default_value : std::string_view(given))
      .value_or(0);
}

backend::Dialect dialect_of(const std::string& name) {
  if (equal_without_case(name, "cosmos")) return backend::Dialect::cosmos;
  if (equal_without_case(name, "azurite")) return backend::Dialect::azurite;
  return backend::Dialect::storage;
}

std::string ca_file_of(const ServerDefinition& definition, const ServerContext& context) {
  if (kind_of_reference(definition.ca_file) != ReferenceKind::environment) return definition.ca_file;
  const std::string name = definition.ca_file.substr(4);
  const auto path = context.environment(name);
  if (!path) refuse_service(definition, "ca_file: the environment variable " + name + " is not set");
  return *path;
}

/// A service of Microsoft's answers nobody without credentials; said before anything is sent.
void check_credential_is_there(const ServerDefinition& definition, const remote::Endpoint& endpoint,
                               const remote::Credential& credential) {
  if (!std::holds_alternative<std::monostate>(credential) || !is_own_address(endpoint, endpoint.account))
    return;
  refuse_service(definition,
                 "nothing says how to sign in to " + endpoint.origin +
                     "; a user mapping does: CREATE USER MAPPING FOR CURRENT_USER SERVER … OPTIONS "
                     "(account_key 'env:AZURE_STORAGE_KEY'), or sas_token, token, credential");
}

}  // namespace

const MappingOption* find_option(const UserMapping& mapping, std::string_view name) {
  for (const MappingOption& option : mapping) {
    if (equal_without_case(option.name, name)) return &option;
  }
  return nullptr;
}

bool is_service_option(std::string_view name) {
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](const Field& field) { return equal_without_case(field.option, name); });
}

bool ServerDefinition::set(std::string_view option, std::string_view value) {
  for (const Field& field : kFields) {
    if (!equal_without_case(field.option, option)) continue;
    this->*field.value = value;
    return true;
  }
  return false;
}

std::string ServerDefinition::identity() const {
  std::string text;
  for (const Field& field : kFields) text += this->*field.value + '\n';
  for (const MappingOption& option : user_mapping)
    text += option.name + '\n' + option.value + '\n' + (option.confirmed ? "confirmed\n" : "stored\n");
  return text;
}

ServerDefinition server_from_text(const std::string& text) {
  ServerDefinition definition;
  definition.name = text;
  if (text.starts_with("env:") || text.starts_with("file:") || equal_without_case(text, kDevelopment)) {
    definition.connection_string = text;
  } else if (text.starts_with("http://") || text.starts_with("https://")) {
    definition.endpoint = text;
    definition.name = "an endpoint";  // may hold a SAS by mistake
  }
  return definition;
}

std::shared_ptr<remote::Service> open_service(const ServerDefinition& definition,
                                              const ServerContext& context) {
  connection::ConnectionString parsed = read_place(definition, context);
  remote::Endpoint endpoint = remote::make_endpoint(parsed.endpoint, parsed.account);
  if (!endpoint.is_secure() && !endpoint.is_loopback() &&
      !parse_boolean(definition.allow_http).value_or(false)) {
    refuse_service(definition, "plain http to " + endpoint.host +
                                   " would show every entity on the way; use https, or say "
                                   "allow_http 'true' if that network is trusted");
  }
  if (!definition.dialect.empty()) endpoint.dialect = dialect_of(definition.dialect);

  remote::ServiceOptions options;
  if (definition.name.starts_with("server ")) options.name = definition.name.substr(7);
  options.retry.max_retries = static_cast<int>(number(definition.max_retries, "max_retries"));
  options.transport.connect_timeout =
      std::chrono::seconds(number(definition.connect_timeout, "connect_timeout"));
  options.transport.request_timeout =
      std::chrono::seconds(number(definition.request_timeout, "request_timeout"));
  options.transport.proxy = definition.proxy;
  options.transport.ca_file = ca_file_of(definition, context);

  // Before any reference of the mapping is read.
  check_credential_trust(definition, endpoint, context.environment);
  remote::Credential credential = make_credential(definition, parsed, endpoint, options.transport, context);
  const bool signs = !std::holds_alternative<std::monostate>(credential);
  if (signs && !parsed.is_development) check_route_trust(definition, endpoint);
  if (!signs && is_emulator(endpoint)) {
    credential = std::make_shared<const remote::SharedKey>(endpoint.account, connection::kDevelopmentKey);
  }
  check_credential_is_there(definition, endpoint, credential);
  return std::make_shared<remote::Service>(std::move(endpoint), std::move(credential), std::move(options),
                                           context.interrupted);
}

}  // namespace table_storage::catalog
