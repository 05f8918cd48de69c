// Out of memory: runs the SQL suite, and for each of its statements, again and again from the same state,
// makes one allocation after the other fail.
//
//   oom [--stride N] [--offset N] table_storage.so SCRIPT.sql …
//
// --stride N takes every Nth allocation only, beginning with number 1 + offset. Each failure is tried in a
// child process, so that the state before the statement is the same each time, whatever it is made of. In the
// child the statement must end with SQLITE_NOMEM or with the right answer; then, without failures, the same
// statement must give the right answer (unless the failure has ended the transaction, as SQLite may), the
// database must pass integrity_check and close, and as many allocations must be left as without the failure.
//
// The last line is the figures. Exit status 0: nothing was wrong.
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/oom/allocations.h"

namespace table_storage::oom {
namespace {

struct Result {
  int code = SQLITE_OK;
  std::string rows;  // and the message of an error
  friend bool operator==(const Result&, const Result&) = default;
};

bool is_out_of_memory(int code) { return (code & 0xFF) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM; }

/// Runs one statement with a failure at allocation `fail_at`; what has to be allocated for that does not
/// count.
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

Result run(sqlite3* db, const std::string& sql) { return run(db, sql, 0); }

/// Every entity that a foreign table of `main` shows.
std::string digest(sqlite3* db) {
  std::string out;
  const Result names =
      run(db, "SELECT name FROM main.sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY 1");
  std::istringstream list(names.rows);
  for (std::string name; std::getline(list, name, '|');) {
    const Result rows = run(db, "SELECT PartitionKey, RowKey, _properties FROM main.\"" + name + '"');
    out += name + ": " + std::to_string(rows.code) + ' ' + rows.rows + '\n';
  }
  return out;
}

struct Expected {
  Result result;
  std::string digest;
  std::uint64_t allocations = 0;
  std::int64_t live_sqlite = 0;  // after the connection was closed
  std::int64_t live_cpp = 0;
};

/// What a child found, through a pipe as text.
struct Report {
  bool out_of_memory = false;
  std::string wrong;  // empty: nothing
};

class Suite {
 public:
  Suite(const char* extension, std::uint64_t stride, std::uint64_t offset)
      : extension_(extension), stride_(stride), offset_(offset) {}

  void run_script(const std::string& path);
  int summary() const;

 private:
  void try_statement(sqlite3* db, const std::string& script, const std::string& sql);
  Expected expect(sqlite3* db, const std::string& sql);
  static Report check(sqlite3* db, const std::string& sql, std::uint64_t fail_at, const Expected& expected);

  const char* extension_;
  std::uint64_t stride_;
  std::uint64_t offset_;
  std::uint64_t statements_ = 0;
  std::uint64_t failures_ = 0;  // of allocations
  std::uint64_t nomem_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Runs `body` in a child process and returns what it writes; nullopt-like: `crashed` is set if it does not
/// end by itself.
template <class Body>
std::string in_child(Body&& body, bool& crashed) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    close(ends[0]);
    const std::string text = body();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(2);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  crashed = status != 0;
  return text;
}

Expected Suite::expect(sqlite3* db, const std::string& sql) {
  bool crashed = false;
  const std::string text = in_child(
      [&] {
        std::uint64_t allocations = 0;
        const Result result = run(db, sql, 0);
        allocations = stop();
        const std::string all = digest(db);
        if (sqlite3_get_autocommit(db) == 0) run(db, "ROLLBACK");
        run(db, "PRAGMA integrity_check");
        sqlite3_close(db);
        std::ostringstream out;
        out << allocations << ' ' << live_sqlite() << ' ' << live_cpp() << ' ' << result.code << ' '
            << result.rows.size() << ' ' << result.rows << all;
        return out.str();
      },
      crashed);
  if (crashed) {
    std::fprintf(stderr, "crashed without any failure: %s\n", sql.c_str());
    std::exit(2);
  }
  Expected expected;
  std::istringstream in(text);
  std::size_t size = 0;
  in >> expected.allocations >> expected.live_sqlite >> expected.live_cpp >> expected.result.code >> size;
  const std::size_t at = static_cast<std::size_t>(in.tellg()) + 1;
  expected.result.rows = text.substr(at, size);
  expected.digest = text.substr(at + size);
  return expected;
}

Report Suite::check(sqlite3* db, const std::string& sql, std::uint64_t fail_at, const Expected& expected) {
  Report report;
  const bool autocommit = sqlite3_get_autocommit(db) != 0;
  const auto differs = [&report](const char* what, const std::string& is, const std::string& should) {
    if (report.wrong.empty()) report.wrong = std::string(what) + "\n  is     " + is + "\n  should " + should;
  };
  {
    Result result = run(db, sql, fail_at);
    report.out_of_memory = is_out_of_memory(result.code);
    if (report.out_of_memory && autocommit && sqlite3_get_autocommit(db) == 0)
      differs("the failure", "has left a transaction open", "nothing left open");
    if (report.out_of_memory && (sqlite3_get_autocommit(db) != 0) == autocommit) result = run(db, sql);
    if (!is_out_of_memory(result.code)) {
      const char* what = report.out_of_memory ? "the statement, run again" : "the statement with the failure";
      if (result != expected.result) {
        differs(what, std::to_string(result.code) + ' ' + result.rows,
                std::to_string(expected.result.code) + ' ' + expected.result.rows);
      } else if (const std::string all = digest(db); all != expected.digest) {
        differs(what, all, expected.digest);
      }
    } else if (!report.out_of_memory || (sqlite3_get_autocommit(db) != 0) == autocommit) {
      differs("memory is there again", "SQLITE_NOMEM", expected.result.rows);
    }
    if (sqlite3_get_autocommit(db) == 0) run(db, "ROLLBACK");
    if (const Result sound = run(db, "PRAGMA integrity_check"); sound.rows != "ok|")
      differs("integrity_check", sound.rows, "ok");
  }
  if (const int rc = sqlite3_close(db); rc != SQLITE_OK) differs("closing", std::to_string(rc), "0");
  return report;
}

void Suite::try_statement(sqlite3* db, const std::string& script, const std::string& sql) {
  const Expected expected = expect(db, sql);
  ++statements_;
  for (std::uint64_t at = 1 + offset_; at <= expected.allocations; at += stride_) {
    bool crashed = false;
    const std::string text = in_child(
        [&] {
          std::string told;
          {
            const Report report = check(db, sql, at, expected);
            told = (report.out_of_memory ? "m" : "-") + report.wrong;
          }
          const std::int64_t own =
              told.capacity() > 15 ? 1 : 0;  // its own text is an allocation if it is long
          if (told.size() == 1 &&
              (live_sqlite() != expected.live_sqlite || live_cpp() - own > expected.live_cpp)) {
            told += "leaks: " + std::to_string(live_sqlite() - expected.live_sqlite) + " of SQLite's, " +
                    std::to_string(live_cpp() - own - expected.live_cpp) + " of C++'s allocations";
          }
          return told;
        },
        crashed);
    ++failures_;
    if (text.starts_with('m')) ++nomem_;
    if (crashed || text.size() != 1) {
      constexpr std::uint64_t kShown = 40;
      if (++wrong_ <= kShown) {
        std::printf("%s: %s\n allocation %llu of %llu: %s\n", script.c_str(), sql.c_str(),
                    static_cast<unsigned long long>(at),
                    static_cast<unsigned long long>(expected.allocations),
                    crashed ? ("CRASHED " + text).c_str() : text.c_str() + 1);
      }
    }
  }
}

/// A script without the lines that are for the shell.
std::string text_without_commands(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('.') && !line.starts_with("--")) text += line + '\n';
  return text;
}

void Suite::run_script(const std::string& path) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) std::exit(2);
  sqlite3_enable_load_extension(db, 1);
  if (sqlite3_load_extension(db, extension_, nullptr, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "cannot load %s: %s\n", extension_, sqlite3_errmsg(db));
    std::exit(2);
  }
  std::string sql;
  for (const char c : text_without_commands(path)) {
    if (sql.empty() && c == '\n') continue;
    sql += c;
    if (c != ';' || sqlite3_complete(sql.c_str()) == 0) continue;
    try_statement(db, path, sql);
    run(db, sql);
    sql.clear();
  }
  sqlite3_close(db);
}

int Suite::summary() const {
  std::printf(
      "oom: %llu statements, %llu failed allocations, %llu of them SQLITE_NOMEM, the others without "
      "effect; %llu wrong\n",
      static_cast<unsigned long long>(statements_), static_cast<unsigned long long>(failures_),
      static_cast<unsigned long long>(nomem_), static_cast<unsigned long long>(wrong_));
  return wrong_ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace table_storage::oom

int main(int argc, char** argv) {
  std::uint64_t stride = 1;
  std::uint64_t offset = 0;
  int first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    std::uint64_t& value = std::strcmp(argv[first], "--stride") == 0 ? stride : offset;
    value = std::strtoull(argv[first + 1], nullptr, 10);
  }
  if (first + 1 >= argc || stride == 0) {
    std::fputs("usage: oom [--stride N] [--offset N] table_storage.so SCRIPT.sql ...\n", stderr);
    return 2;
  }
  table_storage::oom::install();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  table_storage::oom::Suite suite(argv[first], stride, offset);
  for (++first; first < argc; ++first) suite.run_script(argv[first]);
  return suite.summary();
}
