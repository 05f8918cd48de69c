#include "extension/backend/sorted_scan.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <tuple>
#include <utility>

#include "extension/backend/owned_entity.h"

namespace table_storage::backend {

namespace {

class SortedScan : public Scan {
 public:
  SortedScan(std::unique_ptr<Scan> scan, bool by_row_key_first) {
    // A deque, because the views point into their own entity, which must not move.
    std::deque<OwnedEntity>& all = entities_;
    while (const EntityView* view = scan->next()) all.emplace_back(*view, scan->etag());
    order_.reserve(all.size());
    for (const OwnedEntity& entity : all) order_.push_back(&entity);
    std::sort(order_.begin(), order_.end(), [&](const OwnedEntity* a, const OwnedEntity* b) {
      const auto& x = a->view;
      const auto& y = b->view;
      return by_row_key_first ? std::tie(x.row_key, x.partition_key) < std::tie(y.row_key, y.partition_key)
                              : std::tie(x.partition_key, x.row_key) < std::tie(y.partition_key, y.row_key);
    });
  }

  const EntityView* next() override {
    if (next_ == order_.size()) return nullptr;
    return &order_[next_++]->view;
  }

  std::string etag() const override { return order_[next_ - 1]->etag; }

 private:
  std::deque<OwnedEntity> entities_;
  std::vector<const OwnedEntity*> order_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Scan> sorted(std::unique_ptr<Scan> scan, bool by_row_key_first) {
  return std::make_unique<SortedScan>(std::move(scan), by_row_key_first);
}

}  // namespace table_storage::backend
