// The hash of the join cache against SQLite itself: whatever SQLite calls equal, under any affinity of the
// right side, must meet.
#include "extension/module/join_key.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "parser/edm/text.h"
#include "tests/unit/extension/database.h"

namespace table_storage::module {
namespace {

using edm::Type;
using edm::Value;
using plan::Operator;

struct Stored {
  Value value;
  const char* sql;  // what the column shows
};

struct Case {
  std::optional<Type> type;
  std::vector<Stored> rows;
};

std::vector<Case> cases() {
  const auto time = [](const char* text) { return Value::datetime(*edm::parse_datetime(text)); };
  const auto guid = [](const char* text) {
    const auto bytes = *edm::parse_guid(text);
    return Value::guid({bytes.data(), bytes.size()});
  };
  const std::vector<Stored> texts{{Value::string("5"), "'5'"},
                                  {Value::string("05"), "'05'"},
                                  {Value::string("5.0"), "'5.0'"},
                                  {Value::string(" 5 "), "' 5 '"},
                                  {Value::string("5e0"), "'5e0'"},
                                  {Value::string("+5"), "'+5'"},
                                  {Value::string("x"), "'x'"},
                                  {Value::string(""), "''"},
                                  {Value::string("X"), "'X'"},
                                  {Value::string("0.5"), "'0.5'"},
                                  {Value::string("-0"), "'-0'"},
                                  {Value::string("1e-400"), "'1e-400'"},
                                  {Value::string("562949953421311"), "'562949953421311'"},
                                  {Value::string("9223372036854775807"), "'9223372036854775807'"},
                                  {Value::string("0x5"), "'0x5'"},
                                  {Value::string("5x"), "'5x'"},
                                  {Value::string("inf"), "'inf'"}};
  const std::vector<Stored> numbers{{Value::int32(5), "5"},
                                    {Value::int32(0), "0"},
                                    {Value::int64(9007199254740993), "9007199254740993"},
                                    {Value::int64(INT64_MAX), "9223372036854775807"},
                                    {Value::int64(INT64_MIN), "-9223372036854775808"}};
  std::vector<Case> all;
  all.push_back({Type::String, texts});
  all.push_back({Type::Int64, numbers});
  all.push_back({Type::Int32, {{Value::int32(5), "5"}, {Value::int32(-1), "-1"}}});
  all.push_back({Type::Boolean, {{Value::boolean(true), "1"}, {Value::boolean(false), "0"}}});
  all.push_back({Type::Double,
                 {{Value::real(5), "5.0"},
                  {Value::int32(5), "5.0"},
                  {Value::real(0.5), "0.5"},
                  {Value::real(-0.0), "-0.0"},
                  {Value::real(0.1 + 0.2), "0.1 + 0.2"},
                  {Value::real(9007199254740992.0), "9007199254740992.0"},
                  {Value::real(9.3e18), "9.3e18"}}});
  all.push_back({Type::DateTime,
                 {{time("2024-06-15T00:00:00Z"), "'2024-06-15T00:00:00.0000000Z'"},
                  {time("2024-06-15T12:30:00.5Z"), "'2024-06-15T12:30:00.5000000Z'"}}});
  all.push_back({Type::Guid,
                 {{guid("c9da6455-213d-42c9-9a79-3e9149a57833"), "'c9da6455-213d-42c9-9a79-3e9149a57833'"}}});
  all.push_back({Type::Binary, {{Value::binary("5"), "x'35'"}, {Value::binary(""), "x''"}}});
  Case any;
  any.rows = texts;
  any.rows.insert(any.rows.end(), numbers.begin(), numbers.end());
  any.rows.push_back({Value::real(5), "5.0"});
  any.rows.push_back({Value::real(0.5), "0.5"});
  any.rows.push_back({Value::boolean(true), "1"});
  any.rows.push_back({Value::binary("5"), "x'35'"});
  any.rows.push_back({time("2024-06-15T00:00:00Z"), "'2024-06-15T00:00:00.0000000Z'"});
  any.rows.push_back(
      {guid("c9da6455-213d-42c9-9a79-3e9149a57833"), "'c9da6455-213d-42c9-9a79-3e9149a57833'"});
  all.push_back(any);
  return all;
}

constexpr const char* kRights[] = {"5",
                                   "5.0",
                                   "'5'",
                                   "'05'",
                                   "'5.0'",
                                   "' 5 '",
                                   "'+5'",
                                   "'5e0'",
                                   "0",
                                   "-0.0",
                                   "'-0'",
                                   "''",
                                   "'x'",
                                   "'X'",
                                   "x'35'",
                                   "x''",
                                   "NULL",
                                   "0.5",
                                   "'0.5'",
                                   "0.49999999999999994",
                                   "0.1 + 0.2",
                                   "0.3",
                                   "1",
                                   "-1",
                                   "'1e-400'",
                                   "1e400",
                                   "9007199254740993",
                                   "9007199254740992.0",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "9.3e18",
                                   "562949953421311",
                                   "562949953421312",
                                   "'9223372036854775807'",
                                   "'9007199254740993'",
                                   "'2024-06-15'",
                                   "'2024-06-15T02:00:00+02:00'",
                                   "'2024-06-15T12:30:00.5Z'",
                                   "20240615",
                                   "'C9DA6455-213D-42C9-9A79-3E9149A57833'",
                                   "'{c9da6455-213d-42c9-9a79-3e9149a57833}'",
                                   "'0x5'",
                                   "'inf'",
                                   "'5x'"};

TEST(JoinKey, WhateverIsEqualMeets) {
  test::Database db;
  for (const Case& one : cases()) {
    Column column;
    column.name = "c";
    column.type = one.type;
    for (const char* affinity : {"", "INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB"}) {
      db.run("DROP TABLE IF EXISTS l; DROP TABLE IF EXISTS r; CREATE TABLE l(" + column.declaration() +
             "); CREATE TABLE r(v " + affinity + ")");
      for (const Stored& row : one.rows) db.run(std::string("INSERT INTO l VALUES (") + row.sql + ")");
      for (const char* right : kRights) db.run(std::string("INSERT INTO r VALUES (") + right + ")");
      for (const char* op : {"=", "IS"}) {
        sqlite3_stmt* statement = nullptr;
        const std::string sql = std::string("SELECT l.rowid, r.v, l.c ") + op + " r.v, quote(r.v) FROM l, r";
        ASSERT_EQ(sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
        while (sqlite3_step(statement) == SQLITE_ROW) {
          if (sqlite3_column_int(statement, 2) != 1) continue;
          const auto number = static_cast<std::size_t>(sqlite3_column_int(statement, 0) - 1);
          sqlite3_value* value = sqlite3_value_dup(sqlite3_column_value(statement, 1));
          const RightKey key = right_key(column, *op == '=' ? Operator::eq : Operator::is, value);
          const std::string what = std::string(column.type_name()) + " " + one.rows[number].sql + " " + op +
                                   " " + affinity + " " +
                                   reinterpret_cast<const char*>(sqlite3_column_text(statement, 3));
          EXPECT_NE(key.kind, RightKey::Kind::never) << what;
          if (key.kind == RightKey::Kind::exact || key.kind == RightKey::Kind::numeric) {
            EXPECT_EQ(key.hash, row_hash(column, key.kind, one.rows[number].value)) << what;
          }
          sqlite3_value_free(value);
        }
        sqlite3_finalize(statement);
      }
    }
  }
}

TEST(JoinKey, OrdinaryJoinsAreNarrow) {
  test::Database db;
  const auto key = [&](std::optional<Type> type, const char* right) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(
        sqlite3_prepare_v2(db.handle(), (std::string("SELECT ") + right).c_str(), -1, &statement, nullptr),
        SQLITE_OK);
    sqlite3_step(statement);
    Column column;
    column.type = type;
    const RightKey made = right_key(column, Operator::eq, sqlite3_column_value(statement, 0));
    sqlite3_finalize(statement);
    return made.kind;
  };
  using Kind = RightKey::Kind;
  EXPECT_EQ(key(Type::String, "'x'"), Kind::exact);
  EXPECT_EQ(key(Type::String, "'5'"), Kind::exact);
  EXPECT_EQ(key(Type::String, "5"), Kind::numeric);
  EXPECT_EQ(key(Type::Int32, "5"), Kind::exact);
  EXPECT_EQ(key(Type::Int32, "'5'"), Kind::exact);
  EXPECT_EQ(key(Type::Double, "5.5"), Kind::exact);
  EXPECT_EQ(key(Type::Double, "'5.5'"), Kind::open);
  EXPECT_EQ(key(Type::Int64, "x'35'"), Kind::never);
  EXPECT_EQ(key(Type::Int64, "NULL"), Kind::never);
  EXPECT_EQ(key(Type::Guid, "'no guid'"), Kind::never);
  EXPECT_EQ(key(Type::DateTime, "'no time'"), Kind::never);
  EXPECT_EQ(key(std::nullopt, "'x'"), Kind::exact);
  EXPECT_EQ(key(std::nullopt, "5"), Kind::numeric);
}

TEST(JoinKey, NullsMeetOnlyNulls) {
  Column column;
  column.type = Type::Int32;
  // Missing, of another type, not a number: all show NULL.
  const std::uint64_t null = row_hash(column, RightKey::Kind::exact, edm::ValueView::missing());
  EXPECT_EQ(row_hash(column, RightKey::Kind::exact, edm::ValueView::string("5")), null);
  column.type = Type::Double;
  EXPECT_EQ(row_hash(column, RightKey::Kind::exact, edm::ValueView::real(std::nan(""))), null);
  EXPECT_NE(row_hash(column, RightKey::Kind::exact, edm::ValueView::real(0)), null);
}

}  // namespace
}  // namespace table_storage::module
