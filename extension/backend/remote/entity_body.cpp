#include "extension/backend/remote/entity_body.h"

#include <cmath>

#include "parser/json/entity_json.h"

namespace table_storage::backend::remote {
namespace {

/// As the minimal metadata of answers, but every Double is annotated: there are services that store 2.0 as
/// the integer 2 otherwise.
void append_properties(std::string& out, const std::vector<NamedValue>& properties) {
  for (const auto& [name, value] : properties) {
    if (value.present() && value.type() == edm::Type::Double && std::isfinite(value.as_double())) {
      if (out.back() != '{') out += ',';
      json::append_string(out, name);
      out.pop_back();  // the quote, as the name goes on
      out += "@odata.type\":\"Edm.Double\"";
    }
    json::append_property(out, name, value);
  }
}

}  // namespace

void append_insert_body(std::string& out, std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties) {
  out += "{\"PartitionKey\":";
  json::append_string(out, partition_key);
  out += ",\"RowKey\":";
  json::append_string(out, row_key);
  append_properties(out, properties);
  out += '}';
}

std::string insert_body(std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties) {
  std::string out;
  append_insert_body(out, partition_key, row_key, properties);
  return out;
}

void append_update_body(std::string& out, const std::vector<NamedValue>& properties) {
  out += '{';
  append_properties(out, properties);
  out += '}';
}

std::string update_body(const std::vector<NamedValue>& properties) {
  std::string out;
  append_update_body(out, properties);
  return out;
}

std::string table_body(std::string_view table) {
  std::string out = "{\"TableName\":";
  json::append_string(out, table);
  out += '}';
  return out;
}

}  // namespace table_storage::backend::remote
