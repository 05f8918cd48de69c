// The plan of one scan, as the text that xBestIndex puts into idxStr and EXPLAIN QUERY PLAN shows.
//
// The text is the whole plan: xFilter parses it back and knows nothing else. The language:
//
//   plan      = access { "; " clause }
//   access    = "whole table" | "keys " condition { " and " condition } | "row " condition
//   clause    = "filter " condition { " and " condition }      -- sent to the backend with the scan
//             | "match " condition { " and " condition }       -- nothing a backend can be asked; finds rows
//             in the join cache | "odata " argument { " and " argument }         -- raw OData filters
//             (`_filter`) | "fetch " ( "keys only" | column { ", " column } ) | "ordered by " column { ", "
//             column }           -- order that SQLite relies on
//             | "distinct PartitionKey"                        -- one row of each partition is enough
//             | "limit " argument [ " offset " argument ]
//             -- a hint, never a cut | "SQLite checks " column { ", " column }        -- what is left to
//             SQLite
//   condition = column " " operator " " argument
//   operator  = "=" | "is" | "<" | "<=" | ">" | ">=" | "<>" | "like" | "glob" | "in"
//   argument  = "?" number                                     -- 1-based position in xFilter's argv
//             | "?" number "!"                                 -- the same, and known to be a literal of the
//             query
//   column    = identifier | '"' text with doubled quotes '"'
//
// "keys" holds conditions on PartitionKey and RowKey, "row" one on rowid, "match" only `=` and `is`. Clauses
// come in the order above, each at most once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace table_storage::plan {

enum class Operator : unsigned char { eq, is, lt, le, gt, ge, ne, like, glob, in };
std::string_view text_of(Operator op);

struct Argument {
  int position = 0;      // 1-based
  bool literal = false;  // the value comes from a literal in the query: it carries no affinity of a column
  friend bool operator==(const Argument&, const Argument&) = default;
};

struct Condition {
  std::string column;  // SQL name
  Operator op = Operator::eq;
  Argument argument;
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Plan {
  enum class Access : unsigned char { whole_table, keys, row };
  Access access = Access::whole_table;
  std::vector<Condition> keys;  // access keys: at least one; access row: exactly one, column "rowid"
  std::vector<Condition> filter;
  std::vector<Condition> match;
  std::vector<Argument> odata;
  std::vector<std::string> fetch;  // empty: keys only
  std::vector<std::string> order;
  bool distinct_partitions = false;
  std::optional<Argument> limit;
  std::optional<Argument> offset;
  std::vector<std::string> rechecked;
  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string print(const Plan& plan);
/// Throws Error(invalid) with position() and what was expected.
Plan parse_plan(std::string_view text);

}  // namespace table_storage::plan
