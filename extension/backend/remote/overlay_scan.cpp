#include "extension/backend/remote/overlay_scan.h"

#include <tuple>
#include <utility>

namespace table_storage::backend::remote {

OverlayScan::OverlayScan(std::unique_ptr<Scan> stored, std::set<EntityKeys> hidden,
                         std::deque<OwnedEntity> changed, bool in_key_order)
    : stored_(std::move(stored)),
      hidden_(std::move(hidden)),
      changed_(std::move(changed)),
      in_key_order_(in_key_order) {}

const EntityView* OverlayScan::next_stored() {
  while (const EntityView* row = stored_->next()) {
    if (hidden_.empty() || hidden_.count({std::string(row->partition_key), std::string(row->row_key)}) == 0) {
      return row;
    }
  }
  return nullptr;
}

const EntityView* OverlayScan::next() {
  // A row stays valid until the next call, so the stored scan goes on only when its row has been handed out.
  if (!started_ || !current_is_changed_) {
    pending_stored_ = next_stored();
    started_ = true;
  }
  const bool has_changed = next_changed_ < changed_.size();
  bool take_changed = has_changed && pending_stored_ == nullptr;
  if (has_changed && pending_stored_ != nullptr && in_key_order_) {
    const EntityView& changed = changed_[next_changed_].view;
    take_changed = std::tie(changed.partition_key, changed.row_key) <
                   std::tie(pending_stored_->partition_key, pending_stored_->row_key);
  }
  current_is_changed_ = take_changed;
  if (take_changed) return &changed_[next_changed_++].view;
  return pending_stored_;
}

std::string OverlayScan::etag() const { return current_is_changed_ ? "*" : stored_->etag(); }

}  // namespace table_storage::backend::remote
