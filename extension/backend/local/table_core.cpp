#include "extension/backend/local/table_core.h"

#include <utility>

namespace table_storage::backend::local {

std::unique_ptr<ScanParts> ScanPartsPool::take(const Projection& projection) {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    if (!idle_[i]->reader.reads(projection)) continue;
    std::unique_ptr<ScanParts> found = std::move(idle_[i]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    return found;
  }
  return std::make_unique<ScanParts>(projection);
}

void ScanPartsPool::give_back(std::unique_ptr<ScanParts> parts) noexcept {
  parts->reader.clear();
  parts->batch.clear();
  parts->batch.shrink();
  if (idle_.size() >= kKept) idle_.erase(idle_.begin());
  idle_.push_back(std::move(parts));
}

}  // namespace table_storage::backend::local
