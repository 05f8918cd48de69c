// Out of memory with entities in a table service: for each statement of the SQL suite, one allocation after
// the other fails, on whichever thread makes it: SQLite's, those of C++ and libcurl's.
//
//   remote_oom [--stride N] [--offset N] table_storage.so SCRIPT.sql …
//
// Every Nth allocation fails, counted over all statements.
//
// A script is one of the suite's, moved to a service by oom/remote.py: it begins with a line "-- tables: A B"
// of the tables that the service has, and stands {port} where the service's port belongs. For each failure a
// child process starts a service of its own, runs the statements before the one in question, and then that
// one. It must end with SQLITE_NOMEM, the right answer, or, where a write was sent, an error that says that
// its outcome is unknown. What the service holds afterwards must be what it held before, or what it should
// hold behind the statement. After an SQLITE_NOMEM that changed nothing the same statement must give the
// right answer. At the end as many allocations must be left as without the failure.
//
// The last line is the figures. Exit status 0: nothing was wrong.
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/oom/allocations.h"
#include "tests/oom/curl_allocations.h"
#include "tests/oom/service_process.h"
#include "tests/oom/trial.h"

namespace table_storage::oom {
namespace {

struct Script {
  std::string name;
  std::vector<std::string> tables;
  std::vector<std::string> statements;
};

Script read_script(const std::string& path) {
  Script script;
  script.name = path.substr(path.rfind('/') + 1);
  script.statements = statements_of(path);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  constexpr std::string_view kTables = "-- tables:";
  if (!line.starts_with(kTables)) {
    std::fprintf(stderr, "%s does not begin with \"%s\"\n", path.c_str(), kTables.data());
    std::exit(2);
  }
  std::istringstream names(line.substr(kTables.size()));
  for (std::string name; names >> name;) script.tables.push_back(name);
  return script;
}

/// A service, and a connection to it behind the first statements of a script.
class World {
 public:
  World(const char* extension, const Script& script, std::size_t statements)
      : service_(script.tables), db_(open(extension)) {
    for (std::size_t i = 0; i < statements; ++i) run(db_, here(script.statements[i]));
  }

  sqlite3* db() const { return db_; }
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  /// The text with this service's port.
  std::string here(std::string sql) const {
    constexpr std::string_view kPort = "{port}";
    for (std::size_t at = 0; (at = sql.find(kPort, at)) != std::string::npos;)
      sql.replace(at, kPort.size(), std::to_string(service_.port()));
    return sql;
  }
  /// A text of this service's without what is another one in each: its port, the numbers of requests.
  std::string anywhere(std::string text) const {
    const std::string port = ":" + std::to_string(service_.port());
    for (std::size_t at = 0; (at = text.find(port, at)) != std::string::npos;)
      text.replace(at, port.size(), ":{port}");
    static const std::regex request("request [-0-9a-f]+");
    return std::regex_replace(text, request, "request …");
  }
  Result run_here(const std::string& sql, std::uint64_t fail_at = 0) {
    Result result = run(db_, here(sql), fail_at);
    result.rows = anywhere(std::move(result.rows));
    return result;
  }
  int end() { return sqlite3_close(std::exchange(db_, nullptr)); }

 private:
  const ServiceProcess service_;
  sqlite3* db_;
};

/// Allocations that are left after the connection was closed.
struct Left {
  Live live = oom::live();
  std::int64_t curl = live_curl();
};

struct Expected {
  Result result;
  std::string before;       // what the service holds without the statement
  std::string behind;       // and with it
  std::string rolled_back;  // without the transaction that is open before it
  std::uint64_t allocations = 0;
  Left left;
};

/// What a child found, through a pipe as text.
struct Report {
  enum class Outcome : char { no_effect = '-', out_of_memory = 'm', unknown = 'u', applied = 'a' };
  Outcome outcome = Outcome::no_effect;
  std::string wrong;  // empty: nothing
};

class Suite {
 public:
  Suite(const char* extension, std::uint64_t stride, std::uint64_t offset)
      : extension_(extension), stride_(stride), next_(1 + offset) {}

  void run_script(const Script& script) {
    for (std::size_t i = 0; i < script.statements.size(); ++i) try_statement(script, i);
  }
  int summary() const;

 private:
  void try_statement(const Script& script, std::size_t index);
  Expected expect(const Script& script, std::size_t index) const;
  void complete(Expected& expected, const Script& script, std::size_t index) const;
  template <class Body>
  std::string in_world(const Script& script, std::size_t index, Body&& body) const;
  std::string try_once(const Script& script, std::size_t index, std::uint64_t fail_at,
                       const Expected& expected, bool numbers) const;
  static Report check(World& world, const std::string& sql, std::uint64_t fail_at, const Expected& expected);

  const char* extension_;
  std::uint64_t stride_;
  std::uint64_t next_;             // the allocation that fails next, counted over all statements
  std::uint64_t allocations_ = 0;  // of the statements so far
  std::uint64_t statements_ = 0;
  std::uint64_t failures_ = 0;  // of allocations
  std::uint64_t nomem_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t applied_ = 0;
  std::uint64_t wrong_ = 0;
};

void append(std::string& out, const std::string& part) { out += std::to_string(part.size()) + ' ' + part; }

std::string take(std::istringstream& in) {
  std::size_t size = 0;
  in >> size;
  in.get();
  std::string part(size, '\0');
  in.read(part.data(), static_cast<std::streamsize>(size));
  return part;
}

/// What `body` returns of a connection behind the statements before `index`.
template <class Body>
std::string Suite::in_world(const Script& script, std::size_t index, Body&& body) const {
  bool crashed = false;
  const std::string text = in_child(
      [&] {
        World world(extension_, script, index);
        return body(world);
      },
      crashed);
  if (crashed) {
    std::fprintf(stderr, "crashed without any failure: %s\n", script.statements[index].c_str());
    std::exit(2);
  }
  return text;
}

/// What the statement does, and how many allocations that takes.
Expected Suite::expect(const Script& script, std::size_t index) const {
  Expected expected;
  std::istringstream in(in_world(script, index, [&](World& world) {
    const Result result = world.run_here(script.statements[index]);
    std::string out = std::to_string(stop()) + ' ' + std::to_string(result.code) + ' ';
    append(out, result.rows);
    append(out, digest(world.db()));
    return out;
  }));
  in >> expected.allocations >> expected.result.code;
  expected.result.rows = take(in);
  expected.behind = take(in);
  return expected;
}

/// The rest of what a try is compared with.
void Suite::complete(Expected& expected, const Script& script, std::size_t index) const {
  std::istringstream in(in_world(script, index, [](World& world) {
    std::string out;
    append(out, digest(world.db()));
    if (world.in_transaction()) run(world.db(), "ROLLBACK");
    append(out, digest(world.db()));
    return out;
  }));
  expected.before = take(in);
  expected.rolled_back = take(in);
  // By the very steps of a try, so that what is left is the same.
  bool crashed = false;
  std::istringstream left(in_child([&] { return try_once(script, index, 0, expected, true); }, crashed));
  left >> expected.left.live.sqlite >> expected.left.live.cpp >> expected.left.curl;
}

/// Whether every entity is as it was before a COMMIT or as it should be behind it.
bool is_between(const std::string& all, const std::string& before, const std::string& behind) {
  const auto entities = [](const std::string& digest) {
    std::multiset<std::string> found;
    std::size_t from = 0;
    int bars = 0;
    for (std::size_t i = 0; i < digest.size(); ++i) {
      if (digest[i] == '\n') {  // the next table: "name: code rows"
        bars = 0;
        from = i + 1;
      }
      if (digest[i] != '|' || ++bars % 3 != 0) continue;
      std::string entity = digest.substr(from, i - from);
      if (bars == 3) entity.erase(0, entity.find(" ", entity.find(" ") + 1) + 1);
      found.insert(std::move(entity));
      from = i + 1;
    }
    return found;
  };
  const auto is = entities(all);
  const auto was = entities(before);
  const auto should = entities(behind);
  const auto known = [&](const std::string& entity) { return was.count(entity) + should.count(entity) > 0; };
  const auto stays = [&](const std::string& entity) {
    return should.count(entity) == 0 || is.count(entity) > 0;
  };
  return std::all_of(is.begin(), is.end(), known) && std::all_of(was.begin(), was.end(), stays);
}

Report Suite::check(World& world, const std::string& sql, std::uint64_t fail_at, const Expected& expected) {
  Report report;
  const auto differs = [&report](const char* what, const std::string& is, const std::string& should) {
    if (report.wrong.empty()) report.wrong = std::string(what) + "\n  is     " + is + "\n  should " + should;
  };
  const auto shown = [](const Result& result) { return std::to_string(result.code) + ' ' + result.rows; };
  const bool was_in_transaction = world.in_transaction();
  Result result = world.run_here(sql, fail_at);
  const bool in_sqlite = has_failed_in_sqlite();
  const bool ended = was_in_transaction && !world.in_transaction();
  const std::string all = digest(world.db());
  const auto says = [&result](const char* words) { return result.rows.find(words) != std::string::npos; };
  if (result == expected.result) {
    if (all != expected.behind) differs("behind the statement with the failure", all, expected.behind);
  } else if (is_out_of_memory(result.code)) {
    report.outcome = Report::Outcome::out_of_memory;
    if (in_sqlite && all == expected.behind && all != expected.before) {
      report.outcome = Report::Outcome::applied;
      world.end();
      return report;
    }
    if (!was_in_transaction && world.in_transaction())
      differs("the failure", "has left a transaction open", "nothing left open");
    // Where a transaction fails that a savepoint began, SQLite rolls all back and says that it is still open.
    if (ended || (sql.starts_with("RELEASE") && all != expected.before)) {
      if (all != expected.rolled_back) differs("after a transaction that failed", all, expected.rolled_back);
    } else if (all != expected.before) {
      differs("after the failure", all, expected.before);
    } else if (result = world.run_here(sql); result != expected.result) {
      differs("the statement, run again", shown(result), shown(expected.result));
    } else if (const std::string again = digest(world.db()); again != expected.behind) {
      differs("behind the statement, run again", again, expected.behind);
    }
  } else if ((result.code & 0xFF) == SQLITE_IOERR && (says(" is unknown") || says(", and that stays"))) {
    report.outcome = Report::Outcome::unknown;
    const std::string& without = ended ? expected.rolled_back : expected.before;
    if (!is_between(all, without, expected.behind)) differs("after an unknown outcome", all, expected.behind);
    if (!says(" is unknown") && all == without) differs("what is said to be applied", all, expected.behind);
  } else {
    differs("the statement with the failure", shown(result), shown(expected.result));
  }
  if (world.in_transaction()) run(world.db(), "ROLLBACK");
  if (const int rc = world.end(); rc != SQLITE_OK) differs("closing", std::to_string(rc), "0");
  return report;
}

/// In a child. What is left is told as numbers if they are wanted, and compared if not.
std::string Suite::try_once(const Script& script, std::size_t index, std::uint64_t fail_at,
                            const Expected& expected, bool numbers) const {
  World world(extension_, script, index);
  const Report report = check(world, script.statements[index], fail_at, expected);
  const Left left;
  if (numbers) {
    return std::to_string(left.live.sqlite) + ' ' + std::to_string(left.live.cpp) + ' ' +
           std::to_string(left.curl);
  }
  std::string told = static_cast<char>(report.outcome) + report.wrong;
  const Left& should = expected.left;
  if (told.size() == 1 &&
      (left.live.sqlite > should.live.sqlite || left.live.cpp > should.live.cpp || left.curl > should.curl)) {
    told += "leaks: " + std::to_string(left.live.sqlite - should.live.sqlite) + " of SQLite's, " +
            std::to_string(left.live.cpp - should.live.cpp) + " of C++'s, " +
            std::to_string(left.curl - should.curl) + " of libcurl's allocations";
  }
  return told;
}

void Suite::try_statement(const Script& script, std::size_t index) {
  const std::string& sql = script.statements[index];
  Expected expected = expect(script, index);
  ++statements_;
  const std::uint64_t before = allocations_;
  allocations_ += expected.allocations;
  if (next_ <= allocations_) complete(expected, script, index);
  for (; next_ <= allocations_; next_ += stride_) {
    const std::uint64_t at = next_ - before;
    bool crashed = false;
    const std::string text = in_child([&] { return try_once(script, index, at, expected, false); }, crashed);
    ++failures_;
    const char outcome = text.empty() ? '-' : text[0];
    if (outcome == static_cast<char>(Report::Outcome::out_of_memory)) ++nomem_;
    if (outcome == static_cast<char>(Report::Outcome::unknown)) ++unknown_;
    if (outcome == static_cast<char>(Report::Outcome::applied)) ++applied_;
    if (crashed || text.size() != 1) {
      constexpr std::uint64_t kShown = 40;
      if (++wrong_ <= kShown) {
        std::printf("%s: %s\n allocation %llu of %llu: %s\n", script.name.c_str(), sql.c_str(),
                    static_cast<unsigned long long>(at),
                    static_cast<unsigned long long>(expected.allocations),
                    crashed ? ("CRASHED " + text).c_str() : text.c_str() + 1);
      }
    }
  }
}

int Suite::summary() const {
  std::printf(
      "remote oom: %llu statements, %llu failed allocations, %llu of them SQLITE_NOMEM (%llu of what was "
      "applied), %llu an "
      "unknown outcome, the others without effect; %llu wrong\n",
      static_cast<unsigned long long>(statements_), static_cast<unsigned long long>(failures_),
      static_cast<unsigned long long>(nomem_ + applied_), static_cast<unsigned long long>(applied_),
      static_cast<unsigned long long>(unknown_), static_cast<unsigned long long>(wrong_));
  return wrong_ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace table_storage::oom

int main(int argc, char** argv) {
  const table_storage::oom::Arguments arguments = table_storage::oom::parse_arguments(argc, argv);
  if (!table_storage::oom::install() || !table_storage::oom::install_in_curl()) {
    std::fputs("SQLite was used before its allocator could be set, or libcurl cannot start\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  table_storage::oom::Suite suite(arguments.extension, arguments.stride, arguments.offset);
  for (const std::string& path : arguments.scripts) suite.run_script(table_storage::oom::read_script(path));
  return suite.summary();
}
