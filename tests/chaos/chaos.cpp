#include "tests/chaos/chaos.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "tests/chaos/claims.h"

namespace table_storage::chaos {

namespace {

using Action = fake::Fault::Action;

fake::FakeOptions service_options() {
  fake::FakeOptions options;
  options.settings.paging.page_size = 5;
  options.settings.paging.empty_every = 7;         // empty pages with a token
  options.settings.paging.partition_pages = true;  // tokens with half of the key
  return options;
}

std::string text_of(const edm::Value& value) {
  const edm::ValueView view = value.view();
  return view.type() == edm::Type::String ? std::string(view.bytes()) : std::to_string(view.as_int64());
}

/// Each entity is as before or as written.
bool is_mixture(const Partition& rows, const Partition& old, const Partition& made) {
  const auto row_of = [](const Partition& of, const std::string& row) {
    const auto found = of.find(row);
    return found == of.end() ? std::optional<Row>() : found->second;
  };
  Partition all = rows;
  all.insert(old.begin(), old.end());
  all.insert(made.begin(), made.end());
  return std::all_of(all.begin(), all.end(), [&](const auto& entry) {
    const auto is = row_of(rows, entry.first);
    return is == row_of(old, entry.first) || is == row_of(made, entry.first);
  });
}

std::string partition_name(int number) { return "p" + std::to_string(number); }

}  // namespace

Chaos::Chaos(const Options& options)
    : options_(options), service_(service_options()), statements_(options.seed) {}

void Chaos::set_up() {
  for (const char* table : kTables) {
    service_.create_table(table);
    // The second one gives up at once, so that more of the faults are seen.
    const std::string retries = table == kTables[0] ? "2" : "0";
    db_.must(std::string("CREATE VIRTUAL TABLE ") + table +
             " USING table_storage(N INT32, S STRING, OPTIONS (endpoint '" + service_.endpoint() +
             "', dialect 'storage', max_retries '" + retries + "'))");
    model_.must(std::string("CREATE TABLE ") + table +
                "(PartitionKey TEXT, RowKey TEXT, N INTEGER, S TEXT, PRIMARY KEY (PartitionKey, RowKey)) "
                "WITHOUT ROWID");
  }
  committed_ = modelled();
}

// Which request a fault strikes is not the seed's alone to say: with several requests at once, their order
// is chance.
void Chaos::add_faults() {
  const auto answer = [](int status, const char* code) {
    fake::Fault fault;
    fault.status = status;
    fault.code = code;
    fault.headers = {{"Retry-After", "0"}};
    return fault;
  };
  const auto of = [&](Action action, int status = 503) {
    fake::Fault fault = answer(status, "InternalError");
    fault.action = action;
    return fault;
  };
  std::vector<fake::Fault> faults{
      answer(500, "InternalError"),    answer(503, "ServerBusy"),       answer(429, "TooManyRequests"),
      of(Action::html_error),          of(Action::empty_body),          of(Action::reset_before_reading),
      of(Action::reset_before_answer), of(Action::close_before_answer), of(Action::failed_answer, 500),
      of(Action::lost_answer),         of(Action::reset_in_body),       of(Action::cut_body),
      of(Action::corrupt_json),        of(Action::slow_body),           of(Action::delay),
      of(Action::wrong_date)};
  for (fake::Fault& fault : faults) {
    fault.times = 0;
    fault.probability = options_.faults / static_cast<double>(faults.size());
    if (fault.action == Action::slow_body) fault.bytes = 200;
    if (fault.action == Action::delay) fault.delay = std::chrono::milliseconds(20);
    if (fault.action == Action::wrong_date) fault.clock_offset = std::chrono::seconds(-30);
    service_.add_fault(fault);
  }
}

bool Chaos::run() {
  set_up();
  add_faults();
  constexpr std::uint64_t kEnough = 10;
  for (at_ = 1; at_ <= options_.statements && wrong_ < kEnough; ++at_)
    step(statements_.next(db_.in_transaction()));
  check_end();
  std::string kinds;
  for (std::size_t i = 0; i < run_.size(); ++i)
    kinds += (i == 0 ? "" : ", ") + std::to_string(run_[i]) + ' ' + kKindNames[i];
  const auto n = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
  std::printf(
      "chaos: seed %llu, %llu statements (%s), %llu requests, %zu faults; failed: %llu reads, %llu writes "
      "and "
      "commits with nothing applied, %llu in part, %llu unknown (%llu of %llu groups were applied), %llu "
      "keys "
      "taken; %llu wrong\n",
      n(options_.seed), n(at_ - 1), kinds.c_str(), n(requests_), service_.faults_struck(), n(failed_reads_),
      n(failed_writes_), n(partial_), n(unknown_), n(unknown_applied_), n(unknown_groups_), n(conflicts_),
      n(wrong_));
  return wrong_ == 0;
}

void Chaos::step(const Statement& statement) {
  sql_ = statement.sql;
  ++run_[static_cast<std::size_t>(statement.kind)];
  struck_ = service_.faults_struck();
  if (statement.kind != Kind::read)
    last_request_ = db_.must("SELECT coalesce(max(id), 0) FROM ts_requests").rows.front();
  service_.forget_requests();
  const Result result = db_.run(statement.sql);
  requests_ += service_.requests().size();
  if (result.ok())
    succeeded(statement, result);
  else
    failed(statement, result);
  if (!db_.in_transaction()) statements_.transaction_ended();
  if (db_.in_transaction() != model_.in_transaction()) wrong("the transaction did not end where it should");
}

void Chaos::succeeded(const Statement& statement, const Result& result) {
  const Result expected = model_.run(statement.sql);
  if (!expected.ok()) {
    wrong("it should have failed: " + expected.message);
    return take_over(stored());
  }
  if (result.rows != expected.rows) {
    std::string rows = "other rows\n  are   ";
    for (const std::string& row : result.rows) rows += ' ' + row;
    rows += "\n  should";
    for (const std::string& row : expected.rows) rows += ' ' + row;
    wrong(rows);
  }
  if (statement.kind == Kind::read || db_.in_transaction()) return;
  committed_ = modelled();
  if (const State is = stored(); is != committed_) {
    wrong("it succeeded, and the service holds something else");
    take_over(is);
  }
}

void Chaos::failed(const Statement& statement, const Result& result) {
  const bool struck = service_.faults_struck() > struck_;
  if (result.message.empty()) wrong("an error without words");
  if (statement.kind == Kind::read) {
    ++failed_reads_;
    if (!struck) wrong("an error without a fault: " + result.message);
  }
  const State before = committed_;
  State after = before;
  bool possible = true;
  if (statement.kind == Kind::commit) {
    after = modelled();
  } else if (statement.kind == Kind::write && !model_.in_transaction()) {
    possible = outcome(statement, after);
  }
  if (statement.kind != Kind::read && !struck) {
    if (possible)
      wrong("an error without a fault: " + result.message);
    else
      ++conflicts_;
    if (!possible && (result.code & 0xFF) != SQLITE_CONSTRAINT && !Claims(result.message).any_unknown())
      wrong("no conflict: " + result.message);
  }
  if (!db_.in_transaction() && model_.in_transaction()) model_.must("ROLLBACK");
  settle(before, after, result);
}

bool Chaos::outcome(const Statement& statement, State& after) {
  model_.must("BEGIN");
  const bool possible = model_.run(statement.sql).ok();
  // A group may be applied beside one that is refused, so what would come of the rest counts.
  if (!possible) {
    std::string sql = statement.sql;
    model_.must(sql.replace(0, sql.find(' '), "INSERT OR IGNORE"));
  }
  after = modelled();
  model_.must("ROLLBACK");
  return possible;
}

void Chaos::settle(const State& before, const State& after, const Result& result) {
  const State is = stored();
  const Claims claims(result.message);
  bool any_applied = false, any_left = false;
  for (const auto& [group, rows] : is) {
    const Partition &old = before.at(group), &made = after.at(group);
    const std::string name = "partition " + group.second + " of " + group.first;
    if (old == made && rows == old) continue;
    const Claim claim = claims.of(group.first, group.second);
    const bool loose = claim == Claim::in_part || claim == Claim::unnamed;
    if (rows != old && rows != made && !(loose && is_mixture(rows, old, made))) {
      wrong(name + " is neither as before nor as written: " + result.message);
      continue;
    }
    const bool applied = rows == made;
    if (loose) any_applied = any_left = true;
    (applied ? any_applied : any_left) = true;
    if (loose) continue;
    if (claim == Claim::unknown) {
      ++unknown_groups_;
      unknown_applied_ += applied ? 1 : 0;
    } else if (applied != (claim == Claim::applied)) {
      wrong(name + (applied ? " was applied: " : " was not applied: ") + result.message);
    }
  }
  if (claims.any_unknown()) {
    ++unknown_;
    if (!write_is_ambiguous()) wrong("unknown, though no answer of a write was lost: " + result.message);
  } else if (any_applied) {
    ++partial_;
  } else if (any_left) {
    ++failed_writes_;
  }
  if (is != before) take_over(is);
}

// 429 and 503 say that nothing was done; a page of HTML from a proxy with the same status says so too. An
// attempt that the service has not seen went over a connection that a fault had ended before, which the
// client cannot tell from one that ended meanwhile.
bool Chaos::write_is_ambiguous() {
  const std::vector<fake::Recorded> all = service_.requests();
  const auto seen = std::count_if(all.begin(), all.end(),
                                  [](const fake::Recorded& one) { return one.request.method != "GET"; });
  const std::string sent =
      db_.must("SELECT coalesce(sum(attempts), 0) FROM ts_requests WHERE method <> 'GET' AND id > " +
               last_request_)
          .rows.front();
  if (std::stol(sent) > seen) return true;
  return std::any_of(all.begin(), all.end(), [](const fake::Recorded& one) {
    return one.fault && one.request.method != "GET" && one.status != 503 && one.status != 429 &&
           *one.fault != Action::slow_body && *one.fault != Action::delay;
  });
}

State Chaos::stored() const {
  State state;
  for (const char* table : kTables) {
    for (int p = 0; p < kPartitions; ++p) {
      Partition& rows = state[{table, partition_name(p)}];
      for (int r = 0; r < kRows; ++r) {
        const std::string row = "r" + std::to_string(r);
        const auto entity = service_.get(table, {partition_name(p), row});
        if (!entity) continue;
        Row shown{"NULL", "NULL"};
        for (const auto& [name, value] : entity->properties)
          (name == "N" ? shown.first : shown.second) = text_of(value);
        rows.emplace(row, std::move(shown));
      }
    }
  }
  return state;
}

State Chaos::modelled() {
  State state;
  for (const char* table : kTables) {
    for (int p = 0; p < kPartitions; ++p) {
      Partition& rows = state[{table, partition_name(p)}];
      const std::string where = " WHERE PartitionKey = '" + partition_name(p) + "'";
      for (const std::string& row :
           model_.must(std::string("SELECT RowKey, N, S FROM ") + table + where).rows) {
        const std::size_t first = row.find('|'), second = row.find('|', first + 1);
        rows.emplace(row.substr(0, first),
                     Row{row.substr(first + 1, second - first - 1), row.substr(second + 1)});
      }
    }
  }
  return state;
}

// The model goes on from what is known to be there.
void Chaos::take_over(const State& state) {
  if (model_.in_transaction()) model_.must("ROLLBACK");
  if (db_.in_transaction()) db_.must("ROLLBACK");
  const auto literal = [](const std::string& text) { return text == "NULL" ? text : "'" + text + "'"; };
  for (const char* table : kTables) model_.must(std::string("DELETE FROM ") + table);
  for (const auto& [group, rows] : state) {
    for (const auto& [row, shown] : rows) {
      model_.must("INSERT INTO " + group.first + " VALUES ('" + group.second + "', '" + row + "', " +
                  literal(shown.first) + ", " + literal(shown.second) + ")");
    }
  }
  committed_ = state;
}

void Chaos::check_end() {
  service_.clear_faults();
  sql_ = "the end";
  if (db_.in_transaction()) {
    sql_ = "COMMIT at the end, without faults";
    step({Kind::commit, "COMMIT", false});
  }
  for (const char* table : kTables)
    step({Kind::read, std::string("SELECT PartitionKey, RowKey, N, S FROM ") + table + " ORDER BY 1, 2",
          false});
  std::size_t rows = 0, held = 0;
  for (const auto& [group, partition] : committed_) rows += partition.size();
  for (const char* table : kTables) held += service_.size(table);
  if (stored() != modelled() || rows != held) wrong("the service does not hold what the model holds");
  for (const std::string& line : service_.violations()) wrong("breaks the protocol: " + line);
}

void Chaos::wrong(const std::string& what) {
  ++wrong_;
  std::printf("WRONG at statement %llu: %s\n  %s\n", static_cast<unsigned long long>(at_), sql_.c_str(),
              what.c_str());
  for (const fake::Recorded& one : service_.requests()) {
    std::printf("    %s %s?%s -> %d%s\n", one.request.method.c_str(), one.request.path.c_str(),
                one.request.query.c_str(), one.status,
                one.fault ? (", fault " + std::to_string(static_cast<int>(*one.fault))).c_str() : "");
  }
}

}  // namespace table_storage::chaos
