// A scenario as a database: the foreign tables, their native twins, and ways to ask both.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/scenario.h"
#include "tests/differential/service.h"

namespace table_storage::differential {

/// What a statement gave, ready to compare.
struct Result {
  std::string error;  // empty: none
  bool cut = false;   // too many rows or too much work: no verdict
  std::vector<std::string> rows;
  std::int64_t changes = 0;

  bool same_as(const Result& other) const;
};

/// Which tables stand for "@k@" in a statement.
enum class Variant : unsigned char {
  pushed,  // f<k>
  local,   // (SELECT * FROM f<k> LIMIT -1): SQLite pushes nothing into it
  native   // p<k>
};
std::string with_tables(const std::string& sql, Variant variant);

/// A connection with a scenario loaded. One thread.
class Database {
 public:
  /// Throws std::runtime_error with a full explanation if the set-up itself fails or a foreign table declares
  /// a column with another affinity than the design gives it.
  Database(const Host& host, const Scenario& scenario);

  /// Runs one statement for each set of parameters, on one prepared statement.
  Result run(const std::string& sql, const std::vector<std::vector<SqlValue>>& bindings, bool ordered,
             bool loose);
  /// The same for a statement of the native side; what it did is undone if it fails.
  Result run_or_undo(const std::string& sql, const std::vector<std::vector<SqlValue>>& bindings);
  /// For set-up and transaction control.
  void execute(const std::string& sql);
  Result contents(std::size_t table, Variant variant);
  /// What the trigger of the table "job" noted.
  Result traced(Variant variant);
  /// Copies what a native twin cannot know from the foreign table: Timestamp, and the stored type behind an
  /// ANY column (an Int32 written to a Double property stays a Double).
  void take_over_unknowable();
  /// Compares `_properties` with what was loaded; the explanation of the first difference, empty if none.
  std::string check_properties();
  /// SQLite's own check of the whole file; the first complaint, empty if none.
  std::string check_integrity();
  /// What the requests so far did wrong; empty if nothing.
  std::string check_protocol() const { return service_.complaint(); }
  bool is_remote() const { return remote_; }
  bool has_delete_limit() const { return has_delete_limit_; }

  /// Everything that was executed to build this, as a script for the sqlite3 shell.
  static std::string script(const Host& host, const Scenario& scenario);

 private:
  void load();
  /// Sets columns of the native twin to what the foreign table shows.
  void copy_from_foreign(std::size_t table, const std::vector<std::string>& names);

  struct Closer {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  const Scenario& scenario_;
  const bool remote_;
  Service service_;
  std::unique_ptr<sqlite3, Closer> handle_;
  bool has_delete_limit_ = false;
};

}  // namespace table_storage::differential
