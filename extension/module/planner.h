// xBestIndex: which conditions, which order and which columns go to the backend, written as a plan
// (parser/plan).
//
// Cost. One unit is one entity read by the backend. What a scan reads is estimated from the table's size
// (option estimated_rows, else what the last complete scan counted, else kDefaultRows):
//
//   both keys equal        1 row
//   partition equal        what scans of a partition gave so far, else the square root of the size;
//                          a row-key bound divides by 4, a prefix or two bounds by 16
//   partition bound        size / 4; two bounds or a prefix: size / 16
//   a list                 25 × one value, at most the size
//   whole table            size
//   rowid                  1 row: a look-up in the rows that a write was shown, else a scan
//
// A filter does not change what is read; equality divides the rows that come back by 10, else by 3. A local
// scan costs kScanOverhead + read + rows. From a service, a page costs as much as kRequest rows, except in a
// partition: look-ups by key are what shall run inside a join, whatever SQLite thinks of the other table (a
// native one that was never analysed counts a million rows), and the join cache (join_cache.h) sees to it
// that many of them do not cost as many requests. They cost kScanOverhead and a fraction of their rows.
//
// Order is claimed for ascending prefixes of (PartitionKey, RowKey), skipping a key that `=` fixes.
#pragma once

#include "extension/module/foreign_table.h"
#include "extension/sqlite.h"

namespace table_storage::module {

/// Returns SQLITE_OK, or SQLITE_CONSTRAINT where `_filter` is given but its value is not known yet in this
/// order of tables. Throws Error(invalid) for uses of `_filter` that could not be answered.
int best_index(ForeignTable& table, sqlite3_index_info* info);

}  // namespace table_storage::module
