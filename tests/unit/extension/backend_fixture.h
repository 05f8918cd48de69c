// Short ways to say things in the tests of the local backend.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/local/local_backend.h"
#include "parser/error.h"

namespace table_storage::backend::local::testing {

using edm::Value;
using edm::ValueView;

/// A connection that closes itself and has the backend's function.
class Connection {
 public:
  explicit Connection(const std::string& file = ":memory:",
                      int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
    EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db_, flags, nullptr), SQLITE_OK);
    LocalBackend::register_functions(db_);
  }
  ~Connection() { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK) << "a statement was not finalised"; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* get() const { return db_; }
  void run(const std::string& sql) const {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << message;
    sqlite3_free(message);
  }
  /// The first column of all rows, joined by commas.
  std::string query(const std::string& sql) const {
    std::string out;
    const auto row = [](void* to, int, char** values, char**) {
      auto& text = *static_cast<std::string*>(to);
      if (!text.empty()) text += ',';
      text += values[0] == nullptr ? "NULL" : values[0];
      return 0;
    };
    char* message = nullptr;
    if (sqlite3_exec(db_, sql.c_str(), row, &out, &message) != SQLITE_OK)
      out = std::string("error: ") + message;
    sqlite3_free(message);
    return out;
  }

 private:
  sqlite3* db_ = nullptr;
};

/// A file that is removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + test->test_suite_name() + "_" + test->name() + ".db";
    remove();
  }
  ~TemporaryFile() { remove(); }
  const std::string& path() const { return path_; }

 private:
  void remove() const {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::remove((path_ + suffix).c_str());
  }
  std::string path_;
};

using Properties = std::vector<std::pair<std::string, std::optional<Value>>>;

/// An operation that owns what it refers to.
struct Write {
  OperationKind kind = OperationKind::insert;
  std::string partition_key;
  std::string row_key;
  Properties properties;
  std::string if_match = "*";

  Operation operation() const {
    Operation op;
    op.kind = kind;
    op.partition_key = partition_key;
    op.row_key = row_key;
    op.if_match = if_match;
    for (const auto& [name, value] : properties) {
      op.properties.push_back({name, value ? value->view() : ValueView::missing()});
    }
    return op;
  }
};

inline void run(Table& table, const Write& write) { table.run(write.operation()); }

/// What one entity looks like, as text: "p/r a=1 b='x'".
inline std::string text_of(ValueView value) {
  if (!value.present()) return "missing";
  std::string out;
  odata::print_literal(value, out);
  return out;
}

inline ScanRequest everything() {
  ScanRequest request;
  request.ranges.push_back({});
  request.projection.all_properties = true;
  return request;
}

inline std::string text_of(const EntityView& entity) {
  std::string out = std::string(entity.partition_key) + "/" + std::string(entity.row_key);
  for (const NamedValue& p : entity.all) out += " " + std::string(p.name) + "=" + text_of(p.value);
  return out;
}

inline std::vector<std::string> rest_of(Scan& scan) {
  std::vector<std::string> out;
  while (const EntityView* entity = scan.next()) out.push_back(text_of(*entity));
  return out;
}
inline std::vector<std::string> read(Table& table, const ScanRequest& request = everything()) {
  return rest_of(*table.open_scan(request));
}
inline std::string etag_of_only(Table& table) {
  const auto scan = table.open_scan(everything());
  EXPECT_NE(scan->next(), nullptr);
  return scan->etag();
}

/// The error that `action` throws; fails the test if there is none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error was thrown";
  return {Error::Kind::invalid, "none", "none"};
}
inline std::string code_of(const std::function<void()>& action) { return error_of(action).code(); }

inline KeyRange point(const std::string& partition_key, const std::string& row_key) {
  return {TextRange::exactly(partition_key), TextRange::exactly(row_key)};
}

using Strings = std::vector<std::string>;

}  // namespace table_storage::backend::local::testing
