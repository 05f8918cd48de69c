#include "parser/odata/filter.h"

#include <stdexcept>
#include <utility>

namespace table_storage::odata {
namespace {

Filter combine(Filter::Kind kind, std::vector<Filter> operands) {
  if (operands.empty()) throw std::invalid_argument("a conjunction or disjunction needs an operand");
  if (operands.size() == 1) return std::move(operands.front());
  Filter filter;
  filter.kind = kind;
  filter.operands = std::move(operands);
  return filter;
}

}  // namespace

std::string_view name_of(Operator op) {
  switch (op) {
    case Operator::eq:
      return "eq";
    case Operator::ne:
      return "ne";
    case Operator::gt:
      return "gt";
    case Operator::ge:
      return "ge";
    case Operator::lt:
      return "lt";
    case Operator::le:
      return "le";
  }
  return {};
}

Filter Filter::compare(std::string property, Operator op, edm::Value literal) {
  Filter filter;
  filter.property = std::move(property);
  filter.op = op;
  filter.literal = std::move(literal);
  return filter;
}

Filter Filter::negate(Filter operand) {
  Filter filter;
  filter.kind = Kind::negation;
  filter.operands.push_back(std::move(operand));
  return filter;
}

Filter Filter::all_of(std::vector<Filter> operands) {
  return combine(Kind::conjunction, std::move(operands));
}
Filter Filter::any_of(std::vector<Filter> operands) {
  return combine(Kind::disjunction, std::move(operands));
}

}  // namespace table_storage::odata
