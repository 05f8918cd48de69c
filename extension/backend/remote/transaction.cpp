#include "extension/backend/remote/transaction.h"

#include <algorithm>
#include <utility>

#include "extension/backend/remote/commit.h"
#include "extension/backend/remote/write_groups.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

std::string server_of(const Service& service) {
  return service.options().name.empty() ? service.endpoint().origin : service.options().name;
}

}  // namespace

void WriteTransaction::join(const Table& author, const std::shared_ptr<Service>& service,
                            const std::string& table, const TableOptions& options,
                            const std::shared_ptr<WriteBuffer>& buffer) {
  for (Member& member : members_) {
    if (member.buffer != buffer) continue;
    member.options.atomic_commit = member.options.atomic_commit || options.atomic_commit;
    member.authors.push_back(&author);
    return;
  }
  members_.push_back({service, table, options, buffer, {&author}, 0});
}

bool WriteTransaction::holds_writes(const Table& table) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return !member.buffer->empty() &&
           std::find(member.authors.begin(), member.authors.end(), &table) != member.authors.end();
  });
}

std::string WriteTransaction::named(const Member& member, std::size_t groups) const {
  std::string text = "table " + member.table;
  const bool several_services = std::any_of(
      members_.begin(), members_.end(), [&](const Member& other) { return other.service != member.service; });
  if (several_services) text += " of " + server_of(*member.service);
  return text + " (" + std::to_string(groups) + (groups == 1 ? " group)" : " groups)");
}

void WriteTransaction::refuse_several_groups() const {
  const Member* wanting = nullptr;
  std::string tables;
  std::size_t groups = 0;
  for (const Member& member : members_) {
    if (member.buffer->empty()) continue;
    if (member.options.atomic_commit && wanting == nullptr) wanting = &member;
  }
  if (wanting == nullptr) return;
  for (const Member& member : members_) {
    if (member.buffer->empty()) continue;
    const std::size_t count = count_groups(member.service->endpoint(), member.table, *member.buffer);
    tables += (tables.empty() ? "" : ", ") + named(member, count);
    groups += count;
  }
  if (groups <= 1) return;
  throw Error(Error::Kind::precondition, "",
              "COMMIT would need " + std::to_string(groups) + " entity group transactions, " + tables +
                  ", and table " + wanting->table +
                  " has atomicity 'partition', which allows one; nothing was sent. A transaction that is to "
                  "be atomic writes one partition of one table, 100 entities and 4 MiB at most; SELECT * "
                  "FROM ts_pending before COMMIT shows the groups. With atomicity 'none' each group is "
                  "atomic by itself")
      .native(SQLITE_CONSTRAINT_VTAB);
}

void WriteTransaction::sync(const WriteBuffer& buffer) {
  if (buffer.empty()) return;
  const auto place = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.buffer.get() == &buffer; });
  if (place == members_.end()) {
    throw Error(Error::Kind::storage, "", "writes of a remote table that takes no part in the transaction");
  }
  if (!sending_) refuse_several_groups();
  sending_ = true;
  try {
    send(*place);
  } catch (const std::bad_alloc&) {
    // Nothing of this table. By itself the code would say that of the others too.
    std::string applied;
    for (const Member& member : members_) {
      if (member.sent > 0) applied += (applied.empty() ? "" : ", ") + named(member, member.sent);
    }
    if (applied.empty()) throw;
    throw Error(Error::Kind::storage, "",
                "COMMIT of table " + place->table + ": out of memory, and nothing was sent; " + applied +
                    " applied before, and that stays")
        .native(SQLITE_IOERR);
  }
}

void WriteTransaction::send(Member& place) {
  OtherTables others;
  for (const Member& member : members_) {
    if (&member == &place) continue;
    if (member.sent > 0) others.applied += (others.applied.empty() ? "" : ", ") + named(member, member.sent);
    if (member.buffer->empty()) continue;
    others.not_sent += (others.not_sent.empty() ? "table " : ", table ") + member.table;
  }
  place.sent += send_all(*place.service, place.table, place.options, *place.buffer, others);
  // Another foreign table of the same name must not send it again.
  place.buffer->clear();
}

void WriteTransaction::end() {
  members_.clear();
  sending_ = false;
}

std::vector<PendingShown> WriteTransaction::pending() const {
  std::vector<PendingShown> all;
  std::size_t number = 0;
  for (const Member& member : members_) {
    GroupCutter cutter(member.service->endpoint(), member.table, *member.buffer, true);
    WriteGroup group;
    HttpRequest request;
    while (cutter.next(group, request)) {
      ++number;
      for (std::size_t i = 0; i < group.entries.size(); ++i) {
        const PendingEntry& entry = *group.entries[i];
        PendingShown shown;
        shown.group = number;
        shown.server = server_of(*member.service);
        shown.foreign_table = member.buffer->author(entry.second);
        shown.table = member.table;
        shown.partition_key = entry.first.first;
        shown.row_key = entry.first.second;
        shown.kind = entry.second.kind;
        const bool conditional = shown.kind == OperationKind::merge || shown.kind == OperationKind::replace ||
                                 shown.kind == OperationKind::remove;
        if (conditional) shown.if_match = entry.second.if_match;
        shown.bytes = group.bytes[i];
        all.push_back(std::move(shown));
      }
    }
  }
  return all;
}

}  // namespace table_storage::backend::remote
