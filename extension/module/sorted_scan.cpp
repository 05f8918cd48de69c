#include "extension/module/sorted_scan.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <tuple>
#include <utility>

namespace table_storage::module {

namespace {

/// An entity that owns what its view points to.
struct OwnedEntity {
  std::deque<std::string> texts;
  backend::EntityView view;
  std::string etag;

  std::string_view keep(std::string_view text) { return texts.emplace_back(text); }

  edm::ValueView keep(edm::ValueView value) {
    if (!value) return value;
    switch (value.type()) {
      case edm::Type::String:
        return edm::ValueView::string(keep(value.bytes()));
      case edm::Type::Binary:
        return edm::ValueView::binary(keep(value.bytes()));
      case edm::Type::Guid:
        return edm::ValueView::guid(keep(value.bytes()));
      default:
        return value;
    }
  }

  explicit OwnedEntity(const backend::EntityView& from, std::string its_etag) : etag(std::move(its_etag)) {
    view.partition_key = keep(from.partition_key);
    view.row_key = keep(from.row_key);
    view.timestamp = from.timestamp;
    view.properties.reserve(from.properties.size());
    for (const edm::ValueView& value : from.properties) view.properties.push_back(keep(value));
    view.all.reserve(from.all.size());
    for (const backend::NamedValue& named : from.all)
      view.all.push_back({keep(named.name), keep(named.value)});
  }
};

class SortedScan : public backend::Scan {
 public:
  SortedScan(std::unique_ptr<backend::Scan> scan, bool by_row_key_first) {
    // A deque, because the views point into their own entity, which must not move.
    std::deque<OwnedEntity>& all = entities_;
    while (const backend::EntityView* view = scan->next()) all.emplace_back(*view, scan->etag());
    order_.reserve(all.size());
    for (const OwnedEntity& entity : all) order_.push_back(&entity);
    std::sort(order_.begin(), order_.end(), [&](const OwnedEntity* a, const OwnedEntity* b) {
      const auto& x = a->view;
      const auto& y = b->view;
      return by_row_key_first ? std::tie(x.row_key, x.partition_key) < std::tie(y.row_key, y.partition_key)
                              : std::tie(x.partition_key, x.row_key) < std::tie(y.partition_key, y.row_key);
    });
  }

  const backend::EntityView* next() override {
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

std::unique_ptr<backend::Scan> sorted(std::unique_ptr<backend::Scan> scan, bool by_row_key_first) {
  return std::make_unique<SortedScan>(std::move(scan), by_row_key_first);
}

}  // namespace table_storage::module
