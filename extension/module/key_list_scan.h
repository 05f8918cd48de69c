// Many entities of one partition by their keys, as a list `RowKey IN (…)` names them: point reads or a range,
// whichever turns out cheaper.
//
// A page of the range from the first to the last wanted key may hold many of them or none; nobody knows
// before. So the range is begun, and goes on while each page passes at least as many wanted keys as point
// reads would be under way at once. When one does not, the keys behind it are read one by one, several at a
// time. At most two pages are read in vain. Entities come in key order either way.
//
// The connection's thread only.
#pragma once

#include <memory>

#include "extension/backend/backend.h"

namespace table_storage::module {

/// Whether the ranges of the request hold a partition with so many points that a range may be cheaper.
bool has_dense_keys(const backend::ScanRequest& request);

/// The scan of such a request. `table` has key order and outlives it. `page` is that of
/// the table's options, `concurrency` comes from list_concurrency().
std::unique_ptr<backend::Scan> open_key_list(backend::Table& table, const backend::ScanRequest& request,
                                             std::size_t page, std::size_t concurrency);

}  // namespace table_storage::module
