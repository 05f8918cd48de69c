#include "tests/oom/trial.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/oom/allocations.h"

namespace table_storage::oom {

bool is_out_of_memory(int code) { return (code & 0xFF) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM; }

Result run(sqlite3* db, const std::string& sql, std::uint64_t fail_at) {
  Result result;
  sqlite3_stmt* statement = nullptr;
  start(fail_at);
  result.code = sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  while (result.code == SQLITE_OK && (result.code = sqlite3_step(statement)) == SQLITE_ROW) {
    result.code = SQLITE_OK;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = sqlite3_column_text(statement, i);
      // A conversion that finds no memory says NULL: programs that care ask for the error.
      if (text == nullptr && sqlite3_errcode(db) == SQLITE_NOMEM) result.code = SQLITE_NOMEM;
      const Pause pause;
      result.rows.append(text == nullptr ? "NULL" : reinterpret_cast<const char*>(text)).append("|");
    }
  }
  if (result.code == SQLITE_DONE) result.code = SQLITE_OK;
  const int code = sqlite3_finalize(statement);
  stop();
  if (result.code == SQLITE_OK || !is_out_of_memory(result.code)) result.code = code;
  if (result.code != SQLITE_OK) result.rows = sqlite3_errmsg(db);
  return result;
}

std::string digest(sqlite3* db) {
  std::string out;
  const Result names =
      run(db, "SELECT name FROM main.sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY 1");
  std::istringstream list(names.rows);
  for (std::string name; std::getline(list, name, '|');) {
    const Result rows =
        run(db, "SELECT PartitionKey, RowKey, _properties FROM main.\"" + name + "\" ORDER BY 1, 2");
    out += name + ": " + std::to_string(rows.code) + ' ' + rows.rows + '\n';
  }
  return out;
}

sqlite3* open(const char* extension) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) std::exit(2);
  sqlite3_enable_load_extension(db, 1);
  if (sqlite3_load_extension(db, extension, nullptr, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "cannot load %s: %s\n", extension, sqlite3_errmsg(db));
    std::exit(2);
  }
  return db;
}

std::vector<std::string> statements_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('.') && !line.starts_with("--")) text += line + '\n';
  std::vector<std::string> statements;
  std::string sql;
  for (const char c : text) {
    if (sql.empty() && c == '\n') continue;
    sql += c;
    if (c != ';' || sqlite3_complete(sql.c_str()) == 0) continue;
    statements.push_back(std::move(sql));
    sql.clear();
  }
  return statements;
}

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    std::uint64_t& value = std::strcmp(argv[at], "--stride") == 0 ? arguments.stride : arguments.offset;
    value = std::strtoull(argv[at + 1], nullptr, 10);
  }
  if (at + 1 >= argc || arguments.stride == 0) {
    std::fprintf(stderr, "usage: %s [--stride N] [--offset N] table_storage.so SCRIPT.sql ...\n", argv[0]);
    std::exit(2);
  }
  arguments.extension = argv[at];
  arguments.scripts.assign(argv + at + 1, argv + argc);
  return arguments;
}

}  // namespace table_storage::oom
