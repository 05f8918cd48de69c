// Random filters for the tests of $filter: every type of constant, odd strings, any structure.
#pragma once

#include <random>
#include <string>

#include "parser/odata/filter.h"

namespace table_storage::odata::testing {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  /// A filter of at most `depth` connectives below each other.
  Filter filter(int depth);
  edm::Value literal();
  std::string property();
  /// Text that means `filter`, written in another way than print() does: sides exchanged, superfluous
  /// parentheses and white space, bare properties, white space left out where tokens cannot fuse.
  std::string scribble(const Filter& filter);

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::string text();
  std::string gap(bool needed);
  std::string wrapped(std::string inside);
  std::string comparison(const Filter& filter);

  std::mt19937 random_;
};

}  // namespace table_storage::odata::testing
