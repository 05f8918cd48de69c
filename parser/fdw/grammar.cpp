#include "parser/fdw/grammar.h"

#include "parser/fdw/grammar_def.h"

namespace table_storage::fdw {

namespace x3 = boost::spirit::x3;

std::vector<ScriptStatement> parse_statements(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* first = begin;
  const auto stopped = [&](const char* at, std::string expected) {
    x3::parse(at, end, *grammar::space);
    return SyntaxError{std::move(expected), static_cast<std::size_t>(at - begin)};
  };
  std::vector<ScriptStatement> statements;
  try {
    const char* origin = begin;
    const auto script = x3::with<grammar::Origin>(
        origin)[x3::with<grammar::Statements>(statements)[x3::skip(grammar::space)[grammar::script]]];
    if (x3::parse(first, end, script) && first == end) return statements;
    throw stopped(first, kExpectedStatement);
  } catch (const x3::expectation_failure<const char*>& failure) {
    throw stopped(failure.where(), failure.which());
  }
}

}  // namespace table_storage::fdw
