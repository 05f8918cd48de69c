#include "extension/backend/remote/sas.h"

#include <algorithm>
#include <initializer_list>

#include "extension/backend/remote/url.h"
#include "parser/definition/closest.h"

namespace table_storage::backend::remote {
namespace {

std::string joined(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const std::string_view* field = fields.begin(); field != fields.end(); ++field) {
    if (field != fields.begin()) text += '\n';
    text += *field;
  }
  return text;
}

void add_if_any(std::string& query, std::string_view name, std::string_view value) {
  if (!value.empty()) add_parameter(query, name, value);
}

}  // namespace

void append_sas(HttpRequest& request, std::string_view sas) {
  if (!request.query.empty() && !sas.empty()) request.query += '&';
  request.query += sas;
}

std::string make_sas(const SharedKey& key, const TableSas& sas) {
  std::string resource = "/table/" + key.account() + "/" + sas.table;
  const auto table = resource.end() - static_cast<std::ptrdiff_t>(sas.table.size());
  std::transform(table, resource.end(), table, definition::lower);
  const std::string signature = key.signature(
      joined({sas.permissions, sas.start, sas.expiry, resource, sas.policy, sas.ip, sas.protocol, sas.version,
              sas.first_partition_key, sas.first_row_key, sas.last_partition_key, sas.last_row_key}));
  std::string query;
  add_if_any(query, "sv", sas.version);
  add_if_any(query, "tn", sas.table);
  add_if_any(query, "sp", sas.permissions);
  add_if_any(query, "st", sas.start);
  add_if_any(query, "se", sas.expiry);
  add_if_any(query, "si", sas.policy);
  add_if_any(query, "sip", sas.ip);
  add_if_any(query, "spr", sas.protocol);
  add_if_any(query, "spk", sas.first_partition_key);
  add_if_any(query, "srk", sas.first_row_key);
  add_if_any(query, "epk", sas.last_partition_key);
  add_if_any(query, "erk", sas.last_row_key);
  add_parameter(query, "sig", signature);
  return query;
}

std::string make_sas(const SharedKey& key, const AccountSas& sas) {
  // Unlike above, the last field ends in a line feed too.
  std::string text = joined({key.account(), sas.permissions, sas.services, sas.resource_types, sas.start,
                             sas.expiry, sas.ip, sas.protocol, sas.version, ""});
  constexpr std::string_view kSignsScope = "2020-12-06";
  if (sas.version >= kSignsScope) text += sas.encryption_scope + "\n";  // dates compare as text
  std::string query;
  add_if_any(query, "sv", sas.version);
  add_if_any(query, "ss", sas.services);
  add_if_any(query, "srt", sas.resource_types);
  add_if_any(query, "sp", sas.permissions);
  add_if_any(query, "st", sas.start);
  add_if_any(query, "se", sas.expiry);
  add_if_any(query, "sip", sas.ip);
  add_if_any(query, "spr", sas.protocol);
  add_if_any(query, "ses", sas.encryption_scope);
  add_parameter(query, "sig", key.signature(text));
  return query;
}

}  // namespace table_storage::backend::remote
