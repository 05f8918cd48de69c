// From a user mapping, or the secret of a connection string, to what requests are signed with.
#pragma once

#include <string_view>

#include "extension/backend/remote/service.h"
#include "extension/catalog/server.h"
#include "parser/connection/connection_string.h"

namespace table_storage::catalog {

/// What a token for this service must be made for, by service and cloud:
/// "https://storage.azure.com/.default". Source: the audiences of the official .NET and C++ SDKs.
std::string_view token_scope(const backend::remote::Endpoint& endpoint);

/// Reads the references of the mapping; where a token is needed, nothing is asked for yet. `parsed` is what
/// the definition's connection string or endpoint said. An empty credential: requests go unsigned.
/// `transport` is how the server is reached, and so are those who give tokens. Throws Error(invalid) for two
/// credentials, for references to nothing, and for what is no key, SAS or token.
backend::remote::Credential make_credential(const ServerDefinition& definition,
                                            const connection::ConnectionString& parsed,
                                            const backend::remote::Endpoint& endpoint,
                                            const backend::remote::TransportOptions& transport,
                                            const ServerContext& context);

}  // namespace table_storage::catalog
