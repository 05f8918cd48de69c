// Cuts the pending writes of a table into the requests that COMMIT sends. ts_pending and the count of groups
// use the same cut, so what they tell is what is sent.
//
// Source: "Performing entity group transactions" (one partition, each entity once, 100 operations, 4 MiB).
// The connection's thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/remote/batch_body.h"
#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

using PendingEntry = WriteBuffer::Operations::value_type;

/// One request: an operation alone, or an entity group transaction. Points into the buffer.
struct WriteGroup {
  std::vector<const PendingEntry*> entries;  // in key order, of one partition
  std::vector<std::size_t> bytes;            // of each operation, written as a part of a batch, if wanted
};

class GroupCutter {
 public:
  /// `endpoint` and `buffer` have to outlive the cutter, and the buffer must not change meanwhile.
  GroupCutter(const Endpoint& endpoint, std::string table, const WriteBuffer& buffer,
              bool with_bytes = false);

  /// The next group and its request; false at the end. What the two held is dropped, their memory used again.
  bool next(WriteGroup& group, HttpRequest& request);

 private:
  const Endpoint& endpoint_;
  std::string table_;
  bool with_bytes_;
  std::size_t most_bytes_;
  std::optional<BatchBody> body_;  // made for the first group that may be a batch
  Operation operation_;
  WriteBuffer::Operations::const_iterator next_;
  WriteBuffer::Operations::const_iterator end_;
};

/// The request of a group that was cut before.
HttpRequest group_request(const Endpoint& endpoint, const std::string& table, const WriteGroup& group);

/// How many groups the buffer makes.
std::size_t count_groups(const Endpoint& endpoint, const std::string& table, const WriteBuffer& buffer);

}  // namespace table_storage::backend::remote
