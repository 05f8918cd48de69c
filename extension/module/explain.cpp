#include "extension/module/explain.h"

#include <utility>

#include "extension/backend/local/statement.h"
#include "extension/module/bytecode.h"
#include "extension/module/column_value.h"
#include "extension/module/dialect.h"
#include "extension/module/explain_price.h"
#include "extension/module/pushdown.h"
#include "parser/odata/filter.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

using plan::Operator;
using plan::Plan;
using Pushed = ExplainedCondition::Pushed;

namespace {

/// What is sent for a condition, and how well it stands for it.
struct Sent {
  std::string filter;  // empty: nothing
  Pushed pushed = Pushed::local;
  std::string reason;
};

std::string odata_operator(Operator op) {
  switch (op) {
    case Operator::eq:
    case Operator::is:
    case Operator::in:
      return "eq";
    case Operator::lt:
      return "lt";
    case Operator::le:
      return "le";
    case Operator::gt:
      return "gt";
    case Operator::ge:
      return "ge";
    case Operator::ne:
      return "ne";
    case Operator::like:
    case Operator::glob:
      break;
  }
  return "within the prefix of";
}

std::string sql_literal(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_TEXT: {
      std::string text = "'";
      for (char c : text_of(value)) text += c == '\'' ? std::string("''") : std::string(1, c);
      return text + "'";
    }
    case SQLITE_BLOB:
      return "a blob";
    default:
      return std::string(text_of(value));
  }
}

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

/// A bound of a key as OData has it, for reading.
std::string range_text(const std::string& key, const backend::TextRange& range) {
  const auto compare = [&](const char* op, const std::string& text) {
    return odata::print(odata::Filter::compare(key,
                                               std::string(op) == "eq"   ? odata::Operator::eq
                                               : std::string(op) == "ge" ? odata::Operator::ge
                                               : std::string(op) == "gt" ? odata::Operator::gt
                                               : std::string(op) == "le" ? odata::Operator::le
                                                                         : odata::Operator::lt,
                                               edm::Value::string(text)));
  };
  if (range.is_point()) return compare("eq", *range.lower);
  std::vector<std::string> bounds;
  if (range.lower) bounds.push_back(compare(range.lower_inclusive ? "ge" : "gt", *range.lower));
  if (range.upper) bounds.push_back(compare(range.upper_inclusive ? "le" : "lt", *range.upper));
  return join(bounds, " and ");
}

/// A value as good as any of its type, to see whether a service is asked for such conditions at all.
SqlValue sample(sqlite3* db, const Column& column) {
  const char* text = "'a'";
  if (column.type) {
    switch (*column.type) {
      case edm::Type::Boolean:
      case edm::Type::Int32:
        text = "1";
        break;
      case edm::Type::Int64:
        text = "5000000000";
        break;
      case edm::Type::Double:
        text = "1.5";
        break;
      case edm::Type::DateTime:
        text = "'2024-06-15T12:30:00Z'";
        break;
      case edm::Type::Guid:
        text = "'c9da6455-213d-42c9-9a79-3e9149a57833'";
        break;
      case edm::Type::Binary:
        text = "x'00'";
        break;
      case edm::Type::String:
        break;
    }
  }
  const std::string doing = "making a value to explain with";
  backend::local::Statement statement;
  const int rc = statement.prepare(db, std::string("SELECT ") + text);
  if (rc != SQLITE_OK) backend::local::throw_storage_error(db, rc, doing);
  if (!backend::local::next_row(statement.get(), doing)) return nullptr;
  return SqlValue(copy_of(sqlite3_column_value(statement.get(), 0)));
}

class ScanExplainer {
 public:
  ScanExplainer(Session& session, ForeignTable& table, const BytecodeScan& scan)
      : session_(session), table_(table), scan_(scan), plan_(plan::parse_plan(scan.plan)) {}

  ExplainedScan run() {
    ExplainedScan out;
    out.table = table_.definition().name;
    out.in_loop = scan_.in_loop;
    std::vector<std::string> filters;
    const auto add = [&](const plan::Condition& condition, const Sent& sent) {
      ExplainedCondition explained;
      explained.text =
          condition.column + " " + std::string(plan::text_of(condition.op)) + " " + shown(condition.argument);
      explained.pushed = sent.pushed;
      explained.reason = sent.reason;
      if (!sent.filter.empty()) filters.push_back(sent.filter);
      out.conditions.push_back(std::move(explained));
    };
    if (plan_.access == Plan::Access::row) {
      add(plan_.keys.front(), {"", Pushed::local,
                               "a rowid is a hash of the keys: it is looked for in a scan, "
                               "unless a write has been shown the row"});
    } else {
      for (const plan::Condition& condition : plan_.keys) add(condition, send_key(condition));
    }
    for (const plan::Condition& condition : plan_.filter) add(condition, send_property(condition));
    for (const plan::Condition& condition : plan_.match) {
      add(condition, {"", Pushed::local,
                      "no service can be asked for it; it finds rows where the join cache holds "
                      "the table"});
    }
    for (const plan::Argument& argument : plan_.odata) {
      filters.push_back("(" + shown(argument) + ")");
      out.conditions.push_back(
          {"_filter = " + shown(argument), Pushed::exact, "goes as it is, and is not tested again"});
    }
    for (const std::string& column : plan_.rechecked) {
      out.conditions.push_back({"a condition on " + column, Pushed::local, why_local(column)});
    }
    price(table_, plan_, out);
    out.request = request(filters);
    return out;
  }

 private:
  bool is_remote() const { return table_.backend_capabilities().dialect != backend::Dialect::local; }

  const ScanArgument* argument(const plan::Argument& argument) const {
    const auto index = static_cast<std::size_t>(argument.position - 1);
    return index < scan_.arguments.size() ? &scan_.arguments[index] : nullptr;
  }

  sqlite3_value* literal(const plan::Argument& wanted) const {
    const ScanArgument* found = argument(wanted);
    return found != nullptr && found->kind == ScanArgument::Kind::literal ? found->value.get() : nullptr;
  }

  std::string shown(const plan::Argument& wanted) const {
    const ScanArgument* found = argument(wanted);
    if (found == nullptr) return "{?}";
    switch (found->kind) {
      case ScanArgument::Kind::literal:
        return sql_literal(found->value.get());
      case ScanArgument::Kind::parameter:
        return "{" + found->text + "}";
      case ScanArgument::Kind::list:
        return "{a list}";
      case ScanArgument::Kind::column:
        if (ForeignTable* other = session_.table_at(found->table)) {
          const auto& columns = other->definition().columns;
          if (found->column >= 0 && static_cast<std::size_t>(found->column) < columns.size())
            return "{" + other->definition().name + "." +
                   columns[static_cast<std::size_t>(found->column)].name + "}";
        }
        return "{a column of another table}";
      case ScanArgument::Kind::expression:
        break;
    }
    return "{an expression}";
  }

  const Column& column(const std::string& name) const {
    return table_.definition().columns[static_cast<std::size_t>(table_.definition().column(name))];
  }

  Sent send_key(const plan::Condition& condition) const {
    const std::string unknown =
        condition.column + " " + odata_operator(condition.op) + " " + shown(condition.argument);
    switch (condition.op) {
      case Operator::in:
        return {condition.column + " eq each of " + shown(condition.argument), Pushed::exact,
                "each element is asked for by itself"};
      case Operator::ne:
        return {"", Pushed::local, "<> bounds nothing"};
      case Operator::like:
        if (literal(condition.argument) == nullptr)
          return {unknown, Pushed::superset, "LIKE folds case: the prefix becomes a range over both cases"};
        break;
      case Operator::glob:
        if (literal(condition.argument) == nullptr)
          return {unknown, Pushed::superset, "the prefix of the pattern becomes a range"};
        break;
      default:
        break;
    }
    sqlite3_value* value = literal(condition.argument);
    const bool upper = condition.op == Operator::lt || condition.op == Operator::le;
    if (value == nullptr) {
      const ScanArgument* source = argument(condition.argument);
      const bool bound = source != nullptr && source->kind == ScanArgument::Kind::parameter;
      if (upper && !bound) {
        return {
            unknown, Pushed::superset,
            "a right side of numeric affinity would be greater than every key that looks like a number, so "
            "those are asked for too"};
      }
      return {unknown, Pushed::exact,
              "a text is compared byte by byte; a number would ask for every key that looks like one"};
    }
    KeyDomain domain({table_.connection().is_utf8(), true});
    domain.narrow(condition.op, {value, condition.argument.literal});
    if (domain.empty()) return {"", Pushed::exact, "no key can satisfy it: nothing is asked"};
    if (domain.is_all()) return {"", Pushed::local, "it bounds nothing"};
    const std::string filter = range_text(condition.column, domain.hull());
    if (condition.op == Operator::like || condition.op == Operator::glob)
      return {filter, Pushed::superset, "the prefix of the pattern becomes a range"};
    if (sqlite3_value_type(value) == SQLITE_TEXT)
      return {filter, Pushed::exact, "keys are compared byte by byte"};
    return {filter, Pushed::superset,
            "a number may equal several keys ('5', '05'): all that look like numbers"};
  }

  Sent send_property(const plan::Condition& condition) const {
    const Column& narrowed = column(condition.column);
    const backend::Dialect dialect = table_.backend_capabilities().dialect;
    const TextOrder order{table_.connection().is_utf8(), true};
    sqlite3_value* value = literal(condition.argument);
    const std::string unknown =
        narrowed.property + " " + odata_operator(condition.op) + " " + shown(condition.argument);
    if (condition.op == Operator::in) {
      return {narrowed.property + " eq each of " + shown(condition.argument), Pushed::superset,
              "up to " + std::to_string(kMaxAlternatives) +
                  " elements become alternatives; longer lists are left "
                  "to SQLite"};
    }
    const SqlValue stand_in = value == nullptr ? sample(table_.connection().db(), narrowed) : nullptr;
    const Narrowing narrowing =
        narrow_property(narrowed, condition.op,
                        {value == nullptr ? stand_in.get() : value, condition.argument.literal}, order);
    if (narrowing.kind == Narrowing::Kind::never)
      return {"", Pushed::exact, "no row can satisfy it: nothing is asked"};
    if (narrowing.kind == Narrowing::Kind::always) {
      return {
          "", Pushed::local,
          std::string("no filter on a ") + narrowed.type_name() + " property says as much with such a value"};
    }
    const auto translated = in_dialect(*narrowing.filter, dialect);
    if (!translated) {
      return {"", Pushed::local, "this service compares such values in ways that would lose rows"};
    }
    if (value == nullptr) return {unknown, Pushed::exact, "decided by the value, when the scan begins"};
    const std::string filter = odata::print(*translated);
    const std::string plain = narrowed.property + " " + odata_operator(condition.op) + " ";
    const bool one = filter.compare(0, plain.size(), plain) == 0 &&
                     filter.find(" and ") == std::string::npos && filter.find(" or ") == std::string::npos;
    if (!one) return {filter, Pushed::superset, "the service's nearest form of it"};
    if (condition.op == Operator::ne)
      return {filter, Pushed::superset, "the service counts missing properties in"};
    return {filter, Pushed::exact, "the service compares as SQLite does"};
  }

  std::string why_local(const std::string& name) const {
    const Column& checked = column(name);
    switch (checked.role) {
      case Column::Role::etag:
      case Column::Role::properties:
      case Column::Role::filter:
        return name + " is no property that a service could compare";
      case Column::Role::partition_key:
      case Column::Role::row_key:
      case Column::Role::timestamp:
      case Column::Role::property:
        break;
    }
    if (!checked.type) return "the type of an ANY column varies from entity to entity";
    return "IS NULL, IS NOT NULL, another collation than the column's own, or an operator that no service "
           "has";
  }

  std::string request(const std::vector<std::string>& filters) const {
    std::vector<std::string> query;
    if (!filters.empty()) query.push_back("$filter=" + join(filters, " and "));
    std::vector<std::string> names{"PartitionKey", "RowKey"};
    bool all = false;
    for (const std::string& name : plan_.fetch) {
      const Column& fetched = column(name);
      if (fetched.role == Column::Role::properties) all = true;
      if (fetched.role != Column::Role::etag) names.push_back(fetched.property);
    }
    if (!all) query.push_back("$select=" + join(names, ","));
    if (plan_.limit) query.push_back("$top=" + shown(*plan_.limit));
    return (is_remote() ? "GET " : "local ") + table_.definition().entity_table + "()?" + join(query, "&");
  }

  Session& session_;
  ForeignTable& table_;
  const BytecodeScan& scan_;
  Plan plan_;
};

}  // namespace

std::vector<ExplainedScan> explain(Session& session, const std::string& sql) {
  std::vector<ExplainedScan> explained;
  for (const BytecodeScan& scan : scans_of(session.connection().db(), sql)) {
    ForeignTable* table = session.table_at(scan.table);
    if (table == nullptr) continue;  // of another module
    explained.push_back(ScanExplainer(session, *table, scan).run());
  }
  return explained;
}

}  // namespace table_storage::module
