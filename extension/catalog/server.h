// The definition of a server: where a table service is, how it is to be talked to, and what opens it. One
// type for all ways to define one: a stored server, the environment, a table of its own, a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/remote/service.h"
#include "extension/catalog/reference.h"

namespace table_storage::catalog {

/// One option of a user mapping.
struct MappingOption {
  std::string name;
  std::string value;  // a reference (env:, file:, memory:), or no secret
  /// Said in this connection, for this very server; see trust.h for what that means.
  bool confirmed = false;
  bool operator==(const MappingOption&) const = default;
};
using UserMapping = std::vector<MappingOption>;
/// Null where it is not given. Names compare without case.
const MappingOption* find_option(const UserMapping& mapping, std::string_view name);

/// Values as they stand in OPTIONS, checked by the option table; an empty text is an option that is not
/// given. Holds no secret.
struct ServerDefinition {
  std::string name;  // for messages: "server prod", "table readings"
  std::string connection_string;
  std::string endpoint;
  std::string account;
  std::string dialect;
  std::string max_retries;
  std::string connect_timeout;
  std::string request_timeout;
  std::string proxy;
  std::string ca_file;
  std::string allow_http;
  UserMapping user_mapping;

  /// It says where a service is.
  bool is_remote() const { return !connection_string.empty() || !endpoint.empty() || !account.empty(); }
  /// Takes an option that belongs to servers. False for any other name.
  bool set(std::string_view option, std::string_view value);
  /// Tells definitions apart: equal ones share a service.
  std::string identity() const;
};

/// Options that say where a service is and how it is reached, those of the struct above: they belong to a
/// server, or to a table that names none.
bool is_service_option(std::string_view name);

/// A remote service in place of a server's name, as functions take it: "env:NAME", "file:PATH" or
/// "UseDevelopmentStorage=true" for a connection string, "http…" for an endpoint. Not remote for any other
/// text.
ServerDefinition server_from_text(const std::string& text);

/// What a definition may look at outside itself.
struct ServerContext {
  Environment environment = backend::remote::process_environment();
  MemorySecrets secrets;  // may be empty: no secret of this connection
  backend::remote::Interrupted interrupted;
};

/// Opens the service of a remote definition. Reads what references point to, and nothing else: no request is
/// sent. Throws Error(invalid) for a definition that says nothing, too much or two different things, for a
/// reference to nothing, an endpoint that carries a secret, plain http to another machine, and credentials
/// that trust.h does not let go there.
std::shared_ptr<backend::remote::Service> open_service(const ServerDefinition& definition,
                                                       const ServerContext& context);

}  // namespace table_storage::catalog
