// A copy of an argument of xFilter, to tell whether the next call has the same one.
//
// The connection's thread only.
#pragma once

#include <cstdint>
#include <string>

#include "extension/sqlite.h"

namespace table_storage::module {

class RightValue {
 public:
  RightValue() = default;
  /// `list`: the value is the handle of an IN list. Throws Error(storage) if its elements cannot be read.
  RightValue(sqlite3_value* value, bool list);

  /// Same type and same content: 1 is not 1.0.
  bool is(sqlite3_value* value, bool list) const;
  std::uint64_t hash() const;
  std::size_t bytes() const { return sizeof *this + text_.capacity(); }
  friend bool operator==(const RightValue&, const RightValue&) = default;

 private:
  int type_ = 0;
  std::int64_t bits_ = 0;  // of a number
  std::string text_;       // of a text, a blob, or all elements of a list
};

}  // namespace table_storage::module
