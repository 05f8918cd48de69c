#include "extension/catalog/table_options.h"

#include "extension/catalog/options.h"
#include "parser/definition/closest.h"

namespace table_storage::catalog {

void set_table_options(backend::TableOptions& table,
                       std::initializer_list<std::span<const definition::Option>> levels) {
  const auto number = [&](std::string_view name) {
    return static_cast<std::size_t>(parse_integer(effective_value(name, levels)).value_or(0));
  };
  const auto is = [&](std::string_view name, std::string_view choice) {
    return definition::equal_without_case(effective_value(name, levels), choice);
  };
  table.concurrency = number("concurrency");
  table.page_size = number("page_size");
  table.prefetch_pages = number("prefetch_pages");
  table.full_metadata = is("metadata", "full");
  table.upsert = is("upsert", "merge") ? backend::Upsert::merge : backend::Upsert::replace;
  table.atomic_commit = is("atomicity", "partition");
}

}  // namespace table_storage::catalog
