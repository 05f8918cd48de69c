#include "extension/backend/remote/write_buffer.h"

#include <algorithm>
#include <iterator>

#include "extension/backend/limits.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

/// `under`, and over it what is present of `over`.
void overlay(std::vector<NamedValue>& under, const std::vector<NamedValue>& over) {
  for (const NamedValue& property : over) {
    if (!property.value) continue;
    const auto place =
        std::find_if(under.begin(), under.end(), [&](const auto& p) { return p.name == property.name; });
    if (place == under.end()) {
      under.push_back(property);
    } else {
      place->value = property.value;
    }
  }
}

std::string name_of(const std::string& table, const Operation& operation) {
  return describe_entity(table, operation.partition_key, operation.row_key);
}

PendingOperation first_operation(const Operation& operation, std::shared_ptr<const KeptEntity> base) {
  PendingOperation pending;
  pending.kind = operation.kind;
  pending.properties = PackedProperties(operation.properties);
  pending.if_match = operation.if_match;
  pending.base = std::move(base);
  return pending;
}

/// What the change of an entity that is there, by this transaction's own doing, comes to.
PendingOperation after_change(PendingOperation pending, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::merge:
    case OperationKind::insert_or_merge: {
      std::vector<NamedValue> all;
      pending.properties.append_to(all);
      overlay(all, operation.properties);
      pending.properties = PackedProperties(all);
      return pending;
    }
    case OperationKind::insert_or_replace:
    case OperationKind::replace:
      pending.properties = PackedProperties(operation.properties);
      if (pending.kind == OperationKind::merge) pending.kind = OperationKind::replace;
      if (pending.kind == OperationKind::insert_or_merge) pending.kind = OperationKind::insert_or_replace;
      // INSERT OR REPLACE asks for no version.
      if (operation.kind == OperationKind::insert_or_replace && pending.kind == OperationKind::replace) {
        pending.kind = OperationKind::insert_or_replace;
      }
      return pending;
    case OperationKind::insert:
    case OperationKind::remove:
      break;
  }
  pending.may_be_missing =
      pending.kind == OperationKind::insert_or_replace || pending.kind == OperationKind::insert_or_merge;
  if (pending.may_be_missing) pending.if_match = "*";
  pending.kind = OperationKind::remove;
  pending.properties.clear();
  pending.base.reset();
  return pending;
}

/// What making an entity anew comes to that this transaction removes.
PendingOperation after_removal(const PendingOperation& removal, const Operation& operation) {
  PendingOperation pending = first_operation(operation, nullptr);
  const bool unconditional = removal.may_be_missing || operation.kind == OperationKind::insert_or_replace;
  pending.kind = unconditional ? OperationKind::insert_or_replace : OperationKind::replace;
  pending.if_match = removal.if_match;
  return pending;
}

}  // namespace

void PendingOperation::view(const EntityKeys& keys, Operation& out) const {
  out.kind = kind;
  out.partition_key = keys.first;
  out.row_key = keys.second;
  out.properties.clear();
  properties.append_to(out.properties);
  out.if_match = if_match;
}

Operation PendingOperation::view(const EntityKeys& keys) const {
  Operation operation;
  view(keys, operation);
  return operation;
}

/// `place`: of the keys, or where they would be.
void WriteBuffer::put(Operations::iterator place, EntityKeys keys,
                      std::optional<PendingOperation> operation) {
  // Nothing may fail between the change and its entry in the log.
  if (!marks_.empty() && log_.size() == log_.capacity()) log_.reserve(2 * log_.size() + 16);
  Undo undo;
  if (!operation) {
    undo.node = operations_.extract(place);
  } else if (place == operations_.end() || place->first != keys) {
    undo.keys = &operations_.emplace_hint(place, std::move(keys), std::move(*operation))->first;
  } else {
    undo.keys = &place->first;
    undo.before = std::make_unique<PendingOperation>(std::move(place->second));
    place->second = std::move(*operation);
  }
  if (!marks_.empty()) log_.push_back(std::move(undo));
}

std::uint32_t WriteBuffer::number_of(std::string_view author) {
  const auto known = std::find(authors_.begin(), authors_.end(), author);
  const auto number = static_cast<std::uint32_t>(known - authors_.begin());
  if (known == authors_.end()) authors_.emplace_back(author);
  return number;
}

void WriteBuffer::add(const std::string& table, const Operation& operation,
                      std::shared_ptr<const KeptEntity> base, std::string_view author) {
  EntityKeys keys(operation.partition_key, operation.row_key);
  const std::uint32_t number = number_of(author);
  // Whoever writes many mostly writes them in order.
  const bool last = operations_.empty() || KeysLess()(std::prev(operations_.end())->first, keys);
  const auto place = last ? operations_.end() : operations_.lower_bound(keys);
  const auto put_by_author = [&](PendingOperation changed) {
    changed.author = number;
    put(place, std::move(keys), std::move(changed));
  };
  if (last || place->first != keys) {
    put_by_author(first_operation(operation, std::move(base)));
    return;
  }
  const PendingOperation& pending = place->second;
  if (pending.kind == OperationKind::remove) {
    if (operation.kind == OperationKind::replace || operation.kind == OperationKind::merge ||
        operation.kind == OperationKind::remove) {
      throw Error(Error::Kind::missing, "ResourceNotFound",
                  name_of(table, operation) + ": this transaction has removed the entity");
    }
    put_by_author(after_removal(pending, operation));
    return;
  }
  if (operation.kind == OperationKind::insert) {
    throw Error(Error::Kind::conflict, "EntityAlreadyExists",
                "table " + table + " already has an entity with PartitionKey '" + keys.first + "', RowKey '" +
                    keys.second + "', written in this transaction");
  }
  if (operation.kind == OperationKind::remove && pending.kind == OperationKind::insert) {
    put(place, std::move(keys), std::nullopt);
    return;
  }
  put_by_author(after_change(pending, operation));
}

void WriteBuffer::savepoint(int number) {
  failed_savepoint_ = number;  // until there was memory for it
  marks_[number] = log_.size();
  failed_savepoint_.reset();
}

// One that is not known was set before the first table joined, and so before every write.
void WriteBuffer::older_savepoint(int number) {
  failed_savepoint_ = number;
  marks_.try_emplace(number, std::nullopt);
  failed_savepoint_.reset();
}

void WriteBuffer::release(int number) {
  failed_savepoint_.reset();
  marks_.erase(marks_.lower_bound(number), marks_.end());
  if (marks_.empty()) log_.clear();
}

void WriteBuffer::rollback_to(int number) {
  const auto mark = marks_.find(number);
  // SQLite undoes a statement whose savepoint could not be set; nothing has been written since.
  if (mark == marks_.end() && number == failed_savepoint_) return;
  // A table that joins a transaction inside savepoints never hears of the outer ones.
  if (mark == marks_.end() || !mark->second) {
    operations_.clear();
    log_.clear();
  } else {
    for (; log_.size() > *mark->second; log_.pop_back()) {
      Undo& undo = log_.back();
      if (!undo.node.empty()) {
        operations_.insert(std::move(undo.node));
      } else if (undo.before) {
        operations_.find(*undo.keys)->second = std::move(*undo.before);
      } else {
        operations_.erase(operations_.find(*undo.keys));
      }
    }
  }
  marks_.erase(marks_.upper_bound(number), marks_.end());
}

void WriteBuffer::clear() {
  operations_.clear();
  authors_.clear();
  log_.clear();
  marks_.clear();
  failed_savepoint_.reset();
}

std::vector<NamedValue> properties_after(const PendingOperation& pending, const EntityView* base) {
  std::vector<NamedValue> all;
  if (pending.merges() && base != nullptr) all = base->all;
  std::vector<NamedValue> changed;
  pending.properties.append_to(changed);
  overlay(all, changed);
  return all;
}

}  // namespace table_storage::backend::remote
