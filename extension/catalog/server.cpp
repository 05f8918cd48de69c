#include "extension/catalog/server.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "extension/catalog/options.h"
#include "parser/connection/connection_string.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

namespace remote = backend::remote;

namespace {

struct Field {
  std::string_view option;
  std::string ServerDefinition::*value;
};

constexpr std::array kFields{
    Field{"connection_string", &ServerDefinition::connection_string},
    Field{"endpoint", &ServerDefinition::endpoint},
    Field{"dialect", &ServerDefinition::dialect},
    Field{"concurrency", &ServerDefinition::concurrency},
    Field{"max_retries", &ServerDefinition::max_retries},
    Field{"connect_timeout", &ServerDefinition::connect_timeout},
    Field{"request_timeout", &ServerDefinition::request_timeout},
    Field{"proxy", &ServerDefinition::proxy},
    Field{"ca_file", &ServerDefinition::ca_file},
    Field{"allow_http", &ServerDefinition::allow_http},
};

[[noreturn]] void refuse(const ServerDefinition& definition, const std::string& why) {
  throw Error(Error::Kind::invalid, "", "the service of " + definition.name + ": " + why);
}

/// What 'env:NAME' or 'file:PATH' points to. Its content never gets into a message.
std::string dereference(const ServerDefinition& definition, const std::string& reference) {
  if (reference.starts_with("env:")) {
    const std::string name = reference.substr(4);
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0')
      refuse(definition, "the environment variable " + name + " is not set");
    return value;
  }
  if (reference.starts_with("file:")) {
    const std::string path = reference.substr(5);
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(definition, "the file " + path + " cannot be read");
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
  }
  refuse(
      definition,
      "connection_string says where the text is, 'env:NAME' or 'file:PATH', and is not the text itself; only "
      "'UseDevelopmentStorage=true' may stand there");
}

remote::Credential credential_of(const connection::ConnectionString& parsed,
                                 const remote::Endpoint& endpoint) {
  if (!parsed.account_key.empty()) {
    return std::make_shared<const remote::SharedKey>(endpoint.account, parsed.account_key);
  }
  if (!parsed.sas.empty()) return remote::SasToken{parsed.sas};
  return {};
}

/// The emulator on this machine has an account and a key that everybody knows.
void use_development_key(connection::ConnectionString& parsed, const remote::Endpoint& endpoint) {
  if (endpoint.is_loopback() && endpoint.account == connection::kDevelopmentAccount) {
    parsed.account_key = connection::kDevelopmentKey;
  }
}

std::int64_t number(const std::string& given, std::string_view option) {
  return parse_integer(given.empty() ? find_option(option)->default_value : std::string_view(given))
      .value_or(0);
}

backend::Dialect dialect_of(const std::string& name) {
  if (definition::equal_without_case(name, "cosmos")) return backend::Dialect::cosmos;
  if (definition::equal_without_case(name, "azurite")) return backend::Dialect::azurite;
  return backend::Dialect::storage;
}

}  // namespace

bool ServerDefinition::set(std::string_view option, std::string_view value) {
  for (const Field& field : kFields) {
    if (!definition::equal_without_case(field.option, option)) continue;
    this->*field.value = value;
    return true;
  }
  return false;
}

std::string ServerDefinition::identity() const {
  std::string text;
  for (const Field& field : kFields) text += this->*field.value + '\n';
  return text;
}

ServerDefinition server_from_text(const std::string& text) {
  ServerDefinition definition;
  definition.name = text;
  if (text.starts_with("env:") || text.starts_with("file:") ||
      definition::equal_without_case(text, "UseDevelopmentStorage=true")) {
    definition.connection_string = text;
  } else if (text.starts_with("http://") || text.starts_with("https://")) {
    definition.endpoint = text;
    definition.name = "an endpoint";  // may hold a SAS by mistake
  }
  return definition;
}

std::shared_ptr<remote::Service> open_service(const ServerDefinition& definition,
                                              remote::Interrupted interrupted) {
  if (!definition.connection_string.empty() && !definition.endpoint.empty()) {
    refuse(definition, "give connection_string or endpoint, not both");
  }
  connection::ConnectionString parsed;
  if (!definition.endpoint.empty()) {
    parsed = connection::parse_endpoint_url(definition.endpoint);
    if (!parsed.sas.empty()) refuse(definition, "an endpoint in the SQL text must not carry a SAS");
  } else if (definition::equal_without_case(definition.connection_string, "UseDevelopmentStorage=true")) {
    parsed = connection::parse_connection_string(definition.connection_string);
  } else {
    const std::string text = dereference(definition, definition.connection_string);
    try {
      parsed = connection::parse_connection_string(text);
    } catch (Error& error) {
      error.prefix("the connection string in " + definition.connection_string);
      throw;
    }
  }
  remote::Endpoint endpoint = remote::make_endpoint(parsed.endpoint, parsed.account);
  if (!definition.endpoint.empty()) use_development_key(parsed, endpoint);
  if (!endpoint.is_secure() && !endpoint.is_loopback() &&
      !parse_boolean(definition.allow_http).value_or(false)) {
    refuse(definition, "plain http to " + endpoint.host +
                           " would show every entity on the way; use https, or say "
                           "allow_http 'true' if that network is trusted");
  }
  if (!definition.dialect.empty()) endpoint.dialect = dialect_of(definition.dialect);
  remote::ServiceOptions options;
  options.concurrency = static_cast<std::size_t>(number(definition.concurrency, "concurrency"));
  options.retry.max_retries = static_cast<int>(number(definition.max_retries, "max_retries"));
  options.transport.connect_timeout =
      std::chrono::seconds(number(definition.connect_timeout, "connect_timeout"));
  options.transport.request_timeout =
      std::chrono::seconds(number(definition.request_timeout, "request_timeout"));
  options.transport.proxy = definition.proxy;
  options.transport.ca_file = definition.ca_file;
  remote::Credential credential = credential_of(parsed, endpoint);
  return std::make_shared<remote::Service>(std::move(endpoint), std::move(credential), std::move(options),
                                           std::move(interrupted));
}

}  // namespace table_storage::catalog
