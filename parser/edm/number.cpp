// Numbers by std::from_chars and std::to_chars: exact, and independent of the locale.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

template <typename Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number of the form `-? digits (. digits)? ([eE] [+-]? digits)?`, taken apart.
struct Decimal {
  std::string_view whole, fraction, exponent;

  // from_chars says "out of range" for both ends of the range; only for the large one is the text no double.
  // The first digit that counts tells them apart, since doubles end near 1e308 and 5e-324.
  bool is_tiny() const {
    std::size_t i = 0;
    while (i < whole.size() && whole[i] == '0') ++i;
    std::int64_t magnitude;  // the value is below 10^magnitude
    if (i < whole.size()) {
      magnitude = static_cast<std::int64_t>(whole.size() - i);
    } else {
      i = 0;
      while (i < fraction.size() && fraction[i] == '0') ++i;
      magnitude = -static_cast<std::int64_t>(i);
    }
    if (exponent.empty()) return magnitude <= 0;
    const std::string_view digits = exponent.front() == '+' ? exponent.substr(1) : exponent;
    if (const auto e = parse_integer<std::int32_t>(digits)) return magnitude + *e <= 0;
    return exponent.front() == '-';  // an exponent past 2^31: no text is long enough to balance it
  }
};

std::optional<Decimal> split_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(first, at - first);
  };
  Decimal parts;
  if (at < text.size() && text[at] == '-') ++at;
  if (parts.whole = digits(); parts.whole.empty()) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (parts.fraction = digits(); parts.fraction.empty()) return std::nullopt;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t first = ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits().empty()) return std::nullopt;
    parts.exponent = text.substr(first, at - first);
  }
  if (at != text.size()) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<std::int32_t> parse_int32(std::string_view text) { return parse_integer<std::int32_t>(text); }
std::optional<std::int64_t> parse_int64(std::string_view text) { return parse_integer<std::int64_t>(text); }

std::optional<double> parse_double(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // from_chars would also take "nan(x)", "inf" of any case, ".5" and "5.", so the form is checked first.
  const auto parts = split_decimal(text);
  if (!parts) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "INF" || text == "Infinity") return kInfinity;
    if (text == "-INF" || text == "-Infinity") return -kInfinity;
    return std::nullopt;
  }
  double value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!parts->is_tiny()) return std::nullopt;
    return text.front() == '-' ? -0.0 : 0.0;
  }
  if (error != std::errc{} || std::isinf(value)) return std::nullopt;
  return value;
}

std::string format_double(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  char text[32];  // the longest is "-2.2250738585072014e-308"
  const auto [end, error] = std::to_chars(text, text + sizeof text, v);
  std::string out(text, end);
  // An integer token would read back as Int32: the point keeps the type.
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

}  // namespace table_storage::edm
