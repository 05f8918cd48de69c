// A plan and the values of one xFilter call, as a request to the backend.
//
// The connection's thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "extension/backend/backend.h"
#include "extension/module/foreign_table.h"
#include "extension/module/skip_scan.h"
#include "extension/sqlite.h"

namespace table_storage::module {

/// Positions in argv, one bit each; those from the 64th on share the last bit.
class ArgumentSet {
 public:
  static ArgumentSet all() { return ArgumentSet(~std::uint64_t{0}); }
  ArgumentSet() = default;
  bool has(int argument) const { return (bits_ & bit(argument)) != 0; }
  void add(int argument) { bits_ |= bit(argument); }
  void remove(int argument) { bits_ &= ~bit(argument); }
  friend bool operator==(ArgumentSet a, ArgumentSet b) = default;

 private:
  explicit ArgumentSet(std::uint64_t bits) : bits_(bits) {}
  static std::uint64_t bit(int argument) { return std::uint64_t{1} << (argument < 63 ? argument : 63); }
  std::uint64_t bits_ = 0;
};

struct PlannedScan {
  backend::ScanRequest request;
  bool possible = true;  // false: no row can come, and nothing is to be asked
  /// The order that was claimed is not that of the ranges: everything has to be read and sorted.
  bool sort = false;
  bool sort_by_row_key = false;
  /// One row of each partition is enough.
  bool distinct_partitions = false;
  /// Rowids to look for in what the scan yields; empty: all rows count.
  std::unordered_set<std::int64_t> wanted;
  std::optional<std::string> odata_text;  // what `_filter` was compared with
  /// Nothing narrows the scan: when it is complete, it has counted the table.
  bool whole_table = false;
  bool whole_partition = false;  // the same for one partition
};

/// `used`: the conditions that are to narrow the scan, by their argument; others are left to whoever tests
/// the rows. Limits count only where all conditions do. Throws Error(invalid) for a bad `_filter`.
PlannedScan plan_scan(ForeignTable& table, const ResolvedPlan& plan, sqlite3_value** argv,
                      ArgumentSet used = ArgumentSet::all());

/// Opens it, sorted where it has to be. Only if it is possible. Throws Error(invalid) for a scan that no
/// partition key bounds where require_key is 'error', and for one request more than max_requests allows.
std::unique_ptr<backend::Scan> open_scan(ForeignTable& table, const PlannedScan& scan);
/// The same where partitions may be skipped, which a cursor has to be able to stop. Null: use open_scan().
std::unique_ptr<SkipScan> open_skip_scan(ForeignTable& table, const PlannedScan& scan);

}  // namespace table_storage::module
