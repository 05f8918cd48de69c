#include "extension/module/join_key.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "extension/module/column_value.h"
#include "extension/module/sql_number.h"
#include "parser/edm/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace table_storage::module {

using edm::Type;
using edm::ValueView;
using Kind = RightKey::Kind;

namespace {

// Different seeds keep different kinds of values apart.
constexpr XXH64_hash_t kTextSeed = 1;
constexpr XXH64_hash_t kBlobSeed = 2;
constexpr XXH64_hash_t kIntegerSeed = 3;
constexpr XXH64_hash_t kRealSeed = 4;
constexpr XXH64_hash_t kBucketSeed = 5;
constexpr XXH64_hash_t kTimeSeed = 6;
constexpr XXH64_hash_t kGuidSeed = 7;
constexpr std::uint64_t kNullHash = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kNoNumberHash = 0xC2B2AE3D27D4EB4FULL;

std::uint64_t hash_bytes(std::string_view bytes, XXH64_hash_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}
std::uint64_t hash_integer(std::int64_t v, XXH64_hash_t seed) {
  return XXH3_64bits_withSeed(&v, sizeof v, seed);
}

/// A number under exact comparison: SQLite compares integers with reals without rounding.
std::uint64_t hash_real(double v) {
  if (const auto integer = integer_of(v)) return hash_integer(*integer, kIntegerSeed);
  return XXH3_64bits_withSeed(&v, sizeof v, kRealSeed);
}

// Below this, a whole number has no other whole number within the rounding of any reader of decimals.
constexpr double kLargestBucket = 562'949'953'421'312;  // 2^49

/// The place of a number among whole numbers; those too large for one share a place that nobody asks for.
std::uint64_t hash_bucket(double v) {
  if (!(std::abs(v) < kLargestBucket)) return kNoNumberHash;
  return hash_integer(std::llround(v), kBucketSeed);
}

/// The number that a text is to SQLite's numeric affinity, or more: whatever SQLite takes has a value here,
/// right to a few units in the last place.
std::optional<double> number_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  if (text.front() == '+') text.remove_prefix(1);
  double v = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (end != text.data() + text.size()) return std::nullopt;
  if (failure == std::errc::result_out_of_range) return 0.0;  // too small; the too large are never asked for
  if (failure != std::errc()) return std::nullopt;
  return v;
}

std::uint64_t text_bucket(std::string_view text) {
  const auto number = number_in(text);
  return number ? hash_bucket(*number) : kNoNumberHash;
}

RightKey exact(std::uint64_t hash) { return {Kind::exact, hash}; }
RightKey numeric(std::uint64_t hash) { return {Kind::numeric, hash}; }
RightKey open() { return {Kind::open, 0}; }
RightKey no_row() { return {Kind::never, 0}; }

/// A number against a column that shows text.
RightKey number_against_text(sqlite3_value* value) {
  const SqlNumber number = number_in_condition(value);
  if (number.kind != SqlNumber::Kind::integer) return open();
  const auto v = static_cast<double>(number.integer);
  return std::abs(v) < kLargestBucket ? numeric(hash_bucket(v)) : open();
}

RightKey against_string(sqlite3_value* value, int type) {
  if (type == SQLITE_TEXT) return exact(hash_bytes(text_of(value), kTextSeed));
  return type == SQLITE_BLOB ? no_row() : number_against_text(value);
}

RightKey against_number(sqlite3_value* value) {
  const SqlNumber number = number_in_condition(value);
  switch (number.kind) {
    case SqlNumber::Kind::integer:
      return exact(hash_integer(number.integer, kIntegerSeed));
    case SqlNumber::Kind::real:
      return exact(hash_real(number.real));
    case SqlNumber::Kind::blob:
      return no_row();
    case SqlNumber::Kind::text:
    case SqlNumber::Kind::null:
      break;
  }
  return open();
}

RightKey against_any(sqlite3_value* value, int type) {
  if (type == SQLITE_BLOB) return exact(hash_bytes(bytes_of(value), kBlobSeed));
  if (type != SQLITE_TEXT) return number_against_text(value);
  // Text may meet a number where the right side has numeric affinity.
  const std::string_view text = text_of(value);
  const auto number = number_in(text);
  if (!number) return exact(hash_bytes(text, kTextSeed));
  if (integer_of(*number) && std::abs(*number) < kLargestBucket) return numeric(hash_bucket(*number));
  return open();
}

std::uint64_t hash_any(ValueView stored, Kind kind) {
  const bool by_number = kind == Kind::numeric;
  switch (stored.type()) {
    case Type::String:
      return by_number ? text_bucket(stored.bytes()) : hash_bytes(stored.bytes(), kTextSeed);
    case Type::Binary:
      return by_number ? kNoNumberHash : hash_bytes(stored.bytes(), kBlobSeed);
    case Type::Boolean:
      return by_number ? hash_bucket(stored.as_boolean() ? 1 : 0) : kNoNumberHash;
    case Type::Int32:
    case Type::Int64:
      return by_number ? hash_bucket(static_cast<double>(stored.as_int64())) : kNoNumberHash;
    case Type::Double:
      return by_number ? hash_bucket(stored.as_double()) : kNoNumberHash;
    case Type::DateTime: {
      char text[edm::kFixedDateTimeSize];
      edm::format_datetime_fixed(stored.as_ticks(), text);
      return by_number ? kNoNumberHash : hash_bytes({text, sizeof text}, kTextSeed);
    }
    case Type::Guid: {
      char text[edm::kGuidTextSize];
      edm::format_guid(stored.bytes(), text);
      return by_number ? text_bucket({text, sizeof text}) : hash_bytes({text, sizeof text}, kTextSeed);
    }
  }
  return kNoNumberHash;
}

bool is_nan(ValueView value) { return value.type() == Type::Double && std::isnan(value.as_double()); }

}  // namespace

RightKey right_key(const Column& column, plan::Operator op, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return op == plan::Operator::is ? exact(kNullHash) : no_row();
  if (!column.type) return against_any(value, type);
  switch (*column.type) {
    case Type::String:
      return against_string(value, type);
    case Type::Boolean:
    case Type::Int32:
    case Type::Int64:
    case Type::Double:
      return against_number(value);
    case Type::DateTime: {
      if (type == SQLITE_BLOB) return no_row();
      if (type != SQLITE_TEXT) return open();
      const auto ticks = edm::parse_datetime(text_of(value));
      // A text that is no time sorts after every time.
      return ticks ? exact(hash_integer(*ticks, kTimeSeed)) : no_row();
    }
    case Type::Guid: {
      if (type == SQLITE_BLOB) return no_row();
      if (type != SQLITE_TEXT) return open();
      const auto guid = edm::parse_guid(text_of(value));
      return guid ? exact(hash_bytes({guid->data(), guid->size()}, kGuidSeed)) : no_row();
    }
    case Type::Binary:
      return type == SQLITE_BLOB ? exact(hash_bytes(bytes_of(value), kBlobSeed)) : no_row();
  }
  return open();
}

std::uint64_t row_hash(const Column& column, Kind kind, ValueView stored) {
  if (!stored || !shows(column.type, stored) || is_nan(stored)) return kNullHash;
  if (!column.type) return hash_any(stored, kind);
  switch (*column.type) {
    case Type::String:
      return kind == Kind::numeric ? text_bucket(stored.bytes()) : hash_bytes(stored.bytes(), kTextSeed);
    case Type::Boolean:
      return hash_integer(stored.as_boolean() ? 1 : 0, kIntegerSeed);
    case Type::Int32:
    case Type::Int64:
      return hash_integer(stored.as_int64(), kIntegerSeed);
    case Type::Double:
      return stored.type() == Type::Double ? hash_real(stored.as_double())
                                           : hash_integer(stored.as_int64(), kIntegerSeed);
    case Type::DateTime:
      return hash_integer(stored.as_ticks(), kTimeSeed);
    case Type::Guid:
      return hash_bytes(stored.bytes(), kGuidSeed);
    case Type::Binary:
      return hash_bytes(stored.bytes(), kBlobSeed);
  }
  return kNullHash;
}

}  // namespace table_storage::module
