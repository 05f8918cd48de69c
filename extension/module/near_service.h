// From where on a service counts as near. A header of its own, for the tests that change it.
#pragma once

#include <atomic>
#include <cstdint>

namespace table_storage::module {

/// Where a service begins to answer a look-up within so many microseconds, one scan is opened ahead and not
/// as many as option concurrency says: on the machine of the service more only cost. Tests, whose service
/// answers at once, set it to zero.
inline std::atomic<std::int64_t> near_service{1000};

}  // namespace table_storage::module
