#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/odata/characters.h"
#include "parser/odata/filter.h"
#include "parser/odata/operators.h"

namespace table_storage::odata {
namespace {

void print_string(std::string_view text, std::string& out) {
  out += '\'';
  for (std::size_t from = 0;;) {
    const std::size_t quote = text.find('\'', from);
    if (quote == std::string_view::npos) {
      out += text.substr(from);
      break;
    }
    out += text.substr(from, quote + 1 - from);
    out += '\'';
    from = quote + 1;
  }
  out += '\'';
}

// Wire form of the non-finite doubles to that of a filter.
std::string double_literal(double value) {
  std::string text = edm::format_double(value);
  if (text == "Infinity") return "INF";
  if (text == "-Infinity") return "-INF";
  return text;
}

void print(const Filter& filter, std::string& out);

// Only what the structure needs: a node of the same kind, or a looser one, would melt into its parent.
void print_operand(const Filter& operand, Filter::Kind parent, std::string& out) {
  const bool parentheses = operand.kind == parent ||
                           (operand.kind == Filter::Kind::disjunction && parent == Filter::Kind::conjunction);
  if (parentheses) out += '(';
  print(operand, out);
  if (parentheses) out += ')';
}

void print(const Filter& filter, std::string& out) {
  switch (filter.kind) {
    case Filter::Kind::comparison:
      if (!can_name(filter.property)) {
        throw Error(
            Error::Kind::invalid, "PropertyNameInvalid",
            "Property name \"" + filter.property +
                "\" cannot stand in a filter: it is no identifier, or a word that the filter language keeps");
      }
      out += filter.property;
      out += ' ';
      out += name_of(filter.op);
      out += ' ';
      print_literal(filter.literal, out);
      return;
    case Filter::Kind::negation:
      out += "not (";
      print(filter.operands.front(), out);
      out += ')';
      return;
    case Filter::Kind::conjunction:
    case Filter::Kind::disjunction:
      break;
  }
  bool first = true;
  for (const Filter& operand : filter.operands) {
    if (!first) out += filter.kind == Filter::Kind::conjunction ? " and " : " or ";
    first = false;
    print_operand(operand, filter.kind, out);
  }
}

}  // namespace

bool can_name(std::string_view property) {
  const char* const first = property.data();
  const char* const last = first + property.size();
  if (property.empty() || !edm::is_valid_utf8(property) || skip_name(first, last) != last) return false;
  for (const std::string_view kept :
       {"not", "true", "false", "null", "NaN", "NaNf", "NaNF", "INF", "INFf", "INFF"}) {
    if (property == kept) return false;
  }
  return true;
}

bool can_name_everywhere(std::string_view property) {
  return can_name(property) && find_operator(property) == nullptr;
}

std::string print(const Filter& filter) {
  std::string out;
  print(filter, out);
  return out;
}

void print_literal(edm::ValueView literal, std::string& out) {
  switch (literal.type()) {
    case edm::Type::String:
      print_string(literal.bytes(), out);
      return;
    case edm::Type::Binary:
      out += "X'" + edm::format_hex(literal.bytes()) + "'";
      return;
    case edm::Type::Boolean:
      out += literal.as_boolean() ? "true" : "false";
      return;
    case edm::Type::Int32:
      out += std::to_string(literal.as_int32());
      return;
    case edm::Type::Int64:
      out += std::to_string(literal.as_int64()) + "L";
      return;
    case edm::Type::Double:
      out += double_literal(literal.as_double());
      return;
    case edm::Type::DateTime:
      out += "datetime'" + edm::format_datetime(literal.as_ticks()) + "'";
      return;
    case edm::Type::Guid:
      out += "guid'" + edm::format_guid(literal.bytes()) + "'";
      return;
  }
}

}  // namespace table_storage::odata
