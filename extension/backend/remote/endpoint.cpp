#include "extension/backend/remote/endpoint.h"

#include <arpa/inet.h>

#include "parser/connection/connection_string.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::uint16_t kCosmosEmulatorPort = 8902;
constexpr std::string_view kSecondary = "-secondary";

bool is_address(const std::string& host) {
  in6_addr v6;
  in_addr v4;
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 || inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

bool is_local_name(std::string_view host) { return host == "localhost" || host.ends_with(".localhost"); }

std::string without_secondary(std::string_view account) {
  if (account.ends_with(kSecondary)) account.remove_suffix(kSecondary.size());
  return std::string(account);
}

std::string account_of(const connection::Url& url) {
  const std::size_t dot = url.host.find('.');
  // "localhost" and container names have no label to spare for an account.
  if (is_address(url.host) || dot == std::string::npos) {
    if (url.path.empty()) return {};
    return without_secondary(std::string_view(url.path).substr(1, url.path.find('/', 1) - 1));
  }
  return without_secondary(std::string_view(url.host).substr(0, dot));
}

Dialect dialect_of(const connection::Url& url, const Endpoint& endpoint) {
  const auto holds = [&](std::string_view part) { return url.host.find(part) != std::string::npos; };
  if (holds(".table.cosmos.") || holds(".table.cosmosdb.")) return Dialect::cosmos;
  const bool loopback = endpoint.is_loopback();
  if (loopback && url.port == kCosmosEmulatorPort) return Dialect::cosmos;
  // No account of the cloud can have the emulator's name, wherever the emulator runs.
  if (loopback || endpoint.account == connection::kDevelopmentAccount) return Dialect::azurite;
  return Dialect::storage;
}

}  // namespace

std::string_view name_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::storage:
      return "storage";
    case Dialect::cosmos:
      return "cosmos";
    case Dialect::azurite:
      return "azurite";
    case Dialect::local:
      return "local";
  }
  return {};
}

bool Endpoint::is_loopback() const {
  if (is_local_name(host)) return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&v6);
}

Endpoint make_endpoint(const connection::Url& url, std::string_view account) {
  Endpoint endpoint;
  endpoint.origin = url.origin();
  endpoint.base_path = url.path;
  endpoint.host = url.host;
  endpoint.account = account.empty() ? account_of(url) : std::string(account);
  endpoint.dialect = dialect_of(url, endpoint);
  return endpoint;
}

}  // namespace table_storage::backend::remote
