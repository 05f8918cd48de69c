#include "extension/backend/remote/page_pool.h"

#include <utility>

namespace table_storage::backend::remote {

std::shared_ptr<PooledPage> PagePool::take(const Projection& projection) {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    if (idle_[i]->projection != projection) continue;
    std::shared_ptr<PooledPage> found = std::move(idle_[i]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    idle_bytes_ -= found->page.memory();
    return found;
  }
  return std::make_shared<PooledPage>(projection, parsers_);
}

void PagePool::give_back(std::shared_ptr<PooledPage> page) noexcept {
  if (!page || page->page.memory() > kLargest) return;
  idle_bytes_ += page->page.memory();
  idle_.push_back(std::move(page));
  while (idle_.size() > kKept || idle_bytes_ > kLargest) let_go_of_oldest();
}

void PagePool::let_go_of_oldest() noexcept {
  idle_bytes_ -= idle_.front()->page.memory();
  idle_.erase(idle_.begin());
}

}  // namespace table_storage::backend::remote
