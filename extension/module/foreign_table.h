// One foreign table: its definition, and the virtual table object of SQLite.
//
// Short-lived: SQLite makes and drops it as it likes. It is made from the text of CREATE VIRTUAL TABLE alone,
// touches no entity and no network, and opens its backend table when a statement first runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/connection.h"
#include "extension/module/column.h"
#include "extension/module/table_state.h"
#include "extension/sqlite.h"
#include "parser/definition/table_definition.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

enum class OnTypeMismatch : unsigned char { null, error };
enum class RequireKey : unsigned char { off, warn, error };

/// What CREATE VIRTUAL TABLE says, checked. The values of options are those that count: of the table, else of
/// its server, else the defaults.
struct ForeignTableDefinition {
  std::string schema;  // main, temp or an attached name
  std::string name;    // SQL name
  std::string server = catalog::kLocalServer;
  backend::TableOptions backend_options;
  catalog::ServerDefinition remote;  // where options of the table name a service
  std::string entity_table;          // option `table`, else the SQL name
  bool entity_table_is_sql_name = true;
  OnTypeMismatch on_type_mismatch = OnTypeMismatch::null;
  std::optional<std::int64_t> estimated_rows;
  bool updatable = true;
  RequireKey require_key = RequireKey::off;
  std::size_t join_cache_memory = std::size_t{64} << 20;  // bytes
  std::optional<std::uint64_t> max_requests;              // of one statement; nullopt: any number
  std::vector<definition::Option> options;                // of the table, as written
  std::vector<Column> columns;                            // the system columns first

  /// Index of a column by its SQL name, -1 if there is none.
  int column(std::string_view name) const;
};

/// Reads argv of xCreate/xConnect. Throws Error(invalid) for anything that is wrong with it; xCreate also
/// checks that the server exists.
ForeignTableDefinition define(const catalog::Connection& connection, int argc, const char* const* argv,
                              bool creating);

/// The CREATE TABLE text for sqlite3_declare_vtab().
std::string declaration(const ForeignTableDefinition& definition);

/// A plan with its column names resolved.
struct ResolvedCondition {
  int column;
  plan::Operator op;
  int argument;  // 0-based position in argv
  bool literal;
};

struct ResolvedPlan {
  std::string text;
  plan::Plan::Access access;
  std::vector<ResolvedCondition> keys;
  std::vector<ResolvedCondition> filter;
  std::vector<ResolvedCondition> match;
  std::vector<int> odata;  // positions in argv
  std::vector<int> order;  // column indexes
  bool distinct_partitions = false;
  std::optional<int> limit;  // position in argv
  std::optional<int> offset;
  backend::Projection projection;
  bool etag = false;       // `_etag` is read
  std::vector<int> slots;  // by column: index in projection.properties, -1 if not fetched
};

class Cursor;

class ForeignTable {
 public:
  ForeignTable(std::shared_ptr<Session> session, ForeignTableDefinition definition);

  /// As it counts now: refresh() may change what the server says.
  const ForeignTableDefinition& definition() const { return definition_; }
  catalog::Connection& connection() { return session_->connection(); }
  Session& session() { return *session_; }
  TableState& state() { return *state_; }
  backend::Table& backend_table();
  /// Looks whether the server is still what it was, and opens the backend table anew if not. Called where a
  /// statement is planned, where it opens a cursor and where a transaction begins to write; while it writes,
  /// nothing changes. Throws Error(invalid) where there is no such server.
  void refresh();
  /// A plan is good as long as the backend's abilities are those it was made for. The number travels in
  /// idxNum and stays 0 unless a server has changed under the open table.
  int plan_epoch() const { return plan_epoch_; }
  void check_plan_epoch(int epoch);
  backend::Capabilities backend_capabilities() { return backend_table().capabilities(); }
  /// For the callbacks of a transaction: nothing is opened for their sake.
  backend::Table* open_backend_table() { return table_.get(); }

  /// A plan is parsed once for each text; the text stays the only state between xBestIndex and xFilter.
  std::shared_ptr<const ResolvedPlan> resolve(std::string_view plan_text);

  JoinPolicy join_policy() const { return session_->join_policy(); }
  /// Counts what this connection wrote to the entity table, by whatever name.
  std::uint64_t writes() const { return *writes_; }
  void note_write() { ++*writes_; }
  /// Whether rows that are kept need their ETags.
  bool keeps_etags(const ResolvedPlan& plan) const { return plan.etag || state_->writing; }

  /// How many entities the table has, as far as that is known.
  std::optional<std::uint64_t> likely_rows() const;
  void note_at_least(std::uint64_t rows) { state_->at_least_rows = std::max(state_->at_least_rows, rows); }

  /// Open cursors of the table. While there is one, a statement uses the table, and its requests count
  /// together (options max_requests and statement_timeout).
  void count_cursor() {
    if (open_cursors_++ == 0 && definition_.backend_options.budget)
      definition_.backend_options.budget->begin();
  }
  /// Once the cursor is gone.
  void uncount_cursor() {
    if (--open_cursors_ == 0) retired_.clear();
  }

  /// The cursor that was opened last, if nothing has happened to the table's cursors since; see
  /// Cursor::inherit().
  Cursor* newest_cursor() const { return newest_cursor_; }
  void set_newest_cursor(Cursor* cursor) { newest_cursor_ = cursor; }

  /// CREATE VIRTUAL TABLE is part of the transaction that is open.
  bool is_new() const { return new_; }
  void set_new(bool is_new) { new_ = is_new; }

  /// An operation whose buffers are used again for each row of a bulk INSERT.
  backend::Operation& insert_operation() { return insert_operation_; }

  /// The table is dropped or renamed: nothing that was learnt is true of what comes next under its name.
  void forget_state() { session_->forget_state(definition_.schema, definition_.name); }

 private:
  void open(const catalog::ServerInUse& server);

  std::shared_ptr<Session> session_;
  ForeignTableDefinition definition_;
  std::shared_ptr<TableState> state_;
  std::shared_ptr<std::uint64_t> writes_;
  Cursor* newest_cursor_ = nullptr;
  std::size_t open_cursors_ = 0;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Table> table_;
  std::vector<std::pair<std::unique_ptr<backend::Backend>, std::unique_ptr<backend::Table>>> retired_;
  std::optional<catalog::ServerReader> server_reader_;
  std::optional<catalog::ServerReader::Row> server_row_;  // that table_ was opened for
  std::uint64_t generation_ = 0;                          // likewise
  int plan_epoch_ = 0;
  std::map<std::string, std::shared_ptr<const ResolvedPlan>, std::less<>> plans_;
  backend::Operation insert_operation_;
  bool new_ = false;
};

/// The address of a virtual table as EXPLAIN prints it.
std::string address_of(const sqlite3_vtab* table);

/// `base` must come first: SQLite casts.
struct ForeignTableVtab {
  sqlite3_vtab base{};
  ForeignTable table;
  const std::string address = address_of(&base);  // kept: without memory there would be none to end with

  ForeignTableVtab(std::shared_ptr<Session> session, ForeignTableDefinition definition)
      : table(std::move(session), std::move(definition)) {
    table.session().add_table(address, &table);
  }
  ~ForeignTableVtab() { table.session().remove_table(address); }
  ForeignTableVtab(const ForeignTableVtab&) = delete;
  ForeignTableVtab& operator=(const ForeignTableVtab&) = delete;
  static ForeignTable& of(sqlite3_vtab* vtab) { return reinterpret_cast<ForeignTableVtab*>(vtab)->table; }
};

}  // namespace table_storage::module
