#include "extension/catalog/trust.h"

#include <algorithm>
#include <array>

#include "extension/catalog/options.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using definition::equal_without_case;

namespace {

constexpr std::array<std::string_view, 8> kTableDomains{
    ".table.core.windows.net",  ".table.core.usgovcloudapi.net", ".table.core.chinacloudapi.cn",
    ".table.storage.azure.net", ".table.cosmos.azure.com",       ".table.cosmosdb.azure.com",
    ".table.cosmos.azure.us",   ".table.cosmos.azure.cn"};

/// The variable that is an account's own credential, by option. Those of an identity only have to agree.
struct OwnVariable {
  std::string_view option;
  std::string_view variable;
};
constexpr std::array kOwnSecrets{OwnVariable{"account_key", "AZURE_STORAGE_KEY"},
                                 OwnVariable{"sas_token", "AZURE_STORAGE_SAS_TOKEN"},
                                 OwnVariable{"client_secret", "AZURE_CLIENT_SECRET"}};
constexpr std::array kOwnNames{OwnVariable{"tenant_id", "AZURE_TENANT_ID"},
                               OwnVariable{"client_id", "AZURE_CLIENT_ID"}};

/// The environment itself would say the same.
bool agrees_with_environment(const MappingOption& option, const Environment& environment) {
  if (equal_without_case(option.name, "credential")) return true;
  for (const OwnVariable& own : kOwnSecrets) {
    if (equal_without_case(option.name, own.option))
      return option.value == "env:" + std::string(own.variable);
  }
  for (const OwnVariable& own : kOwnNames) {
    if (equal_without_case(option.name, own.option))
      return environment(own.variable).value_or("") == option.value;
  }
  return false;
}

bool is_confirmed(const ServerDefinition& definition) {
  return std::any_of(definition.user_mapping.begin(), definition.user_mapping.end(),
                     [](const MappingOption& option) { return option.confirmed; });
}

/// How the option would be confirmed, without a secret.
std::string confirmation(const ServerDefinition& definition, const MappingOption& option) {
  std::string_view server = definition.name;
  if (server.starts_with("server ")) server.remove_prefix(7);
  // Anything but a reference may be a secret that somebody wrote into the file.
  const bool shown = is_stored_reference(option.value) || equal_without_case(option.name, "credential");
  return "SELECT fdw('ALTER USER MAPPING FOR CURRENT_USER SERVER " + std::string(server) + " OPTIONS (SET " +
         option.name + " \"" + (shown ? option.value : "…") + "\")')";
}

}  // namespace

bool is_own_address(const backend::remote::Endpoint& endpoint, std::string_view account) {
  if (account.empty() || !endpoint.is_secure() || endpoint.origin != "https://" + endpoint.host) return false;
  if (!equal_without_case(endpoint.account, account)) return false;
  const std::string_view host = endpoint.host;
  const std::size_t dot = host.find('.');
  if (dot == std::string_view::npos) return false;
  std::string_view label = host.substr(0, dot);
  constexpr std::string_view kSecondary = "-secondary";
  if (label.ends_with(kSecondary)) label.remove_suffix(kSecondary.size());
  if (!equal_without_case(label, account)) return false;
  std::string_view domain = host.substr(dot);
  // account.z01.table.storage.azure.net: accounts with a zone of their own
  if (domain.ends_with(".table.storage.azure.net")) domain = ".table.storage.azure.net";
  return std::find(kTableDomains.begin(), kTableDomains.end(), domain) != kTableDomains.end();
}

void check_credential_trust(const ServerDefinition& definition, const backend::remote::Endpoint& endpoint,
                            const Environment& environment) {
  const bool own_account = is_own_address(endpoint, environment("AZURE_STORAGE_ACCOUNT").value_or(""));
  for (const MappingOption& option : definition.user_mapping) {
    if (option.confirmed || equal_without_case(option.name, "connection_string")) continue;
    if (own_account && agrees_with_environment(option, environment)) continue;
    throw Error(Error::Kind::invalid, "",
                definition.name + ": " + option.name +
                    " of its user mapping was not given in this connection, and nothing here says that it "
                    "belongs to " +
                    endpoint.origin +
                    ". A database file may come from a stranger. If the address is right, say so, in each "
                    "connection: " +
                    confirmation(definition, option) +
                    "; or name a connection string, which says itself where it "
                    "belongs; or set AZURE_STORAGE_ACCOUNT for a credential of that account");
  }
}

void check_route_trust(const ServerDefinition& definition, const backend::remote::Endpoint& endpoint) {
  if (is_confirmed(definition)) return;
  const auto refuse = [&](const std::string& why) {
    throw Error(Error::Kind::invalid, "",
                definition.name + ": " + why +
                    ". A database file may come from a stranger, who could read everything on such a way. A "
                    "user mapping that is made in this connection allows it");
  };
  if (!definition.ca_file.empty() && kind_of_reference(definition.ca_file) != ReferenceKind::environment) {
    refuse("ca_file names a file, and the credentials for " + endpoint.origin +
           " would be shown to whom it vouches for; ca_file 'env:NAME' takes the path from the environment");
  }
  if (!definition.proxy.empty() && !endpoint.is_secure()) {
    refuse("proxy would see the credentials for " + endpoint.origin + ", which is not https");
  }
}

}  // namespace table_storage::catalog
