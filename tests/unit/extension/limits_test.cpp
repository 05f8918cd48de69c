// The limits of the service and of SQLite, reached and passed by one, over the local backend and over the
// fake: large entities, many properties, long lists, wide tables, long filters, large transactions.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/limits.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

/// A foreign table, Things, over one of the backends and a plain table, Plain; "@" in a statement stands for
/// either,
/// "$" for the columns that both have.
class AtTheLimit : public RemoteTest, public ::testing::WithParamInterface<bool> {
 protected:
  static bool remote() { return GetParam(); }

  /// `columns`: name and type of each, as "N INTEGER".
  void make(const std::vector<std::string>& columns) {
    std::string text;
    for (const std::string& column : columns) {
      text += column + ", ";
      names_ += ", " + column.substr(0, column.find(' '));
    }
    // With nothing else in the definition, which SQLite counts as columns.
    if (remote()) {
      db_.run("SELECT fdw('CREATE SERVER far FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint \"" +
              service_.endpoint() + "\", dialect \"storage\")')");
    }
    db_.run("CREATE VIRTUAL TABLE Things USING table_storage(" + text.substr(0, text.size() - 2) +
            (remote() ? ", SERVER far)" : ")"));
    db_.run("CREATE TABLE Plain(PartitionKey TEXT, RowKey TEXT, " + text +
            "PRIMARY KEY (PartitionKey, RowKey))");
  }

  std::string with(const std::string& sql, const char* table) const {
    std::string text;
    for (const char c : sql) {
      if (c == '@') {
        text += table;
      } else if (c == '$') {
        text += names_;
      } else {
        text += c;
      }
    }
    return text;
  }
  void run_both(const std::string& sql) {
    db_.run(with(sql, kPlain));
    db_.run(with(sql, kForeign));
  }
  /// The rows that both tables give.
  std::size_t expect_same(const std::string& sql) {
    Rows expected = db_.rows(with(sql, kPlain));
    Rows rows = db_.rows(with(sql, kForeign));
    if (sql.find("ORDER BY") == std::string::npos) {
      std::sort(expected.begin(), expected.end());
      std::sort(rows.begin(), rows.end());
    }
    // A failing comparison of megabytes would print them.
    EXPECT_TRUE(rows == expected) << rows.size() << " rows for " << expected.size() << ": "
                                  << sql.substr(0, 300);
    return expected.size();
  }
  /// The error of `sql`, which must have all these parts and must have changed nothing.
  void expect_refusal(const std::string& sql, const std::vector<std::string>& parts) {
    const std::string whole = "SELECT *, _properties, _etag FROM Things ORDER BY PartitionKey, RowKey";
    const Rows before = db_.rows(whole);
    const std::string message = db_.error(sql);
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_LT(message.size(), 600U);
    EXPECT_TRUE(db_.rows(whole) == before) << message;
  }

  /// A table with one column, `value`.
  static std::string numbers(int from, int to) {
    return "(WITH RECURSIVE c(value) AS (SELECT " + std::to_string(from) +
           " UNION ALL SELECT value + 1 FROM c WHERE value < " + std::to_string(to) +
           ") SELECT value FROM c)";
  }
  /// "P0 INTEGER" and so on.
  static std::vector<std::string> integers(const std::string& prefix, int count) {
    std::vector<std::string> columns;
    for (int i = 0; i < count; ++i) columns.push_back(prefix + std::to_string(i) + " INTEGER");
    return columns;
  }
  static std::string list(int count, const std::string& separator,
                          const std::function<std::string(int)>& item) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i > 0 ? separator : "") + item(i);
    return text;
  }

  static constexpr const char* kForeign = "Things";
  static constexpr const char* kPlain = "Plain";
  std::string names_ = "PartitionKey, RowKey";
};

// --- One entity

/// 15 properties as long as a text may be and one of bytes, which fills the rest of the mebibyte.
class LargeEntity : public AtTheLimit {
 protected:
  static constexpr int kTexts = 15;
  static constexpr std::size_t kRest = backend::kMaxEntityBytes - 4 - 2 * 2 -
                                       kTexts * (8 + 2 * 3 + 4 + 2 * backend::kMaxStringUnits) -
                                       (8 + 2 * 1 + 4);

  void make_wide() {
    std::vector<std::string> columns;
    for (int i = 0; i < kTexts; ++i) columns.push_back("S" + std::to_string(10 + i) + " TEXT");
    columns.emplace_back("B BLOB");
    make(columns);
  }
  /// INSERT of entity ('p', `row`): texts of `letter`, and so many bytes beyond the limit.
  static std::string insert(const std::string& row, const std::string& letter, int beyond = 0) {
    std::string sql = "INSERT INTO @($) VALUES ('p', '" + row + "', ";
    for (int i = 0; i < kTexts; ++i) sql += "replace(hex(zeroblob(16384)), '0', " + letter + "), ";
    return sql + "randomblob(" + std::to_string(kRest) + " + " + std::to_string(beyond) + "))";
  }
};

TEST_P(LargeEntity, OfOneMebibyteIsWrittenAndReadBack) {
  make_wide();
  // In JSON a control character takes six bytes: three megabytes an entity, of which no two fit one request.
  for (const auto& [row, letter] : std::vector<std::pair<std::string, std::string>>{
           {"a", "'x'"}, {"b", "'\u20AC'"}, {"c", "char(1)"}, {"d", "char(1)"}}) {
    db_.run(with(insert(row, letter), kPlain));
  }
  db_.run(with("INSERT INTO Things($) SELECT $ FROM Plain", kForeign));
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 4U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE PartitionKey = 'p' AND RowKey = 'b'"), 1U);
  if (remote()) {
    EXPECT_EQ(sent("POST").size(), 3U);
  }
  // As large as before.
  run_both("UPDATE @ SET S11 = replace(S11, 'x', 'y'), RowKey = 'e' WHERE RowKey = 'a'");
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 4U);
}

TEST_P(LargeEntity, OfOneByteMoreIsRefused) {
  make_wide();
  db_.run("INSERT INTO Things(PartitionKey, RowKey, S10) VALUES ('p', 'before', 'x')");
  const std::vector<std::string> parts{"PartitionKey 'p', RowKey 'r'", "1048577 bytes", "at most 1048576"};
  expect_refusal(with(insert("r", "'x'", 1), kForeign), parts);
  db_.run(with(insert("r", "'x'"), kForeign));
  expect_refusal("UPDATE Things SET B = CAST(B || x'00' AS BLOB) WHERE RowKey = 'r'",
                 {"PartitionKey 'p', RowKey 'r'", "1048576"});
  // In a transaction the statement alone is undone.
  db_.run("BEGIN; UPDATE Things SET S10 = 'y' WHERE RowKey = 'before'");
  expect_refusal(with(insert("s", "'x'", 1), kForeign), {"PartitionKey 'p', RowKey 's'"});
  db_.run("COMMIT");
  EXPECT_EQ(db_.rows("SELECT RowKey, length(S10), length(B) FROM Things ORDER BY 1"),
            (Rows{"before|1|NULL", "r|32768|" + std::to_string(kRest)}));
}

TEST_P(AtTheLimit, PropertiesOfAnEntity) {
  const auto name = [](int i) { return "P" + std::to_string(i); };
  make(integers("P", 253));
  const auto insert = [&](const std::string& row, int count) {
    return "INSERT INTO @(PartitionKey, RowKey, " + list(count, ", ", name) + ") VALUES ('p', '" + row +
           "', " + list(count, ", ", [](int i) { return std::to_string(i); }) + ")";
  };
  run_both(insert("r", 252));
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 1U);
  const std::vector<std::string> parts{"PartitionKey 'p', RowKey 's'", "253 properties", "at most 252"};
  expect_refusal(with(insert("s", 253), kForeign), parts);
  expect_refusal(
      "INSERT INTO Things(PartitionKey, RowKey, _properties) SELECT 'p', 's', json_group_object('Q' || "
      "value, 1) "
      "FROM " +
          numbers(0, 252),
      parts);
  expect_refusal("UPDATE Things SET P252 = 1 WHERE RowKey = 'r'", {"PartitionKey 'p', RowKey 'r'", "252"});
  // One for another.
  run_both("UPDATE @ SET P252 = 1, P7 = NULL WHERE RowKey = 'r'");
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 1U);
}

// --- Long lists and filters

class LongCondition : public AtTheLimit {
 protected:
  void TearDown() override {
    for (const fake::Request& request : sent()) EXPECT_LT(request.path.size() + request.query.size(), 7'500U);
    AtTheLimit::TearDown();
  }

  /// 2,000 entities in 20 partitions.
  void fill() {
    make({"N INTEGER", "S TEXT"});
    db_.run(
        "INSERT INTO Plain SELECT format('p%05d', value % 20), format('r%05d', value), value, 's' || (value "
        "% "
        "500) FROM " +
        numbers(0, 1'999));
    db_.run(with("INSERT INTO Things($) SELECT $ FROM Plain", kForeign));
  }
  static std::string padded(char first, int i) {
    const std::string digits = std::to_string(i);
    return std::string("'") + first + std::string(5 - digits.size(), '0') + digits + "'";
  }
};

TEST_P(LongCondition, ListsOfTenThousand) {
  fill();
  const auto every_other = [](char first) {
    return " IN (" + list(10'000, ",", [&](int i) { return padded(first, 2 * i); }) + ")";
  };
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE PartitionKey" + every_other('p')), 1'000U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE RowKey" + every_other('r')), 1'000U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE PartitionKey = 'p00004' AND RowKey" + every_other('r')), 100U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE PartitionKey IN ('p00004', 'p00007') AND RowKey NOT" +
                        every_other('r')),
            100U);
  const std::string threes = list(10'000, ",", [](int i) { return std::to_string(3 * i); });
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE N IN (" + threes + ")"), 667U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE N NOT IN (" + threes + ")"), 1'333U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE S IN (" +
                        list(10'000, ",", [](int i) { return "'s" + std::to_string(5 * i) + "'"; }) + ")"),
            400U);
  db_.run("CREATE TABLE wanted AS SELECT format('r%05d', value * 2) AS k FROM " + numbers(0, 9'999));
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE RowKey IN (SELECT k FROM wanted)"), 1'000U);
}

TEST_P(LongCondition, AlternativesOfAMegabyte) {
  fill();
  // SQLite takes expressions 1000 deep.
  const std::string filler(1'000, 'x');
  const auto alternatives = [&](const std::string& left, const std::string& quote) {
    return list(900, " OR ", [&](int i) {
      return left + " = " + quote + (i % 3 == 0 ? "s" + std::to_string(i / 3) : std::to_string(i) + filler) +
             quote;
    });
  };
  const std::string long_or = alternatives("S", "'");
  ASSERT_GT(long_or.size(), 600'000U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE " + long_or), 1'200U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE NOT (" + long_or + ")"), 800U);
  EXPECT_EQ(expect_same("SELECT $ FROM @ WHERE PartitionKey = 'p00003' AND (" + long_or + ")"), 60U);
}

TEST_P(LongCondition, LiteralsOfSixtyThousandCharacters) {
  fill();
  run_both("INSERT INTO @($) VALUES ('p00003', 'long', 5, '" + std::string(32'768, 's') + "')");
  for (const char* column : {"S", "RowKey", "PartitionKey"}) {
    for (const char letter : {'a', 'p', 'r', 's', 'z'}) {
      const std::string literal = "'" + std::string(60'000, letter) + "'";
      for (const char* op : {" = ", " <> ", " < ", " >= "}) {
        expect_same(std::string("SELECT PartitionKey, RowKey FROM @ WHERE ") + column + op + literal);
      }
      expect_same("SELECT RowKey FROM @ WHERE PartitionKey = 'p00003' AND " +
                  (column + (" BETWEEN 'l' AND " + literal)));
    }
  }
  const std::string whole = "'" + std::string(32'768, 's') + "'";
  EXPECT_EQ(expect_same("SELECT RowKey FROM @ WHERE S = " + whole), 1U);
  EXPECT_EQ(expect_same("SELECT RowKey FROM @ WHERE S >= " + whole), 1U);
  EXPECT_EQ(expect_same("SELECT RowKey FROM @ WHERE S IN (" + whole + ", 's7')"), 5U);
  EXPECT_EQ(expect_same("SELECT RowKey FROM @ WHERE S LIKE '" + std::string(32'000, 's') + "%'"), 1U);
}

// Of 512 characters that take nine each in an address: such ranges are asked for by the beginning of their
// bounds.
TEST_P(LongCondition, RangesOfLongKeys) {
  make({"N INTEGER", "S TEXT"});
  const auto key = [](char last) { return list(511, "", [](int) { return std::string("\u20AC"); }) + last; };
  for (const std::string& partition : {key('b'), key('d'), key('f'), std::string("p")}) {
    for (const std::string& row : {key('b'), key('d'), key('f'), std::string("\u20ACx")}) {
      run_both("INSERT INTO @(PartitionKey, RowKey, N) VALUES ('" + partition + "', '" + row + "', 1)");
    }
  }
  service_.forget_requests();  // addresses of writes have both keys, as they are
  for (const char letter : {'a', 'b', 'c', 'd', 'f', 'g'}) {
    const std::string bound = "'" + key(letter) + "'";
    for (const std::string op : {" < ", " <= ", " > ", " >= "}) {
      expect_same("SELECT $ FROM @ WHERE PartitionKey" + op + bound);
      expect_same("SELECT $ FROM @ WHERE PartitionKey = 'p' AND RowKey" + op + bound);
      expect_same("SELECT $ FROM @ WHERE PartitionKey" + op + bound + " AND RowKey BETWEEN '" + key('c') +
                  "' AND " + bound + " AND N = 1");
    }
  }
}

TEST_P(LongCondition, RawFilterOfAMegabyte) {
  fill();
  const std::string text = list(60'000, " or ", [](int i) { return "N eq " + std::to_string(5 * i); });
  ASSERT_GT(text.size(), 800'000U);
  EXPECT_EQ(db_.rows("SELECT RowKey FROM Things WHERE _filter = '" + text + "' ORDER BY RowKey"),
            db_.rows("SELECT RowKey FROM Plain WHERE N % 5 = 0 ORDER BY RowKey"));
  EXPECT_EQ(
      db_.rows(
          "SELECT RowKey FROM Things WHERE PartitionKey = 'p00003' AND _filter = 'N lt 1000 and S ne ''" +
          std::string(1'000'000, 'y') + "''' ORDER BY RowKey"),
      db_.rows("SELECT RowKey FROM Plain WHERE PartitionKey = 'p00003' AND N < 1000 ORDER BY RowKey"));
}

// --- Wide tables

TEST_P(AtTheLimit, ColumnsOfATable) {
  // Six of SQLite's 2000 columns are every table's own; SERVER takes the place of one more.
  const int widest = remote() ? 1993 : 1994;
  make(integers("C", widest));
  EXPECT_EQ(db_.value("SELECT count(*) FROM pragma_table_xinfo('Things')"), std::to_string(widest + 6));
  const std::string message =
      db_.error("CREATE VIRTUAL TABLE g USING table_storage(" +
                list(widest + 1, ", ", [](int i) { return "C" + std::to_string(i) + " INTEGER"; }) +
                (remote() ? ", SERVER far)" : ")"));
  EXPECT_EQ(message, "too many columns on g");
  // No entity has so many properties, so the rows share them: each has every eighth.
  for (int row = 0; row < 8; ++row) {
    const auto name = [&](int i) { return "C" + std::to_string(8 * i + row); };
    const int count = (widest - row + 7) / 8;
    run_both("INSERT INTO @(PartitionKey, RowKey, " + list(count, ", ", name) + ") VALUES ('p', 'r" +
             std::to_string(row) + "', " + list(count, ", ", [&](int i) { return std::to_string(row + i); }) +
             ")");
  }
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 8U);
  EXPECT_EQ(expect_same("SELECT RowKey, C63, C64, C1992 FROM @ WHERE C1992 = 250 OR C64 = 8"), 1U);
  run_both("UPDATE @ SET C1985 = -1, C65 = NULL WHERE RowKey = 'r1'");
  run_both("UPDATE @ SET " + list(widest, ", ", [](int i) {
             return "C" + std::to_string(i) + " = C" + std::to_string(i) + " + 1";
           }));
  run_both("DELETE FROM @ WHERE C1992 = 250");
  EXPECT_EQ(expect_same("SELECT $ FROM @"), 7U);
}

// --- Large transactions

TEST_P(AtTheLimit, TransactionOfFiftyThousandOperations) {
  make({"N INTEGER", "S TEXT"});
  const auto rows = [](int from, int to) {
    return "SELECT format('p%d', value % 7), format('%06d', value), value, 's' || value FROM " +
           numbers(from, to);
  };
  run_both("INSERT INTO @($) " + rows(0, 9'999));
  const std::string all = "SELECT PartitionKey, RowKey, N, S FROM @ ORDER BY PartitionKey, RowKey";
  const auto changes = [&] {
    run_both("INSERT INTO @($) " + rows(10'000, 54'999));
    run_both("UPDATE @ SET N = -N WHERE RowKey < '005000'");
    run_both("SAVEPOINT one");
    run_both("UPDATE @ SET S = 'undone' WHERE RowKey < '010000'");
    run_both("DELETE FROM @ WHERE N > 35000");
    run_both("INSERT INTO @($) " + rows(60'000, 61'000));
    run_both("ROLLBACK TO one");
    run_both("UPDATE @ SET S = NULL WHERE RowKey BETWEEN '010000' AND '014999'");
    run_both("DELETE FROM @ WHERE RowKey BETWEEN '005000' AND '014999'");
  };
  db_.run("BEGIN");
  changes();
  EXPECT_EQ(expect_same(all), 45'000U);
  db_.run("ROLLBACK");
  EXPECT_EQ(expect_same(all), 10'000U);
  db_.run("BEGIN");
  changes();
  db_.run("COMMIT");
  EXPECT_EQ(expect_same(all), 45'000U);
}

constexpr auto kNames = [](const auto& info) { return info.param ? "Fake" : "Local"; };
INSTANTIATE_TEST_SUITE_P(, AtTheLimit, ::testing::Bool(), kNames);
INSTANTIATE_TEST_SUITE_P(, LargeEntity, ::testing::Bool(), kNames);
INSTANTIATE_TEST_SUITE_P(, LongCondition, ::testing::Bool(), kNames);

}  // namespace
}  // namespace table_storage::test
