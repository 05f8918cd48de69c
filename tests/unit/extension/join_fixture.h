// Joins over the fake of the Table service: how many requests a statement makes, and that its rows are those
// of plain tables with the same content.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {

/// Two remote tables "A" and "B" with plain twins; "@A" and "@B" in a query stand for either.
///
/// Entity i: PartitionKey 'p<i / per_partition>', RowKey 'r<i>' of fixed width, N = i, L = i % 50, S =
/// 's<i>'.
class JoinTest : public RemoteTest {
 protected:
  void make(const std::string& name, int rows, int per_partition, int first = 0) {
    service_.create_table("Table" + name);
    db_.run("CREATE VIRTUAL TABLE f" + name +
            " USING table_storage(N INT32, L INT32, S STRING, V ANY, "
            "OPTIONS (table 'Table" +
            name + "', endpoint '" + service_.endpoint() + "', dialect 'storage'" + options_ + "))");
    db_.run("CREATE TABLE n" + name +
            " (PartitionKey TEXT, RowKey TEXT, N INTEGER, L INTEGER, S TEXT, V); BEGIN");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(db_.handle(), ("INSERT INTO n" + name + " VALUES (?, ?, ?, ?, ?, ?)").c_str(), -1,
                       &insert, nullptr);
    for (int i = first; i < first + rows; ++i) {
      const std::string partition = "p" + number(i / per_partition, 4);
      const std::string row = "r" + number(i, 6);
      const std::string text = "s" + std::to_string(i);
      service_.put("Table" + name, {partition, row},
                   {{"N", Value::int32(i)},
                    {"L", Value::int32(i % 50)},
                    {"S", Value::string(text)},
                    {"V", i % 2 == 0 ? Value::int32(i) : Value::string(text)}});
      sqlite3_bind_text(insert, 1, partition.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(insert, 2, row.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int(insert, 3, i);
      sqlite3_bind_int(insert, 4, i % 50);
      sqlite3_bind_text(insert, 5, text.c_str(), -1, SQLITE_TRANSIENT);
      if (i % 2 == 0) {
        sqlite3_bind_int(insert, 6, i);
      } else {
        sqlite3_bind_text(insert, 6, text.c_str(), -1, SQLITE_TRANSIENT);
      }
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    db_.run("COMMIT");
  }

  static std::string number(int value, std::size_t width) {
    std::string text = std::to_string(value);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
  }

  static std::string with(std::string sql, char kind) {
    std::replace(sql.begin(), sql.end(), '@', kind);
    return sql;
  }

  /// The requests that the query makes over the remote tables; its rows must be those of the plain ones.
  std::size_t requests_of(const std::string& sql) {
    Rows expected = db_.rows(with(sql, 'n'));
    service_.forget_requests();
    Rows rows = db_.rows(with(sql, 'f'));
    const std::size_t count = service_.request_count();
    if (sql.find("ORDER BY") == std::string::npos) {
      std::sort(expected.begin(), expected.end());
      std::sort(rows.begin(), rows.end());
    }
    EXPECT_EQ(rows, expected) << sql;
    return count;
  }

  std::string options_;  // more OPTIONS of the tables that make() makes, with a comma before each
};

}  // namespace table_storage::test
