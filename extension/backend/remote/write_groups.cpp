#include "extension/backend/remote/write_groups.h"

#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/remote/operation_request.h"

namespace table_storage::backend::remote {

namespace {

constexpr std::size_t kCosmosBatchBytes = 2'000'000;

std::string boundary_id() {
  std::random_device random;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 32; ++i) id += kDigits[random() % 16];
  return id;
}

/// What breaks the patterns with which Azurite finds a key in an address of a batch: a quote, or a line end
/// of JavaScript.
bool azurite_misreads(std::string_view key) {
  return key.find('\'') != std::string_view::npos || key.find("\xE2\x80\xA8") != std::string_view::npos ||
         key.find("\xE2\x80\xA9") != std::string_view::npos;
}

/// In such a place Azurite takes another key for the one given, so that a write meets another entity. It also
/// misses an empty RowKey, and takes "{}", an entity without properties, for a missing body. Alone, the same
/// request is read right. The keys of an insert stand in its body.
bool azurite_misreads_in_batch(const PendingEntry& entry) {
  const auto& [partition_key, row_key] = entry.first;
  const PendingOperation& operation = entry.second;
  if (operation.kind == OperationKind::insert) return false;
  return row_key.empty() || azurite_misreads(partition_key) || azurite_misreads(row_key) ||
         (operation.kind != OperationKind::remove && operation.properties.empty());
}

bool travels_alone(const Endpoint& endpoint, const PendingEntry& entry) {
  // A batch fails as a whole where one entity to remove is not there; alone that is no failure.
  return entry.second.may_be_missing ||
         (endpoint.dialect == Dialect::azurite && azurite_misreads_in_batch(entry));
}

}  // namespace

GroupCutter::GroupCutter(const Endpoint& endpoint, std::string table, const WriteBuffer& buffer,
                         bool with_bytes)
    : endpoint_(endpoint),
      table_(std::move(table)),
      with_bytes_(with_bytes),
      most_bytes_(endpoint.dialect == Dialect::cosmos ? kCosmosBatchBytes : kMaxBatchBytes),
      next_(buffer.operations().begin()),
      end_(buffer.operations().end()) {}

bool GroupCutter::next(WriteGroup& group, HttpRequest& request) {
  group.entries.clear();
  group.bytes.clear();
  for (; next_ != end_; ++next_) {
    const PendingEntry& entry = *next_;
    const bool alone = travels_alone(endpoint_, entry);
    const bool first = group.entries.empty();
    if (!first && (alone || group.entries.size() == kMaxBatchOperations ||
                   group.entries.front()->first.first != entry.first.first)) {
      break;
    }
    // The one write of a transaction is common, and is no batch.
    if (first && !with_bytes_ && (alone || std::next(next_) == end_)) {
      group.entries.push_back(&entry);
      ++next_;
      break;
    }
    if (!body_) body_.emplace(endpoint_, table_, boundary_id());
    entry.second.view(entry.first, operation_);
    const std::size_t bytes = body_->add(operation_);
    if (!first && body_->size() > most_bytes_) {
      body_->take_back(bytes);
      break;
    }
    group.entries.push_back(&entry);
    if (with_bytes_) group.bytes.push_back(bytes);
    if (alone) {
      ++next_;
      break;
    }
  }
  if (group.entries.empty()) return false;
  if (group.entries.size() > 1) {
    request = body_->finish();
    return true;
  }
  if (body_) body_->clear();
  const PendingEntry& only = *group.entries.front();
  only.second.view(only.first, operation_);
  request = operation_request(endpoint_, table_, operation_);
  return true;
}

HttpRequest group_request(const Endpoint& endpoint, const std::string& table, const WriteGroup& group) {
  if (group.entries.size() == 1) {
    const PendingEntry& only = *group.entries.front();
    return operation_request(endpoint, table, only.second.view(only.first));
  }
  BatchBody body(endpoint, table, boundary_id());
  for (const PendingEntry* entry : group.entries) body.add(entry->second.view(entry->first));
  return body.finish();
}

std::size_t count_groups(const Endpoint& endpoint, const std::string& table, const WriteBuffer& buffer) {
  GroupCutter cutter(endpoint, table, buffer);
  WriteGroup group;
  HttpRequest request;
  std::size_t count = 0;
  while (cutter.next(group, request)) ++count;
  return count;
}

}  // namespace table_storage::backend::remote
