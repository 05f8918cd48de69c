// A scan that sees the writes of its own transaction: what the service has, less what is changed, and in
// their places the changed entities.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>

#include "extension/backend/backend.h"
#include "extension/backend/owned_entity.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

class OverlayScan : public Scan {
 public:
  /// `hidden`: keys of the service's rows to leave out. `changed`: rows to put in, ascending. `in_key_order`:
  /// the service's rows ascend too, and so shall all.
  OverlayScan(std::unique_ptr<Scan> stored, std::set<EntityKeys> hidden, std::deque<OwnedEntity> changed,
              bool in_key_order);

  const EntityView* next() override;
  /// "*" for a row of the transaction's own: it has no version yet.
  std::string etag() const override;

 private:
  const EntityView* next_stored();

  std::unique_ptr<Scan> stored_;
  std::set<EntityKeys> hidden_;
  std::deque<OwnedEntity> changed_;
  bool in_key_order_;
  std::size_t next_changed_ = 0;
  const EntityView* pending_stored_ = nullptr;  // read and not yet handed out
  bool started_ = false;
  bool current_is_changed_ = false;
};

}  // namespace table_storage::backend::remote
