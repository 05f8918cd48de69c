#include "parser/edm/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace table_storage::edm {
namespace {

// Row: type of the property; column: type of the literal; both in the order of Type. Source: the typed
// comparison data of the CloudStub suite (all pairs of the eight types). It is the one place to change should
// the service turn out to differ.
constexpr Pairing kSame = Pairing::same;
constexpr Pairing kWide = Pairing::widen;
constexpr Pairing kMiss = Pairing::mismatch;
constexpr Pairing kPairings[kTypeCount][kTypeCount] = {
    // String Binary Boolean Int32  Int64  Double DateTime Guid
    {kSame, kMiss, kMiss, kMiss, kMiss, kMiss, kMiss, kMiss},  // String
    {kMiss, kSame, kMiss, kMiss, kMiss, kMiss, kMiss, kMiss},  // Binary
    {kMiss, kMiss, kSame, kMiss, kMiss, kMiss, kMiss, kMiss},  // Boolean
    {kMiss, kMiss, kMiss, kSame, kMiss, kMiss, kMiss, kMiss},  // Int32
    {kMiss, kMiss, kMiss, kWide, kSame, kMiss, kMiss, kMiss},  // Int64
    {kMiss, kMiss, kMiss, kWide, kWide, kSame, kMiss, kMiss},  // Double
    {kMiss, kMiss, kMiss, kMiss, kMiss, kMiss, kSame, kMiss},  // DateTime
    {kMiss, kMiss, kMiss, kMiss, kMiss, kMiss, kMiss, kSame},  // Guid
};

std::weak_ordering compare_bytes(std::string_view a, std::string_view b) {
  const int order = a.compare(b);  // unsigned bytes, a proper prefix is smaller
  return order <=> 0;
}

std::weak_ordering compare_doubles(double a, double b) {
  if (a < b) return std::weak_ordering::less;
  if (a > b) return std::weak_ordering::greater;
  if (a == b) return std::weak_ordering::equivalent;
  // At least one NaN: below every number, equal to itself.
  return std::isnan(b) <=> std::isnan(a);
}

// Exact: rounding the integer to a double would make 2^53 equal to 2^53 + 1.
std::weak_ordering compare_double_with_integer(double a, std::int64_t b) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::isnan(a) || a < -kTwo63) return std::weak_ordering::less;
  if (a >= kTwo63) return std::weak_ordering::greater;
  const double whole = std::trunc(a);
  if (const auto order = static_cast<std::int64_t>(whole) <=> b; std::is_neq(order)) return order;
  return a < whole ? std::weak_ordering::less
                   : (a > whole ? std::weak_ordering::greater : std::weak_ordering::equivalent);
}

// Position of the first byte that differs, at most `size`.
std::size_t first_difference(const char* a, const char* b, std::size_t size) {
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + 8 <= size; i += 8) {
      std::uint64_t x, y;
      std::memcpy(&x, a + i, 8);
      std::memcpy(&y, b + i, 8);
      if (x != y) return i + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
    }
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

Pairing pairing(Type property, Type literal) {
  return kPairings[static_cast<std::size_t>(property)][static_cast<std::size_t>(literal)];
}

std::weak_ordering compare_utf16(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  const std::size_t at = first_difference(a.data(), b.data(), common);
  if (at == common) return a.size() <=> b.size();
  auto x = static_cast<unsigned char>(a[at]);
  auto y = static_cast<unsigned char>(b[at]);
  // Lead bytes EE and EF begin U+E000..U+FFFF, F0..F4 begin supplementary characters, whose surrogates
  // (D800..DFFF) are smaller units than E000. Continuation bytes end at BF, so the test sees lead bytes only.
  // Lifting EE and EF above every other byte gives UTF-16 order, also a total order for invalid text.
  if (x >= 0xEE && y >= 0xEE) {
    if (x < 0xF0) x = static_cast<unsigned char>(x + 0x10);
    if (y < 0xF0) y = static_cast<unsigned char>(y + 0x10);
  }
  return x <=> y;
}

std::weak_ordering compare(ValueView property, ValueView literal) {
  switch (pairing(property.type(), literal.type())) {
    case Pairing::mismatch:
      return std::weak_ordering::less;
    case Pairing::widen:
      return property.type() == Type::Double
                 ? compare_double_with_integer(property.as_double(), literal.as_int64())
                 : std::weak_ordering(property.as_int64() <=> literal.as_int64());
    case Pairing::same:
      break;
  }
  switch (property.type()) {
    case Type::String:
      return compare_utf16(property.bytes(), literal.bytes());
    case Type::Binary:
    case Type::Guid:  // hex digits sort as the bytes that they stand for
      return compare_bytes(property.bytes(), literal.bytes());
    case Type::Double:
      return compare_doubles(property.as_double(), literal.as_double());
    case Type::Boolean:
      return property.as_boolean() <=> literal.as_boolean();
    case Type::Int32:
    case Type::Int64:
    case Type::DateTime:
      break;
  }
  return property.as_int64() <=> literal.as_int64();
}

}  // namespace table_storage::edm
