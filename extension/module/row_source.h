// What one cursor lets the others of its connection see: where it stands, and what it is likely to show next.
#pragma once

#include <cstddef>

#include "extension/backend/backend.h"

namespace table_storage::module {

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// The current entity; null before the first and behind the last one.
  virtual const backend::EntityView* current() const = 0;
  /// Makes `entity` a view of the entity `distance` behind the current one, 1 for the next. False where it is
  /// not in memory, or not certain to come.
  virtual bool peek(std::size_t distance, backend::EntityView& entity) const = 0;
};

}  // namespace table_storage::module
