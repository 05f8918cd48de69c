// A scan put into another order: it reads everything that another scan yields, sorts it and hands it out.
//
// The slow, right way for the rare statement whose order was claimed when it was planned and turns out not to
// be the order of the ranges when the values are known. Memory grows with the rows read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend {

/// `by_row_key_first`: by (RowKey, PartitionKey), else by (PartitionKey, RowKey); byte order.
std::unique_ptr<Scan> sorted(std::unique_ptr<Scan> scan, bool by_row_key_first);

}  // namespace table_storage::backend
