#include "extension/backend/remote/url.h"

#include <array>

namespace table_storage::backend::remote {
namespace {

constexpr std::array<bool, 256> kUnreserved = [] {
  std::array<bool, 256> table{};
  for (const char c :
       std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

void append_byte(std::string& out, char byte) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out += '%';
  out += kDigits[value >> 4];
  out += kDigits[value & 15];
}

std::string under_base(const Endpoint& endpoint, std::string_view rest) {
  std::string path;
  path.reserve(endpoint.base_path.size() + 1 + rest.size() + 8);
  path += endpoint.base_path;
  path += '/';
  path += rest;
  return path;
}

}  // namespace

void append_encoded(std::string& out, std::string_view utf8) {
  for (const char c : utf8) {
    if (kUnreserved[static_cast<unsigned char>(c)]) {
      out += c;
    } else {
      append_byte(out, c);
    }
  }
}

std::string encoded(std::string_view utf8) {
  std::string out;
  append_encoded(out, utf8);
  return out;
}

void append_encoded_key(std::string& out, std::string_view utf8) {
  for (const char c : utf8) {
    if (kUnreserved[static_cast<unsigned char>(c)]) {
      out += c;
    } else if (c == '\'') {
      out += "''";
    } else {
      append_byte(out, c);
    }
  }
}

void append_table_path(std::string& out, const Endpoint& endpoint, std::string_view table) {
  out += endpoint.base_path;
  out += '/';
  append_encoded(out, table);
}

std::string table_path(const Endpoint& endpoint, std::string_view table) {
  std::string path;
  append_table_path(path, endpoint, table);
  return path;
}

std::string query_path(const Endpoint& endpoint, std::string_view table) {
  return table_path(endpoint, table) + "()";
}

void append_entity_path(std::string& out, const Endpoint& endpoint, std::string_view table,
                        std::string_view partition_key, std::string_view row_key) {
  append_table_path(out, endpoint, table);
  out += "(PartitionKey='";
  append_encoded_key(out, partition_key);
  out += "',RowKey='";
  append_encoded_key(out, row_key);
  out += "')";
}

std::string entity_path(const Endpoint& endpoint, std::string_view table, std::string_view partition_key,
                        std::string_view row_key) {
  std::string path;
  append_entity_path(path, endpoint, table, partition_key, row_key);
  return path;
}

std::string tables_path(const Endpoint& endpoint) { return under_base(endpoint, "Tables"); }

std::string tables_path(const Endpoint& endpoint, std::string_view table) {
  std::string path = under_base(endpoint, "Tables('");
  append_encoded_key(path, table);
  path += "')";
  return path;
}

std::string batch_path(const Endpoint& endpoint) { return under_base(endpoint, "$batch"); }

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  append_encoded(query, value);
}

std::size_t address_size(const HttpRequest& request) {
  return request.origin.size() + request.path.size() + (request.query.empty() ? 0 : 1 + request.query.size());
}

}  // namespace table_storage::backend::remote
