// What a scan will cost, for ts_explain: its price class, and what is expected of it.
//
// The connection's thread only.
#pragma once

#include "extension/module/explain.h"
#include "extension/module/foreign_table.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

/// Fills in price, remark, requests, entities and bytes; `scan.in_loop` is there already. What is not known
/// stays empty: a service tells no sizes, and nobody knows how many entities pass a filter.
void price(ForeignTable& table, const plan::Plan& plan, ExplainedScan& scan);

}  // namespace table_storage::module
