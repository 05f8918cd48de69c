// From a property name to its number, as fast as a write of many similar entities needs it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "extension/backend/local/names.h"

namespace table_storage::backend::local {

/// Remembers numbers by the address of the name, which is the same from one row to the next where names come
/// from column definitions. The address is only a hint: a hit is checked against the name itself.
class NameCache {
 public:
  /// 0 if the store does not know the name.
  NameId find(const NameStore& store, std::string_view name) {
    NameId& hint = hints_[slot_of(name)];
    if (hint != 0 && hint <= store.size() && store.name(hint) == name) return hint;
    const NameId id = store.find(name);
    if (id != 0) hint = id;
    return id;
  }

 private:
  static constexpr unsigned kBits = 8;
  static std::size_t slot_of(std::string_view name) {
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(name.data()));
    return static_cast<std::size_t>(((address ^ name.size()) * kGolden) >> (64 - kBits));
  }
  std::array<NameId, std::size_t{1} << kBits> hints_{};
};

}  // namespace table_storage::backend::local
