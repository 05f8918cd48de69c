// The proof of "pushdown never changes the answer": random schemaless tables and random SQL, answered with
// pushdown, without it, and by a plain SQLite table that holds what the columns should show.
//
//   differential [--seed N] [--cases N] [--seconds N] [--statements N] [--case K] [--keep-going]
//                [--extension PATH/table_storage.so] [--backend fake | --backend cosmos | --azurite ENDPOINT]
//
// --case K runs only that case of the seed. --keep-going reports every failing case instead of the first.
// With --extension the loadable module is tested instead of the one linked in; to test under another SQLite,
// let the dynamic linker find that one (LD_LIBRARY_PATH). With --backend the entities are in the project's
// fake of that service, with --azurite in the emulator at that address, which must have the tables EntA, EntB
// and EntW and loses what is in them (tests/services.py starts one). A failure prints the seed, the case,
// both results, and a script for the sqlite3 shell that was made as small as possible. Exit status: 0 all
// equal, 1 a difference, 2 bad usage.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "extension/backend/remote/parallel_scan.h"
#include "extension/module/near_service.h"
#include "tests/differential/trial.h"

namespace table_storage::differential {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t cases = 0;  // 0: as many as the time allows
  double seconds = 30;      // 0: no limit, with --cases
  std::size_t statements = 60;
  std::optional<std::uint64_t> only;
  bool keep_going = false;
  Host host;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  bool seconds_given = false;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--keep-going") {
      options.keep_going = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const char* value = argv[++i];
    if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--cases") {
      options.cases = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
      seconds_given = true;
    } else if (name == "--statements") {
      options.statements = std::strtoull(value, nullptr, 10);
    } else if (name == "--case") {
      options.only = std::strtoull(value, nullptr, 10);
    } else if (name == "--join-cache") {
      setenv("TABLE_STORAGE_JOIN_CACHE", value, 1);  // see module/table_state.h
    } else if (name == "--extension") {
      options.host.extension = value;
    } else if (name == "--backend" && std::strcmp(value, "fake") == 0) {
      options.host.backend = Backend::fake;
    } else if (name == "--backend" && std::strcmp(value, "cosmos") == 0) {
      options.host.backend = Backend::cosmos;
    } else if (name == "--azurite") {
      options.host.backend = Backend::azurite;
      options.host.endpoint = value;
    } else {
      return std::nullopt;
    }
  }
  if ((options.cases > 0 || options.only) && !seconds_given) options.seconds = 0;
  return options;
}

void report(const Options& options, std::uint64_t number, const Trial& trial, const Failure& failure) {
  std::printf("\n==== DIFFERENCE: --seed %llu --case %llu --statements %zu\n",
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(number),
              options.statements);
  std::printf("%s\n-- looking for a smaller case\n", failure.explanation.c_str());
  std::fflush(stdout);
  auto start = Clock::now();
  std::function<bool()> out_of_time = [start] { return seconds_since(start) > 60; };
  Trial small = reduced(options.host, trial, failure, out_of_time);
  std::optional<Failure> again = run_trial(options.host, small, nullptr);
  std::printf("%s\n%s==== end of difference\n", again ? again->explanation.c_str() : "(does not fail again)",
              script_of(options.host, small).c_str());
  std::fflush(stdout);
}

int run(const Options& options) {
  auto start = Clock::now();
  Statistics statistics;
  std::uint64_t failures = 0;
  std::uint64_t done = 0;
  for (std::uint64_t number = options.only.value_or(0);; ++number) {
    if (options.only && number != *options.only) break;
    if (options.cases > 0 && number >= options.cases) break;
    if (options.seconds > 0 && seconds_since(start) > options.seconds) break;
    Random random(Random(options.seed * 1'000'003 + number).next());
    // DELETE ... LIMIT is a build option of SQLite; without it other statements come instead.
    bool has_delete_limit = sqlite3_compileoption_used("ENABLE_UPDATE_DELETE_LIMIT") != 0;
    Trial trial = random_trial(random, options.host, options.statements, has_delete_limit);
    std::optional<Failure> failure = run_trial(options.host, trial, &statistics);
    ++done;
    if (!failure) continue;
    ++failures;
    report(options, number, trial, *failure);
    if (!options.keep_going) break;
  }
  std::printf(
      "differential: SQLite %s, seed %llu, %llu cases in %.1f s: %llu queries (%llu with rows, %llu without "
      "a verdict), %llu writes (%llu more left out), %llu refused alike; %llu differences\n",
      sqlite3_libversion(), static_cast<unsigned long long>(options.seed),
      static_cast<unsigned long long>(done), seconds_since(start),
      static_cast<unsigned long long>(statistics.queries),
      static_cast<unsigned long long>(statistics.with_rows), static_cast<unsigned long long>(statistics.cut),
      static_cast<unsigned long long>(statistics.writes),
      static_cast<unsigned long long>(statistics.left_out),
      static_cast<unsigned long long>(statistics.errors), static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace table_storage::differential

int main(int argc, char** argv) {
  table_storage::backend::remote::least_wait_for_parts = 0;  // the fake answers at once
  table_storage::module::near_service = 0;
  auto options = table_storage::differential::parse(argc, argv);
  if (!options) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--cases N] [--seconds N] [--statements N] [--case K] [--keep-going] "
                 "[--extension PATH] [--join-cache early | off] [--backend fake | --backend cosmos | "
                 "--azurite ENDPOINT]\n",
                 argv[0]);
    return 2;
  }
  return table_storage::differential::run(*options);
}
