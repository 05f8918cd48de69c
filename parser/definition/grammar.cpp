#include "parser/definition/grammar.h"

#include "parser/definition/grammar_def.h"

namespace table_storage::definition {

namespace x3 = boost::spirit::x3;

namespace {

template <typename Tree, typename Rule>
Tree parse_whole(std::string_view text, const Rule& rule, const char* expected) {
  const char* first = text.data();
  const char* const last = first + text.size();
  Tree result;
  try {
    if (x3::parse(first, last, rule, result) && first == last) return result;
    throw SyntaxError{expected, first};
  } catch (const x3::expectation_failure<const char*>& failure) {
    const char* at = failure.where();
    x3::parse(at, last, *grammar::blank);
    throw SyntaxError{failure.which(), at};
  }
}

}  // namespace

ast::Argument parse_argument(std::string_view text) {
  return parse_whole<ast::Argument>(text, grammar::argument, "a column (name and type), SERVER or OPTIONS");
}

ast::ColumnClause parse_column(std::string_view text) {
  return parse_whole<ast::ColumnClause>(text, grammar::lone_column, "a column (name and type)");
}

std::string constraint_at(std::string_view text) {
  const char* first = text.data();
  const char* const last = first + text.size();
  const auto reads = [&](std::string_view word) {
    return x3::phrase_parse(first, last, grammar::keyword(word), grammar::blank);
  };
  if (reads("not")) return reads("null") ? "NOT NULL" : "NOT";
  if (reads("primary")) return "PRIMARY KEY";
  if (reads("foreign")) return "FOREIGN KEY";
  if (reads("generated") || reads("as")) return "GENERATED ALWAYS AS";
  if (reads("null")) return "NULL";
  if (reads("unique")) return "UNIQUE";
  if (reads("check")) return "CHECK";
  if (reads("default")) return "DEFAULT";
  if (reads("collate")) return "COLLATE";
  if (reads("references")) return "REFERENCES";
  if (reads("constraint")) return "CONSTRAINT";
  if (reads("autoincrement")) return "AUTOINCREMENT";
  return {};
}

bool starts_with_word(std::string_view text, std::string_view word) {
  const char* first = text.data();
  return x3::parse(first, first + text.size(), grammar::keyword(word));
}

}  // namespace table_storage::definition
