// Types follow the library that the service uses: PartitionKey and RowKey are String, Timestamp is DateTime,
// every other property is open, so that any constant meets it. What that library refuses is InvalidInput
// (400); what it lets through and the service then does not evaluate is NotImplemented (501): functions,
// arithmetic, a comparison that is not one of a property with a constant, and a constant `true` or `false`
// used as a condition. Whether the last is 501 or evaluated is not known of the service; refusing it cannot
// give a wrong answer.
//
// One departure: the library gives `not v` no type when v is open, so `(not v) eq 5` would pass its type
// check. Here a negation is a Boolean. That text is nearly always `not (v eq 5)` gone wrong, and the error
// says so.
#include "parser/odata/check.h"

#include <boost/variant/get.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/odata/diagnosis.h"
#include "parser/odata/literal.h"
#include "parser/odata/operators.h"

namespace table_storage::odata {
namespace {

using edm::Type;
using syntax::Atom;
using syntax::Expression;
using syntax::Operand;

// An operand, or what operators made of some.
struct Term {
  enum class Kind : unsigned char { property, constant, null, arithmetic, condition };
  Kind kind = Kind::null;
  bool negation = false;        // condition: made by `not`
  std::optional<Type> type;     // as far as it is known without looking at an entity
  const char* first = nullptr;  // text of the term
  const char* last = nullptr;
  std::string_view op;  // arithmetic only
  Filter filter;        // condition: the meaning; property: its name; constant: its value
};

bool is_numeric(Type type) { return type == Type::Int32 || type == Type::Int64 || type == Type::Double; }

// Whether the library finds an operator for the two types.
bool compatible(std::optional<Type> a, std::optional<Type> b) {
  return !a || !b || *a == *b || (is_numeric(*a) && is_numeric(*b));
}

std::optional<Type> declared_type(std::string_view property) {
  if (property == "PartitionKey" || property == "RowKey") return Type::String;
  if (property == "Timestamp") return Type::DateTime;
  return std::nullopt;
}

// `5 lt v` is `v gt 5`.
Operator mirrored(Operator op) {
  switch (op) {
    case Operator::gt:
      return Operator::lt;
    case Operator::ge:
      return Operator::le;
    case Operator::lt:
      return Operator::gt;
    case Operator::le:
      return Operator::ge;
    case Operator::eq:
    case Operator::ne:
      break;
  }
  return op;
}

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  // Precedence by two stacks, so that neither nesting nor length costs recursion: expressions begun, and
  // operators whose right side is still being read. A run of `or` or `and` becomes one node, however long.
  Filter filter(const Expression& expression) {
    begin(nullptr, expression);
    Term term = operand();
    while (true) {
      Walk& walk = walks_.back();
      const OperatorWord* const op = walk.peek();
      if (!close_operators(term, op)) {
        if (op == nullptr) {
          const Operand* const group = walk.group;
          walks_.pop_back();
          if (walks_.empty()) break;
          depth_ -= levels(*group);
          apply_prefixes(*group, term);
          continue;
        }
        open_operator(std::move(term), *op);
      }
      ++walks_.back().next;
      term = operand();
    }
    return condition(term, {});
  }

 private:
  // An expression begun: where the walk along its flat list stands.
  struct Walk {
    const Operand* group;  // whose parentheses these are; nullptr for the whole filter
    const Expression* expression;
    std::size_t next;       // index in `rest` of the operator to come
    std::size_t operators;  // how many of `pending_` are of the expressions around

    const OperatorWord* peek() const {
      return next < expression->rest.size() ? find_operator(syntax::view(expression->rest[next].op))
                                            : nullptr;
    }
    const Operand& operand() const {
      return next == 0 ? expression->first : expression->rest[next - 1].operand;
    }
  };

  // An operator with its left side, waiting for the right one.
  struct Pending {
    const OperatorWord* op;
    std::string_view word;
    Term left;                     // of and, or: its text only
    std::vector<Filter> operands;  // of and, or: those read so far
  };

  void begin(const Operand* group, const Expression& expression) {
    walks_.push_back({group, &expression, 0, pending_.size()});
  }

  // The operand that is next; opens the parentheses in front of it.
  Term operand() {
    while (true) {
      const Operand& next = walks_.back().operand();
      depth_ += levels(next);
      if (depth_ > static_cast<std::size_t>(kMaxDepth)) refuse_depth(next);
      const auto& primary = next.primary.get();
      if (const auto* group = boost::get<boost::spirit::x3::forward_ast<Expression>>(&primary)) {
        begin(&next, group->get());
        continue;
      }
      if (const auto* call = boost::get<boost::spirit::x3::forward_ast<syntax::Call>>(&primary)) {
        refuse_call(call->get());
      }
      Term term = atom(boost::get<Atom>(primary));
      apply_prefixes(next, term);
      depth_ -= levels(next);
      return term;
    }
  }

  // Nesting as a person counts it: `not (` is one level.
  static std::size_t levels(const Operand& operand) {
    if (!operand.prefixes.empty()) return operand.prefixes.size();
    return boost::get<boost::spirit::x3::forward_ast<Expression>>(&operand.primary.get()) != nullptr ? 1 : 0;
  }

  void apply_prefixes(const Operand& operand, Term& term) const {
    for (auto prefix = operand.prefixes.rbegin(); prefix != operand.prefixes.rend(); ++prefix) {
      if (syntax::view(*prefix) == "not") {
        term.filter = Filter::negate(condition(term, "not"));
        become_condition(term);
        term.negation = true;
      } else {
        negate_number(term, *prefix);
      }
      term.first = prefix->begin();
    }
  }

  // `term` is followed by `op` (nullptr: by the end of its expression). Applies the operators that bind it
  // more tightly. True if `op` only goes on with a run of and / or, of which `term` is now a part.
  bool close_operators(Term& term, const OperatorWord* op) {
    while (pending_.size() > walks_.back().operators) {
      Pending& last = pending_.back();
      if (op != nullptr && op->level > last.op->level) return false;
      const char* const end = term.last;
      if (last.op->level <= Level::conjunction) {
        last.operands.push_back(condition(term, last.op->word));
        if (op == last.op) return true;
        last.left.filter = last.op->level == Level::conjunction ? Filter::all_of(std::move(last.operands))
                                                                : Filter::any_of(std::move(last.operands));
        become_condition(last.left);
      } else if (last.op->level == Level::comparison) {
        compare(last.left, *last.op, last.word, term);
      } else {
        calculate(last.left, last.word, term);
      }
      last.left.last = end;
      term = std::move(last.left);
      pending_.pop_back();
    }
    return false;
  }

  void open_operator(Term left, const OperatorWord& op) {
    const Walk& walk = walks_.back();
    Pending pending{&op, syntax::view(walk.expression->rest[walk.next].op), std::move(left), {}};
    if (op.level <= Level::conjunction) pending.operands.push_back(condition(pending.left, op.word));
    pending_.push_back(std::move(pending));
  }

  Term atom(const Atom& atom) {
    Term term;
    term.first = atom.text.begin();
    term.last = atom.text.end();
    const std::string_view text = syntax::view(atom.text);
    if (atom.kind == Atom::Kind::path) {
      if (text.find_first_of("/.") != std::string_view::npos) {
        throw not_implemented(
            text_, position(term.first),
            "\"" + shorten(text) + "\" is a path; properties of the Table service have no members");
      }
      term.kind = Term::Kind::property;
      term.type = declared_type(text);
      term.filter.property = text;
    } else if (atom.kind != Atom::Kind::word || text != "null") {
      term.kind = Term::Kind::constant;
      term.filter.literal = read_literal(atom, text_);
      term.type = term.filter.literal.type();
    }
    return term;
  }

  [[noreturn]] void refuse_depth(const Operand& operand) const {
    const char* const at = operand.prefixes.empty() ? text_.data() : operand.prefixes.front().begin();
    throw invalid(
        text_, position(at),
        "The filter nests deeper than " + std::to_string(kMaxDepth) + " levels of parentheses and not");
  }

  [[noreturn]] void refuse_call(const syntax::Call& call) const {
    const std::string name = shorten(syntax::view(call.name));
    std::string message = "The Table service evaluates no functions, and " + name + " is one; use SQL for it";
    if (name == "startswith") message += ", or a range: Name ge 'abc' and Name lt 'abd'";
    throw not_implemented(text_, position(call.name.begin()), message);
  }

  // --- Operators ---------------------------------------------------------------------------------

  void compare(Term& left, const OperatorWord& op, std::string_view word, Term& right) const {
    using Kind = Term::Kind;
    for (const Term* side : {&left, &right}) {
      if (side->kind != Kind::null) continue;
      const Term& other = side == &left ? right : left;
      const std::string subject =
          other.kind == Kind::property ? "Property " + shorten(other.filter.property) : "The Table service";
      throw invalid(text_, position(side->first),
                    subject + " has no value null; test for a missing property in SQL with IS NULL");
    }
    if (!compatible(left.type, right.type)) refuse_types(left, word, right);
    if (left.kind == Kind::condition || right.kind == Kind::condition) {
      throw not_implemented(text_, position(word.data()),
                            "The Table service does not compare the result of a condition; \"" +
                                std::string(word) + "\" takes a property and a constant");
    }
    for (const Term* side : {&left, &right}) {
      if (side->kind == Kind::arithmetic) {
        throw not_implemented(text_, position(side->op.data()),
                              "The Table service does not calculate, and \"" + std::string(side->op) +
                                  "\" is arithmetic; use SQL for it");
      }
    }
    if (left.kind == right.kind) {
      const bool properties = left.kind == Kind::property;
      throw not_implemented(text_, position(word.data()),
                            std::string("The Table service compares a property with a constant, and \"") +
                                shorten(source(left)) + "\" and \"" + shorten(source(right)) +
                                "\" are both " + (properties ? "properties" : "constants") +
                                (properties ? misspelt(left) + misspelt(right) : std::string()));
    }
    if (left.kind == Kind::property) {
      left.filter.op = op.comparison;
      left.filter.literal = std::move(right.filter.literal);
    } else {
      left.filter.op = mirrored(op.comparison);
      left.filter.property = std::move(right.filter.property);
    }
    become_condition(left);
  }

  // `v eq TRUE`: the word is a property to the grammar.
  static std::string misspelt(const Term& term) {
    std::string lowered(source(term));
    for (char& c : lowered) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    std::string_view meant;
    if (lowered == "true" || lowered == "false" || lowered == "null") meant = lowered;
    if (lowered == "nan") meant = "NaN";
    if (lowered == "inf" || lowered == "infinity") meant = "INF";
    if (meant.empty()) return {};
    return "; the constant is written " + std::string(meant);
  }

  [[noreturn]] void refuse_types(const Term& left, std::string_view word, const Term& right) const {
    for (const auto& [key, other] : {std::pair{&left, &right}, std::pair{&right, &left}}) {
      if (key->kind != Term::Kind::property) continue;
      throw invalid(text_, position(other->first),
                    key->filter.property + " is an " + std::string(edm::name_of(*key->type)) + " and \"" +
                        shorten(source(*other)) + "\" an " + std::string(edm::name_of(*other->type)) +
                        (*key->type == Type::String ? "; compare it with a string: 'text'"
                                                    : "; compare it with datetime'2024-06-15T00:00:00Z'"));
    }
    std::string message = "\"" + std::string(word) + "\" cannot compare an " +
                          std::string(edm::name_of(*left.type)) + " with an " +
                          std::string(edm::name_of(*right.type));
    if (left.negation) {
      message += "; not binds tighter than " + std::string(word) + ", so write not (…) around the comparison";
    } else if (left.kind == Term::Kind::condition) {
      message += "; \"" + shorten(source(left)) + "\" is a condition, join it to the next one by and";
    }
    throw invalid(text_, position(word.data()), message);
  }

  void calculate(Term& left, std::string_view word, const Term& right) const {
    require_number(left, word);
    require_number(right, word);
    become_arithmetic(left, word);
  }

  void negate_number(Term& term, const syntax::Text& minus) const {
    require_number(term, syntax::view(minus));
    become_arithmetic(term, syntax::view(minus));
  }

  void require_number(const Term& term, std::string_view word) const {
    if (term.kind == Term::Kind::null) {
      throw invalid(text_, position(term.first),
                    "\"" + std::string(word) + "\" takes numbers, and null is none");
    }
    if (!term.type || is_numeric(*term.type)) return;
    throw invalid(text_, position(term.first),
                  "\"" + std::string(word) + "\" takes numbers, and \"" + shorten(source(term)) +
                      "\" is an " + std::string(edm::name_of(*term.type)));
  }

  // The term as a condition, taken out of it. `user` is the operator that needs one; empty for the whole
  // filter.
  Filter condition(Term& term, std::string_view user) const {
    const std::string need =
        user.empty() ? "A filter must be a condition" : "\"" + std::string(user) + "\" takes conditions";
    switch (term.kind) {
      case Term::Kind::condition:
        return std::move(term.filter);
      case Term::Kind::property:
        if (!term.type)
          return Filter::compare(std::move(term.filter.property), Operator::eq, edm::Value::boolean(true));
        throw invalid(text_, position(term.first),
                      need + ", and " + term.filter.property + " is an " +
                          std::string(edm::name_of(*term.type)) + "; compare it: " + term.filter.property +
                          (*term.type == Type::String ? " eq 'text'" : " ge datetime'2024-06-15T00:00:00Z'"));
      case Term::Kind::constant:
        if (term.type == Type::Boolean) {
          throw not_implemented(text_, position(term.first),
                                "The Table service compares a property with a constant, and \"" +
                                    shorten(source(term)) + "\" stands alone; write Name eq " +
                                    shorten(source(term)));
        }
        throw invalid(text_, position(term.first),
                      need + ", and \"" + shorten(source(term)) + "\" is an " +
                          std::string(edm::name_of(*term.type)) + " constant; write Name eq " +
                          shorten(source(term)));
      case Term::Kind::null:
        throw invalid(text_, position(term.first), need + ", and null is none");
      case Term::Kind::arithmetic:
        break;
    }
    throw invalid(text_, position(term.first), need + ", and \"" + shorten(source(term)) + "\" is a number");
  }

  static void become_condition(Term& term) {
    term.kind = Term::Kind::condition;
    term.negation = false;
    term.type = Type::Boolean;
  }
  static void become_arithmetic(Term& term, std::string_view word) {
    term.kind = Term::Kind::arithmetic;
    term.op = word;
    // Of which numeric type is all the same: they meet each other.
    if (!term.type) term.type = Type::Double;
  }

  std::size_t position(const char* at) const { return static_cast<std::size_t>(at - text_.data()); }
  static std::string_view source(const Term& term) {
    return {term.first, static_cast<std::size_t>(term.last - term.first)};
  }

  std::string_view text_;
  std::size_t depth_ = 0;
  std::vector<Walk> walks_;
  std::vector<Pending> pending_;
};

}  // namespace

Filter check(const syntax::Expression& expression, std::string_view text) {
  return Checker(text).filter(expression);
}

}  // namespace table_storage::odata
