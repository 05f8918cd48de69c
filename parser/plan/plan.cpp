// Writing plans, and the rules that both directions keep.
#include "parser/plan/plan.h"

#include <algorithm>
#include <array>

#include "parser/definition/closest.h"
#include "parser/error.h"
#include "parser/plan/grammar.h"

namespace table_storage::plan {
namespace {

constexpr std::array<std::string_view, 10> kOperators{"=",  "is", "<",    "<=",   ">",
                                                      ">=", "<>", "like", "glob", "in"};

/// Words of the language. As columns they would parse, but a reader would stumble: print() quotes them.
constexpr std::array<std::string_view, 22> kWords{
    "and",   "by",    "checks", "distinct", "fetch", "filter", "glob",    "in",  "is",     "keys",  "like",
    "limit", "match", "odata",  "offset",   "only",  "or",     "ordered", "row", "sqlite", "table", "whole"};

bool is_bare(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }))
    return false;
  return std::none_of(kWords.begin(), kWords.end(),
                      [&](std::string_view word) { return definition::equal_without_case(word, name); });
}

void put_column(std::string_view name, std::string& out) {
  if (is_bare(name)) {
    out += name;
    return;
  }
  out += '"';
  for (char c : name) {
    if (c == '"') out += c;
    out += c;
  }
  out += '"';
}

void put_argument(Argument argument, std::string& out) {
  out += '?';
  out += std::to_string(argument.position);
  if (argument.literal) out += '!';
}

void put_conditions(const std::vector<Condition>& conditions, std::string& out) {
  bool first = true;
  for (const Condition& condition : conditions) {
    if (!first) out += " and ";
    first = false;
    put_column(condition.column, out);
    out += ' ';
    out += text_of(condition.op);
    out += ' ';
    put_argument(condition.argument, out);
  }
}

void put_columns(const std::vector<std::string>& columns, std::string& out) {
  bool first = true;
  for (const std::string& column : columns) {
    if (!first) out += ", ";
    first = false;
    put_column(column, out);
  }
}

/// What the language cannot say, or what has no meaning. Empty: nothing is wrong.
std::string_view fault(const Plan& plan) {
  using Access = Plan::Access;
  const auto on = [](std::string_view name) {
    return [name](const Condition& c) { return c.column == name; };
  };
  switch (plan.access) {
    case Access::whole_table:
      if (!plan.keys.empty()) return "a whole table is read without conditions on keys";
      break;
    case Access::keys:
      if (plan.keys.empty()) return "access by keys needs a condition";
      if (!std::all_of(plan.keys.begin(), plan.keys.end(),
                       [&](const Condition& c) { return on("PartitionKey")(c) || on("RowKey")(c); }))
        return "access by keys takes conditions on PartitionKey and RowKey";
      break;
    case Access::row:
      if (plan.keys.size() != 1 || !on("rowid")(plan.keys[0]))
        return "access by row takes one condition on rowid";
      break;
  }
  if (!std::all_of(plan.match.begin(), plan.match.end(),
                   [](const Condition& c) { return c.op == Operator::eq || c.op == Operator::is; }))
    return "match takes = and is";
  if (plan.offset && !plan.limit) return "an offset needs a limit";
  const auto unnumbered = [](const auto& argument) { return argument.position < 1; };
  const auto unnumbered_condition = [&](const Condition& c) { return unnumbered(c.argument); };
  if (std::any_of(plan.keys.begin(), plan.keys.end(), unnumbered_condition) ||
      std::any_of(plan.filter.begin(), plan.filter.end(), unnumbered_condition) ||
      std::any_of(plan.match.begin(), plan.match.end(), unnumbered_condition) ||
      std::any_of(plan.odata.begin(), plan.odata.end(), unnumbered) ||
      (plan.limit && unnumbered(*plan.limit)) || (plan.offset && unnumbered(*plan.offset)))
    return "arguments are numbered from 1";
  return {};
}

}  // namespace

std::string_view text_of(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }

std::string print(const Plan& plan) {
  if (const std::string_view wrong = fault(plan); !wrong.empty())
    throw Error(Error::Kind::invalid, "", "this plan cannot be written: " + std::string(wrong));
  std::string out;
  out.reserve(192);
  switch (plan.access) {
    case Plan::Access::whole_table:
      out += "whole table";
      break;
    case Plan::Access::keys:
      out += "keys ";
      break;
    case Plan::Access::row:
      out += "row ";
      break;
  }
  put_conditions(plan.keys, out);
  if (!plan.filter.empty()) {
    out += "; filter ";
    put_conditions(plan.filter, out);
  }
  if (!plan.match.empty()) {
    out += "; match ";
    put_conditions(plan.match, out);
  }
  if (!plan.odata.empty()) {
    out += "; odata ";
    for (std::size_t i = 0; i < plan.odata.size(); ++i) {
      if (i > 0) out += " and ";
      put_argument(plan.odata[i], out);
    }
  }
  out += "; fetch ";
  if (plan.fetch.empty())
    out += "keys only";
  else
    put_columns(plan.fetch, out);
  if (!plan.order.empty()) {
    out += "; ordered by ";
    put_columns(plan.order, out);
  }
  if (plan.distinct_partitions) out += "; distinct PartitionKey";
  if (plan.limit) {
    out += "; limit ";
    put_argument(*plan.limit, out);
    if (plan.offset) {
      out += " offset ";
      put_argument(*plan.offset, out);
    }
  }
  if (!plan.rechecked.empty()) {
    out += "; SQLite checks ";
    put_columns(plan.rechecked, out);
  }
  return out;
}

Plan parse_plan(std::string_view text) {
  constexpr std::size_t kShown = 40;  // bytes of the text behind the error
  try {
    Plan plan = read_plan(text);
    if (const std::string_view wrong = fault(plan); !wrong.empty())
      throw Error(Error::Kind::invalid, "", "scan plan `" + std::string(text) + "`: " + std::string(wrong))
          .at(0);
    return plan;
  } catch (const SyntaxError& error) {
    const std::string_view rest = text.substr(error.position);
    throw Error(Error::Kind::invalid, "",
                "scan plan, byte " + std::to_string(error.position) + ": expected " + error.expected +
                    (rest.empty() ? std::string(" at the end")
                                  : " before `" + definition::excerpt(rest, kShown) + "`"))
        .at(error.position);
  }
}

}  // namespace table_storage::plan
