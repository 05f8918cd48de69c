// One case: a scenario and statements to run on it in order, how to run it, and how to make a failing one
// small.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/database.h"
#include "tests/differential/query.h"

namespace table_storage::differential {

struct Trial {
  Scenario scenario;
  std::vector<Statement> statements;
};

/// `statements` queries, then as many steps of writing mixed with queries.
Trial random_trial(Random& random, const Host& host, std::size_t statements, bool has_delete_limit);

struct Failure {
  std::size_t statement = 0;  // the index; the number of statements if none of them is to blame
  bool set_up = false;        // loading failed already
  std::string explanation;    // what differed, with all results
};

struct Statistics {
  std::uint64_t queries = 0;
  std::uint64_t with_rows = 0;  // queries that returned something
  std::uint64_t errors = 0;     // queries and writes refused alike by all variants
  std::uint64_t cut = 0;        // no verdict: too much work
  std::uint64_t writes = 0;
  std::uint64_t left_out = 0;  // writes that a service would refuse at COMMIT only
};

/// Runs every statement on every variant and stops at the first difference.
std::optional<Failure> run_trial(const Host& host, const Trial& trial, Statistics* statistics);

/// A smaller trial that still fails, searched for until `out_of_time` says so.
Trial reduced(const Host& host, Trial trial, const Failure& failure,
              const std::function<bool()>& out_of_time);

/// The trial as a script for the sqlite3 shell.
std::string script_of(const Host& host, const Trial& trial);

}  // namespace table_storage::differential
