#include "extension/catalog/environment_server.h"

#include "extension/catalog/server_store.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using definition::equal_without_case;

namespace {

constexpr std::string_view kConnectionString = "AZURE_STORAGE_CONNECTION_STRING";
constexpr std::string_view kAccount = "AZURE_STORAGE_ACCOUNT";
constexpr std::string_view kKey = "AZURE_STORAGE_KEY";
constexpr std::string_view kSas = "AZURE_STORAGE_SAS_TOKEN";
constexpr std::string_view kAuthMode = "AZURE_STORAGE_AUTH_MODE";

std::string reference_to(std::string_view variable) { return "env:" + std::string(variable); }

}  // namespace

bool has_environment_server(const Environment& environment) {
  return environment(kConnectionString).has_value() || environment(kAccount).has_value();
}

std::optional<ServerDefinition> environment_server(const Environment& environment) {
  if (!has_environment_server(environment)) return std::nullopt;
  ServerDefinition definition;
  definition.name = std::string("server ") + kEnvironmentServer;
  if (environment(kConnectionString)) {
    definition.connection_string = reference_to(kConnectionString);
    return definition;
  }
  definition.account = *environment(kAccount);
  const std::string mode = environment(kAuthMode).value_or("");
  const bool login = equal_without_case(mode, "login");
  if (!mode.empty() && !login && !equal_without_case(mode, "key")) {
    throw Error(Error::Kind::invalid, "",
                "server env: AZURE_STORAGE_AUTH_MODE is neither login (an identity of Entra ID) nor key");
  }
  if (login) {
    definition.user_mapping.push_back({"credential", "default", true});
  } else if (environment(kKey)) {
    definition.user_mapping.push_back({"account_key", reference_to(kKey), true});
  } else if (environment(kSas)) {
    definition.user_mapping.push_back({"sas_token", reference_to(kSas), true});
  } else {
    throw Error(Error::Kind::invalid, "",
                "server env: AZURE_STORAGE_ACCOUNT is set, but nothing says how to sign in; set "
                "AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_AUTH_MODE=login");
  }
  return definition;
}

}  // namespace table_storage::catalog
