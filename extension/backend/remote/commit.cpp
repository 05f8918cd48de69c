#include "extension/backend/remote/commit.h"

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "extension/backend/limits.h"
#include "extension/backend/remote/batch_body.h"
#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/service_error.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

constexpr std::size_t kCosmosBatchBytes = 2'000'000;

using Entry = WriteBuffer::Operations::value_type;

/// One request: an operation alone or a batch.
struct Group {
  std::vector<const Entry*> entries;
  HttpRequest request;
  std::unique_ptr<Call> call;
  enum class Outcome : unsigned char { not_sent, applied, refused, unknown } outcome = Outcome::not_sent;
};

std::string boundary_id() {
  std::random_device random;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 32; ++i) id += kDigits[random() % 16];
  return id;
}

std::string keys_of(const Entry& entry) {
  return "PartitionKey '" + entry.first.first + "', RowKey '" + entry.first.second + "'";
}

/// Azurite finds the keys of a batched operation by patterns in its address: it misses an empty RowKey and
/// takes what follows a quote and a comma for another key, so that a write meets another entity. Alone, the
/// same address is read right. The keys of an insert stand in its body.
bool azurite_misreads_in_batch(const Entry& entry) {
  const auto& [partition_key, row_key] = entry.first;
  return entry.second.kind != OperationKind::insert &&
         (row_key.empty() || partition_key.find('\'') != std::string::npos ||
          row_key.find('\'') != std::string::npos);
}

/// Cuts the writes into requests, in key order.
std::vector<Group> groups_of(const Service& service, const std::string& table, const WriteBuffer& buffer) {
  const Endpoint& endpoint = service.endpoint();
  const std::size_t most_bytes = endpoint.dialect == Dialect::cosmos ? kCosmosBatchBytes : kMaxBatchBytes;
  const std::string id = boundary_id();
  std::vector<Group> groups;
  std::optional<BatchBody> body(std::in_place, endpoint, table, id);
  std::vector<const Entry*> open;
  const auto close = [&] {
    if (open.empty()) return;
    Group group;
    if (open.size() == 1) {
      group.request = operation_request(endpoint, table, open.front()->second.view(open.front()->first));
      body.emplace(endpoint, table, id);
    } else {
      group.request = body->finish();
    }
    group.entries = std::move(open);
    open.clear();
    groups.push_back(std::move(group));
  };
  for (const Entry& entry : buffer.operations()) {
    const Operation operation = entry.second.view(entry.first);
    // A batch fails as a whole where one entity to remove is not there; alone that is no failure.
    const bool alone = entry.second.may_be_missing ||
                       (endpoint.dialect == Dialect::azurite && azurite_misreads_in_batch(entry));
    if (!open.empty() &&
        (alone || open.front()->first.first != entry.first.first || open.size() == kMaxBatchOperations ||
         body->size() + body->cost(operation) > most_bytes)) {
      close();
    }
    open.push_back(&entry);
    body->add(operation);
    if (alone) close();
  }
  close();
  return groups;
}

/// The error of a refused group, or nothing if it was applied.
std::optional<Error> failure_of(const Service& service, const std::string& table, const Group& group,
                                const HttpResponse& response, std::vector<std::string>& etags) {
  const Entry* culprit = group.entries.front();
  if (group.entries.size() == 1) {
    if (response.status >= 200 && response.status < 300) {
      etags.emplace_back(response.header("ETag").value_or(std::string_view()));
      return std::nullopt;
    }
    const bool removal = culprit->second.kind == OperationKind::remove;
    if (removal && culprit->second.may_be_missing && response.status == 404) {
      etags.emplace_back();
      return std::nullopt;
    }
    return service.refusal(response, "writing table " + table + ", " + keys_of(*culprit));
  }
  const BatchReply reply = read_batch_reply(response, group.entries.size());
  if (!reply.error) {
    for (const BatchReply::Part& part : reply.parts) etags.push_back(part.etag);
    return std::nullopt;
  }
  if (reply.error->operation && *reply.error->operation < group.entries.size()) {
    culprit = group.entries[*reply.error->operation];
  }
  return service.refusal(reply.failed ? *reply.failed : response,
                         "writing table " + table + ", " + keys_of(*culprit));
}

/// "2 groups (partitions 'a', 'b')", or nothing.
std::string groups_with(const std::vector<Group>& groups, Group::Outcome outcome) {
  std::size_t count = 0;
  std::string partitions;
  for (const Group& group : groups) {
    if (group.outcome != outcome) continue;
    constexpr std::size_t kNamed = 5;
    if (++count <= kNamed)
      partitions += (partitions.empty() ? "'" : ", '") + group.entries.front()->first.first + "'";
    if (count == kNamed + 1) partitions += ", …";
  }
  if (count == 0) return {};
  return std::to_string(count) + (count == 1 ? " group" : " groups") + " (partition " + partitions + ")";
}

[[noreturn]] void fail(Error error, const std::string& table, const std::vector<Group>& groups) {
  const std::string applied = groups_with(groups, Group::Outcome::applied);
  const std::string unknown = groups_with(groups, Group::Outcome::unknown);
  std::string text =
      "COMMIT of " + std::to_string(groups.size()) + (groups.size() == 1 ? " group" : " groups");
  // Other tables of the transaction are another matter: some may have been written before.
  text += " of table " + table + ": ";
  if (!applied.empty()) text += applied + " applied, and that stays";
  if (!applied.empty() && !unknown.empty()) text += "; ";
  if (!unknown.empty()) text += "whether " + unknown + " was applied is unknown";
  if (applied.empty() && unknown.empty()) text += "nothing was applied";
  error.prefix(text);
  throw error;
}

}  // namespace

std::vector<std::string> send_all(Service& service, const std::string& table, const WriteBuffer& buffer) {
  std::vector<Group> groups = groups_of(service, table, buffer);
  const std::string asked = "writing table " + table;
  std::vector<std::string> etags;
  std::size_t started = 0;
  std::optional<Error> failure;
  for (std::size_t at = 0; at < groups.size(); ++at) {
    while (!failure && started < groups.size() && started < at + service.options().concurrency) {
      Group& group = groups[started++];
      bool idempotent = true;
      for (const Entry* entry : group.entries)
        idempotent = idempotent && is_idempotent(entry->second.view(entry->first));
      group.call = groups.size() == 1 ? service.prepare(std::move(group.request), asked, idempotent)
                                      : service.start(std::move(group.request), asked, idempotent);
    }
    Group& group = groups[at];
    if (!group.call) break;  // not sent, because another one failed
    bool answered = false;
    try {
      const HttpResponse response = group.call->get();
      answered = true;
      auto refused = failure_of(service, table, group, response, etags);
      // A refusal may be about an attempt of ours whose answer was lost: the entity exists because we made
      // it.
      group.outcome = !refused                      ? Group::Outcome::applied
                      : group.call->maybe_applied() ? Group::Outcome::unknown
                                                    : Group::Outcome::refused;
      if (refused && !failure) failure = std::move(refused);
    } catch (const Error& error) {
      group.outcome =
          answered || group.call->maybe_applied() ? Group::Outcome::unknown : Group::Outcome::refused;
      if (!failure) failure = error;
    }
  }
  if (failure) fail(*std::move(failure), table, groups);
  return etags;
}

}  // namespace table_storage::backend::remote
