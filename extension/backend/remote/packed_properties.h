// Properties in one piece of memory: what a transaction keeps of many entities, as a vector of owned names
// and values takes several times as much.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

/// Appends those properties that are present; names have at most 65,535 bytes.
void append_packed(std::string& out, const std::vector<NamedValue>& properties);

/// How many bytes append_packed() appends.
std::size_t packed_size(const std::vector<NamedValue>& properties);

/// Appends the properties of `packed`, in their order. They are views into it.
void append_unpacked(std::vector<NamedValue>& out, std::string_view packed);

class PackedProperties {
 public:
  PackedProperties() = default;
  explicit PackedProperties(const std::vector<NamedValue>& properties);
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }
  /// Appends views into this object.
  void append_to(std::vector<NamedValue>& out) const { append_unpacked(out, bytes_); }

 private:
  std::string bytes_;
};

}  // namespace table_storage::backend::remote
