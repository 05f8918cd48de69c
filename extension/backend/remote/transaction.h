// The transaction of one connection, as far as remote tables take part in it: which they are, in the order in
// which they are sent, and what was sent already.
//
// SQLite tells each table of a COMMIT by itself, one after another, when all writing is over. So at the first
// one the writes of all are known: that is where a COMMIT of more than one group is refused for a table that
// wants atomicity 'partition', before anything is sent. What this cannot know of: rows of the database's own
// tables, which SQLite commits last. If that fails (a full disk), the groups that were sent stay.
//
// The connection's thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/service.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

/// One line of ts_pending.
struct PendingShown {
  std::size_t group = 0;  // from 1 on, over all tables; in the order of sending
  std::string server;
  std::string foreign_table;  // SQL name of the one that wrote last
  std::string table;
  std::string partition_key;
  std::string row_key;
  OperationKind kind = OperationKind::insert;
  std::string if_match;   // "*": any version; empty where none is asked for
  std::size_t bytes = 0;  // of the operation, as a part of a batch
};

class WriteTransaction {
 public:
  /// A table takes part from its first write on. Joining again changes nothing but makes it atomic where
  /// `options` say so.
  void join(const Table& author, const std::shared_ptr<Service>& service, const std::string& table,
            const TableOptions& options, const std::shared_ptr<WriteBuffer>& buffer);
  /// Sends the writes of one table and empties its buffer. Throws what send_all() throws, told of the other
  /// tables, and Error with SQLITE_CONSTRAINT_VTAB where atomicity is wanted and cannot be had.
  void sync(const WriteBuffer& buffer);
  /// The transaction is over, either way.
  void end();

  /// sync() of the table has something to send. Local tables have nothing.
  bool holds_writes(const Table& table) const;
  /// What COMMIT would send.
  std::vector<PendingShown> pending() const;

 private:
  struct Member {
    std::shared_ptr<Service> service;
    std::string table;
    TableOptions options;
    std::shared_ptr<WriteBuffer> buffer;
    std::vector<const Table*> authors;  // that stand for the table; only their addresses are used
    std::size_t sent = 0;               // groups
  };
  void refuse_several_groups() const;
  void send(Member& place);
  std::string named(const Member& member, std::size_t groups) const;

  std::vector<Member> members_;
  bool sending_ = false;  // something was sent
};

}  // namespace table_storage::backend::remote
