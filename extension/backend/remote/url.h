// Paths and query values of the Table protocol, percent-encoded. Encoding happens once, here: signatures are
// made over these bytes.
//
// Source: "Understanding the Table service data model", "Querying tables and entities", RFC 3986. Pure
// functions: any thread.
#pragma once

#include <string>
#include <string_view>

#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

/// Everything but A-Z a-z 0-9 - . _ ~ becomes %XX, byte by byte of the UTF-8. For values of a query: "+" is
/// %2B there, and a blank %20.
void append_encoded(std::string& out, std::string_view utf8);
std::string encoded(std::string_view utf8);
/// For a key between the quotes of a path: quotes doubled, then encoded; the quotes themselves stay as they
/// are.
void append_encoded_key(std::string& out, std::string_view utf8);

/// "/base/table", where entities are inserted.
std::string table_path(const Endpoint& endpoint, std::string_view table);
void append_table_path(std::string& out, const Endpoint& endpoint, std::string_view table);
/// "/base/table()", which is queried.
std::string query_path(const Endpoint& endpoint, std::string_view table);
/// "/base/table(PartitionKey='..',RowKey='..')".
std::string entity_path(const Endpoint& endpoint, std::string_view table, std::string_view partition_key,
                        std::string_view row_key);
void append_entity_path(std::string& out, const Endpoint& endpoint, std::string_view table,
                        std::string_view partition_key, std::string_view row_key);
/// "/base/Tables", and one table in it: "/base/Tables('x')".
std::string tables_path(const Endpoint& endpoint);
std::string tables_path(const Endpoint& endpoint, std::string_view table);
std::string batch_path(const Endpoint& endpoint);

/// Adds "name=value" to the query; the value is encoded. `name` is plain ("$filter" as it is, which every
/// service takes).
void add_parameter(std::string& query, std::string_view name, std::string_view value);

/// Bytes of the request's address as it is sent. Some services and proxies refuse more than 8 KiB.
std::size_t address_size(const HttpRequest& request);

}  // namespace table_storage::backend::remote
