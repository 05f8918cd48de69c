// $filter: what parses prints and parses back as the same, and is evaluated as a plain recursion says.
#include <array>

#include "parser/edm/compare.h"
#include "parser/odata/evaluate.h"
#include "parser/odata/filter.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

using edm::ValueView;
using odata::Filter;

constexpr std::array<ValueView, 17> kValues = {
    ValueView::missing(),
    ValueView::string(""),
    ValueView::string("a"),
    ValueView::string("\xEF\xBF\xBD"),
    ValueView::string("\xF0\x9F\x98\x80"),
    ValueView::boolean(true),
    ValueView::boolean(false),
    ValueView::int32(5),
    ValueView::int64(5),
    ValueView::int64(INT64_MIN),
    ValueView::real(5),
    ValueView::real(-0.0),
    ValueView::real(__builtin_nan("")),
    ValueView::datetime(637'135'310'450'000'000),
    ValueView::guid("\xc9\xda\x64\x55\x21\x3d\x42\xc9\x9a\x79\x3e\x91\x49\xa5\x78\x33"),
    ValueView::binary(""),
    ValueView::binary("\x01\x02"),
};

bool holds(const Filter& filter, const std::vector<std::string>& names,
           const std::vector<ValueView>& values) {
  switch (filter.kind) {
    case Filter::Kind::negation:
      return !holds(filter.operands.at(0), names, values);
    case Filter::Kind::conjunction:
      for (const Filter& operand : filter.operands)
        if (!holds(operand, names, values)) return false;
      return true;
    case Filter::Kind::disjunction:
      for (const Filter& operand : filter.operands)
        if (holds(operand, names, values)) return true;
      return false;
    case Filter::Kind::comparison:
      break;
  }
  std::size_t slot = 0;
  while (names.at(slot) != filter.property) ++slot;
  if (!values.at(slot).present()) return false;
  const std::weak_ordering order = edm::compare(values[slot], filter.literal);
  switch (filter.op) {
    case odata::Operator::eq:
      return order == 0;
    case odata::Operator::ne:
      return order != 0;
    case odata::Operator::gt:
      return order > 0;
    case odata::Operator::ge:
      return order >= 0;
    case odata::Operator::lt:
      return order < 0;
    case odata::Operator::le:
      return order <= 0;
  }
  return false;
}

void check(const Filter& filter, std::string_view text) {
  const std::string printed = odata::print(filter);
  const Filter again = odata::parse_filter(printed);
  require(again == filter, "a printed filter reads back the same", printed);
  require(odata::print(again) == printed, "printing is stable", printed);

  const odata::Evaluator evaluator(filter);
  const std::vector<std::string>& names = evaluator.properties();
  std::size_t turn = text.size();
  for (int round = 0; round < 4; ++round, turn += 5) {
    std::vector<ValueView> values;
    for (std::size_t i = 0; i < names.size(); ++i) values.push_back(kValues[(turn + i * 7) % kValues.size()]);
    require(evaluator.matches(values.data()) == holds(filter, names, values),
            "the evaluator agrees with a plain recursion", printed);
  }
}

}  // namespace

FUZZ_TARGET(filter) {
  try {
    check(odata::parse_filter(input), input);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid || error.kind() == Error::Kind::unsupported,
            "a filter is refused as invalid or unsupported", error.what());
    check_error(error, input);
  }
}

}  // namespace table_storage::fuzz
