// COMMIT: the pending writes as entity group transactions, several partitions at a time.
#pragma once

#include <string>
#include <vector>

#include "extension/backend/remote/service.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

/// Sends everything; returns the new ETags in key order, empty for removals. A group is atomic: one
/// partition, at most 100 operations and the service's bytes. Throws the first refusal; its message names the
/// entity and says which groups were applied before and stay, and which were not sent.
std::vector<std::string> send_all(Service& service, const std::string& table, const WriteBuffer& buffer);

}  // namespace table_storage::backend::remote
