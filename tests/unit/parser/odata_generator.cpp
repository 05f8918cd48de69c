#include "tests/unit/parser/odata_generator.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "parser/edm/text.h"

namespace table_storage::odata::testing {
namespace {

constexpr std::array<std::string_view, 14> kNames = {
    "PartitionKey", "RowKey", "Timestamp", "v",  "Priority", "_x1",  "größe",
    "名前",         "mod",    "or",        "eq", "nota",     "INFx", "datetime"};

constexpr std::array<std::string_view, 16> kPieces = {"",
                                                      "a",
                                                      "B",
                                                      " ",
                                                      "'",
                                                      "''",
                                                      "(",
                                                      ")",
                                                      " or ",
                                                      "%",
                                                      "\n",
                                                      "ü",
                                                      "\xEE\x80\x80" /* U+E000 */,
                                                      "\xF0\x9F\x98\x80" /* U+1F600 */,
                                                      "\xEF\xBF\xBF" /* U+FFFF */,
                                                      "\\"};

}  // namespace

std::string Generator::text() {
  std::string out;
  for (int i = below(6); i > 0; --i) out += kPieces[static_cast<std::size_t>(below(kPieces.size()))];
  if (chance(3)) out += std::string("\0x", 2);
  return out;
}

std::string Generator::property() {
  return std::string(kNames[static_cast<std::size_t>(below(kNames.size()))]);
}

edm::Value Generator::literal() {
  std::uniform_int_distribution<std::int64_t> any64(std::numeric_limits<std::int64_t>::min());
  switch (static_cast<edm::Type>(below(edm::kTypeCount))) {
    case edm::Type::String:
      return edm::Value::string(text());
    case edm::Type::Binary:
      return edm::Value::binary(text());
    case edm::Type::Boolean:
      return edm::Value::boolean(chance(50));
    case edm::Type::Int32: {
      constexpr std::array<std::int32_t, 4> edges = {0, -1, std::numeric_limits<std::int32_t>::min(),
                                                     std::numeric_limits<std::int32_t>::max()};
      if (chance(50)) return edm::Value::int32(edges[static_cast<std::size_t>(below(edges.size()))]);
      return edm::Value::int32(below(2000) - 1000);
    }
    case edm::Type::Int64: {
      constexpr std::array<std::int64_t, 4> edges = {0, -1, std::numeric_limits<std::int64_t>::min(),
                                                     std::numeric_limits<std::int64_t>::max()};
      if (chance(50)) return edm::Value::int64(edges[static_cast<std::size_t>(below(edges.size()))]);
      return edm::Value::int64(any64(random_));
    }
    case edm::Type::Double: {
      using Limits = std::numeric_limits<double>;
      constexpr std::array<double, 12> edges = {0.0,
                                                -0.0,
                                                5.0,
                                                0.1,
                                                1e300,
                                                Limits::denorm_min(),
                                                Limits::min(),
                                                1e15,
                                                Limits::max(),
                                                Limits::lowest(),
                                                Limits::infinity(),
                                                -Limits::infinity()};
      if (chance(10)) return edm::Value::real(Limits::quiet_NaN());
      if (chance(50)) return edm::Value::real(edges[static_cast<std::size_t>(below(edges.size()))]);
      const double bits = std::bit_cast<double>(any64(random_));
      return edm::Value::real(std::isnan(bits) ? 1.5 : bits);
    }
    case edm::Type::DateTime: {
      if (chance(30)) return edm::Value::datetime(edm::kMaxServiceTicks);
      std::uniform_int_distribution<std::int64_t> ticks(0, edm::kMaxServiceTicks);
      const std::int64_t value = ticks(random_);
      return edm::Value::datetime(chance(50) ? value : value / edm::kTicksPerSecond * edm::kTicksPerSecond);
    }
    case edm::Type::Guid:
      break;
  }
  std::string bytes(16, '\0');
  for (char& c : bytes) c = static_cast<char>(below(256));
  return edm::Value::guid(bytes);
}

Filter Generator::filter(int depth) {
  if (depth == 0 || chance(25)) {
    std::string name = property();
    const auto op = static_cast<Operator>(below(6));
    edm::Value value = literal();
    // The keys have a type of their own.
    if (name == "PartitionKey" || name == "RowKey") value = edm::Value::string(text());
    if (name == "Timestamp") value = edm::Value::datetime(edm::kUnixEpochTicks + below(1'000'000));
    if (name != "Timestamp" && name != "PartitionKey" && name != "RowKey" && chance(15)) {
      return Filter::compare(std::move(name), Operator::eq, edm::Value::boolean(true));
    }
    return Filter::compare(std::move(name), op, std::move(value));
  }
  if (chance(25)) return Filter::negate(filter(depth - 1));
  std::vector<Filter> operands;
  for (int i = 2 + below(3); i > 0; --i) operands.push_back(filter(depth - 1));
  return chance(50) ? Filter::all_of(std::move(operands)) : Filter::any_of(std::move(operands));
}

std::string Generator::gap(bool needed) {
  constexpr std::array<std::string_view, 6> kinds = {" ", "  ", "\t", "\r\n", "\xC2\xA0", "\xE3\x80\x80"};
  if (!needed && chance(60)) return {};
  return std::string(chance(70) ? " " : kinds[static_cast<std::size_t>(below(kinds.size()))]);
}

std::string Generator::wrapped(std::string inside) {
  if (!chance(20)) return inside;
  return "(" + gap(false) + std::move(inside) + gap(false) + ")";
}

std::string Generator::comparison(const Filter& filter) {
  if (filter.op == Operator::eq && filter.literal == edm::Value::boolean(true) && chance(50)) {
    return wrapped(filter.property);
  }
  std::string constant;
  print_literal(filter.literal, constant);
  constant = wrapped(std::move(constant));
  const std::string name = wrapped(filter.property);
  // A word fuses with a word, not with a quote or a parenthesis. Greedy numbers: `5le` is not `5` `le`.
  const auto joined = [this](const std::string& left, std::string_view op, const std::string& right) {
    const bool before = left.back() != ')' && left.back() != '\'';
    const bool after = right.front() != '(' && right.front() != '\'' && right.front() != '-';
    return left + gap(before) + std::string(op) + gap(after) + right;
  };
  if (chance(30)) {
    constexpr std::array<Operator, 6> mirror = {Operator::eq, Operator::ne, Operator::lt,
                                                Operator::le, Operator::gt, Operator::ge};
    return joined(constant, name_of(mirror[static_cast<std::size_t>(filter.op)]), name);
  }
  return joined(name, name_of(filter.op), constant);
}

std::string Generator::scribble(const Filter& filter) {
  switch (filter.kind) {
    case Filter::Kind::comparison:
      return wrapped(comparison(filter));
    case Filter::Kind::negation: {
      const Filter& inside = filter.operands.front();
      if (inside.kind == Filter::Kind::negation && chance(50)) return "not " + scribble(inside);
      if (inside == Filter::compare(inside.property, Operator::eq, edm::Value::boolean(true)) && chance(50)) {
        return "not " + inside.property;
      }
      return wrapped("not" + gap(false) + "(" + scribble(inside) + ")");
    }
    case Filter::Kind::conjunction:
    case Filter::Kind::disjunction:
      break;
  }
  const bool conjunction = filter.kind == Filter::Kind::conjunction;
  std::string out;
  for (const Filter& operand : filter.operands) {
    std::string part = scribble(operand);
    if (operand.kind == filter.kind || (conjunction && operand.kind == Filter::Kind::disjunction)) {
      part = "(" + part + ")";
    }
    if (!out.empty()) {
      out += gap(out.back() != ')' && out.back() != '\'');
      out += conjunction ? "and" : "or";
      out += gap(part.front() != '(' && part.front() != '\'' && part.front() != '-');
    }
    out += part;
  }
  return wrapped(out);
}

}  // namespace table_storage::odata::testing
