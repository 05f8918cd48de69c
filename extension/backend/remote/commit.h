// COMMIT of one table: the pending writes as entity group transactions, several at a time.
//
// A write whose answer is lost is never applied twice: what asks for a version can be sent again, since it
// can succeed only once; anything else is sent again when reading back shows that it was not applied
// (read_back.h). The connection's thread only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "extension/backend/remote/service.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

/// What an error has to say about the other tables of the transaction; both may be empty.
struct OtherTables {
  std::string applied;   // "table A (2 groups)"
  std::string not_sent;  // likewise
};

/// Sends everything, and returns how many groups that were. A group is atomic: one partition, at most 100
/// operations and the service's bytes. Throws the first refusal; its message names the entity, and which
/// groups are applied and stay, which are not, and the keys of those of which it is not known. The code is
/// SQLITE_IOERR where that is the case.
std::size_t send_all(Service& service, const std::string& table, const TableOptions& options,
                     const WriteBuffer& buffer, const OtherTables& others);

}  // namespace table_storage::backend::remote
