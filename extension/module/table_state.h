// What a foreign table knows that has to outlive its sqlite3_vtab object.
//
// SQLite disconnects and reconnects virtual tables at any schema change, VACUUM or rollback of DDL. What
// belongs to a transaction, and what was learnt about a table, is therefore kept by the module for the
// connection, keyed by schema and table name. One thread at a time, as SQLite uses the connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "extension/catalog/connection.h"
#include "extension/module/identity.h"

namespace table_storage::module {

struct TableState {
  bool writing = false;  // between xBegin and the end of the transaction
  RowMap rows;
  std::optional<std::uint64_t> known_rows;  // counted by the last complete scan of the table
};

/// The module's client data on one connection.
class Session {
 public:
  explicit Session(std::shared_ptr<catalog::Connection> connection) : connection_(std::move(connection)) {}

  catalog::Connection& connection() { return *connection_; }
  std::shared_ptr<TableState> state_of(const std::string& schema, const std::string& table) {
    std::shared_ptr<TableState>& state = states_[key(schema, table)];
    if (!state) state = std::make_shared<TableState>();
    return state;
  }
  void forget_state(const std::string& schema, const std::string& table) {
    states_.erase(key(schema, table));
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key(const std::string& schema, const std::string& table) {
    return {catalog::folded(schema), catalog::folded(table)};
  }

  std::shared_ptr<catalog::Connection> connection_;
  std::map<Key, std::shared_ptr<TableState>> states_;
};

}  // namespace table_storage::module
