// The definition of a server: where a table service is and how it is to be talked to. One type for all ways
// to define one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "extension/backend/remote/service.h"

namespace table_storage::catalog {

/// Values as they stand in OPTIONS, checked by the option table; an empty text is an option that is not
/// given.
struct ServerDefinition {
  std::string name;  // for messages
  std::string connection_string;
  std::string endpoint;
  std::string dialect;
  std::string concurrency;
  std::string max_retries;
  std::string connect_timeout;
  std::string request_timeout;
  std::string proxy;
  std::string ca_file;
  std::string allow_http;

  bool is_remote() const { return !connection_string.empty() || !endpoint.empty(); }
  /// Takes an option that belongs to servers. False for any other name.
  bool set(std::string_view option, std::string_view value);
  /// Tells definitions apart: equal ones share a service.
  std::string identity() const;
};

/// A remote service in place of a server's name, as functions take it: "env:NAME", "file:PATH" or
/// "UseDevelopmentStorage=true" for a connection string, "http…" for an endpoint. Not remote for any other
/// text.
ServerDefinition server_from_text(const std::string& text);

/// Opens the service of a remote definition. Reads what references point to, and nothing else: no request is
/// sent. Throws Error(invalid) for both or neither of connection_string and endpoint, for a connection string
/// that is no reference, a reference to nothing, an endpoint that carries a secret, and plain http to another
/// machine.
std::shared_ptr<backend::remote::Service> open_service(const ServerDefinition& definition,
                                                       backend::remote::Interrupted interrupted);

}  // namespace table_storage::catalog
