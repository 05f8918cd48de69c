// Columns from entities: what is counted, what is read, what is suggested.
#include "extension/catalog/infer.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/owned_entity.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

using backend::EntityView;
using backend::KeyRange;
using backend::NamedValue;
using edm::Value;

using Properties = std::vector<std::pair<std::string, Value>>;

/// Entities in memory, in key order, that counts what is asked of it.
class KeyTable : public backend::Table {
 public:
  void put(const std::string& partition, const std::string& row, Properties properties) {
    entities_.insert_or_assign({partition, row}, std::move(properties));
  }

  backend::Capabilities capabilities() const override { return {key_order, dialect, true}; }

  std::unique_ptr<backend::Scan> open_scan(const backend::ScanRequest& request) override {
    ++scans;
    EXPECT_TRUE(request.projection.all_properties);
    EXPECT_EQ(request.ranges.size(), 1U);
    return std::make_unique<KeyScan>(*this, request.ranges.front());
  }

  void run(const backend::Operation&) override {}
  void release() override {}
  void forget_uncommitted() override {}

  bool key_order = true;
  backend::Dialect dialect = backend::Dialect::storage;
  std::size_t scans = 0;
  std::size_t read = 0;
  std::set<std::string> partitions_read;

 private:
  using Entities = std::map<std::pair<std::string, std::string>, Properties>;

  class KeyScan : public backend::Scan {
   public:
    KeyScan(KeyTable& table, KeyRange range)
        : table_(table), range_(std::move(range)), at_(table.entities_.begin()) {}

    const EntityView* next() override {
      for (; at_ != table_.entities_.end(); ++at_) {
        if (in(range_.partition, at_->first.first) && in(range_.row, at_->first.second)) break;
      }
      if (at_ == table_.entities_.end()) return nullptr;
      view_ = {};
      view_.partition_key = at_->first.first;
      view_.row_key = at_->first.second;
      for (const auto& [name, value] : at_->second) view_.all.push_back({name, value.view()});
      ++table_.read;
      table_.partitions_read.insert(at_->first.first);
      ++at_;
      return &view_;
    }
    std::string etag() const override { return {}; }

   private:
    static bool in(const backend::TextRange& range, const std::string& key) {
      if (range.lower && (range.lower_inclusive ? key < *range.lower : key <= *range.lower)) return false;
      return !range.upper || (range.upper_inclusive ? key <= *range.upper : key < *range.upper);
    }
    KeyTable& table_;
    KeyRange range_;
    Entities::const_iterator at_;
    EntityView view_;
  };

  Entities entities_;
};

std::string number(std::size_t n, std::size_t width) {
  std::string digits = std::to_string(n);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

Evidence evidence_of(const std::vector<Properties>& entities) {
  Evidence evidence;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const std::string row = std::to_string(i);
    EntityView view;
    view.partition_key = "p";
    view.row_key = row;
    for (const auto& [name, value] : entities[i]) view.all.push_back({name, value.view()});
    evidence.add(view);
  }
  return evidence;
}

/// The column definitions, "-" for what cannot be one.
std::vector<std::string> texts(const std::vector<ColumnSuggestion>& columns) {
  std::vector<std::string> all;
  for (const ColumnSuggestion& column : columns) all.push_back(column.usable ? column.text() : "-");
  return all;
}
std::string only(const std::vector<Properties>& entities) {
  const auto all = texts(suggest(evidence_of(entities)));
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? "" : all.front();
}
/// The column for one property that has these values in turn.
std::string column_for(const std::vector<Value>& values) {
  std::vector<Properties> entities;
  for (const Value& value : values) entities.push_back({{"V", value}});
  return only(entities);
}

using Strings = std::vector<std::string>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// --- Types -----------------------------------------------------------------------------------------------

TEST(InferTypes, EachTypeAlone) {
  EXPECT_EQ(column_for({Value::string("")}), "V STRING");
  EXPECT_EQ(column_for({Value::binary("")}), "V BINARY");
  EXPECT_EQ(column_for({Value::boolean(false)}), "V BOOLEAN");
  EXPECT_EQ(column_for({Value::int32(0)}), "V INT32");
  EXPECT_EQ(column_for({Value::int64(0)}), "V INT64");
  EXPECT_EQ(column_for({Value::real(0)}), "V DOUBLE");
  EXPECT_EQ(column_for({Value::datetime(0)}), "V DATETIME");
  EXPECT_EQ(column_for({Value::guid("0123456789abcdef")}), "V GUID");
}

TEST(InferTypes, NumbersWiden) {
  const Value i32 = Value::int32(1), i64 = Value::int64(2), real = Value::real(2.5);
  EXPECT_EQ(column_for({i32, i64}), "V INT64");
  EXPECT_EQ(column_for({i64, i32}), "V INT64");
  EXPECT_EQ(column_for({i32, real}), "V DOUBLE");
  EXPECT_EQ(column_for({real, i64, i32}), "V DOUBLE");
  EXPECT_EQ(column_for({real, Value::real(std::numeric_limits<double>::quiet_NaN())}), "V DOUBLE");
}

TEST(InferTypes, IntegersBeyondDoublesMakeAny) {
  constexpr std::int64_t kEdge = std::int64_t{1} << 53;
  EXPECT_EQ(column_for({Value::int64(kEdge), Value::real(1)}), "V DOUBLE");
  EXPECT_EQ(column_for({Value::int64(-kEdge), Value::real(1)}), "V DOUBLE");
  EXPECT_EQ(column_for({Value::int64(kEdge + 1), Value::real(1)}), "V ANY");
  EXPECT_EQ(column_for({Value::real(1), Value::int64(-kEdge - 1)}), "V ANY");
  EXPECT_EQ(column_for({Value::int64(std::numeric_limits<std::int64_t>::min()), Value::real(1)}), "V ANY");
  // No double among them: nothing to lose.
  EXPECT_EQ(column_for({Value::int64(kEdge + 1), Value::int32(1)}), "V INT64");
  const auto columns = suggest(evidence_of({{{"V", Value::int64(kEdge + 1)}}, {{"V", Value::real(1)}}}));
  EXPECT_NE(columns[0].notice.find("beyond 2^53"), std::string::npos) << columns[0].notice;
}

TEST(InferTypes, OtherMixesAreAnyAndSaySo) {
  const Value text = Value::string("1");
  EXPECT_EQ(column_for({text, Value::int32(1)}), "V ANY");
  EXPECT_EQ(column_for({Value::boolean(true), Value::int32(1)}), "V ANY");
  EXPECT_EQ(column_for({Value::datetime(1), Value::int64(1)}), "V ANY");
  EXPECT_EQ(column_for({Value::guid("0123456789abcdef"), text}), "V ANY");
  const auto columns = suggest(evidence_of({{{"V", text}}, {{"V", Value::int32(1)}}, {{"V", text}}}));
  EXPECT_EQ(columns[0].notice,
            "mixed types: String 2, Int32 1; an ANY column shows each value as it is, a column of one type "
            "would show NULL for the others");
}

TEST(InferTypes, EvidenceCountsTypesAndRemembersTheFirstKey) {
  const Evidence evidence = evidence_of({{{"A", Value::int32(1)}},
                                         {{"B", Value::string("x")}, {"A", Value::real(1)}},
                                         {{"A", Value::int32(2)}, {"B", Value::string("y")}},
                                         {}});
  EXPECT_EQ(evidence.entities(), 4U);
  ASSERT_EQ(evidence.properties().size(), 2U);
  const PropertyEvidence& a = evidence.properties()[0];
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(a.count(), 3U);
  EXPECT_EQ(a.count(edm::Type::Int32), 2U);
  EXPECT_EQ(a.count(edm::Type::Double), 1U);
  EXPECT_EQ(a.first_row_key, "0");
  EXPECT_EQ(evidence.properties()[1].first_row_key, "1");
  EXPECT_EQ(evidence.find("b"), nullptr);
  EXPECT_EQ(evidence.find("B")->count(), 2U);
}

// --- Names -----------------------------------------------------------------------------------------------

TEST(InferNames, TwinsGetNumbersInTheOrderSeen) {
  const Value v = Value::int32(1);
  EXPECT_EQ(texts(suggest(evidence_of({{{"Birthday", v}, {"birthday", v}}, {{"BIRTHDAY", v}}}))),
            (Strings{"Birthday INT32", "birthday_2 INT32 OPTIONS (property 'birthday')",
                     "BIRTHDAY_3 INT32 OPTIONS (property 'BIRTHDAY')"}));
  // A name that another property has for its own is not given away, seen before or after.
  EXPECT_EQ(texts(suggest(evidence_of({{{"a", v}, {"A", v}, {"A_2", v}}}))),
            (Strings{"a INT32", "A_3 INT32 OPTIONS (property 'A')", "A_2 INT32"}));
  // Beyond ASCII SQLite tells case.
  EXPECT_EQ(texts(suggest(evidence_of({{{"ä", v}, {"Ä", v}}}))), (Strings{"ä INT32", "Ä INT32"}));
}

TEST(InferNames, SystemNamesInOtherCase) {
  const Value v = Value::int32(1);
  EXPECT_EQ(
      texts(suggest(evidence_of({{{"partitionkey", v},
                                  {"ROWKEY", v},
                                  {"timestamp", v},
                                  {"_etag", v},
                                  {"_Properties", v},
                                  {"_filter", v},
                                  {"rowid", v}}}))),
      (Strings{"partitionkey_2 INT32 OPTIONS (property 'partitionkey')",
               "ROWKEY_2 INT32 OPTIONS (property 'ROWKEY')",
               "timestamp_2 INT32 OPTIONS (property 'timestamp')", "_etag_2 INT32 OPTIONS (property '_etag')",
               "_Properties_2 INT32 OPTIONS (property '_Properties')",
               "_filter_2 INT32 OPTIONS (property '_filter')", "rowid_2 INT32 OPTIONS (property 'rowid')"}));
}

TEST(InferNames, QuotedWhereNeeded) {
  const Value v = Value::int32(1);
  EXPECT_EQ(
      texts(suggest(evidence_of({{{"Order", v}, {"Server", v}, {"OPTIONS", v}, {"Größe", v}, {"_x", v}}}))),
      (Strings{"\"Order\" INT32", "\"Server\" INT32", "\"OPTIONS\" INT32", "Größe INT32", "_x INT32"}));
  EXPECT_EQ(identifier_text("a b"), "\"a b\"");
  EXPECT_EQ(identifier_text("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(identifier_text("1a"), "\"1a\"");
  EXPECT_EQ(identifier_text(""), "\"\"");
  EXPECT_EQ(literal_text("it's"), "'it''s'");
}

TEST(InferNames, WhatNoColumnCanStandForIsSaid) {
  const Value v = Value::int32(1);
  const auto columns = suggest(evidence_of({{{"in-use", v}, {"with space", v}, {"", v}, {"Fine", v}}}));
  EXPECT_EQ(texts(columns), (Strings{"-", "-", "-", "Fine INT32"}));
  EXPECT_NE(columns[0].notice.find("in-use"), std::string::npos) << columns[0].notice;
  EXPECT_NE(columns[0].notice.find("_properties shows it"), std::string::npos) << columns[0].notice;
}

TEST(InferNames, TooManyNamesToCount) {
  Evidence evidence;
  const Value v = Value::int32(1);
  EXPECT_NE(message_of([&] {
              for (std::size_t i = 0; i < 60'000; ++i) {
                const std::string name = "P" + std::to_string(i);
                EntityView view;
                view.all.push_back({name, v.view()});
                evidence.add(view);
              }
            }).find("50000 different property names"),
            std::string::npos);
}

// --- Existing columns ------------------------------------------------------------------------------------

definition::Column column(const std::string& text) {
  return definition::parse_table_definition({text}).columns.front();
}

TEST(InferExisting, DeclaredColumnsStayWhereTheyHold) {
  const Evidence evidence = evidence_of({{{"N", Value::int32(1)},
                                          {"InUse", Value::boolean(true)},
                                          {"T", Value::real(1)},
                                          {"New", Value::string("x")}}});
  const auto columns = suggest(
      evidence, {column("T REAL"), column("\"in use\" BOOL OPTIONS (property 'InUse')"), column("N ANY")});
  EXPECT_EQ(texts(columns),
            (Strings{"T REAL", "\"in use\" BOOL OPTIONS (property 'InUse')", "N ANY", "New STRING"}));
  for (const ColumnSuggestion& one : columns) EXPECT_EQ(one.notice, "") << one.property;
}

TEST(InferExisting, ATypeThatNoLongerHoldsChanges) {
  const Evidence evidence =
      evidence_of({{{"A", Value::int32(1)}, {"b", Value::string("x")}}, {{"A", Value::real(1.5)}}});
  const auto columns = suggest(evidence, {column("A INT32"), column("Bee INT64 OPTIONS (property 'b')")});
  EXPECT_EQ(texts(columns), (Strings{"A DOUBLE", "Bee STRING OPTIONS (property 'b')"}));
  EXPECT_EQ(columns[0].notice, "was declared INT32, which does not show all of Int32 1, Double 1");
}

TEST(InferExisting, UnseenStaysAndNewOnesKeepOffItsName) {
  const Evidence evidence = evidence_of({{{"gone", Value::int32(1)}}});
  const auto columns = suggest(evidence, {column("Gone VARCHAR(10)")});
  EXPECT_EQ(texts(columns), (Strings{"Gone VARCHAR(10)", "gone_2 INT32 OPTIONS (property 'gone')"}));
  EXPECT_NE(columns[0].notice.find("not seen in the 1 entities"), std::string::npos) << columns[0].notice;
}

// --- Samples ---------------------------------------------------------------------------------------------

TEST(Sample, SmallTablesAreReadWhole) {
  for (std::size_t size : {0U, 1U, 99U, 100U, 101U, 120U}) {
    KeyTable table;
    for (std::size_t i = 0; i < size; ++i)
      table.put("p" + std::to_string(i % 7), number(i, 4), {{"A", Value::int32(1)}});
    const Evidence evidence = sample(table, {100});
    EXPECT_EQ(evidence.entities(), size);
    EXPECT_TRUE(evidence.is_whole()) << size;
    EXPECT_LE(table.scans, kSampleProbes + 1) << size;
  }
}

TEST(Sample, AllReadsAllInOneScan) {
  KeyTable table;
  for (std::size_t i = 0; i < 5000; ++i) table.put("p" + std::to_string(i % 7), number(i, 4), {});
  const Evidence evidence = sample(table, {std::nullopt});
  EXPECT_EQ(evidence.entities(), 5000U);
  EXPECT_TRUE(evidence.is_whole());
  EXPECT_EQ(table.scans, 1U);
}

/// Reads a sample of 1000 and checks what holds for every sample.
Evidence sample_1000(KeyTable& table) {
  Evidence evidence = sample(table, {1000});
  EXPECT_LE(evidence.entities(), 2000U);
  EXPECT_EQ(evidence.entities(), table.read) << "an entity was read twice";
  EXPECT_LE(table.scans, kSampleProbes + 1);
  EXPECT_FALSE(evidence.is_whole());
  return evidence;
}

/// How many of `parts` equal parts of the partitions, in key order, the sample has seen.
std::size_t parts_seen(const KeyTable& table, const std::vector<std::string>& partitions, std::size_t parts) {
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (table.partitions_read.contains(partitions[i])) seen.insert(i * parts / partitions.size());
  }
  return seen.size();
}

TEST(Sample, SpreadsOverPartitionsWithACommonPrefix) {
  KeyTable table;
  std::vector<std::string> partitions;
  for (std::size_t p = 0; p < 300; ++p) {
    partitions.push_back("device-" + number(p, 6));
    for (std::size_t r = 0; r < 100; ++r) table.put(partitions.back(), number(r, 3), {});
  }
  sample_1000(table);
  EXPECT_GE(parts_seen(table, partitions, 10), 6U);
}

TEST(Sample, SpreadsOverPartitionsThatAreHashes) {
  KeyTable table;
  std::vector<std::string> partitions;
  std::uint64_t state = 1;
  for (std::size_t p = 0; p < 2000; ++p) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string key;
    for (int shift = 60; shift >= 16; shift -= 4) key += "0123456789abcdef"[(state >> shift) & 15];
    partitions.push_back(key);
    for (std::size_t r = 0; r < 5; ++r) table.put(key, number(r, 3), {});
  }
  std::sort(partitions.begin(), partitions.end());
  sample_1000(table);
  EXPECT_GE(parts_seen(table, partitions, 10), 9U);
}

TEST(Sample, FindsWhatCameInLateInOneLongPartition) {
  KeyTable table;
  for (std::size_t r = 0; r < 20'000; ++r) {
    Properties properties{{"Old", Value::int32(1)}};
    if (r > 15'000) properties.emplace_back("New", Value::int32(1));
    table.put("only", "2024-" + number(r, 6), std::move(properties));
  }
  EXPECT_NE(sample_1000(table).find("New"), nullptr);
}

TEST(Sample, FindsWhatCameInLateInEveryPartition) {
  KeyTable table;
  for (std::size_t p = 0; p < 50; ++p) {
    for (std::size_t r = 0; r < 400; ++r) {
      Properties properties{{"Old", Value::int32(1)}};
      if (r > 300) properties.emplace_back("New", Value::int32(1));
      table.put("device-" + number(p, 3), "2024-" + number(r, 6), std::move(properties));
    }
  }
  EXPECT_NE(sample_1000(table).find("New"), nullptr);
}

TEST(Sample, OddKeysEndInGoodOrder) {
  KeyTable table;
  const std::string odd[] = {"", "\xF0\x9F\x98\x80", "\xEE\x80\x80", "\xEF\xBF\xBF", "\x7F", "ä", "a", "ab",
                             "b"};
  for (const std::string& p : odd) {
    for (const std::string& r : odd) {
      for (std::size_t i = 0; i < 30; ++i) table.put(p, r + number(i, 2), {});
    }
  }
  sample_1000(table);
}

TEST(Sample, WithoutKeyOrderTheFirstEntitiesAreTheSample) {
  KeyTable table;
  table.key_order = false;
  for (std::size_t r = 0; r < 3000; ++r) table.put("p" + number(r, 5), "r", {});
  const Evidence evidence = sample(table, {1000});
  EXPECT_EQ(evidence.entities(), 1000U);
  EXPECT_FALSE(evidence.is_whole());
  EXPECT_EQ(table.scans, 1U);
}

TEST(Sample, ATinySampleStaysSmall) {
  KeyTable table;
  for (std::size_t r = 0; r < 3000; ++r) table.put("p" + number(r, 5), "r", {});
  EXPECT_EQ(sample(table, {1}).entities(), 2U);
}

TEST(SampleRows, Text) {
  EXPECT_EQ(parse_sample_rows("1").rows, 1U);
  EXPECT_EQ(parse_sample_rows("1000000").rows, 1'000'000U);
  EXPECT_EQ(parse_sample_rows("ALL").rows, std::nullopt);
  EXPECT_EQ(SampleSize().rows, 1000U);
  for (const char* text : {"", "0", "-1", "1.5", "1000001", "many", "99999999999999999999"}) {
    EXPECT_NE(message_of([&] { parse_sample_rows(text); }).find("from 1 to 1000000, or all"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace table_storage::catalog
