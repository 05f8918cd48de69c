// The operator words of $filter with their precedence: the one table for grammar, check and printer.
#pragma once

#include <string_view>

#include "parser/odata/filter.h"

namespace table_storage::odata {

/// From loose to tight. Binary operators of one level associate to the left; `not` and unary `-` bind
/// tighter.
enum class Level : unsigned char { disjunction, conjunction, comparison, additive, multiplicative, unary };

struct OperatorWord {
  std::string_view word;
  Level level;
  Operator comparison = Operator::eq;  // of level comparison only
};

inline constexpr OperatorWord kOperatorWords[] = {
    {"or", Level::disjunction},
    {"and", Level::conjunction},
    {"eq", Level::comparison, Operator::eq},
    {"ne", Level::comparison, Operator::ne},
    {"gt", Level::comparison, Operator::gt},
    {"ge", Level::comparison, Operator::ge},
    {"lt", Level::comparison, Operator::lt},
    {"le", Level::comparison, Operator::le},
    {"add", Level::additive},
    {"sub", Level::additive},
    {"mul", Level::multiplicative},
    {"div", Level::multiplicative},
    {"mod", Level::multiplicative},
};

/// nullptr if `word` is no operator. Case-sensitive, as all words of a filter are.
constexpr const OperatorWord* find_operator(std::string_view word) {
  for (const OperatorWord& known : kOperatorWords) {
    if (known.word == word) return &known;
  }
  return nullptr;
}

}  // namespace table_storage::odata
