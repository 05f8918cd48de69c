// A filter becomes a list of comparisons, each of which knows where to go on when it holds and when it does
// not: and, or and not are nothing but the choice of those targets. So the evaluation is a loop, whatever the
// nesting, and stops at the first comparison that decides.
#include "parser/odata/evaluate.h"

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "parser/edm/compare.h"

namespace table_storage::odata {
namespace {

constexpr std::uint32_t kAccept = 0xFFFF'FFFF;
constexpr std::uint32_t kReject = 0xFFFF'FFFE;

// Which outcomes satisfy an operator: bit 0 less, bit 1 equivalent, bit 2 greater.
constexpr unsigned outcomes(Operator op) {
  switch (op) {
    case Operator::eq:
      return 0b010;
    case Operator::ne:
      return 0b101;
    case Operator::gt:
      return 0b100;
    case Operator::ge:
      return 0b110;
    case Operator::lt:
      return 0b001;
    case Operator::le:
      return 0b011;
  }
  return 0;
}

unsigned outcome(std::weak_ordering order) {
  return std::is_lt(order) ? 0b001 : (std::is_gt(order) ? 0b100 : 0b010);
}

struct Step {
  edm::ValueView literal;  // into the filter of the program
  std::uint32_t slot;
  std::uint32_t when_true;
  std::uint32_t when_false;
  unsigned char accepted;  // outcomes()
  bool equality;           // eq or ne: no order needed
};

bool holds(const Step& step, const edm::ValueView& property) {
  if (!property.present()) return false;
  const edm::ValueView& literal = step.literal;
  if (property.type() == literal.type()) {
    // The usual pairs without a call; edm::compare() would say the same.
    switch (literal.type()) {
      case edm::Type::Boolean:
      case edm::Type::Int32:
      case edm::Type::Int64:
      case edm::Type::DateTime: {
        const std::int64_t a = property.as_int64();
        const std::int64_t b = literal.as_int64();
        return (step.accepted & (a < b ? 0b001u : (a > b ? 0b100u : 0b010u))) != 0;
      }
      case edm::Type::String:
      case edm::Type::Binary:
      case edm::Type::Guid:
        if (step.equality) {
          const bool equal = property.bytes() == literal.bytes();
          return (step.accepted & (equal ? 0b010u : 0b101u)) != 0;
        }
        break;
      case edm::Type::Double:
        break;
    }
  }
  return (step.accepted & outcome(edm::compare(property, literal))) != 0;
}

}  // namespace

struct Evaluator::Program {
  explicit Program(Filter f) : filter(std::move(f)) {
    collect(filter);
    position_ = static_cast<std::uint32_t>(steps.size());
    emit(filter, kAccept, kReject);
    slots_.clear();  // its keys look into `filter`, which is fine, but nobody needs them any more
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Filter filter;
  std::vector<std::string> properties;
  std::vector<Step> steps;  // in the order of the text

 private:
  // Slots in the order of the text, and room for the steps.
  void collect(const Filter& node) {
    if (node.kind != Filter::Kind::comparison) {
      for (const Filter& operand : node.operands) collect(operand);
      return;
    }
    const auto [slot, fresh] = slots_.emplace(node.property, static_cast<std::uint32_t>(properties.size()));
    if (fresh) properties.push_back(node.property);
    if (steps.size() >= kReject) throw std::length_error("filter with too many comparisons");
    Step step{};
    step.slot = slot->second;
    steps.push_back(step);
  }

  // Fills the steps from the back, because targets lie ahead. Returns where the node begins.
  std::uint32_t emit(const Filter& node, std::uint32_t when_true, std::uint32_t when_false) {
    switch (node.kind) {
      case Filter::Kind::comparison: {
        Step& step = steps[--position_];
        step.literal = node.literal.view();
        step.when_true = when_true;
        step.when_false = when_false;
        step.accepted = static_cast<unsigned char>(outcomes(node.op));
        step.equality = node.op == Operator::eq || node.op == Operator::ne;
        return position_;
      }
      case Filter::Kind::negation:
        return emit(node.operands.front(), when_false, when_true);
      case Filter::Kind::conjunction: {
        std::uint32_t next = when_true;
        for (auto i = node.operands.rbegin(); i != node.operands.rend(); ++i)
          next = emit(*i, next, when_false);
        return next;
      }
      case Filter::Kind::disjunction:
        break;
    }
    std::uint32_t next = when_false;
    for (auto i = node.operands.rbegin(); i != node.operands.rend(); ++i) next = emit(*i, when_true, next);
    return next;
  }

  std::unordered_map<std::string_view, std::uint32_t> slots_;
  std::uint32_t position_ = 0;
};

Evaluator::Evaluator(Filter filter) : program_(std::make_shared<const Program>(std::move(filter))) {}

const std::vector<std::string>& Evaluator::properties() const { return program_->properties; }
const Filter& Evaluator::filter() const { return program_->filter; }

bool Evaluator::matches(const edm::ValueView* slots) const {
  const Step* const steps = program_->steps.data();
  std::uint32_t at = 0;
  do {
    const Step& step = steps[at];
    at = holds(step, slots[step.slot]) ? step.when_true : step.when_false;
  } while (at < kReject);
  return at == kAccept;
}

}  // namespace table_storage::odata
