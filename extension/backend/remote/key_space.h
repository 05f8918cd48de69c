// Where the keys of a table lie, as far as some of them have been seen, and which text divides a stretch of
// them into halves.
//
// Keys are read as numbers of a mixed radix: the digits at each position are the characters that were seen
// there, filled up to the whole class where they are digits, hexadecimal digits or letters of one case.
// Interpolation between two keys then finds "dev-00512" between "dev-00000" and "dev-01000". It is a guess,
// which costs time where it is bad and nothing else: any text divides the keys exactly.
//
// Only characters below U+D800 are made use of, so a dividing text means the same in the service's order
// (UTF-16 units) and in SQLite's, and only those that a key may have. No clock, no network. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace table_storage::backend::remote {

class KeySpace {
 public:
  /// Learns from a key.
  void note(std::string_view key);

  /// Texts strictly between both bounds, ascending and distinct, which divide the keys there at these shares
  /// (each in 0..1, ascending). Fewer than asked for where the space has no such texts.
  std::vector<std::string> between(std::string_view low, std::string_view high,
                                   const std::vector<double>& shares) const;

  /// Texts above `low` and below `high` (where there is one), for keys of which nothing is known: each is
  /// above everything that has one more of the characters of `low` in common with it, so that whether there
  /// is a key behind it tells how much of `low` all keys share. Descending, at most `most`, the first and the
  /// last of all possible ones among them; the last one has nothing but `low` below it.
  static std::vector<std::string> above(std::string_view low, const std::optional<std::string>& high,
                                        std::size_t most);

  /// How much of the space from `low` to `high` lies below `key`: 0 to 1.
  double share(std::string_view low, std::string_view high, std::string_view key) const;

 private:
  struct Place {
    std::u16string seen;  // ascending
    bool ends = false;    // a key ended here
    std::u16string digits;

    std::size_t radix() const { return digits.size() + (ends ? 1 : 0); }
  };

  double value(const std::u16string& key, std::size_t from) const;

  std::vector<Place> places_;
};

/// As a bound: between it and `key` there can be no key.
std::string just_above(std::string_view key);
/// Whether the key, as a bound, means the same in the service's order and in SQLite's.
bool is_comparable(std::string_view key);

}  // namespace table_storage::backend::remote
