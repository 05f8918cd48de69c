// Names of storage accounts.
#pragma once

#include <algorithm>
#include <string_view>

namespace table_storage::catalog {

/// Letters, digits and '-', which is what a host name takes: an account becomes part of one. Any thread.
inline bool is_account_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace table_storage::catalog
