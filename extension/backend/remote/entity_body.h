// JSON bodies of requests. Source: "Payload format for Table service operations". Pure functions: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

/// `{"PartitionKey":"p","RowKey":"r",…}`, for an insert, whose address does not tell the keys.
std::string insert_body(std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties);
void append_insert_body(std::string& out, std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties);
/// `{…}`, for replace and merge: the address tells the keys. Properties that are missing() leave no trace, so
/// a merge does not touch them and a replace drops them.
std::string update_body(const std::vector<NamedValue>& properties);
void append_update_body(std::string& out, const std::vector<NamedValue>& properties);
/// `{"TableName":"x"}`.
std::string table_body(std::string_view table);

}  // namespace table_storage::backend::remote
