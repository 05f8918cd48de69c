// One foreign table: its definition, and the virtual table object of SQLite.
//
// Short-lived: SQLite makes and drops it as it likes. It is made from the text of CREATE VIRTUAL TABLE alone,
// touches no entity and no network, and opens its backend table when a statement first runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/connection.h"
#include "extension/module/column.h"
#include "extension/module/table_state.h"
#include "extension/sqlite.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

enum class OnTypeMismatch : unsigned char { null, error };

/// What CREATE VIRTUAL TABLE says, checked.
struct ForeignTableDefinition {
  std::string schema;  // main, temp or an attached name
  std::string name;    // SQL name
  std::string server = catalog::kLocalServer;
  catalog::ServerDefinition remote;  // where options of the table name a service
  std::string entity_table;          // option `table`, else the SQL name
  bool entity_table_is_sql_name = true;
  OnTypeMismatch on_type_mismatch = OnTypeMismatch::null;
  std::optional<std::int64_t> estimated_rows;
  bool updatable = true;
  std::vector<Column> columns;  // the system columns first

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
  plan::Plan::Access access;
  std::vector<ResolvedCondition> keys;
  std::vector<ResolvedCondition> filter;
  std::vector<int> odata;    // positions in argv
  std::vector<int> order;    // column indexes
  std::optional<int> limit;  // position in argv
  std::optional<int> offset;
  backend::Projection projection;
  std::vector<int> slots;  // by column: index in projection.properties, -1 if not fetched
};

class ForeignTable {
 public:
  ForeignTable(std::shared_ptr<Session> session, ForeignTableDefinition definition);

  const ForeignTableDefinition& definition() const { return definition_; }
  catalog::Connection& connection() { return session_->connection(); }
  TableState& state() { return *state_; }
  backend::Table& backend_table();
  backend::Capabilities backend_capabilities() { return backend_table().capabilities(); }
  /// For the callbacks of a transaction: nothing is opened for their sake.
  backend::Table* open_backend_table() { return table_.get(); }

  /// A plan is parsed once for each text; the text stays the only state between xBestIndex and xFilter.
  std::shared_ptr<const ResolvedPlan> resolve(std::string_view plan_text);

  /// An operation whose buffers are used again for each row of a bulk INSERT.
  backend::Operation& insert_operation() { return insert_operation_; }

  /// The table is dropped or renamed: nothing that was learnt is true of what comes next under its name.
  void forget_state() { session_->forget_state(definition_.schema, definition_.name); }

 private:
  std::shared_ptr<Session> session_;
  ForeignTableDefinition definition_;
  std::shared_ptr<TableState> state_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Table> table_;
  std::map<std::string, std::shared_ptr<const ResolvedPlan>, std::less<>> plans_;
  backend::Operation insert_operation_;
};

/// `base` must come first: SQLite casts.
struct ForeignTableVtab {
  sqlite3_vtab base{};
  ForeignTable table;

  ForeignTableVtab(std::shared_ptr<Session> session, ForeignTableDefinition definition)
      : table(std::move(session), std::move(definition)) {}
  static ForeignTable& of(sqlite3_vtab* vtab) { return reinterpret_cast<ForeignTableVtab*>(vtab)->table; }
};

}  // namespace table_storage::module
