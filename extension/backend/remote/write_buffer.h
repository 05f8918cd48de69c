// The writes of one transaction to one remote table, until COMMIT sends them.
//
// Several changes of one entity become one operation. Savepoints are marks in a log of what each change
// replaced, which is kept only while there are savepoints. Shared by all foreign tables of a connection that
// stand for the table; the connection's thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/kept_entity.h"
#include "extension/backend/remote/packed_properties.h"

namespace table_storage::backend::remote {

using EntityKeys = std::pair<std::string, std::string>;  // PartitionKey, RowKey; byte order, as SQLite's

/// Their order, with one look at each key.
struct KeysLess {
  bool operator()(const EntityKeys& a, const EntityKeys& b) const {
    const int order = a.first.compare(b.first);
    return order != 0 ? order < 0 : a.second < b.second;
  }
};

/// One entity's change.
struct PendingOperation {
  OperationKind kind = OperationKind::insert;
  PackedProperties properties;
  std::string if_match = "*";   // replace, merge, remove
  bool may_be_missing = false;  // remove: the entity may never have been there
  std::uint32_t author = 0;     // see WriteBuffer::author()
  /// merge, insert_or_merge: the entity as it was read, if it was.
  std::shared_ptr<const KeptEntity> base;

  /// Its properties go over those that are there.
  bool merges() const { return kind == OperationKind::merge || kind == OperationKind::insert_or_merge; }
  /// Views into this object.
  Operation view(const EntityKeys& keys) const;
  /// The same into an object whose memory is used again.
  void view(const EntityKeys& keys, Operation& out) const;
};

class WriteBuffer {
 public:
  using Operations = std::map<EntityKeys, PendingOperation, KeysLess>;

  bool empty() const { return operations_.empty(); }
  const Operations& operations() const { return operations_; }

  /// Adds an operation, combined with what is pending for the entity. `base` is the entity as the operation's
  /// author saw it; `author` is a foreign table's name. Throws Error(conflict) for an insert, Error(missing)
  /// for a change, where the pending writes alone show that it cannot be.
  void add(const std::string& table, const Operation& operation, std::shared_ptr<const KeptEntity> base,
           std::string_view author = {});
  /// The foreign table that changed the entity last.
  const std::string& author(const PendingOperation& operation) const { return authors_[operation.author]; }

  void savepoint(int number);
  /// A savepoint that is either known already or older than the first write.
  void older_savepoint(int number);
  void release(int number);
  /// Undoes everything since the savepoint; all of it where the savepoint is older than the first write.
  void rollback_to(int number);
  void clear();

 private:
  /// What put() did: nodes of the map stay where they are, so that their keys need no copy.
  struct Undo {
    const EntityKeys* keys = nullptr;          // of a node that was added or changed
    std::unique_ptr<PendingOperation> before;  // null: it was added
    Operations::node_type node;                // that was taken out
  };
  void put(Operations::iterator place, EntityKeys keys, std::optional<PendingOperation> operation);
  std::uint32_t number_of(std::string_view author);

  Operations operations_;
  std::vector<std::string> authors_;
  std::vector<Undo> log_;
  /// By number: length of the log then; nothing for a savepoint that is older than the first write.
  std::map<int, std::optional<std::size_t>> marks_;
  std::optional<int> failed_savepoint_;  // by its number; there was no memory for it
};

/// The properties of an entity after `pending`, over what it was (null: nothing was there). Views into both.
std::vector<NamedValue> properties_after(const PendingOperation& pending, const EntityView* base);

}  // namespace table_storage::backend::remote
