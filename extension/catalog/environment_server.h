// The server "env": what the variables of the Azure CLI say. It is there when they are, and needs no CREATE
// SERVER.
//
//   AZURE_STORAGE_CONNECTION_STRING   all of it, and then nothing else counts
//   AZURE_STORAGE_ACCOUNT             the account, and beside it, in this order,
//   AZURE_STORAGE_AUTH_MODE=login     the identity that the machine, the program or the Azure CLI has
//   AZURE_STORAGE_KEY                 the account's key
//   AZURE_STORAGE_SAS_TOKEN           a shared access signature
//
// Source: "az storage", section environment variables. Pure function: any thread.
#pragma once

#include <optional>

#include "extension/catalog/reference.h"
#include "extension/catalog/server.h"

namespace table_storage::catalog {

/// nullopt where no variable says anything. Its credentials count as confirmed, since the environment names
/// account and credential together. Throws Error(invalid) for an account without any way to sign in, and for
/// an AUTH_MODE that is neither login nor key.
std::optional<ServerDefinition> environment_server(const Environment& environment);
/// Whether there is one; never throws for what is wrong with it.
bool has_environment_server(const Environment& environment);

}  // namespace table_storage::catalog
