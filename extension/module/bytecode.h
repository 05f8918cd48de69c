// The scans of virtual tables in a statement, read from what EXPLAIN shows of its bytecode.
//
// EXPLAIN QUERY PLAN gives a plan's text but neither the table, which two databases may both have, nor what
// its arguments are. The bytecode has all of it: VOpen names the virtual table by its address, VFilter has
// the plan and the registers of its arguments, and what filled those can be found. The form of the bytecode
// is not promised by SQLite; whatever is not recognised counts as "an expression", and no more is lost. Read
// on 3.40.1 and 3.53.2.
//
// The connection's thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "extension/sqlite.h"

namespace table_storage::module {

struct FreeSqlValue {
  void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};
using SqlValue = std::unique_ptr<sqlite3_value, FreeSqlValue>;

/// What an argument of a scan is.
struct ScanArgument {
  enum class Kind : unsigned char { literal, parameter, column, list, expression };
  Kind kind = Kind::expression;
  SqlValue value;  // of a literal
  /// A parameter's name; for a column of a virtual table the table's address and the column's number.
  std::string text;
  std::string table;
  int column = -1;
};

struct BytecodeScan {
  std::string table;  // address of the sqlite3_vtab, see address_of()
  std::string plan;
  std::vector<ScanArgument> arguments;
  bool in_loop = false;  // runs more than once: for each row of another table or each call of a subquery
};

/// The statement is prepared, not run. Throws Error(invalid) with SQLite's message if it cannot be.
std::vector<BytecodeScan> scans_of(sqlite3* db, const std::string& sql);

}  // namespace table_storage::module
