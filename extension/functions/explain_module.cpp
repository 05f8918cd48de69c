// ts_explain(sql): what a statement will ask of its foreign tables.
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/functions/functions.h"
#include "extension/module/column_value.h"
#include "extension/module/explain.h"
#include "extension/module/guard.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

using module::ExplainedCondition;
using module::ExplainedScan;
using SessionPointer = std::shared_ptr<module::Session>;

enum ExplainColumn : int {
  kScan,
  kTable,
  kItem,
  kDetail,
  kPrice,
  kPushed,
  kReason,
  kRequests,
  kEntities,
  kBytes,
  kSql
};

struct ExplainRow {
  std::int64_t scan = 0;
  std::string table;
  const char* item = "";
  std::string detail;
  std::string price;
  std::string pushed;
  std::string reason;
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> entities;
  std::optional<std::int64_t> bytes;
};

struct ExplainVtab {
  sqlite3_vtab base{};
  SessionPointer session;
};

struct ExplainCursor {
  sqlite3_vtab_cursor base{};
  std::string sql;
  std::vector<ExplainRow> rows;
  std::size_t at = 0;
};

ExplainCursor& of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<ExplainCursor*>(cursor); }

const char* text_of(ExplainedCondition::Pushed pushed) {
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

std::vector<ExplainRow> rows_of(std::vector<ExplainedScan> scans) {
  std::vector<ExplainRow> rows;
  std::int64_t number = 0;
  for (ExplainedScan& scan : scans) {
    ++number;
    rows.push_back({number,
                    scan.table,
                    "request",
                    std::move(scan.request),
                    std::move(scan.price),
                    {},
                    std::move(scan.remark),
                    scan.requests,
                    scan.entities,
                    scan.bytes});
    for (ExplainedCondition& condition : scan.conditions) {
      rows.push_back({number,
                      scan.table,
                      "condition",
                      std::move(condition.text),
                      {},
                      text_of(condition.pushed),
                      std::move(condition.reason),
                      {},
                      {},
                      {}});
    }
  }
  return rows;
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char** message) {
  return module::guarded(*message, [&] {
    const int rc =
        sqlite3_declare_vtab(db,
                             "CREATE TABLE x(scan INTEGER, foreign_table TEXT, item TEXT, detail TEXT, price "
                             "TEXT, pushed TEXT, reason TEXT, "
                             "requests INTEGER, entities INTEGER, bytes INTEGER, sql TEXT HIDDEN)");
    if (rc != SQLITE_OK) return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    auto* vtab = new ExplainVtab;
    vtab->session = *static_cast<SessionPointer*>(aux);
    *out = &vtab->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* vtab) {
  delete reinterpret_cast<ExplainVtab*>(vtab);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return module::guarded(vtab->zErrMsg, [&] {
    int place = -1;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != kSql || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (!constraint.usable) return SQLITE_CONSTRAINT;
      place = i;
    }
    if (place < 0) {
      throw Error(
          Error::Kind::invalid, "",
          "ts_explain wants a statement, as in SELECT * FROM ts_explain('SELECT count(*) FROM readings')");
    }
    info->aConstraintUsage[place].argvIndex = 1;
    info->aConstraintUsage[place].omit = 1;
    info->estimatedCost = 100;
    info->estimatedRows = 10;
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  return module::guarded(vtab->zErrMsg, [&] {
    *out = &(new ExplainCursor)->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<ExplainCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value** argv) {
  return module::guarded(base->pVtab->zErrMsg, [&] {
    ExplainCursor& cursor = of(base);
    cursor.rows.clear();
    cursor.at = 0;
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
      throw Error(Error::Kind::invalid, "",
                  "ts_explain wants a statement as text, not " + module::describe(argv[0]));
    }
    cursor.sql = module::text_of(argv[0]);
    cursor.rows = rows_of(module::explain(*reinterpret_cast<ExplainVtab*>(base->pVtab)->session, cursor.sql));
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).rows.size() ? 1 : 0; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const ExplainCursor& cursor = of(base);
  const ExplainRow& row = cursor.rows[cursor.at];
  const auto text = [&](const std::string& shown) {
    if (!shown.empty())
      sqlite3_result_text(context, shown.c_str(), static_cast<int>(shown.size()), SQLITE_TRANSIENT);
  };
  const auto number = [&](const std::optional<std::int64_t>& shown) {
    if (shown) sqlite3_result_int64(context, *shown);
  };
  switch (index) {
    case kScan:
      sqlite3_result_int64(context, row.scan);
      break;
    case kTable:
      text(row.table);
      break;
    case kItem:
      text(row.item);
      break;
    case kDetail:
      text(row.detail);
      break;
    case kPrice:
      text(row.price);
      break;
    case kPushed:
      text(row.pushed);
      break;
    case kReason:
      text(row.reason);
      break;
    case kRequests:
      number(row.requests);
      break;
    case kEntities:
      number(row.entities);
      break;
    case kBytes:
      number(row.bytes);
      break;
    default:
      text(cursor.sql);
      break;
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(of(cursor).at) + 1;
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xConnect = connect;  // no xCreate: it exists by its name alone
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}

const sqlite3_module kModule = make_module();

}  // namespace

int register_explain_module(sqlite3* db, SessionPointer session) {
  return sqlite3_create_module_v2(db, "ts_explain", &kModule, new SessionPointer(std::move(session)),
                                  [](void* p) { delete static_cast<SessionPointer*>(p); });
}

}  // namespace table_storage::functions
