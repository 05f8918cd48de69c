// libcurl's allocations, counted and made to fail with the others (allocations.h).
#pragma once

#include <cstdint>

namespace table_storage::oom {

/// Starts libcurl with the counting allocator. Before anything else uses it; false if it cannot start.
bool install_in_curl();

/// Allocations of libcurl that have not been freed.
std::int64_t live_curl();

}  // namespace table_storage::oom
