#include "tests/differential/trial.h"

#include <stdexcept>

namespace table_storage::differential {

namespace {

constexpr std::size_t kShownRows = 15;

std::string described(const char* label, const std::string& sql, const Result& result) {
  std::string out = std::string("  ") + label + ": " + sql + '\n';
  if (!result.error.empty()) return out + "    error: " + result.error + '\n';
  out +=
      "    " + std::to_string(result.rows.size()) + " rows, " + std::to_string(result.changes) + " changes\n";
  for (std::size_t i = 0; i < result.rows.size() && i < kShownRows; ++i)
    out += "      " + result.rows[i] + '\n';
  return out;
}

/// Rows of `a` that are missing in `b`, where both are sorted alike or at least nearly.
std::string only_in(const char* label, const Result& a, const Result& b) {
  std::vector<std::string> rest = b.rows;
  std::string out;
  std::size_t count = 0;
  for (const std::string& row : a.rows) {
    bool found = false;
    for (std::string& candidate : rest) {
      if (candidate != row) continue;
      candidate = "-- taken";
      found = true;
      break;
    }
    if (!found && ++count <= kShownRows) out += "      " + row + '\n';
  }
  return count == 0 ? out : std::string("    only in ") + label + ":\n" + out;
}

std::string compared(const char* label_a, const std::string& sql_a, const Result& a, const char* label_b,
                     const std::string& sql_b, const Result& b) {
  return described(label_a, sql_a, a) + described(label_b, sql_b, b) + only_in(label_a, a, b) +
         only_in(label_b, b, a);
}

class Runner {
 public:
  Runner(Database& database, const Trial& trial, Statistics* statistics)
      : database_(database), trial_(trial), statistics_(statistics) {}

  /// The explanation of the difference, empty if there is none.
  std::string run(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::query:
        return query(statement);
      case Statement::Kind::write:
        return write(statement);
      case Statement::Kind::control:
        try {
          database_.execute(statement.sql(false));
        } catch (const std::runtime_error& error) {
          // "no such savepoint", "cannot commit" and the like; both tables live in the same transaction.
          const std::string what = error.what();
          if (what.starts_with("cannot ") || what.starts_with("no such savepoint")) return {};
          return statement.sql(false) + ": " + what;
        }
        return contents();
    }
    return {};
  }

  std::string contents() {
    std::size_t table = trial_.scenario.writable();
    Result ours = database_.contents(table, Variant::pushed);
    Result native = database_.contents(table, Variant::native);
    if (!ours.same_as(native)) return compared("foreign contents", "", ours, "native contents", "", native);
    if (!ours.error.empty()) return "the table cannot be read: " + ours.error;
    Result our_trace = database_.traced(Variant::pushed);
    Result native_trace = database_.traced(Variant::native);
    if (!our_trace.same_as(native_trace) || !our_trace.error.empty())
      return compared("trace of the foreign table", "", our_trace, "of the native one", "", native_trace);
    database_.take_over_unknowable();
    return {};
  }

 private:
  std::string query(const Statement& statement) {
    std::string text[3];
    Result result[3];
    static const char* const kLabels[3] = {"pushed down", "not pushed down", "native table"};
    for (Variant variant : {Variant::pushed, Variant::local, Variant::native}) {
      auto i = static_cast<std::size_t>(variant);
      if (variant == Variant::local && statement.direct) {
        result[1] = result[0];
        text[1] = text[0];
        continue;
      }
      text[i] = with_tables(statement.sql(variant != Variant::pushed), variant);
      result[i] = database_.run(text[i], statement.bindings, statement.ordered, statement.loose);
    }
    if (statistics_ != nullptr) {
      ++statistics_->queries;
      if (!result[2].rows.empty()) ++statistics_->with_rows;
      if (!result[2].error.empty()) ++statistics_->errors;
      if (result[0].cut || result[1].cut || result[2].cut) ++statistics_->cut;
    }
    for (std::size_t i : {0U, 1U}) {
      if (result[i].same_as(result[2])) continue;
      return compared(kLabels[i], text[i], result[i], kLabels[2], text[2], result[2]);
    }
    return {};
  }

  std::string write(const Statement& statement) {
    std::string ours_text = with_tables(statement.sql(false), Variant::pushed);
    std::string native_text = with_tables(statement.sql(true), Variant::native);
    if (database_.is_remote()) return remote_write(statement, ours_text, native_text);
    Result ours = database_.run(ours_text, statement.bindings, true, false);
    Result native = database_.run(native_text, statement.bindings, true, false);
    if (statistics_ != nullptr) {
      ++statistics_->writes;
      if (!native.error.empty()) ++statistics_->errors;
    }
    if (ours.cut || native.cut) return "a write took too long";
    if (!ours.same_as(native))
      return compared("foreign table", ours_text, ours, "native table", native_text, native);
    std::string difference = contents();
    return difference.empty() ? difference : "after " + ours_text + '\n' + difference;
  }

  /// A service says at COMMIT that an entity exists, and then group by group: what the native table refuses
  /// is not tried on it.
  std::string remote_write(const Statement& statement, const std::string& ours_text,
                           const std::string& native_text) {
    const Result native = database_.run_or_undo(native_text, statement.bindings);
    if (statistics_ != nullptr) {
      ++(native.error.empty() ? statistics_->writes : statistics_->left_out);
    }
    if (!native.error.empty() || native.cut) return {};
    const Result ours = database_.run(ours_text, statement.bindings, true, false);
    if (ours.cut) return "a write took too long";
    if (!ours.same_as(native))
      return compared("foreign table", ours_text, ours, "native table", native_text, native);
    std::string difference = contents();
    return difference.empty() ? difference : "after " + ours_text + '\n' + difference;
  }

  Database& database_;
  const Trial& trial_;
  Statistics* statistics_;
};

}  // namespace

Trial random_trial(Random& random, const Host& host, std::size_t statements, bool has_delete_limit) {
  Trial trial;
  trial.scenario = random_scenario(random, host.most_entities(), host.takes_empty_keys());
  for (std::size_t i = 0; i < statements; ++i)
    trial.statements.push_back(random_query(random, trial.scenario));
  for (Statement& s : random_writes(random, trial.scenario, statements, has_delete_limit)) {
    trial.statements.push_back(std::move(s));
  }
  return trial;
}

std::optional<Failure> run_trial(const Host& host, const Trial& trial, Statistics* statistics) {
  Failure failure;
  failure.set_up = true;
  try {
    Database database(host, trial.scenario);
    failure.explanation = database.check_properties();
    if (!failure.explanation.empty()) return failure;
    failure.set_up = false;
    Runner runner(database, trial, statistics);
    for (failure.statement = 0; failure.statement < trial.statements.size(); ++failure.statement) {
      failure.explanation = runner.run(trial.statements[failure.statement]);
      if (!failure.explanation.empty()) return failure;
    }
    failure.explanation = database.check_integrity();
    if (!failure.explanation.empty()) return failure;
    failure.explanation = database.check_protocol();
    if (!failure.explanation.empty()) return failure;
  } catch (const std::runtime_error& error) {
    failure.explanation = error.what();
    return failure;
  }
  return std::nullopt;
}

std::string script_of(const Host& host, const Trial& trial) {
  std::string out = Database::script(host, trial.scenario);
  for (const Statement& statement : trial.statements) {
    std::string sql = with_tables(statement.sql(false), Variant::pushed);
    // The longest number first, so that ?1 does not match in ?12. Parameters are shown by name in the shell.
    for (std::size_t set = 0; set < statement.bindings.size(); ++set) {
      for (std::size_t i = 0; i < statement.bindings[set].size(); ++i) {
        std::string name = '?' + std::to_string(i + 1);
        if (sql.find(name) == std::string::npos) continue;
        out += (set == 0 ? ".parameter set " : "-- second run: .parameter set ") + name + " \"" +
               sql_of(statement.bindings[set][i]) + "\"\n";
      }
    }
    out += sql + ";\n";
  }
  return out;
}

}  // namespace table_storage::differential
