// What options say about how a table's service is to be used.
#pragma once

#include <initializer_list>
#include <span>

#include "extension/backend/backend.h"
#include "parser/definition/table_definition.h"

namespace table_storage::catalog {

/// Sets what options can say, each by the first of `levels` that has it (a table before its server) or its
/// default; the name and the budget of `table` are left alone. The options must be valid. Any thread.
void set_table_options(backend::TableOptions& table,
                       std::initializer_list<std::span<const definition::Option>> levels);

}  // namespace table_storage::catalog
