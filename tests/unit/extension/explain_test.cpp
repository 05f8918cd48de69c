// ts_explain: the requests of a statement before it runs. ts_requests: those that were sent.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class ExplainTest : public RemoteTest {
 protected:
  ExplainTest() {
    service_.create_table("Devices");
    map("t");
    map("d", "", "Devices");
  }

  std::string quoted(const std::string& sql) {
    std::string text = "'";
    for (char c : sql) text += c == '\'' ? std::string("''") : std::string(1, c);
    return text + "'";
  }

  Rows requests_of(const std::string& sql) {
    return db_.rows("SELECT foreign_table, price, detail FROM ts_explain(" + quoted(sql) +
                    ") WHERE item = 'request' ORDER BY scan");
  }
  Rows conditions_of(const std::string& where) {
    return db_.rows("SELECT detail, pushed FROM ts_explain(" + quoted("SELECT N FROM t WHERE " + where) +
                    ") WHERE item = 'condition'");
  }
};

TEST_F(ExplainTest, PriceClassesAndRequests) {
  const auto request = [&](const std::string& rest) {
    const Rows rows = requests_of("SELECT N FROM t WHERE " + rest);
    return rows.size() == 1 ? rows.front() : std::to_string(rows.size()) + " scans";
  };
  EXPECT_EQ(
      request("PartitionKey = 'p' AND RowKey = 'r'"),
      "t|point|GET Things()?$filter=PartitionKey eq 'p' and RowKey eq 'r'&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(request("PartitionKey = 'p'"),
            "t|partition|GET Things()?$filter=PartitionKey eq 'p'&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(request("PartitionKey >= 'a' AND N > 5"),
            "t|range|GET Things()?$filter=PartitionKey ge 'a' and N gt 5&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(
      request("PartitionKey IN ('a', 'b')"),
      "t|partitions|GET Things()?$filter=PartitionKey eq each of {a list}&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(
      request("PartitionKey = ?1 AND RowKey = :row"),
      "t|point|GET Things()?$filter=PartitionKey eq {?1} and RowKey eq {:row}&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(request("S = 'it''s' LIMIT 3"),
            "t|table scan|GET Things()?$filter=S eq 'it''s'&$select=PartitionKey,RowKey,N,S&$top=3");
  EXPECT_EQ(service_.request_count(), 0U);  // nothing was asked
}

TEST_F(ExplainTest, JoinsSayWhereValuesComeFrom) {
  EXPECT_EQ(
      requests_of("SELECT t.N FROM d CROSS JOIN t ON t.PartitionKey = d.RowKey WHERE d.PartitionKey = 'x'"),
      (Rows{"d|partition|GET Devices()?$filter=PartitionKey eq 'x'&$select=PartitionKey,RowKey",
            "t|partition|GET Things()?$filter=PartitionKey eq {d.RowKey}&$select=PartitionKey,RowKey,N"}));
  const std::string remark = db_.value(
      "SELECT reason FROM ts_explain('SELECT t.N FROM d CROSS JOIN t ON t.PartitionKey = d.RowKey') "
      "WHERE item = 'request' AND foreign_table = 't'");
  EXPECT_NE(remark.find("join cache"), std::string::npos) << remark;
}

TEST_F(ExplainTest, ConditionsSayHowTheyArePushed) {
  EXPECT_EQ(conditions_of("PartitionKey = 'p' AND RowKey = 5"),
            (Rows{"PartitionKey = 'p'|exact", "RowKey = 5|superset"}));
  EXPECT_EQ(conditions_of("PartitionKey LIKE 'ab%'"),
            (Rows{"PartitionKey like 'ab%'|superset", "a condition on PartitionKey|local"}));
  EXPECT_EQ(conditions_of("N = 5 AND D > 1.5 AND B = 1"),
            (Rows{"N = 5|exact", "D > 1.5|exact", "B = 1|exact"}));
  EXPECT_EQ(conditions_of("N <> 5"), (Rows{"N <> 5|superset"}));
  EXPECT_EQ(conditions_of("N IS NULL"), (Rows{"a condition on N|local"}));
  EXPECT_EQ(conditions_of("N = 'x'"), (Rows{"N = 'x'|local"}));
  EXPECT_EQ(conditions_of("_filter = 'Other gt 5'"), (Rows{"_filter = 'Other gt 5'|exact"}));
  EXPECT_EQ(conditions_of("lower(S) = 'x'"), Rows{});
  for (const std::string& reason : db_.rows("SELECT reason FROM ts_explain('SELECT * FROM t WHERE N IS NULL "
                                            "AND S > ''a'' AND RowKey < ''z''')")) {
    EXPECT_GT(reason.size(), 10U);
  }
}

TEST_F(ExplainTest, ExpectationsComeFromEarlierScans) {
  for (int i = 0; i < 2500; ++i) put("r" + std::to_string(10000 + i), i);
  const std::string sql =
      "SELECT requests, entities, bytes > 100000 FROM ts_explain('SELECT N FROM t') WHERE item = 'request'";
  EXPECT_EQ(db_.value(sql), "NULL|NULL|NULL");
  db_.value("SELECT count(*) FROM t");
  EXPECT_EQ(db_.value(sql), "3|2500|1");
  EXPECT_EQ(
      db_.value("SELECT requests, entities FROM ts_explain('SELECT N FROM t WHERE PartitionKey = ''p'' AND "
                "RowKey = ''r''') WHERE item = 'request'"),
      "1|1");
}

TEST_F(ExplainTest, WhatWasLearntOutlivesASchemaChange) {
  for (int i = 0; i < 30; ++i) put("r" + std::to_string(10000 + i), i);
  db_.value("SELECT count(*) FROM t");
  db_.run("CREATE TABLE other(x); DROP TABLE other; VACUUM");
  EXPECT_EQ(db_.value("SELECT entities FROM ts_explain('SELECT N FROM t') WHERE item = 'request'"), "30");
}

TEST_F(ExplainTest, TheTablesOptionsAreTold) {
  map("strict", ", require_key 'error', estimated_rows '5000', max_requests '3'");
  map("warning", ", require_key 'warn'");
  const auto remark = [&](const std::string& sql) {
    return db_.value("SELECT reason FROM ts_explain('" + sql + "') WHERE item = 'request'");
  };
  EXPECT_NE(
      remark("SELECT N FROM strict").find("require_key 'error' refuses it; max_requests stops it after 3"),
      std::string::npos)
      << remark("SELECT N FROM strict");
  EXPECT_NE(remark("SELECT N FROM warning").find("require_key 'warn' logs it"), std::string::npos);
  EXPECT_EQ(remark("SELECT N FROM strict WHERE PartitionKey > ''a''"), "the partitions between two bounds");
}

TEST_F(ExplainTest, WritesTriggersAndSubqueries) {
  EXPECT_EQ(requests_of("UPDATE t SET N = 1 WHERE PartitionKey = 'p'").size(), 1U);
  EXPECT_EQ(requests_of("SELECT (SELECT max(N) FROM t WHERE t.PartitionKey = d.RowKey) FROM d").size(), 2U);
  db_.run(
      "CREATE TABLE log(x); CREATE TRIGGER g AFTER INSERT ON log BEGIN DELETE FROM log WHERE x IN (SELECT "
      "1); END");
  EXPECT_EQ(requests_of("INSERT INTO log VALUES (1)"), Rows{});
}

TEST_F(ExplainTest, RefusesWhatIsNoStatement) {
  EXPECT_NE(db_.error("SELECT * FROM ts_explain('SELECT * FROM nowhere')").find("no such table: nowhere"),
            std::string::npos);
  EXPECT_NE(db_.error("SELECT * FROM ts_explain('EXPLAIN SELECT 1')").find("without EXPLAIN"),
            std::string::npos);
  EXPECT_NE(db_.error("SELECT * FROM ts_explain('')").find("wants a statement"), std::string::npos);
  EXPECT_NE(db_.error("SELECT * FROM ts_explain").find("wants a statement"), std::string::npos);
  EXPECT_NE(db_.error("SELECT * FROM ts_explain(5)").find("as text"), std::string::npos);
}

TEST_F(ExplainTest, LocalTablesNeedNoRequests) {
  db_.run("CREATE VIRTUAL TABLE here USING table_storage(N INTEGER)");
  EXPECT_EQ(
      db_.value("SELECT price, requests, detail FROM ts_explain('SELECT N FROM here WHERE N = 5') LIMIT 1"),
      "table scan|0|local here()?$filter=N eq 5&$select=PartitionKey,RowKey,N");
}

// --- ts_requests

TEST_F(ExplainTest, RequestsAreListedWithoutSecrets) {
  put("r1", 1);
  put("r2", 2);
  EXPECT_EQ(db_.rows("SELECT * FROM ts_requests"), Rows{});
  db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r1'");
  db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND N > 0");
  db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'none'");
  EXPECT_EQ(db_.rows("SELECT asked, method, status, attempts, rows, sent_bytes FROM ts_requests"),
            (Rows{"reading table Things|GET|200|1|1|0", "reading table Things|GET|200|1|2|0",
                  "reading table Things|GET|404|1|0|0"}));
  EXPECT_EQ(
      db_.value("SELECT request FROM ts_requests WHERE rows = 2"),
      "/devstoreaccount1/Things()?$filter=PartitionKey eq 'p' and N gt 0&$select=PartitionKey,RowKey,N");
  EXPECT_EQ(
      db_.value("SELECT min(received_bytes) > 0 AND min(ms) > 0 AND min(time) > '2024' FROM ts_requests"),
      "1");
  for (const std::string& row : db_.rows("SELECT * FROM ts_requests")) {
    EXPECT_EQ(row.find("SharedKey"), std::string::npos);
    EXPECT_EQ(row.find(service_.account().key), std::string::npos);
  }
}

TEST_F(ExplainTest, RequestsTellOfRetriesAndFailures) {
  put("r1", 1);
  service_.add_fault({.action = Fault::Action::answer, .status = 503});
  db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r1'");
  EXPECT_EQ(db_.value("SELECT status, attempts FROM ts_requests"), "200|2");
}

}  // namespace
}  // namespace table_storage::test
