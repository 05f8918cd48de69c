// Key ranges cut into pieces that have the same keys together, each once. Pure functions: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

/// The last key that a scan of a range has come to.
using Position = std::pair<std::string, std::string>;  // PartitionKey, RowKey

/// At these PartitionKeys: pieces in order, one more than `boundaries`, which ascend and lie inside.
std::vector<KeyRange> divide_by_partition(const KeyRange& range, const std::vector<std::string>& boundaries);

/// What is behind `position`, cut at these RowKeys, which ascend and lie above it in its partition. The last
/// piece is what follows that partition, unless the range has only the one.
std::vector<KeyRange> divide_by_row(const KeyRange& range, const Position& position,
                                    const std::vector<std::string>& boundaries);
/// The same for a range of one partition, all of it.
std::vector<KeyRange> divide_by_row(const KeyRange& range, const std::vector<std::string>& boundaries);

/// What is behind `position`, in order.
std::vector<KeyRange> rest_of(const KeyRange& range, const Position& position);

}  // namespace table_storage::backend::remote
