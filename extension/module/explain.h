// What a statement will ask of its foreign tables, for ts_explain.
//
// The statement is prepared and not run; nothing is asked of a service. What is expected comes from what the
// connection knows of the tables: their estimated_rows, and what earlier scans have counted.
//
// The connection's thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extension/module/foreign_table.h"
#include "extension/sqlite.h"

namespace table_storage::module {

struct ExplainedCondition {
  /// exact: the backend gives the rows that the condition accepts and no others; superset: some that it does
  /// not accept, too; local: it does not narrow what is asked. SQLite tests every row in all three cases.
  enum class Pushed : unsigned char { exact, superset, local };
  std::string text;  // "Temperature > 20", "PartitionKey = {devices.RowKey}"
  Pushed pushed = Pushed::local;
  std::string reason;
};

struct ExplainedScan {
  std::string table;  // SQL name
  /// "GET Readings()?$filter=…&$select=…"; what is not known yet stands in {}.
  std::string request;
  std::string price;   // "point", "points", "partition", "partitions", "range" or "table scan"
  std::string remark;  // what that means, and what would make it cheaper
  bool in_loop = false;
  std::optional<std::int64_t> requests;  // of one execution, where that can be told
  std::optional<std::int64_t> entities;  // that come back
  std::optional<std::int64_t> bytes;
  std::vector<ExplainedCondition> conditions;
};

/// Throws Error(invalid) for a statement that SQLite does not take.
std::vector<ExplainedScan> explain(Session& session, const std::string& sql);

}  // namespace table_storage::module
