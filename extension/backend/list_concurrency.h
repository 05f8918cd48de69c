// How many requests may be under way at once for a list of partitions or of entities.
#pragma once

#include <cstddef>

#include "extension/backend/backend.h"

namespace table_storage::backend {

/// Twice option concurrency: a list asks for many small answers, so that round trips are what it takes. A
/// concurrency of 1 stays what it says.
inline std::size_t list_concurrency(const TableOptions& options) {
  return options.concurrency > 1 ? 2 * options.concurrency : 1;
}

}  // namespace table_storage::backend
