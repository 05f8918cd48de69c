// The one source of chance of the differential test: a seed gives the same cases on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace table_storage::differential {

/// SplitMix64. Not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// 0 .. n-1; n must not be 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  /// low .. high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(unsigned percent) { return next() % 100 < percent; }

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <std::size_t N>
  const char* pick(const char* const (&from)[N]) {
    return from[below(N)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace table_storage::differential
