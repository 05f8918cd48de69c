#include "extension/module/pushdown.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "extension/module/column_value.h"
#include "extension/module/sql_number.h"
#include "parser/edm/prefix.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::module {

using edm::Type;
using edm::Value;
using odata::Filter;
using FilterOperator = odata::Operator;
using plan::Operator;

bool is_bound(sqlite3_value* value) {
  return sqlite3_libversion_number() >= 3028000 && sqlite3_value_frombind(value) != 0;
}

namespace {

// --- text bounds -----------------------------------------------------------------------------------------

struct PrefixRange {
  std::string lower;                 // inclusive; empty: no bound
  std::optional<std::string> upper;  // exclusive
};

PrefixRange glob_range(std::string_view pattern) {
  const std::string_view prefix = edm::comparable_prefix(pattern.substr(0, pattern.find_first_of("*?[")));
  return {std::string(prefix), edm::prefix_successor(prefix)};
}

PrefixRange like_range(std::string_view pattern) {
  std::string upper_case;
  std::string lower_case;
  for (char c : pattern) {
    if (c == '%' || c == '_' || static_cast<unsigned char>(c) >= 0x80) break;
    upper_case += (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
    lower_case += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return {upper_case, edm::prefix_successor(lower_case)};
}

// --- values ----------------------------------------------------------------------------------------------

constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();

Value integer_literal(std::int64_t v) {
  return v >= kMin32 && v <= kMax32 ? Value::int32(static_cast<std::int32_t>(v)) : Value::int64(v);
}

// --- narrowing -------------------------------------------------------------------------------------------

Narrowing never() { return {Narrowing::Kind::never, std::nullopt}; }
Narrowing always() { return {Narrowing::Kind::always, std::nullopt}; }
Narrowing send(Filter filter) { return {Narrowing::Kind::filter, std::move(filter)}; }

std::optional<FilterOperator> filter_operator(Operator op) {
  switch (op) {
    case Operator::eq:
    case Operator::is:
      return FilterOperator::eq;
    case Operator::lt:
      return FilterOperator::lt;
    case Operator::le:
      return FilterOperator::le;
    case Operator::gt:
      return FilterOperator::gt;
    case Operator::ge:
      return FilterOperator::ge;
    case Operator::ne:
      return FilterOperator::ne;
    case Operator::like:
    case Operator::glob:
    case Operator::in:
      break;
  }
  return std::nullopt;
}

bool is_equality(FilterOperator op) { return op == FilterOperator::eq; }
bool is_lower_bound(FilterOperator op) { return op == FilterOperator::gt || op == FilterOperator::ge; }
bool is_upper_bound(FilterOperator op) { return op == FilterOperator::lt || op == FilterOperator::le; }

/// `v > n` or `v >= n` for an integer n, in every integer type that can satisfy it.
Filter lower_bound(const std::string& name, FilterOperator op, std::int64_t n) {
  Filter filter = Filter::compare(name, op, integer_literal(n));
  if (n >= kMin32) return filter;
  const auto smallest = static_cast<std::int32_t>(kMin32);
  return Filter::any_of(
      {std::move(filter), Filter::compare(name, FilterOperator::ge, Value::int32(smallest))});
}

Narrowing narrow_number(const Column& column, FilterOperator op, sqlite3_value* value) {
  const SqlNumber number = number_in_condition(value);
  const std::string& name = column.property;
  if (number.kind == SqlNumber::Kind::integer) {
    if (is_lower_bound(op)) return send(lower_bound(name, op, number.integer));
    return send(Filter::compare(name, op, integer_literal(number.integer)));
  }
  if (number.kind == SqlNumber::Kind::text) return always();
  if (number.kind == SqlNumber::Kind::blob) {
    // Numbers sort before blobs.
    return is_equality(op) || is_lower_bound(op) ? never() : always();
  }
  const double d = number.real;  // has a fraction, or lies outside 64 bits
  if (is_equality(op) || op == FilterOperator::ne) return send(Filter::compare(name, op, Value::real(d)));
  if (std::abs(d) < 9.0e18) {
    const auto below = static_cast<std::int64_t>(std::floor(d));
    if (is_lower_bound(op)) return send(lower_bound(name, FilterOperator::gt, below));
    return send(Filter::compare(name, FilterOperator::lt, integer_literal(below + 1)));
  }
  // Only doubles lie beyond 64 bits. Below them every integer counts, which a Double literal would not match.
  if (is_lower_bound(op)) return d > 0 ? send(Filter::compare(name, op, Value::real(d))) : always();
  return send(Filter::compare(name, op, Value::real(d)));
}

Narrowing narrow_boolean(const Column& column, FilterOperator op, sqlite3_value* value) {
  if (!is_equality(op)) return always();
  const SqlNumber number = number_in_condition(value);
  if (number.kind == SqlNumber::Kind::text) return always();
  if (number.kind != SqlNumber::Kind::integer || (number.integer != 0 && number.integer != 1)) return never();
  return send(Filter::compare(column.property, op, Value::boolean(number.integer == 1)));
}

Narrowing narrow_range(const Column& column, const PrefixRange& range) {
  std::vector<Filter> bounds;
  if (!range.lower.empty()) {
    bounds.push_back(Filter::compare(column.property, FilterOperator::ge, Value::string(range.lower)));
    if (range.upper) {
      bounds.push_back(Filter::compare(column.property, FilterOperator::lt, Value::string(*range.upper)));
    }
  }
  return bounds.empty() ? always() : send(Filter::all_of(std::move(bounds)));
}

/// What every text column does with a right side that is not text.
Narrowing narrow_other(FilterOperator op, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_BLOB) return always();  // a number: see the rule above
  return is_equality(op) || is_lower_bound(op) ? never() : always();
}

Narrowing narrow_string(const Column& column, FilterOperator op, sqlite3_value* value, bool trusted,
                        TextOrder order) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return narrow_other(op, value);
  const std::string_view text = text_of(value);
  if (!edm::is_valid_utf8(text)) return always();
  if (is_equality(op) || op == FilterOperator::ne) {
    return send(Filter::compare(column.property, op, Value::string(text)));
  }
  if (!order.utf8) return always();
  const std::string_view bound = edm::comparable_prefix(text);
  const bool whole = bound.size() == text.size();
  if (is_lower_bound(op)) {
    if (bound.empty() && !whole) return always();
    return send(Filter::compare(column.property, whole ? op : FilterOperator::ge, Value::string(bound)));
  }
  if (!trusted) return always();
  if (whole) return send(Filter::compare(column.property, op, Value::string(bound)));
  auto above = edm::prefix_successor(bound);
  return above ? send(Filter::compare(column.property, FilterOperator::lt, Value::string(*above))) : always();
}

Narrowing narrow_datetime(const Column& column, FilterOperator op, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return narrow_other(op, value);
  const auto ticks = edm::parse_datetime(text_of(value));
  // A text that is no time sorts after every time; one outside the service's years has no literal.
  if (!ticks || !edm::in_service_range(*ticks)) return always();
  return send(Filter::compare(column.property, op, Value::datetime(*ticks)));
}

Narrowing narrow_guid(const Column& column, FilterOperator op, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return narrow_other(op, value);
  const std::string_view text = text_of(value);
  const auto guid = edm::parse_guid(text);
  if (is_equality(op)) {
    if (!guid) return never();
    return send(Filter::compare(column.property, op, Value::guid({guid->data(), guid->size()})));
  }
  // Only the plain form compares equal as text, so only for that may the equal ones be left out.
  if (op == FilterOperator::ne && guid && text.size() == edm::kGuidTextSize) {
    return send(Filter::compare(column.property, op, Value::guid({guid->data(), guid->size()})));
  }
  return always();
}

Narrowing narrow_binary(const Column& column, FilterOperator op, sqlite3_value* value) {
  if (!is_equality(op)) return always();
  if (sqlite3_value_type(value) != SQLITE_BLOB) return never();
  return send(Filter::compare(column.property, op, Value::binary(std::string(bytes_of(value)))));
}

Narrowing narrow_value(const Column& column, FilterOperator op, sqlite3_value* value, bool trusted,
                       TextOrder order) {
  if (!column.type) return always();
  switch (*column.type) {
    case Type::String:
      return narrow_string(column, op, value, trusted, order);
    case Type::Int32:
    case Type::Int64:
    case Type::Double:
      return narrow_number(column, op, value);
    case Type::Boolean:
      return narrow_boolean(column, op, value);
    case Type::DateTime:
      return narrow_datetime(column, op, value);
    case Type::Guid:
      return narrow_guid(column, op, value);
    case Type::Binary:
      return narrow_binary(column, op, value);
  }
  return always();
}

/// Calls `visit` for each element of an IN list that is not NULL; stops when it returns false.
template <class Visit>
void for_each_element(sqlite3_value* list, Visit&& visit) {
  for_each_in_list(list, [&](sqlite3_value* element) {
    return sqlite3_value_type(element) == SQLITE_NULL || visit(element);
  });
}

Narrowing narrow_list(const Column& column, sqlite3_value* list, TextOrder order) {
  std::vector<Filter> alternatives;
  bool open = false;
  for_each_element(list, [&](sqlite3_value* element) {
    Narrowing one = narrow_value(column, FilterOperator::eq, element, false, order);
    if (one.kind == Narrowing::Kind::filter) alternatives.push_back(std::move(*one.filter));
    open = one.kind == Narrowing::Kind::always || alternatives.size() > kMaxAlternatives;
    return !open;
  });
  if (open) return always();
  return alternatives.empty() ? never() : send(Filter::any_of(std::move(alternatives)));
}

}  // namespace

Narrowing narrow_property(const Column& column, Operator op, const RightSide& right, TextOrder order) {
  if (!column.type) return always();
  if (op == Operator::in) return narrow_list(column, right.value, order);
  const int type = sqlite3_value_type(right.value);
  if (type == SQLITE_NULL) return op == Operator::is ? always() : never();
  if (op == Operator::like || op == Operator::glob) {
    if (column.type != Type::String || type == SQLITE_BLOB || !order.utf8) return always();
    const std::string_view pattern = text_of(right.value);
    return narrow_range(column, op == Operator::like ? like_range(pattern) : glob_range(pattern));
  }
  const bool trusted = right.literal || is_bound(right.value);
  return narrow_value(column, *filter_operator(op), right.value, trusted, order);
}

// --- keys ------------------------------------------------------------------------------------------------

namespace {

// Every text that SQLite reads as a number starts with a blank, a sign, a point or a digit.
constexpr const char* kNumericFrom = " ";
constexpr const char* kNumericTo = ":";

}  // namespace

void KeyDomain::narrow(Operator op, const RightSide& right) {
  if (op == Operator::in) {
    std::vector<std::string> points;
    bool open = false;
    for_each_element(right.value, [&](sqlite3_value* element) {
      const int type = sqlite3_value_type(element);
      if (type == SQLITE_TEXT) points.emplace_back(text_of(element));
      open = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
      return !open;
    });
    if (!open) narrow_to(std::move(points));
    return;
  }
  const int type = sqlite3_value_type(right.value);
  if (type == SQLITE_NULL) {
    never_ = true;  // keys are never NULL, so `IS NULL` fails too
    return;
  }
  if (op == Operator::like || op == Operator::glob) {
    if (type == SQLITE_BLOB || !order_.utf8) return;
    const std::string_view pattern = text_of(right.value);
    PrefixRange prefix = op == Operator::like ? like_range(pattern) : glob_range(pattern);
    if (prefix.lower.empty()) return;
    backend::TextRange range;
    range.lower = std::move(prefix.lower);
    range.upper = std::move(prefix.upper);
    range.upper_inclusive = false;
    narrow_to(range);
    return;
  }
  narrow_single(op, right.value, right.literal || is_bound(right.value));
}

void KeyDomain::narrow_single(Operator op, sqlite3_value* value, bool trusted) {
  const int type = sqlite3_value_type(value);
  const FilterOperator kind = *filter_operator(op);
  if (kind == FilterOperator::ne) return;
  if (type == SQLITE_BLOB) {
    if (!is_upper_bound(kind)) never_ = true;
    return;
  }
  std::string text(text_of(value));
  if (type == SQLITE_TEXT && is_equality(kind)) {
    std::vector<std::string> points;
    points.push_back(std::move(text));
    narrow_to(std::move(points));
    return;
  }
  backend::TextRange range;
  if (is_equality(kind)) {  // a number
    if (type == SQLITE_FLOAT && !std::isfinite(sqlite3_value_double(value))) return;
    range.lower = kNumericFrom;
    range.upper = kNumericTo;
    range.upper_inclusive = false;
  } else if (is_lower_bound(kind)) {
    if (type != SQLITE_TEXT) return;
    range.lower = std::move(text);
    range.lower_inclusive = kind == FilterOperator::ge;
  } else {
    range.upper = std::move(text);
    range.upper_inclusive = kind == FilterOperator::le;
    if (type != SQLITE_TEXT || !trusted) {
      if (!order_.utf8) return;
      if (*range.upper < kNumericTo) {
        range.upper = kNumericTo;
        range.upper_inclusive = false;
      }
    }
  }
  narrow_to(range);
}

void KeyDomain::narrow_to(std::vector<std::string> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points_) {
    std::vector<std::string> both;
    std::set_intersection(points_->begin(), points_->end(), points.begin(), points.end(),
                          std::back_inserter(both));
    points = std::move(both);
  }
  points_ = std::move(points);
  drop_points_outside_range();
}

void KeyDomain::narrow_to(const backend::TextRange& range) {
  if (!order_.key_ranges) return;
  if (range.lower && (!range_.lower || *range_.lower < *range.lower ||
                      (*range_.lower == *range.lower && !range.lower_inclusive))) {
    range_.lower = range.lower;
    range_.lower_inclusive = range.lower_inclusive;
  }
  if (range.upper && (!range_.upper || *range.upper < *range_.upper ||
                      (*range_.upper == *range.upper && !range.upper_inclusive))) {
    range_.upper = range.upper;
    range_.upper_inclusive = range.upper_inclusive;
  }
  drop_points_outside_range();
}

void KeyDomain::drop_points_outside_range() {
  // In the order of a UTF-16 database the points may lie elsewhere: there they all stay, which is a superset.
  if (!order_.utf8) return;
  const bool low = range_.lower.has_value();
  const bool high = range_.upper.has_value();
  if (low && high) {
    const int order = range_.lower->compare(*range_.upper);
    if (order > 0 || (order == 0 && !(range_.lower_inclusive && range_.upper_inclusive))) never_ = true;
  }
  if (!points_) return;
  std::erase_if(*points_, [&](const std::string& point) {
    if (low && (point < *range_.lower || (point == *range_.lower && !range_.lower_inclusive))) return true;
    return high && (point > *range_.upper || (point == *range_.upper && !range_.upper_inclusive));
  });
}

std::vector<backend::TextRange> KeyDomain::ranges() const {
  if (empty()) return {};
  if (!points_) return {range_};
  std::vector<backend::TextRange> all;
  all.reserve(points_->size());
  for (const std::string& point : *points_) all.push_back(backend::TextRange::exactly(point));
  return all;
}

backend::TextRange KeyDomain::hull() const {
  if (!points_ || points_->empty()) return range_;
  if (!order_.utf8 && points_->size() > 1) return backend::TextRange::all();
  return {points_->front(), points_->back(), true, true};
}

std::vector<backend::KeyRange> combine(const KeyDomain& partition, const KeyDomain& row) {
  if (partition.empty() || row.empty()) return {};
  const std::vector<backend::TextRange> partitions = partition.ranges();
  std::vector<backend::TextRange> rows = row.ranges();
  const bool points = partitions.front().is_point();
  if (rows.size() > 1 && (!points || partitions.size() * rows.size() > kMaxKeyRanges)) rows = {row.hull()};
  std::vector<backend::KeyRange> ranges;
  ranges.reserve(partitions.size() * rows.size());
  for (const backend::TextRange& p : partitions) {
    for (const backend::TextRange& r : rows) ranges.push_back({p, r});
  }
  return ranges;
}

}  // namespace table_storage::module
