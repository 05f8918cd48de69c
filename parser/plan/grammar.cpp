#include "parser/plan/grammar.h"

#include "parser/plan/grammar_def.h"

namespace table_storage::plan {

namespace x3 = boost::spirit::x3;

Plan read_plan(std::string_view text) {
  const char* first = text.data();
  Plan plan;
  try {
    // The grammar ends in an expectation of the end: it either reads everything or throws.
    x3::parse(first, text.data() + text.size(), grammar::plan, plan);
    return plan;
  } catch (const x3::expectation_failure<const char*>& failure) {
    throw SyntaxError{failure.which(), static_cast<std::size_t>(failure.where() - text.data())};
  }
}

}  // namespace table_storage::plan
