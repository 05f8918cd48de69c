#include "extension/module/dialect.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "parser/edm/text.h"

namespace table_storage::module {

using backend::Dialect;
using edm::Type;
using odata::Filter;

namespace {

Filter with_operator(Filter comparison, odata::Operator op) {
  comparison.op = op;
  return comparison;
}

std::optional<Filter> comparison_for_azurite(const Filter& comparison) {
  switch (comparison.literal.type()) {
    case Type::String:
    case Type::Boolean:
      return comparison;
    case Type::Int32:
      if (comparison.op != odata::Operator::eq) return comparison;
      return Filter::all_of(
          {with_operator(comparison, odata::Operator::ge), with_operator(comparison, odata::Operator::le)});
    case Type::Double: {
      const double v = comparison.literal.view().as_double();
      if (!std::isfinite(v) || edm::format_double(v).find('e') != std::string::npos) return std::nullopt;
      return comparison;
    }
    case Type::DateTime:
      if (comparison.op == odata::Operator::ne) return std::nullopt;
      if (comparison.op == odata::Operator::gt) return with_operator(comparison, odata::Operator::ge);
      if (comparison.op == odata::Operator::lt) return with_operator(comparison, odata::Operator::le);
      return comparison;
    case Type::Int64:
    case Type::Guid:
    case Type::Binary:
      break;
  }
  return std::nullopt;
}

std::optional<Filter> comparison_for_cosmos(const Filter& comparison) {
  const Type type = comparison.literal.type();
  if (comparison.op == odata::Operator::eq && (type == Type::String || type == Type::Boolean))
    return comparison;
  return std::nullopt;
}

std::optional<Filter> comparison_in_dialect(const Filter& comparison, Dialect dialect) {
  switch (dialect) {
    case Dialect::azurite:
      return comparison_for_azurite(comparison);
    case Dialect::cosmos:
      return comparison_for_cosmos(comparison);
    case Dialect::local:
    case Dialect::storage:
      break;
  }
  return comparison;
}

OwnFilter own_comparison_on_azurite(const Filter& comparison) {
  const bool key = comparison.property == "PartitionKey" || comparison.property == "RowKey";
  if (key) return {true, comparison};
  const odata::Operator op = comparison.op;
  const Type type = comparison.literal.type();
  // Below a literal is every value of another type, and Azurite does not think so.
  const bool below = op == odata::Operator::lt || op == odata::Operator::le;
  if (below && comparison.property != "Timestamp") return {false, std::nullopt};
  if (op == odata::Operator::ne && type != Type::Int32) return {false, std::nullopt};
  if (!odata::can_name_everywhere(comparison.property)) return {false, std::nullopt};
  return {false, comparison_for_azurite(comparison)};
}

}  // namespace

OwnFilter own_filter_in_dialect(const Filter& filter, Dialect dialect) {
  if (dialect != Dialect::azurite) return {true, filter};
  if (filter.kind == Filter::Kind::comparison) return own_comparison_on_azurite(filter);
  bool exact = true;
  bool all_wider = true;
  std::vector<Filter> wider;
  for (const Filter& operand : filter.operands) {
    OwnFilter own = own_filter_in_dialect(operand, dialect);
    exact = exact && own.exact;
    all_wider = all_wider && own.superset.has_value();
    if (own.superset) wider.push_back(std::move(*own.superset));
  }
  if (exact) return {true, filter};
  switch (filter.kind) {
    case Filter::Kind::conjunction:
      if (wider.empty()) break;
      return {false, Filter::all_of(std::move(wider))};
    case Filter::Kind::disjunction:
      if (!all_wider) break;
      return {false, Filter::any_of(std::move(wider))};
    case Filter::Kind::negation:  // a superset under `not` would be a subset
    case Filter::Kind::comparison:
      break;
  }
  return {false, std::nullopt};
}

std::optional<Filter> in_dialect(const Filter& filter, Dialect dialect) {
  if (dialect == Dialect::local || dialect == Dialect::storage) return filter;
  switch (filter.kind) {
    case Filter::Kind::comparison:
      return comparison_in_dialect(filter, dialect);
    case Filter::Kind::negation:
      return std::nullopt;  // a superset under `not` would be a subset
    case Filter::Kind::conjunction: {
      std::vector<Filter> kept;
      for (const Filter& operand : filter.operands) {
        if (auto translated = in_dialect(operand, dialect)) kept.push_back(std::move(*translated));
      }
      if (kept.empty()) return std::nullopt;
      return Filter::all_of(std::move(kept));
    }
    case Filter::Kind::disjunction: {
      std::vector<Filter> alternatives;
      for (const Filter& operand : filter.operands) {
        auto translated = in_dialect(operand, dialect);
        if (!translated) return std::nullopt;
        alternatives.push_back(std::move(*translated));
      }
      return Filter::any_of(std::move(alternatives));
    }
  }
  return std::nullopt;
}

}  // namespace table_storage::module
