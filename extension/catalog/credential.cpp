#include "extension/catalog/credential.h"

#include <utility>
#include <vector>

#include "extension/backend/remote/token_exchange.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

namespace remote = backend::remote;
using definition::equal_without_case;

namespace {

[[noreturn]] void refuse_credential(const ServerDefinition& definition, const std::string& why) {
  throw Error(Error::Kind::invalid, "", definition.name + ": " + why);
}

/// Makes the sources of tokens that a mapping names.
class Identities {
 public:
  Identities(const ServerDefinition& definition, const remote::Endpoint& endpoint,
             const ServerContext& context)
      : definition_(definition), context_(context), scope_(token_scope(endpoint)) {}

  std::unique_ptr<remote::TokenSource> make(std::string_view way) const {
    if (equal_without_case(way, "azure-cli")) return azure_cli();
    if (equal_without_case(way, "managed-identity")) return managed_identity();
    if (equal_without_case(way, "client-secret")) return client_secret();
    if (equal_without_case(way, "workload-identity")) return workload_identity();
    return all();
  }

 private:
  /// The mapping's option, else the variable that the SDKs read.
  std::string value(std::string_view option, std::string_view variable) const {
    if (const MappingOption* given = find_option(definition_.user_mapping, option)) return given->value;
    return context_.environment(variable).value_or("");
  }

  std::string required(std::string_view option, std::string_view variable) const {
    std::string found = value(option, variable);
    if (found.empty()) {
      refuse_credential(definition_, "its user mapping needs " + std::string(option) +
                                         ", or the environment " + std::string(variable));
    }
    return found;
  }

  remote::EntraApplication application() const {
    return {.tenant = required("tenant_id", "AZURE_TENANT_ID"),
            .client_id = required("client_id", "AZURE_CLIENT_ID"),
            // From the environment alone: secrets go there.
            .authority = context_.environment("AZURE_AUTHORITY_HOST").value_or(""),
            .scope = scope_};
  }

  std::unique_ptr<remote::TokenSource> client_secret() const {
    std::string secret;
    if (const MappingOption* given = find_option(definition_.user_mapping, "client_secret")) {
      secret = dereference(given->value, context_.environment, context_.secrets).view();
    } else {
      secret = required("client_secret", "AZURE_CLIENT_SECRET");
    }
    return remote::client_secret_source(application(), std::move(secret));
  }

  std::unique_ptr<remote::TokenSource> workload_identity() const {
    // No option: what the file holds is sent, and an option could name any file.
    const auto file = context_.environment("AZURE_FEDERATED_TOKEN_FILE");
    if (!file)
      refuse_credential(definition_, "workload-identity needs AZURE_FEDERATED_TOKEN_FILE in the environment");
    return remote::workload_identity_source(application(), *file);
  }

  std::unique_ptr<remote::TokenSource> managed_identity() const {
    // AZURE_CLIENT_ID is the application's where there is a secret or a federated token.
    const MappingOption* given = find_option(definition_.user_mapping, "client_id");
    return remote::managed_identity_source(given != nullptr ? given->value : std::string(), scope_,
                                           context_.environment);
  }

  std::unique_ptr<remote::TokenSource> azure_cli() const {
    remote::AzureCli cli;
    cli.scope = scope_;
    if (const MappingOption* tenant = find_option(definition_.user_mapping, "tenant_id"))
      cli.tenant = tenant->value;
    cli.interrupted = context_.interrupted;
    return remote::azure_cli_source(std::move(cli));
  }

  std::unique_ptr<remote::TokenSource> all() const {
    std::vector<std::unique_ptr<remote::TokenSource>> sources;
    const auto set = [&](std::string_view name) { return context_.environment(name).has_value(); };
    const bool application_known =
        !value("tenant_id", "AZURE_TENANT_ID").empty() && !value("client_id", "AZURE_CLIENT_ID").empty();
    if (application_known && set("AZURE_CLIENT_SECRET")) sources.push_back(client_secret());
    if (application_known && set("AZURE_FEDERATED_TOKEN_FILE")) sources.push_back(workload_identity());
    sources.push_back(managed_identity());
    sources.push_back(azure_cli());
    return remote::chain_source(std::move(sources));
  }

  const ServerDefinition& definition_;
  const ServerContext& context_;
  const std::string scope_;
};

std::shared_ptr<remote::TokenCache> cache(std::unique_ptr<remote::TokenSource> source,
                                          const remote::TransportOptions& transport,
                                          const ServerContext& context) {
  return std::make_shared<remote::TokenCache>(std::move(source),
                                              remote::make_exchanger(transport, context.interrupted));
}

}  // namespace

std::string_view token_scope(const remote::Endpoint& endpoint) {
  const auto ends = [&](std::string_view domain) { return endpoint.host.ends_with(domain); };
  if (endpoint.dialect == backend::Dialect::cosmos) {
    if (ends(".azure.us")) return "https://cosmos.azure.us/.default";
    if (ends(".azure.cn")) return "https://cosmos.azure.cn/.default";
    return "https://cosmos.azure.com/.default";
  }
  if (ends(".usgovcloudapi.net")) return "https://storage.azure.us/.default";
  if (ends(".chinacloudapi.cn")) return "https://storage.azure.cn/.default";
  return "https://storage.azure.com/.default";
}

remote::Credential make_credential(const ServerDefinition& definition,
                                   const connection::ConnectionString& parsed,
                                   const remote::Endpoint& endpoint,
                                   const remote::TransportOptions& transport, const ServerContext& context) {
  const UserMapping& mapping = definition.user_mapping;
  const MappingOption* used = nullptr;
  for (const std::string_view way : {"account_key", "sas_token", "token", "credential"}) {
    const MappingOption* given = find_option(mapping, way);
    if (given == nullptr) continue;
    if (used != nullptr) {
      refuse_credential(definition,
                        "its user mapping has " + used->name + " and " + given->name + "; keep one of them");
    }
    used = given;
  }
  if (used != nullptr && (!parsed.account_key.empty() || !parsed.sas.empty()) && !parsed.is_development) {
    refuse_credential(definition, "the connection string holds a secret, and the user mapping has " +
                                      used->name + " too; keep one of them");
  }
  if (used == nullptr) {
    if (!parsed.account_key.empty())
      return std::make_shared<const remote::SharedKey>(endpoint.account, parsed.account_key);
    if (!parsed.sas.empty()) return remote::SasToken{parsed.sas};
    return {};
  }

  const auto secret = [&] {
    try {
      return dereference(used->value, context.environment, context.secrets);
    } catch (Error& error) {
      error.prefix(definition.name + ": " + used->name);
      throw;
    }
  };
  if (equal_without_case(used->name, "account_key")) {
    if (endpoint.account.empty())
      refuse_credential(definition, "account_key needs the account's name; add option account");
    return std::make_shared<const remote::SharedKey>(endpoint.account, secret().view());
  }
  if (equal_without_case(used->name, "sas_token"))
    return remote::SasToken{connection::parse_sas(secret().view(), definition.name + ": sas_token")};
  if (equal_without_case(used->name, "token")) {
    return cache(remote::reread_source(
                     definition.name + ": token",
                     [value = used->value, environment = context.environment, secrets = context.secrets] {
                       return std::string(dereference(value, environment, secrets).view());
                     }),
                 transport, context);
  }
  return cache(Identities(definition, endpoint, context).make(used->value), transport, context);
}

}  // namespace table_storage::catalog
