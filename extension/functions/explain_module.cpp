// ts_explain(sql): what a statement will ask of its foreign tables.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"
#include "extension/module/explain.h"

namespace table_storage::functions {

namespace {

using module::ExplainedCondition;
using module::ExplainedScan;

std::string text_of(ExplainedCondition::Pushed pushed) {
  switch (pushed) {
    case ExplainedCondition::Pushed::exact:
      return "exact";
    case ExplainedCondition::Pushed::superset:
      return "superset";
    case ExplainedCondition::Pushed::local:
      break;
  }
  return "local";
}

std::vector<ListRow> rows_of(std::vector<ExplainedScan> scans) {
  const auto number_or_null = [](const std::optional<std::int64_t>& number) {
    return number ? ListValue(*number) : ListValue();
  };
  std::vector<ListRow> rows;
  std::int64_t number = 0;
  for (ExplainedScan& scan : scans) {
    ++number;
    rows.push_back({number,
                    scan.table,
                    "request",
                    std::move(scan.request),
                    text_or_null(scan.price),
                    {},
                    text_or_null(scan.remark),
                    number_or_null(scan.requests),
                    number_or_null(scan.entities),
                    number_or_null(scan.bytes)});
    for (ExplainedCondition& condition : scan.conditions) {
      rows.push_back({number,
                      scan.table,
                      "condition",
                      std::move(condition.text),
                      {},
                      text_of(condition.pushed),
                      text_or_null(condition.reason),
                      {},
                      {},
                      {}});
    }
  }
  return rows;
}

}  // namespace

int register_explain_module(sqlite3* db, const std::shared_ptr<module::Session>& session) {
  return register_list(
      db, {.name = "ts_explain",
           .columns = "scan INTEGER, foreign_table TEXT, item TEXT, detail TEXT, price TEXT, pushed TEXT, "
                      "reason TEXT, requests INTEGER, entities INTEGER, bytes INTEGER",
           .arguments = {{.name = "sql"}},
           .usage = "a statement, as in SELECT * FROM ts_explain('SELECT count(*) FROM readings')",
           .rows = [session](const std::vector<std::string>& arguments) {
             return rows_of(module::explain(*session, arguments[0]));
           }});
}

}  // namespace table_storage::functions
