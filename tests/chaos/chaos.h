// Chaos: random statements against the fake service while a twentieth of its requests goes wrong, beside the
// same statements on plain SQLite tables, which are the model.
//
// After each statement: rows are the model's, or there was an error. After each error: every group of writes
// is there whole or not at all, as the message says; "unknown" is said only where an answer of a write was
// lost or damaged; and there is no error without a fault, but for a key that was taken. At the end the
// service holds what the model holds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tests/chaos/connection.h"
#include "tests/chaos/statements.h"
#include "tests/service/fake_service.h"

namespace table_storage::chaos {

using Row = std::pair<std::string, std::string>;                         // N, S as text
using Partition = std::map<std::string, Row>;                            // by RowKey
using State = std::map<std::pair<std::string, std::string>, Partition>;  // by table and PartitionKey; whole

struct Options {
  std::uint64_t statements = 10'000;
  std::uint64_t seed = 1;
  double faults = 0.05;  // of the requests
};

class Chaos {
 public:
  explicit Chaos(const Options& options);
  /// False if something was wrong; tells on standard output, the last line is the figures.
  bool run();

 private:
  void set_up();
  void add_faults();
  void step(const Statement& statement);
  void succeeded(const Statement& statement, const Result& result);
  void failed(const Statement& statement, const Result& result);
  /// What the statement makes of the model, which stays as it is; empty optional: the model refuses it.
  bool outcome(const Statement& statement, State& after);
  void settle(const State& before, const State& after, const Result& result);
  State stored() const;
  State modelled();
  void take_over(const State& state);
  bool write_is_ambiguous();
  void check_end();
  void wrong(const std::string& what);

  const Options options_;
  fake::FakeService service_;
  Connection db_{true};
  Connection model_{false};
  Statements statements_;
  State committed_;  // what the service holds
  std::string sql_;
  std::uint64_t at_ = 0;
  std::uint64_t struck_ = 0;  // before the present statement
  std::string last_request_;  // likewise, of ts_requests

  std::array<std::uint64_t, kKinds> run_{};
  std::uint64_t requests_ = 0;
  std::uint64_t failed_reads_ = 0;
  std::uint64_t failed_writes_ = 0;  // nothing was sent, or nothing applied
  std::uint64_t partial_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t unknown_applied_ = 0;  // groups
  std::uint64_t unknown_groups_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace table_storage::chaos
