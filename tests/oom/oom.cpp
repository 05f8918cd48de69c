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

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/oom/allocations.h"
#include "tests/oom/trial.h"

namespace table_storage::oom {
namespace {

struct Expected {
  Result result;
  std::string digest;
  std::uint64_t allocations = 0;
  Live live;  // after the connection was closed
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
        out << allocations << ' ' << live().sqlite << ' ' << live().cpp << ' ' << result.code << ' '
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
  in >> expected.allocations >> expected.live.sqlite >> expected.live.cpp >> expected.result.code >> size;
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
              (live().sqlite != expected.live.sqlite || live().cpp - own > expected.live.cpp)) {
            told += "leaks: " + std::to_string(live().sqlite - expected.live.sqlite) + " of SQLite's, " +
                    std::to_string(live().cpp - own - expected.live.cpp) + " of C++'s allocations";
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

void Suite::run_script(const std::string& path) {
  sqlite3* const db = open(extension_);
  for (const std::string& sql : statements_of(path)) {
    try_statement(db, path, sql);
    run(db, sql);
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
  const table_storage::oom::Arguments arguments = table_storage::oom::parse_arguments(argc, argv);
  if (!table_storage::oom::install()) {
    std::fputs("SQLite was used before its allocator could be set\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  table_storage::oom::Suite suite(arguments.extension, arguments.stride, arguments.offset);
  for (const std::string& script : arguments.scripts) suite.run_script(script);
  return suite.summary();
}
