#include "extension/backend/remote/page_pool.h"

#include <utility>

namespace table_storage::backend::remote {

std::shared_ptr<PooledPage> PagePool::take(const Projection& projection) {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    if (idle_[i]->projection != projection) continue;
    std::shared_ptr<PooledPage> found = std::move(idle_[i]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    return found;
  }
  return std::make_shared<PooledPage>(projection);
}

void PagePool::give_back(std::shared_ptr<PooledPage> page) noexcept {
  if (!page || page->page.buffer_size() > kLargest) return;
  if (idle_.size() >= kKept) idle_.erase(idle_.begin());
  idle_.push_back(std::move(page));
}

}  // namespace table_storage::backend::remote
