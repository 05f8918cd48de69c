// The writes of one transaction to one remote table, until COMMIT sends them.
//
// Several changes of one entity become one operation. Savepoints are marks in a log of what each change
// replaced. Shared by all foreign tables of a connection that stand for the table; the connection's thread
// only.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/owned_entity.h"
#include "parser/edm/value.h"

namespace table_storage::backend::remote {

using EntityKeys = std::pair<std::string, std::string>;  // PartitionKey, RowKey; byte order, as SQLite's

/// One entity's change.
struct PendingOperation {
  OperationKind kind = OperationKind::insert;
  std::vector<std::pair<std::string, edm::Value>> properties;
  std::string if_match = "*";   // replace, merge, remove
  bool may_be_missing = false;  // remove: the entity may never have been there
  /// merge, insert_or_merge: the entity as it was read, if it was.
  std::shared_ptr<const OwnedEntity> base;

  /// Views into this object.
  Operation view(const EntityKeys& keys) const;
};

class WriteBuffer {
 public:
  using Operations = std::map<EntityKeys, PendingOperation>;

  bool empty() const { return operations_.empty(); }
  const Operations& operations() const { return operations_; }
  const PendingOperation* find(const EntityKeys& keys) const;

  /// Adds an operation, combined with what is pending for the entity. `base` is the entity as the operation's
  /// author saw it. Throws Error(conflict) for an insert, Error(missing) for a change, where the pending
  /// writes alone show that it cannot be.
  void add(const std::string& table, const Operation& operation, std::shared_ptr<const OwnedEntity> base);

  void savepoint(int number);
  /// A savepoint that is either known already or older than the first write.
  void older_savepoint(int number);
  void release(int number);
  /// Undoes everything since the savepoint; all of it where the savepoint is older than the first write.
  void rollback_to(int number);
  void clear();

 private:
  struct Undo {
    EntityKeys keys;
    std::optional<PendingOperation> before;
  };
  void put(const EntityKeys& keys, std::optional<PendingOperation> operation);

  Operations operations_;
  std::vector<Undo> log_;
  std::map<int, std::size_t> marks_;  // by number: length of the log then
};

/// The properties of an entity after `pending`, over what it was (null: nothing was there). Views into both.
std::vector<NamedValue> properties_after(const PendingOperation& pending, const EntityView* base);

}  // namespace table_storage::backend::remote
