#include <string_view>

#include "extension/functions/functions.h"
#include "extension/module/column.h"
#include "parser/edm/text.h"

namespace table_storage::functions {

namespace {

int compare_bytes(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

int compare(void*, int a_size, const void* a_text, int b_size, const void* b_text) {
  const std::string_view a(static_cast<const char*>(a_text), static_cast<std::size_t>(a_size));
  const std::string_view b(static_cast<const char*>(b_text), static_cast<std::size_t>(b_size));
  if (a == b) return 0;
  const auto a_ticks = edm::parse_datetime(a);
  const auto b_ticks = edm::parse_datetime(b);
  if (a_ticks && b_ticks) return *a_ticks < *b_ticks ? -1 : *a_ticks > *b_ticks ? 1 : 0;
  if (a_ticks) return -1;
  if (b_ticks) return 1;
  return compare_bytes(a, b);
}

}  // namespace

int register_datetime_collation(sqlite3* db) {
  return sqlite3_create_collation_v2(db, module::kDateTimeCollation, SQLITE_UTF8, nullptr, compare, nullptr);
}

}  // namespace table_storage::functions
