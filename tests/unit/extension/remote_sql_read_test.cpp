// SELECT over the remote backend: which requests a query makes, and that its rows are a plain table's.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "parser/edm/text.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class RemoteRead : public RemoteTest {
 protected:
  RemoteRead() { map(); }

  void set_paging(const std::function<void(fake::Paging&)>& change) {
    service_.configure([&](fake::Settings& settings) { change(settings.paging); });
  }

  /// 5 partitions with 7 entities each, in the service and in the plain table `plain`.
  void fill() {
    db_.run("CREATE TABLE plain (PartitionKey TEXT, RowKey TEXT, N INTEGER, S TEXT)");
    for (int p = 0; p < 5; ++p) {
      for (int r = 0; r < 7; ++r) {
        const std::string partition = "p" + std::to_string(p);
        const std::string row = "r" + std::to_string(r);
        const int n = p * 7 + r;
        const std::string text = "it's " + std::to_string(n % 3);
        fake::Properties properties{{"N", Value::int32(n)}, {"Other", Value::string("x")}};
        // Every fourth entity has no S.
        if (n % 4 != 0) properties.emplace_back("S", Value::string(text));
        service_.put("Things", {partition, row}, properties);
        db_.run("INSERT INTO plain VALUES ('" + partition + "', '" + row + "', " + std::to_string(n) + ", " +
                (n % 4 != 0 ? "'it''s " + std::to_string(n % 3) + "'" : "NULL") + ")");
      }
    }
  }

  /// "SELECT … FROM @ …" gives the same rows of both tables.
  void expect_same(const std::string& sql) {
    const auto of = [&](const std::string& table) {
      std::string text = sql;
      text.replace(text.find('@'), 1, table);
      Rows rows = db_.rows(text);
      if (sql.find("ORDER BY") == std::string::npos) std::sort(rows.begin(), rows.end());
      return rows;
    };
    EXPECT_EQ(of("t"), of("plain")) << sql;
  }

  void expect_all_same() {
    expect_same("SELECT PartitionKey, RowKey, N, S FROM @");
    expect_same("SELECT PartitionKey, RowKey, N, S FROM @ ORDER BY PartitionKey, RowKey");
    expect_same("SELECT RowKey FROM @ WHERE PartitionKey = 'p3' ORDER BY RowKey DESC");
    expect_same("SELECT N FROM @ WHERE PartitionKey > 'p1' AND PartitionKey <= 'p3' AND S = 'it''s 1'");
    expect_same("SELECT PartitionKey, count(*), sum(N) FROM @ GROUP BY 1 ORDER BY 1");
    expect_same("SELECT N FROM @ WHERE S IS NULL AND N > 10 ORDER BY N");
    expect_same("SELECT N FROM @ WHERE PartitionKey IN ('p4', 'p1', 'none') ORDER BY PartitionKey, RowKey");
    expect_same("SELECT N FROM @ ORDER BY PartitionKey, RowKey LIMIT 6 OFFSET 5");
  }
};

TEST_F(RemoteRead, SmallPages) {
  fill();
  set_paging([](fake::Paging& paging) { paging.page_size = 3; });
  expect_all_same();
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "35");
  EXPECT_EQ(service_.request_count(), 12U);
  EXPECT_EQ(parameter(sent().front(), "NextPartitionKey"), "-");
  EXPECT_NE(parameter(sent().back(), "NextPartitionKey"), "-");
}

TEST_F(RemoteRead, EmptyPagesWithTokens) {
  fill();
  set_paging([](fake::Paging& paging) {
    paging.page_size = 4;
    paging.empty_every = 2;
  });
  expect_all_same();
}

TEST_F(RemoteRead, ScanLimitsGiveEmptyPages) {
  fill();
  set_paging([](fake::Paging& paging) { paging.scan_limit = 2; });
  expect_all_same();
}

TEST_F(RemoteRead, TokensOfPartitionsOnly) {
  fill();
  set_paging([](fake::Paging& paging) { paging.partition_pages = true; });
  expect_all_same();
  service_.forget_requests();
  db_.rows("SELECT N FROM t");
  EXPECT_EQ(service_.request_count(), 5U);
  EXPECT_NE(parameter(sent().back(), "NextPartitionKey"), "-");
  EXPECT_EQ(parameter(sent().back(), "NextRowKey"), "-");
}

TEST_F(RemoteRead, LastTokenLeadsToAnEmptyPage) {
  fill();
  set_paging([](fake::Paging& paging) {
    paging.page_size = 5;
    paging.trailing_empty_page = true;
  });
  expect_all_same();
}

// It would be read for ever.
TEST_F(RemoteRead, PagesInACircle) {
  map("ahead", ", prefetch_pages '4'");
  service_.set_hook([](const fake::Request& request) -> std::optional<fake::Answer> {
    fake::Answer answer;
    answer.headers = {{"Content-Type", "application/json;odata=minimalmetadata"}};
    if (request.path.find("/Tables") != std::string::npos) {
      answer.headers.emplace_back("x-ms-continuation-NextTableName", "again");
      answer.body = R"({"value":[{"TableName":"Things"}]})";
    } else {
      answer.headers.emplace_back("x-ms-continuation-NextPartitionKey", "again");
      answer.body = R"({"value":[{"odata.etag":"W/\"1\"","PartitionKey":"p","RowKey":"r",)"
                    R"("Timestamp":"2024-06-15T00:00:00Z","N":1}]})";
    }
    answer.status = 200;
    return answer;
  });
  for (const char* sql : {"SELECT count(*) FROM t", "SELECT count(*) FROM ahead"}) {
    const std::string message = db_.error(sql);
    EXPECT_TRUE(message.find("reading table Things: the service says again and again") != std::string::npos)
        << message;
  }
  const std::string message = db_.error("SELECT count(*) FROM ts_tables('" + service_.endpoint() + "')");
  EXPECT_TRUE(message.find("listing the tables: the service says again") != std::string::npos) << message;
  service_.set_hook(nullptr);
}

TEST_F(RemoteRead, AsksForTheColumnsUsed) {
  fill();
  const auto select_of = [&](const std::string& sql) {
    service_.forget_requests();
    db_.rows(sql);
    return parameter(sent().front(), "$select");
  };
  EXPECT_EQ(select_of("SELECT N FROM t"), "PartitionKey,RowKey,N");
  EXPECT_EQ(select_of("SELECT S, N FROM t WHERE RowKey = 'r1'"), "PartitionKey,RowKey,N,S");
  EXPECT_EQ(select_of("SELECT PartitionKey FROM t"), "PartitionKey,RowKey");
  EXPECT_EQ(select_of("SELECT Timestamp, N FROM t"), "PartitionKey,RowKey,Timestamp,N");
  EXPECT_EQ(select_of("SELECT N FROM t WHERE Timestamp > '2020-01-01'"), "PartitionKey,RowKey,Timestamp,N");
  EXPECT_EQ(select_of("SELECT _properties FROM t"), "-");
}

TEST_F(RemoteRead, ConditionsBecomeFilters) {
  const auto where = [&](const std::string& condition) {
    return filter_of("SELECT N FROM t WHERE " + condition);
  };
  EXPECT_EQ(where("1"), "-");
  EXPECT_EQ(where("PartitionKey = 'p1'"), "PartitionKey eq 'p1'");
  EXPECT_EQ(where("PartitionKey = 'p1' AND RowKey >= 'r2' AND RowKey < 'r5'"),
            "PartitionKey eq 'p1' and RowKey ge 'r2' and RowKey lt 'r5'");
  EXPECT_EQ(where("PartitionKey BETWEEN 'a' AND 'b'"), "PartitionKey ge 'a' and PartitionKey le 'b'");
  EXPECT_EQ(where("PartitionKey GLOB 'p1*'"), "PartitionKey ge 'p1' and PartitionKey lt 'p2'");
  EXPECT_EQ(where("PartitionKey LIKE 'p1%'"), "PartitionKey ge 'P1' and PartitionKey lt 'p2'");
  EXPECT_EQ(where("S = 'it''s'"), "S eq 'it''s'");
  EXPECT_EQ(where("N > 3 AND N <= 9"), "N gt 3 and N le 9");
  EXPECT_EQ(where("L = 5000000000"), "L eq 5000000000L");
  EXPECT_EQ(where("D = 2.5"), "D eq 2.5");
  EXPECT_EQ(where("B = 1"), "B eq true");
  EXPECT_EQ(where("T >= '2024-02-03T04:05:06Z'"), "T ge datetime'2024-02-03T04:05:06Z'");
  EXPECT_EQ(where("N IN (1, 2)"), "N eq 1 or N eq 2");
  EXPECT_EQ(where("PartitionKey = 'p' AND N IN (1, 2)"), "PartitionKey eq 'p' and (N eq 1 or N eq 2)");
  // A bound before a character whose order differs is cut there.
  EXPECT_EQ(where("PartitionKey > 'a\xF0\x9F\x98\x80z'"), "PartitionKey ge 'a'");
  EXPECT_EQ(where("_filter = 'Other eq ''x'' or N lt 3'"), "Other eq 'x' or N lt 3");
}

TEST_F(RemoteRead, PointReadIsOneGet) {
  fill();
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT N FROM t WHERE PartitionKey = 'p2' AND RowKey = 'r3'"), "17");
  ASSERT_EQ(sent().size(), 1U);
  EXPECT_EQ(sent()[0].path, "/devstoreaccount1/Things(PartitionKey='p2',RowKey='r3')");
  EXPECT_EQ(parameter(sent()[0], "$filter"), "-");
  service_.forget_requests();
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE PartitionKey = 'p2' AND RowKey = 'none'"), Rows{});
  EXPECT_EQ(service_.request_count(), 1U);
  service_.forget_requests();
  // Keys that no entity can have are not asked for.
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE PartitionKey = 'a/b' AND RowKey = 'r'"), Rows{});
  EXPECT_EQ(service_.request_count(), 0U);
}

TEST_F(RemoteRead, ListOfPartitionsIsReadConcurrentlyAndInOrder) {
  std::string list;
  Rows expected;
  for (int i = 19; i >= 0; --i) {
    const std::string name = "k" + std::to_string(10 + i);
    list += (list.empty() ? "'" : ", '") + name + "'";
    for (int r = 0; r < 2; ++r) put("r" + std::to_string(r), i, name);
  }
  for (int i = 0; i < 20; ++i) {
    for (int r = 0; r < 2; ++r) expected.push_back("k" + std::to_string(10 + i) + "|r" + std::to_string(r));
  }
  service_.add_fault({.action = Fault::Action::delay, .times = 0, .delay = std::chrono::milliseconds(30)});
  service_.forget_requests();
  const std::size_t before = service_.connections();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(db_.rows("SELECT PartitionKey, RowKey FROM t WHERE PartitionKey IN (" + list +
                     ") ORDER BY PartitionKey, RowKey"),
            expected);
  // One after another they would take 600 ms.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(450));
  EXPECT_EQ(service_.request_count(), 20U);
  EXPECT_GT(service_.connections() - before, 2U);
  EXPECT_LE(service_.connections() - before, 16U);  // twice option concurrency
}

TEST_F(RemoteRead, KeysOfEveryKind) {
  db_.run("CREATE TABLE plain (PartitionKey TEXT, RowKey TEXT, N INTEGER, S TEXT)");
  const std::vector<std::string> keys{"",
                                      "it's",
                                      "''",
                                      "100%",
                                      "%41",
                                      "a b",
                                      "a+b",
                                      "a&b=c",
                                      "é",
                                      "日本",
                                      "\xEE\x80\x80",
                                      "\xEF\xBF\xBD",
                                      "\xF0\x9F\x98\x80",
                                      "\xF0\x9F\x98\x80\xEE\x80\x80",
                                      "a\xEE\x80\x80",
                                      "a\xF0\x9F\x98\x80",
                                      "b",
                                      "\xED\x9F\xBF",
                                      "Z",
                                      "_"};
  int n = 0;
  for (const std::string& partition : keys) {
    for (const std::string& row : keys) {
      put(row, ++n, partition);
      sqlite3_stmt* insert = nullptr;
      sqlite3_prepare_v2(db_.handle(), "INSERT INTO plain VALUES (?, ?, ?, NULL)", -1, &insert, nullptr);
      sqlite3_bind_text(insert, 1, partition.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(insert, 2, row.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int(insert, 3, n);
      EXPECT_EQ(sqlite3_step(insert), SQLITE_DONE);
      sqlite3_finalize(insert);
    }
  }
  set_paging([](fake::Paging& paging) { paging.page_size = 7; });
  expect_same("SELECT PartitionKey, RowKey, N FROM @ ORDER BY PartitionKey, RowKey");
  expect_same("SELECT PartitionKey, RowKey, N FROM @ ORDER BY PartitionKey DESC, RowKey DESC");
  set_paging([](fake::Paging& paging) { paging.page_size = 90; });
  for (const std::string& key : keys) {
    std::string quoted;
    for (const char c : key) quoted += c == '\'' ? "''" : std::string(1, c);
    expect_same("SELECT N FROM @ WHERE PartitionKey = '" + quoted + "' AND RowKey = '" + quoted + "'");
    expect_same("SELECT N FROM @ WHERE PartitionKey = '" + quoted + "' ORDER BY RowKey");
    for (const char* op : {"<", "<=", ">", ">="}) {
      expect_same(std::string("SELECT N FROM @ WHERE PartitionKey ") + op + " '" + quoted +
                  "' ORDER BY PartitionKey, RowKey");
    }
  }
  expect_same(
      "SELECT N FROM @ WHERE PartitionKey IN ('a\xEE\x80\x80', 'a\xF0\x9F\x98\x80', '%41') "
      "ORDER BY PartitionKey, RowKey");
}

TEST_F(RemoteRead, TooLongFilterIsTestedHere) {
  fill();
  // 9000 bytes of condition; the key condition still goes.
  const std::string raw = "N lt 20 and Other ne ''" + std::string(9000, 'y') + "''";
  service_.forget_requests();
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE PartitionKey = 'p2' AND _filter = '" + raw + "' ORDER BY RowKey"),
            (Rows{"14", "15", "16", "17", "18", "19"}));
  ASSERT_EQ(service_.request_count(), 1U);
  EXPECT_EQ(parameter(sent()[0], "$filter"), "PartitionKey eq 'p2'");
  // What the filter reads is asked for beside what the query shows.
  EXPECT_NE(parameter(sent()[0], "$select").find("Other"), std::string::npos);
}

TEST_F(RemoteRead, TooLongFilterOverKeysAndTimestampIsTestedHere) {
  fill();
  const std::string either = "(N eq 7 or N lt 100 and Other ne ''" + std::string(9000, 'y') + "'')";
  const auto rows = [&](const std::string& condition) {
    return db_.rows("SELECT PartitionKey || RowKey FROM t WHERE _filter = '" + condition + " and " + either +
                    "' ORDER BY PartitionKey, RowKey");
  };
  EXPECT_EQ(rows("PartitionKey gt ''p2'' and RowKey ge ''r5''"), (Rows{"p3r5", "p3r6", "p4r5", "p4r6"}));
  EXPECT_EQ(rows("Timestamp gt datetime''2020-01-01'' and RowKey eq ''r0''"),
            (Rows{"p0r0", "p1r0", "p2r0", "p3r0", "p4r0"}));
  EXPECT_EQ(rows("Timestamp lt datetime''2020-01-01''"), Rows{});
  EXPECT_EQ(parameter(sent().back(), "$filter"), "-");
}

// A row that the service makes of another one is no row.
TEST_F(RemoteRead, AnswerOfAnotherEntity) {
  put("a", 1);
  put("b", 2);
  service_.set_hook([](const fake::Request& request) -> std::optional<fake::Answer> {
    if (request.path.find("RowKey=") == std::string::npos) return std::nullopt;
    fake::Answer answer;
    answer.headers = {{"Content-Type", "application/json;odata=minimalmetadata"}};
    answer.body = R"({"PartitionKey":"p","RowKey":"b","N":2})";
    return answer;
  });
  const std::string wrong =
      "reading table Things: the service answered with another entity than the one it was asked for";
  EXPECT_EQ(db_.value("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'b'"), "2");
  EXPECT_EQ(db_.error("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'a'"), wrong);
  EXPECT_EQ(db_.error("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey IN ('a', 'b', 'c')"), wrong);
  // What a pending write is merged with.
  map("merging", ", upsert 'merge'");
  db_.run("BEGIN; INSERT OR REPLACE INTO merging (PartitionKey, RowKey, S) VALUES ('p', 'a', 'x')");
  EXPECT_EQ(db_.error("SELECT N, S FROM t"), wrong);
  db_.run("ROLLBACK");
  service_.set_hook(nullptr);
}

// Names of properties alone may be too long for an address; then all properties come.
TEST_F(RemoteRead, TooManyColumnsToSelect) {
  std::string columns, names, wanted;
  fake::Properties properties;
  for (int i = 0; i < 150; ++i) {
    const std::string name = "A_rather_long_name_of_a_property_as_programs_make_them_" + std::to_string(i);
    columns += name + " INT32, ";
    names += "," + name;
    wanted += "|" + std::to_string(i);
    properties.emplace_back(name, Value::int32(i));
  }
  service_.put("Things", {"p", "wide"}, properties);
  db_.run("CREATE VIRTUAL TABLE w USING table_storage(" + columns + "OPTIONS (table 'Things', endpoint '" +
          service_.endpoint() + "', dialect 'storage'))");
  for (const char* where : {"PartitionKey = 'p' AND RowKey = 'wide'", "RowKey = 'wide'",
                            "A_rather_long_name_of_a_property_as_programs_make_them_7 = 7"}) {
    service_.forget_requests();
    EXPECT_EQ(db_.value("SELECT RowKey" + names + " FROM w WHERE " + where), "wide" + wanted) << where;
    ASSERT_EQ(sent().size(), 1U);
    EXPECT_EQ(parameter(sent().front(), "$select"), "-");
    EXPECT_LT(sent().front().path.size() + sent().front().query.size(), 7'500U);
  }
}

TEST_F(RemoteRead, LimitBecomesTop) {
  fill();
  const auto top_of = [&](const std::string& sql) {
    service_.forget_requests();
    db_.rows(sql);
    EXPECT_EQ(service_.request_count(), 1U) << sql;
    return parameter(sent().front(), "$top");
  };
  EXPECT_EQ(top_of("SELECT N FROM t LIMIT 3"), "3");
  EXPECT_EQ(top_of("SELECT N FROM t"), "-");
  // A limit that the first page does not fill after all: SQLite tests the condition.
  set_paging([](fake::Paging& paging) { paging.scan_limit = 2; });
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE N % 10 = 9 ORDER BY PartitionKey, RowKey LIMIT 2"),
            (Rows{"9", "19"}));
  EXPECT_EQ(db_.rows("SELECT N FROM t ORDER BY PartitionKey, RowKey LIMIT 3 OFFSET 8"),
            (Rows{"8", "9", "10"}));
}

TEST_F(RemoteRead, LimitOverKeysInAnotherOrder) {
  for (const char* row : {"a", "\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81"}) put(row, 1);
  set_paging([](fake::Paging& paging) {
    paging.page_size = 1;
    paging.trailing_empty_page = true;
  });
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t ORDER BY PartitionKey, RowKey LIMIT 2"),
            (Rows{"a", "\xEE\x80\x80"}));
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE PartitionKey IN ('o', 'p', 'q') "
                     "ORDER BY PartitionKey, RowKey LIMIT 3"),
            (Rows{"a", "\xEE\x80\x80", "\xF0\x9F\x98\x80"}));
}

TEST_F(RemoteRead, SizeOfPagesIsAnOption) {
  for (int i = 10; i < 35; ++i) put("r" + std::to_string(i), i);
  map("small", ", page_size '10'");
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t WHERE PartitionKey = 'p'"), "25");
  EXPECT_EQ(parameter(sent().front(), "$top"), "-");
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM small WHERE PartitionKey = 'p'"), "25");
  EXPECT_GE(sent().size(), 3U);
  for (const fake::Request& request : sent()) EXPECT_EQ(parameter(request, "$top"), "10");
  service_.forget_requests();
  db_.rows("SELECT N FROM small LIMIT 3");
  EXPECT_EQ(parameter(sent().front(), "$top"), "3");
}

// How many requests there have been when the first row is shown, and that all rows come however many.
TEST_F(RemoteRead, PagesAheadAreAnOption) {
  service_.configure([](fake::Settings& settings) { settings.paging.page_size = 2; });
  for (int i = 10; i < 20; ++i) put("r" + std::to_string(i), i);
  const std::string all = db_.value("SELECT count(*) || ' ' || sum(N) FROM t");
  const std::size_t pages = sent("GET").size();
  for (const int ahead : {0, 1, 2, 3, 8}) {
    const std::string name = "ahead" + std::to_string(ahead);
    map(name, ", prefetch_pages '" + std::to_string(ahead) + "'");
    for (int times = 0; times < 3; ++times) {
      service_.forget_requests();
      EXPECT_EQ(db_.value("SELECT count(*) || ' ' || sum(N) FROM " + name), all);
      EXPECT_EQ(service_.request_count(), pages) << ahead;
    }
  }
  service_.forget_requests();
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT N FROM ahead0", -1, &statement, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  EXPECT_EQ(service_.request_count(), 1U);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  EXPECT_EQ(service_.request_count(), 2U);
  sqlite3_finalize(statement);
}

// minimal and full: another Accept, more bytes, the same rows, values, types and ETags.
TEST_F(RemoteRead, MetadataIsAnOption) {
  for (int r = 0; r < 3; ++r) {
    service_.put("Things", {"p", "r" + std::to_string(r)},
                 {{"N", Value::int32(r)},
                  {"S", Value::string("it's")},
                  {"D", Value::real(2)},
                  {"L", Value::int64(9007199254740993 + r)},
                  {"B", Value::boolean(true)},
                  {"T", Value::datetime(*edm::parse_datetime("2024-02-03T04:05:06.1234567Z"))},
                  {"G", Value::guid("\x01\x02 sixteen bytes")},
                  {"Raw", Value::binary(std::string("\0\1", 2))}});
  }
  map("more", ", metadata 'Full'");
  map("less", ", metadata 'minimal'");
  const std::vector<std::string> queries{
      "SELECT *, _etag, _properties FROM @ ORDER BY RowKey", "SELECT T, Timestamp FROM @",
      "SELECT *, _etag, _properties FROM @ WHERE PartitionKey = 'p' AND RowKey = 'r1'",
      "SELECT _properties FROM @ WHERE L > 9007199254740993"};
  for (const auto personality : {fake::Personality::storage, fake::Personality::cosmos}) {
    service_.configure([&](fake::Settings& settings) { settings.personality = personality; });
    for (const std::string& query : queries) {
      const auto ask = [&](const std::string& table, const std::string& level) {
        service_.forget_requests();
        std::string text = query;
        const Rows rows = db_.rows(text.replace(text.find('@'), 1, table));
        for (const fake::Request& request : sent("GET"))
          EXPECT_EQ(header(request, "Accept"), "application/json;odata=" + level + "metadata") << text;
        return rows;
      };
      const Rows rows = ask("t", "minimal");
      EXPECT_FALSE(rows.empty()) << query;
      EXPECT_EQ(ask("less", "minimal"), rows) << query;
      EXPECT_EQ(ask("more", "full"), rows) << query;
    }
  }
  service_.configure([](fake::Settings& settings) { settings.personality = fake::Personality::storage; });
  db_.run("UPDATE more SET S = 'new' WHERE RowKey = 'r2'");
  EXPECT_EQ(db_.value("SELECT S FROM t WHERE RowKey = 'r2'"), "new");
}

TEST_F(RemoteRead, NoMetadataIsRefused) {
  EXPECT_EQ(db_.error("CREATE VIRTUAL TABLE x USING table_storage(OPTIONS (endpoint '" + service_.endpoint() +
                      "', metadata 'none'))"),
            "option metadata of table x takes minimal or full; without metadata the service sends neither "
            "ETags nor the types of Int64, DateTime, Guid and Binary values");
}

TEST_F(RemoteRead, MissingTable) {
  map("absent", "", "Absent");
  const std::string message = db_.error("SELECT * FROM absent");
  EXPECT_NE(message.find("TableNotFound"), std::string::npos) << message;
  EXPECT_NE(message.find("Absent"), std::string::npos) << message;
}

TEST_F(RemoteRead, InterruptEndsAHangingRequest) {
  fill();
  service_.add_fault({.action = Fault::Action::hang});
  const auto began = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sqlite3_interrupt(db_.handle());
  });
  int code = 0;
  db_.error("SELECT count(*) FROM t", &code);
  other.join();
  EXPECT_EQ(code & 0xff, SQLITE_INTERRUPT);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "35");  // and the connection is as good as before
}

TEST_F(RemoteRead, ValuesOfEveryType) {
  service_.put("Things", {"p", "r"},
               {{"N", Value::int32(-5)},
                {"S", Value::string("é'\xF0\x9F\x98\x80")},
                {"D", Value::real(0.1)},
                {"L", Value::int64(9007199254740993)},
                {"B", Value::boolean(true)},
                {"T", Value::datetime(*edm::parse_datetime("2024-02-03T04:05:06.1234567Z"))}});
  service_.put("Things", {"p", "s"}, {{"N", Value::string("not a number")}, {"S", Value::string("")}});
  EXPECT_EQ(db_.rows("SELECT N, S, D, L, B, T FROM t ORDER BY RowKey"),
            (Rows{"-5|é'\xF0\x9F\x98\x80|0.1|9007199254740993|1|2024-02-03T04:05:06.1234567Z",
                  "NULL||NULL|NULL|NULL|NULL"}));
  EXPECT_EQ(db_.value("SELECT count(*) FROM t WHERE L = 9007199254740992"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t WHERE L = 9007199254740993"), "1");
}

TEST_F(RemoteRead, EtagIsTheServices) {
  const std::string etag = put("r", 1);
  EXPECT_EQ(db_.value("SELECT _etag FROM t"), etag);
  EXPECT_EQ(db_.value("SELECT _etag FROM t WHERE PartitionKey = 'p' AND RowKey = 'r'"), etag);
}

}  // namespace
}  // namespace table_storage::test
