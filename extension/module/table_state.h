// What a foreign table knows that has to outlive its sqlite3_vtab object.
//
// SQLite disconnects and reconnects virtual tables at any schema change, VACUUM or rollback of DDL. What
// belongs to a transaction, and what was learnt about a table, is therefore kept by the module for the
// connection, keyed by schema and table name. One thread at a time, as SQLite uses the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/catalog/connection.h"
#include "extension/module/identity.h"
#include "extension/module/row_source.h"

namespace table_storage::module {

struct TableState {
  bool writing = false;  // between xBegin and the end of the transaction
  RowMap rows;
  std::optional<std::uint64_t> known_rows;  // counted by the last complete scan of the table
  std::uint64_t at_least_rows = 0;          // seen by a scan that ended early
  std::optional<double> partition_rows;     // a partition's, by the scans of whole partitions so far
  std::size_t join_bytes = 0;               // held by the join caches of the table's cursors
  /// Plans whose fetch of the whole table found no room in the join cache.
  std::set<std::string, std::less<>> outgrown_plans;

  void note_outgrown(const std::string& plan) {
    constexpr std::size_t kMost = 256;
    if (outgrown_plans.size() < kMost) outgrown_plans.insert(plan);
  }
  void note_partition(std::uint64_t count) {
    // The latest count more than those before it: a few of the same size settle it.
    const auto latest = static_cast<double>(count);
    partition_rows = partition_rows ? (*partition_rows + latest) / 2 : latest;
  }
};

/// When the inner side of a join is fetched. The environment variable TABLE_STORAGE_JOIN_CACHE, read when the
/// extension is loaded, is for tests: "early" fetches at the first look-up whatever it costs, "off" never.
enum class JoinPolicy : unsigned char { by_cost, early, off };

class ForeignTable;

/// The module's client data on one connection.
class Session {
 public:
  explicit Session(std::shared_ptr<catalog::Connection> connection) : connection_(std::move(connection)) {
    const char* policy = std::getenv("TABLE_STORAGE_JOIN_CACHE");
    if (policy != nullptr && std::string_view(policy) == "early") join_policy_ = JoinPolicy::early;
    if (policy != nullptr && std::string_view(policy) == "off") join_policy_ = JoinPolicy::off;
  }

  catalog::Connection& connection() { return *connection_; }
  std::shared_ptr<TableState> state_of(const std::string& schema, const std::string& table) {
    std::shared_ptr<TableState>& state = states_[key(schema, table)];
    if (!state) state = std::make_shared<TableState>();
    return state;
  }
  void forget_state(const std::string& schema, const std::string& table) {
    states_.erase(key(schema, table));
  }

  /// The virtual tables that are connected, by the address of their sqlite3_vtab as SQLite prints it; null
  /// for one of another module.
  ForeignTable* table_at(const std::string& address) const {
    const auto known = tables_.find(address);
    return known == tables_.end() ? nullptr : known->second;
  }
  const std::map<std::string, ForeignTable*>& tables() const { return tables_; }
  void add_table(const std::string& address, ForeignTable* table) { tables_[address] = table; }
  void remove_table(const std::string& address) { tables_.erase(address); }

  /// The open cursors of the connection's foreign tables.
  const std::vector<const RowSource*>& row_sources() const { return row_sources_; }
  void add_row_source(const RowSource* source) { row_sources_.push_back(source); }
  void remove_row_source(const RowSource* source) { std::erase(row_sources_, source); }

  JoinPolicy join_policy() const { return join_policy_; }
  /// How many writes and rollbacks this connection made on entity tables of a name; those that are not
  /// certain to be different tables share a number.
  std::shared_ptr<std::uint64_t> writes_of(const std::string& place, const std::string& entity_table) {
    std::shared_ptr<std::uint64_t>& count = writes_[key(place, entity_table)];
    if (!count) count = std::make_shared<std::uint64_t>(0);
    return count;
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key(const std::string& schema, const std::string& table) {
    return {catalog::folded(schema), catalog::folded(table)};
  }

  std::shared_ptr<catalog::Connection> connection_;
  std::map<Key, std::shared_ptr<TableState>> states_;
  std::map<Key, std::shared_ptr<std::uint64_t>> writes_;
  std::map<std::string, ForeignTable*> tables_;
  std::vector<const RowSource*> row_sources_;
  JoinPolicy join_policy_ = JoinPolicy::by_cost;
};

}  // namespace table_storage::module
