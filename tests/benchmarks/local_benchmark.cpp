// The local backend beside a native SQLite table: the same rows, the same statements, in turn, in one run.
//
//   cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build --target local_benchmark
//   build/tests/local_benchmark --rows 100000 --reps 5
//   build/tests/local_benchmark --rows 1000000 --reps 3
//   … --only filter             operations whose name contains a text
//   … --extension PATH          the loadable module instead of the one linked in
//   … --directory DIR           where the two database files are made (default: the temporary directory)
//   … --check                   exit status 1 if a target is missed
//
// The native side is what a careful user would write by hand: WITHOUT ROWID, PRIMARY KEY (PartitionKey,
// RowKey), one column for each property, times as integers and Guids as 16-byte blobs. Ours keeps schemaless
// typed entities and shows times and Guids as text. Figures are rows or operations a second, medians over all
// repetitions; the ratio is ours / native. Every statement's result is compared between the two sides; a
// difference ends the run.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "extension/table_storage.h"
#include "tests/benchmarks/readings.h"

namespace table_storage::benchmarks {
namespace {

struct Options {
  std::uint64_t rows = 100'000;
  int reps = 5;
  std::string only;
  std::string extension;
  std::string directory = std::filesystem::temp_directory_path().string();
  bool check = false;
};

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "local_benchmark: %s\n", what.c_str());
  std::exit(2);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What a statement returned, to compare the two sides.
struct Digest {
  std::uint64_t rows = 0;
  double sum = 0;  // of all numbers that both sides show alike
  bool same_as(const Digest& o) const {
    return rows == o.rows && std::fabs(sum - o.sum) <= 1e-6 * std::max(1.0, std::fabs(sum));
  }
};

class Side {
 public:
  Side(const Options& options, bool native) : native_(native) {
    file_ = options.directory + "/table_storage_benchmark_" + std::to_string(getpid()) +
            (native ? "_native.db" : "_ours.db");
    remove_files();
    open(options);
    if (native) {
      run("CREATE TABLE readings(PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp INT, "
          "Temperature REAL, "
          "Humidity REAL, Location TEXT, Status TEXT, Count INT, Seq INT, Active INT, At INT, Id BLOB, "
          "PRIMARY KEY (PartitionKey, RowKey)) WITHOUT ROWID");
      run("CREATE TABLE devices(PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp INT, Model TEXT, "
          "Owner TEXT, "
          "InstalledAt INT, PRIMARY KEY (PartitionKey, RowKey)) WITHOUT ROWID");
    } else {
      run("CREATE VIRTUAL TABLE readings USING table_storage(Temperature DOUBLE, Humidity DOUBLE, Location "
          "STRING, "
          "Status STRING, Count INT32, Seq INT64, Active BOOLEAN, At DATETIME, Id GUID)");
      run("CREATE VIRTUAL TABLE devices USING table_storage(Model STRING, Owner STRING, InstalledAt "
          "DATETIME)");
    }
  }
  ~Side() {
    sqlite3_close(db_);
    remove_files();
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void open(const Options& options) {
    if (sqlite3_open(file_.c_str(), &db_) != SQLITE_OK) die("cannot open " + file_);
    load_extension(db_, options);
    run("PRAGMA page_size=4096; PRAGMA journal_mode=wal; PRAGMA synchronous=normal; PRAGMA "
        "cache_size=-65536; "
        "PRAGMA mmap_size=2000000000");
  }
  static void load_extension(sqlite3* db, const Options& options) {
    char* message = nullptr;
    int rc = SQLITE_OK;
    if (options.extension.empty()) {
      rc = sqlite3_tablestorage_init(db, &message, nullptr);
    } else {
      sqlite3_enable_load_extension(db, 1);
      rc = sqlite3_load_extension(db, options.extension.c_str(), "sqlite3_tablestorage_init", &message);
    }
    if (rc != SQLITE_OK)
      die(std::string("the extension does not load: ") + (message != nullptr ? message : ""));
  }

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) die(sql + ": " + message);
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      die(sql + ": " + sqlite3_errmsg(db_));
    return statement;
  }
  /// Steps to the end, reading every column as an application would, and resets.
  void drain(sqlite3_stmt* statement, Digest& digest) {
    int columns = sqlite3_column_count(statement);
    int rc = SQLITE_OK;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
      ++digest.rows;
      for (int i = 0; i < columns; ++i) {
        switch (sqlite3_column_type(statement, i)) {
          case SQLITE_FLOAT:
            digest.sum += sqlite3_column_double(statement, i);
            break;
          case SQLITE_TEXT:
            if (sqlite3_column_text(statement, i) == nullptr) die("no memory");
            break;
          case SQLITE_BLOB:
            if (sqlite3_column_blob(statement, i) == nullptr) die("no memory");
            break;
          case SQLITE_INTEGER:
            if (sqlite3_column_int64(statement, i) == -1) ++digest.sum;
            break;
          default:
            break;
        }
      }
    }
    if (rc != SQLITE_DONE) die(std::string(sqlite3_sql(statement)) + ": " + sqlite3_errmsg(db_));
    sqlite3_reset(statement);
  }
  Digest query(const std::string& sql) {
    Digest digest;
    sqlite3_stmt* statement = prepare(sql);
    drain(statement, digest);
    sqlite3_finalize(statement);
    return digest;
  }
  double number(const std::string& sql) {
    sqlite3_stmt* statement = prepare(sql);
    if (sqlite3_step(statement) != SQLITE_ROW) die(sql + ": " + sqlite3_errmsg(db_));
    double value = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
  }

  sqlite3_stmt* prepare_insert() {
    return prepare(
        native_
            ? "INSERT INTO readings VALUES(?,?,?12,?3,?4,?5,?6,?7,?8,?9,?10,?11)"
            : "INSERT INTO readings(PartitionKey, RowKey, Temperature, Humidity, Location, Status, Count, "
              "Seq, Active, At, Id) VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  }
  void insert(sqlite3_stmt* s, const Reading& r, const std::string& at, const std::string& id) {
    auto text = [s](int i, const std::string& v) {
      sqlite3_bind_text(s, i, v.data(), static_cast<int>(v.size()), SQLITE_STATIC);
    };
    sqlite3_clear_bindings(s);
    text(1, r.partition_key);
    text(2, r.row_key);
    if (r.temperature) sqlite3_bind_double(s, 3, *r.temperature);
    if (r.humidity) sqlite3_bind_double(s, 4, *r.humidity);
    if (r.location) text(5, *r.location);
    if (r.status) text(6, *r.status);
    if (r.count) sqlite3_bind_int(s, 7, *r.count);
    sqlite3_bind_int64(s, 8, r.seq);
    if (r.active) sqlite3_bind_int(s, 9, *r.active ? 1 : 0);
    if (native_) {
      if (r.at)
        sqlite3_bind_int64(s, 10, static_cast<sqlite3_int64>(*r.at * 10'000 + 638'396'640'000'000'000));
      if (r.id) sqlite3_bind_blob(s, 11, r.id->data(), 16, SQLITE_STATIC);
      sqlite3_bind_int64(s, 12, 638'396'640'000'000'000);
    } else {
      if (r.at) text(10, at);
      if (r.id) text(11, id);
    }
    if (sqlite3_step(s) != SQLITE_DONE) die(std::string("INSERT: ") + sqlite3_errmsg(db_));
    sqlite3_reset(s);
  }
  void fill_devices(std::uint64_t count) {
    run("BEGIN");
    sqlite3_stmt* s =
        prepare("INSERT INTO devices(PartitionKey, RowKey, Model, Owner, InstalledAt) VALUES(?,?,?,?,?)");
    for (std::uint64_t i = 0; i < count; ++i) {
      Device d = device(i);
      std::string installed = time_text(d.installed % 4'000'000'000);
      const std::string* texts[] = {&d.partition_key, &d.row_key, &d.model, &d.owner};
      for (int k = 0; k < 4; ++k) sqlite3_bind_text(s, k + 1, texts[k]->c_str(), -1, SQLITE_STATIC);
      if (native_) {
        sqlite3_bind_int64(s, 5, static_cast<sqlite3_int64>(d.installed));
      } else {
        sqlite3_bind_text(s, 5, installed.c_str(), -1, SQLITE_STATIC);
      }
      if (sqlite3_step(s) != SQLITE_DONE) die(std::string("INSERT: ") + sqlite3_errmsg(db_));
      sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    run("COMMIT");
  }

  const std::string& file() const { return file_; }

 private:
  void remove_files() const {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file_ + suffix);
  }
  bool native_;
  std::string file_;
  sqlite3* db_ = nullptr;
};

struct Operation {
  std::string name;
  double target = 0;     // of ours / native; 0: none
  bool changes = false;  // runs once a repetition
  double units = 1;      // rows or operations
  std::function<Digest(Side&)> run;
};

std::string guid_text(const std::string& bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    char text[4];
    std::snprintf(text, sizeof text, "%02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    out += text;
  }
  return out;
}

/// Rows as they are bound, made before the clock starts.
struct Rows {
  std::vector<Reading> readings;
  std::vector<std::string> at;
  std::vector<std::string> id;
  Rows(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      readings.push_back(reading(i));
      at.push_back(readings.back().at ? time_text(*readings.back().at, "0000") : "");
      id.push_back(readings.back().id ? guid_text(*readings.back().id) : "");
    }
  }
};

std::vector<Operation> operations(std::uint64_t n, const Rows& rows, const Rows& extra) {
  std::uint64_t devices = (n + kRowsPerDevice - 1) / kRowsPerDevice;
  auto insert_all = [](Side& side, const Rows& from) {
    sqlite3_stmt* s = side.prepare_insert();
    for (std::size_t i = 0; i < from.readings.size(); ++i)
      side.insert(s, from.readings[i], from.at[i], from.id[i]);
    sqlite3_finalize(s);
  };
  auto query = [](std::string sql) { return [sql](Side& side) { return side.query(sql); }; };
  auto change = [](std::string sql) {
    return [sql](Side& side) {
      side.run(sql);
      return Digest{static_cast<std::uint64_t>(side.number("SELECT changes()")), 0};
    };
  };
  const std::uint64_t points = std::min<std::uint64_t>(20'000, n);
  const std::uint64_t ranges = std::min<std::uint64_t>(200, devices * 4);
  const std::uint64_t tenth = std::min<std::uint64_t>(10, std::max<std::uint64_t>(devices / 3, 1));
  return {
      {"bulk INSERT, one transaction", 0.6, true, static_cast<double>(n),
       [&, insert_all](Side& side) {
         side.run("BEGIN");
         insert_all(side, rows);
         side.run("COMMIT");
         return Digest{};
       }},
      {"point read, all columns", 0.3, false, static_cast<double>(points),
       [n, points](Side& side) {
         Digest digest;
         sqlite3_stmt* s = side.prepare("SELECT * FROM readings WHERE PartitionKey = ? AND RowKey = ?");
         std::string partition;
         std::string row;
         for (std::uint64_t i = 0; i < points; ++i) {
           key_of(mixed(7 + i) % n, partition, row);
           sqlite3_bind_text(s, 1, partition.c_str(), -1, SQLITE_STATIC);
           sqlite3_bind_text(s, 2, row.c_str(), -1, SQLITE_STATIC);
           side.drain(s, digest);
         }
         sqlite3_finalize(s);
         return digest;
       }},
      {"range of 1000 rows, 2 columns", 0.3, false, static_cast<double>(ranges * kRowsPerDevice),
       [devices, ranges](Side& side) {
         Digest digest;
         sqlite3_stmt* s = side.prepare("SELECT RowKey, Temperature FROM readings WHERE PartitionKey = ?");
         for (std::uint64_t i = 0; i < ranges; ++i) {
           std::string partition = device_name(mixed(9 + i) % devices);
           sqlite3_bind_text(s, 1, partition.c_str(), -1, SQLITE_STATIC);
           side.drain(s, digest);
         }
         sqlite3_finalize(s);
         return digest;
       }},
      {"count, avg, max of a property", 0.3, false, static_cast<double>(n),
       query("SELECT count(*), avg(Temperature), max(Temperature) FROM readings")},
      {"GROUP BY a property", 0.55, false, static_cast<double>(n),
       query("SELECT Location, avg(Temperature) FROM readings GROUP BY Location")},
      {"GROUP BY PartitionKey", 0, false, static_cast<double>(n),
       query("SELECT PartitionKey, avg(Temperature) FROM readings GROUP BY PartitionKey")},
      {"filter on a property, 1 % hits", 0.5, false, static_cast<double>(n),
       query("SELECT PartitionKey, RowKey, Temperature FROM readings WHERE Temperature > 44.5")},
      {"count(*)", 0, false, static_cast<double>(n), query("SELECT count(*) FROM readings")},
      {"SELECT *", 0, false, static_cast<double>(n), query("SELECT * FROM readings")},
      {"join with devices, GROUP BY Model", 0, false, static_cast<double>(n),
       query("SELECT d.Model, avg(r.Temperature) FROM readings AS r JOIN devices AS d ON d.RowKey = "
             "r.PartitionKey "
             "GROUP BY d.Model")},
      {"join of one region", 0, false, static_cast<double>(n) / 8,
       query("SELECT d.Model, avg(r.Temperature) FROM readings AS r JOIN devices AS d ON d.RowKey = "
             "r.PartitionKey "
             "WHERE d.PartitionKey = 'us-east' GROUP BY d.Model")},
      {"INSERT, a transaction each", 0, true, static_cast<double>(extra.readings.size()),
       [&, insert_all](Side& side) {
         insert_all(side, extra);
         return Digest{};
       }},
      {"UPDATE of 10 partitions", 0, true, static_cast<double>(tenth * kRowsPerDevice),
       change("UPDATE readings SET Temperature = Temperature + 1 WHERE PartitionKey < '" +
              device_name(tenth) + '\'')},
      {"UPDATE by a property", 0, true, static_cast<double>(n),
       change("UPDATE readings SET Status = 'hot' WHERE Temperature > 44.5")},
      {"DELETE of 10 partitions", 0, true, static_cast<double>(tenth * kRowsPerDevice),
       change("DELETE FROM readings WHERE PartitionKey < '" + device_name(tenth) + '\'')},
  };
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Peak resident memory, in MiB, of a process of its own that scans the first `limit` rows of every column.
/// Without memory mapping and with SQLite's default cache, so that what grows is what the extension holds.
double scan_memory(const Options& options, const std::string& file, std::uint64_t limit) {
  std::string command = '\'' + std::filesystem::read_symlink("/proc/self/exe").string() + "' --scan '" +
                        file + "' " + std::to_string(limit) + " '" + options.extension + '\'';
  FILE* output = popen(command.c_str(), "r");
  char text[64] = "";
  if (output == nullptr || std::fgets(text, sizeof text, output) == nullptr)
    die("the scanning process failed");
  if (pclose(output) != 0) die("the scanning process failed");
  return std::strtod(text, nullptr) / 1024;
}

/// The high-water mark of this process, in KiB. (getrusage() would also count the process that started it.)
std::string peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return line.substr(6);
  }
  return "0";
}

int scan(const std::string& file, const std::string& limit, const std::string& extension) {
  Options options;
  options.extension = extension;
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) die("cannot open " + file);
  Side::load_extension(db, options);
  sqlite3_stmt* s = nullptr;
  std::string sql = "SELECT * FROM readings LIMIT " + limit;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &s, nullptr) != SQLITE_OK) die(sqlite3_errmsg(db));
  int rc = SQLITE_OK;
  while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(s); ++i) (void)sqlite3_column_bytes(s, i);
  }
  sqlite3_finalize(s);
  sqlite3_close(db);
  std::printf("%s\n", peak_memory().c_str());
  return rc == SQLITE_DONE ? 0 : 1;
}

int run(const Options& options) {
  const std::uint64_t n = options.rows;
  const std::uint64_t devices = (n + kRowsPerDevice - 1) / kRowsPerDevice;
  Rows rows(0, n);
  Rows extra(devices * kRowsPerDevice, 2000);
  std::vector<Operation> all = operations(n, rows, extra);
  std::map<std::string, std::vector<double>> seconds[2];  // native, ours
  double size[2] = {0, 0};
  double memory[2] = {0, 0};  // ours: a tenth of the rows, all rows
  for (int rep = 0; rep < options.reps; ++rep) {
    Side native(options, true);
    Side ours(options, false);
    Side* sides[2] = {&native, &ours};
    for (Side* side : sides) side->fill_devices(devices);
    for (const Operation& op : all) {
      bool wanted = options.only.empty() || op.name.find(options.only) != std::string::npos;
      if (!wanted && &op != &all.front()) continue;  // without the rows nothing else makes sense
      for (int inner = 0; inner < (op.changes ? 1 : 3); ++inner) {
        Digest digest[2];
        for (int k = 0; k < 2; ++k) {
          int which = (rep + inner + k) % 2;  // who goes first alternates
          double start = now();
          digest[which] = op.run(*sides[which]);
          seconds[which][op.name].push_back(now() - start);
        }
        if (!digest[0].same_as(digest[1])) {
          die("the sides differ in \"" + op.name + "\": native " + std::to_string(digest[0].rows) +
              " rows, sum " + std::to_string(digest[0].sum) + "; ours " + std::to_string(digest[1].rows) +
              ", " + std::to_string(digest[1].sum));
        }
      }
      if (&op == &all.front()) {
        for (int k = 0; k < 2; ++k) {
          sides[k]->run("PRAGMA wal_checkpoint(TRUNCATE)");
          size[k] = static_cast<double>(std::filesystem::file_size(sides[k]->file()));
        }
        if (rep == 0 && options.only.empty()) {
          memory[0] = scan_memory(options, ours.file(), n / 10);
          memory[1] = scan_memory(options, ours.file(), n);
        }
      }
    }
  }

  bool all_met = true;
  std::printf("SQLite %s, %llu rows, %d repetitions\n\n%-34s %13s %13s %7s %7s\n", sqlite3_libversion(),
              static_cast<unsigned long long>(n), options.reps, "operation", "native/s", "ours/s", "ratio",
              "target");
  for (const Operation& op : all) {
    if (seconds[0][op.name].empty()) continue;
    double per_second[2];
    for (int k = 0; k < 2; ++k) per_second[k] = op.units / median(seconds[k][op.name]);
    double ratio = per_second[1] / per_second[0];
    std::printf("%-34s %13.0f %13.0f %7.2f", op.name.c_str(), per_second[0], per_second[1], ratio);
    if (op.target > 0) std::printf(" %7.2f%s", op.target, ratio < op.target ? "  missed" : "");
    if (op.target > 0 && ratio < op.target) all_met = false;
    std::printf("\n");
  }
  double growth = size[1] / size[0];
  std::printf("%-34s %13.1f %13.1f %7.2f %7s%s\n", "file, bytes a row", size[0] / static_cast<double>(n),
              size[1] / static_cast<double>(n), growth, "<=1.15", growth > 1.15 ? "  missed" : "");
  if (growth > 1.15) all_met = false;
  if (memory[1] > 0) {
    std::printf("peak memory of SELECT * over %llu and %llu rows: %.1f and %.1f MiB\n",
                static_cast<unsigned long long>(n / 10), static_cast<unsigned long long>(n), memory[0],
                memory[1]);
  }
  return all_met || !options.check ? 0 : 1;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--check") {
      options.check = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const char* value = argv[++i];
    if (name == "--rows") {
      options.rows = std::max<std::uint64_t>(std::strtoull(value, nullptr, 10), 10'000);
    } else if (name == "--reps") {
      options.reps = std::max(std::atoi(value), 1);
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--extension") {
      options.extension = value;
    } else if (name == "--directory") {
      options.directory = value;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace
}  // namespace table_storage::benchmarks

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--scan") == 0)
    return table_storage::benchmarks::scan(argv[2], argv[3], argv[4]);
  auto options = table_storage::benchmarks::parse(argc, argv);
  if (!options) {
    std::fprintf(
        stderr,
        "usage: %s [--rows N] [--reps N] [--only TEXT] [--extension PATH] [--directory DIR] [--check]\n",
        argv[0]);
    return 2;
  }
  return table_storage::benchmarks::run(*options);
}
