// What joins over a service cost in requests, and that their rows are a plain table's.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/unit/extension/join_fixture.h"

namespace table_storage::test {
namespace {

using JoinCacheTest = JoinTest;

// 5 pages each, unless said otherwise.

TEST_F(JoinCacheTest, NonKeyJoinReadsBothTablesOnce) {
  make("a", 5000, 1000);
  make("b", 5000, 1000);
  EXPECT_LE(requests_of("SELECT count(*), sum(b.N) FROM @a a JOIN @b b ON b.N = a.N"), 13U);
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.S = a.S"), 13U);
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.V = a.V"), 16U);
  EXPECT_LE(requests_of("SELECT count(b.N) FROM @a a LEFT JOIN @b b ON b.N = a.N + 1"), 13U);
}

TEST_F(JoinCacheTest, FullKeyJoin) {
  make("a", 2000, 400);
  make("b", 5000, 1000);
  EXPECT_LE(requests_of("SELECT count(*), sum(b.N) FROM @a a CROSS JOIN @b b "
                        "ON b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey"),
            15U);
  db_.run("CREATE TABLE outer_rows AS SELECT PartitionKey AS p, RowKey AS r FROM na");
  EXPECT_LE(requests_of("SELECT count(*), sum(b.N) FROM outer_rows o JOIN @b b "
                        "ON b.PartitionKey = o.p AND b.RowKey = o.r"),
            13U);
}

TEST_F(JoinCacheTest, JoinInsideOnePartition) {
  make("a", 2000, 2000);
  make("b", 5000, 2500);
  EXPECT_LE(requests_of("SELECT count(*), sum(b.N) FROM @a a CROSS JOIN @b b "
                        "ON b.PartitionKey = 'p0000' AND b.RowKey = a.RowKey"),
            10U);
}

TEST_F(JoinCacheTest, CorrelatedExists) {
  make("a", 2000, 500);
  make("b", 5000, 1000);
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a WHERE EXISTS (SELECT 1 FROM @b b WHERE b.N = a.N)"), 10U);
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a WHERE NOT EXISTS (SELECT 1 FROM @b b WHERE b.N = -a.N)"),
            10U);
  EXPECT_LE(requests_of("SELECT sum((SELECT b.L FROM @b b WHERE b.N = a.N)) FROM @a a"), 10U);
  // The rows of the inner side are many and go by a range.
  EXPECT_LE(
      requests_of("SELECT sum((SELECT count(*) FROM @b b WHERE b.N > a.N + 4900)) FROM @a a WHERE a.N < 50"),
      12U);
}

TEST_F(JoinCacheTest, ThreeWayJoin) {
  make("a", 5000, 1000);
  make("b", 5000, 1000);
  make("c", 5000, 1000);
  EXPECT_LE(requests_of("SELECT count(*), sum(c.N) FROM @a a JOIN @b b ON b.N = a.N JOIN @c c ON c.S = b.S"),
            22U);
}

TEST_F(JoinCacheTest, OuterJoins) {
  make("a", 600, 100, 300);
  make("b", 600, 100);
  for (const char* kind : {"LEFT", "RIGHT", "FULL"}) {
    const std::string join = std::string(" @a a ") + kind + " JOIN @b b ON ";
    EXPECT_LE(requests_of("SELECT a.N, b.N FROM" + join + "b.N = a.N"), 6U) << kind;
    EXPECT_LE(requests_of("SELECT a.N, b.N FROM" + join +
                          "b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey"),
              16U)
        << kind;
  }
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b"), 4U);
  EXPECT_LE(requests_of("SELECT count(*) FROM @a a JOIN @a b ON b.L = a.L"), 5U);
}

TEST_F(JoinCacheTest, AFewLookUpsAreSentAlone) {
  make("a", 3, 1);
  make("b", 3000, 100);
  EXPECT_EQ(requests_of("SELECT a.N, b.N FROM @a a CROSS JOIN @b b "
                        "ON b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey"),
            4U);
  EXPECT_EQ(requests_of("SELECT a.N, b.N FROM @a a CROSS JOIN @b b ON b.PartitionKey = a.PartitionKey"), 4U);
}

// 40 partitions with 500 rows: each look-up is about a page, so nothing is gained by fetching the table.
TEST_F(JoinCacheTest, PartitionsAreReadOneByOne) {
  make("a", 10, 1);
  make("b", 20'000, 500);
  EXPECT_EQ(requests_of("SELECT sum(b.N) FROM @a a CROSS JOIN @b b ON b.PartitionKey = a.PartitionKey"), 11U);
}

// The same partition again is in memory.
TEST_F(JoinCacheTest, EqualLookUpsAreRemembered) {
  make("a", 300, 100);
  make("b", 1500, 500);
  EXPECT_EQ(
      requests_of("SELECT count(*), sum(b.N) FROM @a a CROSS JOIN @b b ON b.PartitionKey = a.PartitionKey"),
      4U);
  // Nothing varies: small enough to keep, or fetched the second time.
  EXPECT_EQ(
      requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.PartitionKey = 'p0001' AND b.N > a.N % 2"),
      3U);
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b WHERE b.N + 0 > a.N"), 5U);
}

// Partitions of two pages each, which is too much to keep of every look-up; but they come again.
TEST_F(JoinCacheTest, LargePartitionsThatComeAgainAreKept) {
  make("a", 40, 1);
  make("b", 6000, 2000);
  db_.run("CREATE TABLE twenty AS SELECT 'p000' || (N % 3) AS p FROM na WHERE N < 20");
  EXPECT_LE(requests_of("SELECT sum(b.N) FROM twenty o CROSS JOIN @b b ON b.PartitionKey = o.p"), 14U);
}

// The first row of a partition of 40 pages, six times: not worth reading all of it. Each look-up is a page
// and the one asked for ahead of it.
TEST_F(JoinCacheTest, LookUpsThatStopAtTheFirstRow) {
  make("a", 6, 6);
  make("b", 40'000, 40'000);
  EXPECT_LE(requests_of("SELECT a.N, (SELECT b.N FROM @b b WHERE b.PartitionKey = a.PartitionKey "
                        "ORDER BY b.RowKey LIMIT 1) FROM @a a"),
            1U + 6 * 2 + 7);
  // Those that read on to find theirs soon have paid for the fetch. The first is read in parts, which have to
  // be found; the second page by page.
  EXPECT_LE(requests_of("SELECT a.N, (SELECT b.L FROM @b b WHERE b.PartitionKey = a.PartitionKey AND "
                        "b.V + 0 = 20000 + a.N * 2 LIMIT 1) FROM @a a"),
            1U + 60 + 23 + 41);
}

TEST_F(JoinCacheTest, FullKeyLookUpsIntoALargeTableDoNotFetchIt) {
  options_ = ", estimated_rows '1000000'";
  make("a", 200, 1);
  make("b", 5000, 10);
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b "
                        "ON b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey"),
            201U);
}

// 3 partitions, and the look-ups in each repeat: each partition is fetched as a range.
TEST_F(JoinCacheTest, RepeatedLookUpsFetchTheirPartition) {
  options_ = ", estimated_rows '1000000'";
  make("a", 300, 100);
  make("b", 2000, 100);
  EXPECT_LE(requests_of("SELECT count(*), sum(b.N) FROM @a a CROSS JOIN @b b "
                        "ON b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey"),
            1U + 3 * 4);
}

TEST_F(JoinCacheTest, MemoryBoundGoesBackToSingleRequests) {
  options_ = ", join_cache_memory '1'";
  make("a", 40, 40);
  make("b", 12'000, 1000);
  // 12 pages do not fit into 1 MiB: the fetch is tried once, and in parts, which have probes and pages ahead.
  const std::size_t count = requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.N = a.N");
  EXPECT_GE(count, 1 + 40U);
  EXPECT_LE(count, 1 + 40U + 14 + 16);
  // And the next statement knows.
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.N = a.N"), 1 + 40U);
}

TEST_F(JoinCacheTest, WithoutMemoryThereIsNoCache) {
  options_ = ", join_cache_memory '0'";
  make("a", 20, 20);
  make("b", 100, 100);
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a a CROSS JOIN @b b ON b.N = a.N"), 21U);
}

TEST_F(JoinCacheTest, TheNextStatementReadsAnew) {
  make("a", 10, 10);
  make("b", 10, 10);
  const std::string sql = "SELECT group_concat(b.L) FROM fa a CROSS JOIN fb b ON b.N = a.N WHERE a.N < 5";
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
  const auto run = [&] {
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    std::string text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_reset(statement);
    return text;
  };
  EXPECT_EQ(run(), "0,1,2,3,4");
  service_.put("Tableb", {"p0000", "r000003"}, {{"N", Value::int32(3)}, {"L", Value::int32(33)}});
  EXPECT_EQ(run(), "0,1,2,33,4");
  // Also while another statement holds a cursor on the table.
  sqlite3_stmt* other = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT N FROM fb", -1, &other, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(other), SQLITE_ROW);
  service_.put("Tableb", {"p0000", "r000003"}, {{"N", Value::int32(3)}, {"L", Value::int32(34)}});
  EXPECT_EQ(run(), "0,1,2,34,4");
  service_.put("Tableb", {"p0000", "r000003"}, {{"N", Value::int32(3)}, {"L", Value::int32(35)}});
  EXPECT_EQ(run(), "0,1,2,35,4");
  sqlite3_finalize(other);
  sqlite3_finalize(statement);
}

TEST_F(JoinCacheTest, TheTransactionsWritesAreSeen) {
  make("a", 10, 10);
  make("b", 10, 10);
  const std::string sql = "SELECT group_concat(b.L) FROM fa a CROSS JOIN fb b ON b.N = a.N WHERE a.N < 6";
  db_.run(
      "BEGIN; UPDATE fb SET L = 99 WHERE PartitionKey = 'p0000' AND RowKey = 'r000002';"
      "DELETE FROM fb WHERE PartitionKey = 'p0000' AND RowKey = 'r000004'");
  EXPECT_EQ(db_.value(sql), "0,1,99,3,5");
  db_.run("SAVEPOINT s; UPDATE fb SET L = 77 WHERE PartitionKey = 'p0000' AND RowKey = 'r000001'");
  EXPECT_EQ(db_.value(sql), "0,77,99,3,5");
  db_.run("ROLLBACK TO s");
  EXPECT_EQ(db_.value(sql), "0,1,99,3,5");
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.value(sql), "0,1,2,3,4,5");
}

TEST_F(JoinCacheTest, AWriteBetweenTwoStepsIsSeen) {
  make("a", 10, 10);
  make("b", 10, 10);
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT b.L FROM fa a CROSS JOIN fb b ON b.N = a.N", -1,
                               &statement, nullptr),
            SQLITE_OK);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  db_.run("BEGIN; UPDATE fb SET L = 99 WHERE N = 7");
  std::string rest;
  while (sqlite3_step(statement) == SQLITE_ROW)
    rest += std::to_string(sqlite3_column_int(statement, 0)) + " ";
  EXPECT_EQ(rest, "6 99 8 9 ");
  sqlite3_finalize(statement);
  db_.run("ROLLBACK");
}

TEST_F(JoinCacheTest, UpdatesUnderTheETagThatTheCacheKept) {
  make("a", 10, 10);
  make("b", 10, 10);
  db_.run("UPDATE fb SET L = (SELECT 100 + a.L FROM fa a WHERE a.N = fb.N) WHERE N IN (SELECT N FROM fa)");
  EXPECT_EQ(db_.value("SELECT group_concat(L) FROM fb"), "100,101,102,103,104,105,106,107,108,109");
  // The inner side is what is written.
  db_.run("UPDATE fb SET L = a.N * 2 FROM na a CROSS JOIN fb b2 WHERE fb.N = a.N AND b2.N = a.N");
  EXPECT_EQ(db_.value("SELECT group_concat(L) FROM fb"), "0,2,4,6,8,10,12,14,16,18");
  std::string last;
  for (const fake::Request& request : sent()) {
    if (request.method == "POST") last = request.body;
  }
  EXPECT_NE(last.find("If-Match: W/"), std::string::npos) << last;
  EXPECT_EQ(
      db_.value(
          "SELECT count(DISTINCT b._etag) FROM fa a CROSS JOIN fb b ON b.N = a.N WHERE b._etag LIKE 'W/%'"),
      "10");
}

TEST_F(JoinCacheTest, OrderThatWasClaimedHolds) {
  make("a", 30, 3);
  make("b", 300, 30);
  requests_of(
      "SELECT a.N, (SELECT group_concat(N) FROM (SELECT N FROM @b b WHERE b.PartitionKey = a.PartitionKey "
      "ORDER BY RowKey)) FROM @a a ORDER BY a.N");
  requests_of(
      "SELECT a.N, (SELECT N FROM @b b WHERE b.L = a.L ORDER BY PartitionKey, RowKey LIMIT 1 OFFSET 1) "
      "FROM @a a ORDER BY a.N");
  requests_of(
      "SELECT a.N, (SELECT min(RowKey) FROM @b b WHERE b.PartitionKey = a.PartitionKey) FROM @a a ORDER BY "
      "1");
}

// A key compared with a number may mean several keys; SQLite compares under the affinity of its right side.
TEST_F(JoinCacheTest, NumbersAgainstTexts) {
  service_.create_table("Tablen");
  options_ = "";
  make("x", 1, 1);
  db_.run(
      "CREATE VIRTUAL TABLE fn USING table_storage(N INT32, S STRING, D DOUBLE, V ANY, OPTIONS (table "
      "'Tablen', "
      "endpoint '" +
      service_.endpoint() + "', dialect 'storage'))");
  db_.run("CREATE TABLE nn (PartitionKey TEXT, RowKey TEXT, N INTEGER, S TEXT, D REAL, V)");
  const char* texts[] = {"5",     "05", "5.0", "+5", "5e0", "5.5", "x", "", "0.3", "9007199254740993",
                         "1e400", "-0"};
  int i = 0;
  for (const char* text : texts) {
    const std::string row = std::to_string(i);
    service_.put("Tablen", {text, row},
                 {{"N", Value::int32(i % 7)},
                  {"S", Value::string(text)},
                  {"D", Value::real(i % 2 == 0 ? 5.5 : i)},
                  {"V", i % 3 == 0   ? Value::int32(5)
                        : i % 3 == 1 ? Value::string(text)
                                     : Value::real(5.5)}});
    db_.run("INSERT INTO nn VALUES ('" + std::string(text) + "', '" + row + "', " + std::to_string(i % 7) +
            ", '" + text + "', " + (i % 2 == 0 ? "5.5" : row) + ", " +
            (i % 3 == 0   ? "5"
             : i % 3 == 1 ? "'" + std::string(text) + "'"
                          : "5.5") +
            ")");
    ++i;
  }
  db_.run(
      "CREATE TABLE i (v INTEGER); CREATE TABLE r (v REAL); CREATE TABLE t (v TEXT); CREATE TABLE u (v);"
      "CREATE TABLE m (v NUMERIC)");
  const std::string values =
      "VALUES (5), (0), (NULL), (5.0), (5.5), ('5'), ('05'), ('5.0'), ('5.5'), ('x'), (''), (0.1 + 0.2), "
      "('0.3'), (9007199254740993), (9007199254740992), ('9007199254740993'), (x'35'), (1e400), (-0.0), (5)";
  for (const char* table : {"i", "r", "t", "u", "m"}) {
    db_.run("INSERT INTO " + std::string(table) + " " + values);
    for (const char* column : {"PartitionKey", "RowKey", "N", "S", "D", "V"}) {
      for (const char* op : {"=", "IS"}) {
        requests_of("SELECT quote(o.v), b.RowKey FROM " + std::string(table) + " o CROSS JOIN @n b ON b." +
                    column + " " + op + " o.v");
      }
    }
    requests_of("SELECT quote(o.v), b.RowKey FROM " + std::string(table) +
                " o CROSS JOIN @n b ON b.S = o.v AND b.PartitionKey = o.v");
    requests_of(
        "SELECT quote(o.v), (SELECT group_concat(RowKey) FROM (SELECT RowKey FROM @n b WHERE "
        "b.PartitionKey = o.v ORDER BY RowKey)) FROM " +
        std::string(table) + " o ORDER BY o.rowid");
  }
}

TEST_F(JoinCacheTest, CountAndExistsFetchKeysOnly) {
  make("a", 10, 5);
  const auto select_of = [&](const std::string& sql) {
    service_.forget_requests();
    db_.rows(sql);
    EXPECT_EQ(sent().size(), 1U) << sql;
    return parameter(sent().front(), "$select");
  };
  EXPECT_EQ(select_of("SELECT count(*) FROM fa"), "PartitionKey,RowKey");
  EXPECT_EQ(select_of("SELECT count(*) FROM fa WHERE PartitionKey = 'p0001'"), "PartitionKey,RowKey");
  EXPECT_EQ(select_of("SELECT EXISTS (SELECT 1 FROM fa WHERE PartitionKey = 'p0001')"),
            "PartitionKey,RowKey");
}

// --- Lists of keys

TEST_F(JoinCacheTest, ManyKeysOfAPartitionAreReadAsARange) {
  make("b", 5000, 2500);
  db_.run("CREATE TABLE wanted AS SELECT RowKey AS r, PartitionKey AS p FROM nb WHERE N % 2 = 0");
  // 1250 keys in each partition of three pages.
  EXPECT_LE(requests_of("SELECT N FROM @b WHERE PartitionKey = 'p0000' AND RowKey IN (SELECT r FROM wanted)"),
            3U);
  EXPECT_LE(requests_of("SELECT N, S FROM @b WHERE PartitionKey IN ('p0000', 'p0001', 'none') "
                        "AND RowKey IN (SELECT r FROM wanted) ORDER BY PartitionKey, RowKey"),
            12U);
  // Few keys: each by itself.
  EXPECT_EQ(
      requests_of("SELECT N FROM @b WHERE PartitionKey = 'p0000' AND RowKey IN ('r000001', 'r000700', 'x')"),
      3U);
}

// 20 keys far from each other: a page passes fewer than can be read at once, so the rest goes by points.
TEST_F(JoinCacheTest, ScatteredKeysOfALargePartitionAreReadOneByOne) {
  make("b", 20'000, 20'000);
  db_.run(
      "CREATE TABLE wanted AS SELECT RowKey AS r FROM nb WHERE N % 1000 = 500 "
      "UNION ALL SELECT 'r0' || N || 'x' FROM nb WHERE N % 1000 = 1");
  const std::size_t count = requests_of(
      "SELECT N FROM @b WHERE PartitionKey = 'p0000' AND RowKey IN (SELECT r FROM wanted) "
      "ORDER BY RowKey");
  EXPECT_LE(count, 41U);
  // Dense at first: the range goes on as long as it is worth it.
  db_.run(
      "DELETE FROM wanted; INSERT INTO wanted SELECT RowKey FROM nb WHERE N < 3000 AND N % 10 = 0 OR N > "
      "19990");
  EXPECT_LE(requests_of("SELECT N FROM @b WHERE PartitionKey = 'p0000' AND RowKey IN (SELECT r FROM wanted) "
                        "ORDER BY RowKey"),
            16U);
}

// Inside a transaction that writes, rowids lead to the keys of rows that were shown, and those are a list of
// keys.
TEST_F(JoinCacheTest, ManyRowidsOfRowsThatWereShown) {
  make("b", 1000, 1000);
  db_.run("BEGIN; UPDATE fb SET L = 1 WHERE PartitionKey = 'p0000' AND RowKey = 'r000001'");
  const std::string third = "rowid IN (SELECT rowid FROM fb WHERE N % 3 = 0)";
  EXPECT_EQ(db_.value("SELECT count(*) FROM fb WHERE " + third), "334");
  db_.run("UPDATE fb SET L = 777 WHERE " + third);
  EXPECT_EQ(db_.value("SELECT count(*), sum(N % 3) FROM fb WHERE L = 777"), "334|0");
  db_.run("DELETE FROM fb WHERE " + third + "; COMMIT");
  EXPECT_EQ(db_.value("SELECT count(*), sum(N % 3 = 0) FROM fb"), "666|0");
}

// 32 partitions are three round trips at most: so many are asked for before the first row is there.
TEST_F(JoinCacheTest, AListOfPartitionsTakesFewRoundTrips) {
  make("b", 64, 2);
  std::string keys;
  for (int i = 0; i < 32; ++i) keys += std::string(i > 0 ? ", " : "") + "'p" + number(i, 4) + "'";
  EXPECT_EQ(requests_of("SELECT count(*) FROM @b WHERE PartitionKey IN (" + keys + ")"), 32U);
  sqlite3_stmt* statement = nullptr;
  service_.forget_requests();
  ASSERT_EQ(
      sqlite3_prepare_v2(db_.handle(), ("SELECT N FROM fb WHERE PartitionKey IN (" + keys + ")").c_str(), -1,
                         &statement, nullptr),
      SQLITE_OK);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  for (int i = 0; i < 1000 && service_.request_count() < 11; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GE(service_.request_count(), 11U);
  EXPECT_LE(service_.request_count(), 16U);
  sqlite3_finalize(statement);
}

// --- require_key and max_requests

TEST_F(JoinCacheTest, RequireKeyRefusesScansOfTheTable) {
  options_ = ", require_key 'error'";
  make("a", 60, 20);
  make("b", 60, 20);
  for (const char* condition :
       {"1", "RowKey = 'r000001'", "N = 5", "_filter = 'N eq 5'", "PartitionKey <> 'p'"}) {
    service_.forget_requests();
    const std::string message = db_.error(std::string("SELECT N FROM fa WHERE ") + condition);
    EXPECT_NE(message.find("no condition bounds PartitionKey"), std::string::npos) << message;
    EXPECT_NE(message.find("fa"), std::string::npos) << message;
    EXPECT_EQ(service_.request_count(), 0U);
  }
  for (const char* condition : {"PartitionKey = 'p0001'", "PartitionKey IN ('p0001', 'p0002')",
                                "PartitionKey >= 'p0001' AND N > 3", "PartitionKey LIKE 'p%'"}) {
    requests_of(std::string("SELECT N FROM @a WHERE ") + condition);
  }
  // A look-up that has its partition does not become a scan of the table behind the user's back.
  requests_of(
      "SELECT a.N, b.L FROM @a a CROSS JOIN @b b ON b.PartitionKey = a.PartitionKey AND b.RowKey = a.RowKey "
      "WHERE a.PartitionKey >= 'p0000'");
  for (const fake::Request& request : sent()) {
    EXPECT_TRUE(request.path.find("PartitionKey=") != std::string::npos ||
                parameter(request, "$filter").find("PartitionKey") != std::string::npos)
        << request.path << "?" << request.query;
  }
}

TEST_F(JoinCacheTest, RequireKeyWarns) {
  options_ = ", require_key 'warn'";
  make("a", 5, 5);
  EXPECT_EQ(requests_of("SELECT N FROM @a WHERE N = 3"), 1U);
}

TEST_F(JoinCacheTest, MaxRequestsStopsAStatement) {
  options_ = ", max_requests '3', join_cache_memory '0'";
  make("a", 3000, 1000);
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a"), 3U);
  EXPECT_EQ(requests_of("SELECT count(*) FROM @a"), 3U);  // counted anew
  service_.forget_requests();
  const std::string message = db_.error("SELECT count(*) FROM na n CROSS JOIN fa a ON a.RowKey = n.RowKey");
  EXPECT_NE(message.find("fa: the statement needs more than the 3 requests that max_requests allows"),
            std::string::npos)
      << message;
  EXPECT_LE(service_.request_count(), 3U);
}

}  // namespace
}  // namespace table_storage::test
