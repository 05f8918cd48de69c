// "Did you mean" for type names. Internal to parser/definition.
#pragma once

#include <string_view>

namespace table_storage::definition {

/// The type name that `name` was probably meant to be; empty if none is near.
std::string_view closest_column_type(std::string_view name);

}  // namespace table_storage::definition
