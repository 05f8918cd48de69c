// Text forms of the Edm types, both ways. Parsers take the whole text or fail; they never guess a type.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/edm/value.h"

namespace table_storage::edm {

// --- DateTime: ticks of 100 ns since 0001-01-01T00:00:00Z ------------------------------------------------

inline constexpr std::int64_t kTicksPerSecond = 10'000'000;
inline constexpr std::int64_t kUnixEpochTicks = 621'355'968'000'000'000;
inline constexpr std::int64_t kMinServiceTicks = 504'911'232'000'000'000;    // 1601-01-01T00:00:00Z
inline constexpr std::int64_t kMaxServiceTicks = 3'155'378'975'999'999'999;  // 9999-12-31T23:59:59.9999999Z

/// Reads `YYYY-MM-DD`, optionally followed by `T` or a space and `HH:MM[:SS[.fraction]]`, optionally followed
/// by `Z` or `±HH:MM`; no zone means UTC. Digits past 100 ns are cut off. Dates are checked (no 30 February),
/// 24:00:00 and leap seconds are refused. Years 0001..9999 (the result after applying the offset must stay in
/// that range); whether the service takes it is in_service_range().
std::optional<std::int64_t> parse_datetime(std::string_view text);
inline constexpr bool in_service_range(std::int64_t ticks) {
  return ticks >= kMinServiceTicks && ticks <= kMaxServiceTicks;
}

/// Fixed width, so that text order is time order: "2024-06-15T00:00:00.0000000Z". `ticks` must be 0..kMax.
inline constexpr std::size_t kFixedDateTimeSize = 28;
void format_datetime_fixed(std::int64_t ticks, char (&out)[kFixedDateTimeSize]);
/// As the service writes it: trailing zeros of the fraction cut, no fraction at all if zero.
std::string format_datetime(std::int64_t ticks);

// --- Guid: 16 bytes in text order ------------------------------------------------------------------------

using GuidBytes = std::array<char, 16>;
/// 8-4-4-4-12 hex digits of any case, bare or in {} or (), or 32 digits without dashes (the .NET forms D, B,
/// P, N).
std::optional<GuidBytes> parse_guid(std::string_view text);
inline constexpr std::size_t kGuidTextSize = 36;
void format_guid(std::string_view bytes16, char (&out)[kGuidTextSize]);  // lower case, dashes
std::string format_guid(std::string_view bytes16);

// --- Numbers ---------------------------------------------------------------------------------------------

std::optional<std::int32_t> parse_int32(std::string_view text);  // optional '-', digits; no '+', no blanks
std::optional<std::int64_t> parse_int64(std::string_view text);
/// Decimal or exponent form, and NaN, INF, -INF, Infinity, -Infinity.
std::optional<double> parse_double(std::string_view text);
/// Shortest text that reads back as the same double; always has '.' or an exponent: "5.0", "1e+300".
/// NaN and infinities as the wire has them: "NaN", "Infinity", "-Infinity".
std::string format_double(double v);

// --- Binary ----------------------------------------------------------------------------------------------

std::optional<std::string> parse_hex(std::string_view text);     // even number of digits, any case
std::string format_hex(std::string_view bytes);                  // lower case
std::optional<std::string> parse_base64(std::string_view text);  // standard alphabet, padded
std::string format_base64(std::string_view bytes);

// --- UTF-8 / UTF-16 --------------------------------------------------------------------------------------

bool is_valid_utf8(std::string_view text);
/// Number of UTF-16 code units of a valid UTF-8 text: what the service counts.
std::size_t utf16_length(std::string_view utf8);

}  // namespace table_storage::edm
