// What an entity says about a write whose answer was lost.
#include "extension/backend/remote/read_back.h"

#include <gtest/gtest.h>

#include <limits>

#include "parser/edm/text.h"

namespace table_storage::backend::remote {
namespace {

using edm::Value;
using edm::ValueView;

constexpr std::int64_t kSecond = 10'000'000;
constexpr std::int64_t kThen = 638'000'000'000'000'000;
const Since kSince{kThen, kThen - 30 * kSecond};

class RemoteReadBack : public ::testing::Test {
 protected:
  static PendingEntry entry(OperationKind kind,
                            std::vector<std::pair<std::string, Value>> properties = {{"N", Value::int32(1)}},
                            const std::string& if_match = "*") {
    PendingEntry result{{"p", "r"}, {}};
    result.second.kind = kind;
    std::vector<NamedValue> views;
    for (const auto& [name, value] : properties) views.push_back({name, value.view()});
    result.second.properties = PackedProperties(views);
    result.second.if_match = if_match;
    return result;
  }
  static Sign sign(const PendingEntry& wanted, std::vector<NamedValue> now, std::int64_t timestamp,
                   const std::string& etag = "new") {
    EntityView entity;
    entity.partition_key = "p";
    entity.row_key = "r";
    entity.timestamp = timestamp;
    entity.all = std::move(now);
    return sign_of(wanted, &entity, etag, kSince);
  }
  static Verdict verdict(OperationKind kind, const std::vector<Sign>& signs) {
    const PendingEntry some = entry(kind);
    WriteGroup group;
    group.entries.assign(signs.size(), &some);
    return verdict_of(group, signs);
  }
};

TEST_F(RemoteReadBack, TimeTellsOldEntitiesFromNewOnes) {
  const PendingEntry insert = entry(OperationKind::insert);
  const std::vector<NamedValue> ours{{"N", ValueView::int32(1)}};
  EXPECT_EQ(sign(insert, ours, kThen), Sign::applied);
  EXPECT_EQ(sign(insert, ours, kThen + 60 * kSecond), Sign::applied);
  EXPECT_EQ(sign(insert, ours, kThen - 1), Sign::open);
  EXPECT_EQ(sign(insert, ours, kThen - 29 * kSecond), Sign::open);
  EXPECT_EQ(sign(insert, ours, kThen - 30 * kSecond), Sign::not_applied);
  EXPECT_EQ(sign(insert, ours, 0), Sign::open);
  EntityView entity;
  entity.timestamp = kThen;
  entity.all = ours;
  EXPECT_EQ(sign_of(insert, &entity, "new", std::nullopt), Sign::open);
}

TEST_F(RemoteReadBack, ContentIsComparedByType) {
  const auto same = [&](const Value& written, ValueView now) {
    return sign(entry(OperationKind::insert, {{"V", written}}), {{"V", now}}, kThen) == Sign::applied;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same(Value::real(nan), ValueView::real(nan)));
  EXPECT_TRUE(same(Value::real(-0.0), ValueView::real(0.0)));
  EXPECT_TRUE(same(Value::real(0.1), ValueView::real(0.1)));
  EXPECT_FALSE(same(Value::real(0.1), ValueView::real(0.1 + 1e-17 * 2)));
  EXPECT_FALSE(same(Value::real(2), ValueView::int32(2)));
  EXPECT_FALSE(same(Value::int32(2), ValueView::int64(2)));
  EXPECT_TRUE(same(Value::int64(9'007'199'254'740'993), ValueView::int64(9'007'199'254'740'993)));
  EXPECT_FALSE(same(Value::int64(9'007'199'254'740'993), ValueView::int64(9'007'199'254'740'992)));
  EXPECT_TRUE(same(Value::datetime(kThen + 1), ValueView::datetime(kThen + 1)));
  EXPECT_FALSE(same(Value::datetime(kThen + 1), ValueView::datetime(kThen)));
  EXPECT_FALSE(same(Value::string("a"), ValueView::binary("a")));
  EXPECT_FALSE(same(Value::string(""), ValueView::missing()));
  EXPECT_TRUE(same(Value::string(""), ValueView::string("")));
  EXPECT_FALSE(same(Value::boolean(true), ValueView::boolean(false)));
}

TEST_F(RemoteReadBack, AnInsertIsTheWholeEntity) {
  const PendingEntry insert = entry(OperationKind::insert, {{"A", Value::int32(1)}, {"B", Value::int32(2)}});
  const NamedValue a{"A", ValueView::int32(1)};
  const NamedValue b{"B", ValueView::int32(2)};
  EXPECT_EQ(sign(insert, {b, a}, kThen), Sign::applied);
  EXPECT_EQ(sign(insert, {a}, kThen), Sign::open);
  EXPECT_EQ(sign(insert, {a, b, {"C", ValueView::int32(3)}}, kThen), Sign::open);
  EXPECT_EQ(sign(insert, {a, {"b", ValueView::int32(2)}}, kThen), Sign::open);
  EXPECT_EQ(sign_of(insert, nullptr, {}, kSince), Sign::not_there);
}

TEST_F(RemoteReadBack, AMergeIsOverWhatWasThere) {
  PendingEntry merge = entry(OperationKind::merge, {{"N", Value::int32(2)}}, "old");
  EntityView before;
  before.all = {{"N", ValueView::int32(1)}, {"S", ValueView::string("s")}};
  merge.second.base = std::make_shared<const KeptEntity>(before, "old");
  const NamedValue n{"N", ValueView::int32(2)};
  EXPECT_EQ(sign(merge, {n, {"S", ValueView::string("s")}}, kThen), Sign::applied);
  EXPECT_EQ(sign(merge, {n, {"S", ValueView::string("t")}}, kThen), Sign::open);
  EXPECT_EQ(sign(merge, {n}, kThen), Sign::open);
  EXPECT_EQ(sign(merge, {{"N", ValueView::int32(1)}, {"S", ValueView::string("s")}}, kThen, "old"),
            Sign::not_applied);
  EXPECT_EQ(sign(merge, before.all, kThen - 40 * kSecond, "another"), Sign::not_applied);
  EXPECT_EQ(sign_of(merge, nullptr, {}, kSince), Sign::open);
  merge.second.base.reset();  // what was there is not known
  EXPECT_EQ(sign(merge, {n, {"S", ValueView::string("t")}}, kThen), Sign::applied);
}

TEST_F(RemoteReadBack, ARemovalLeavesNothing) {
  const PendingEntry removal = entry(OperationKind::remove, {}, "old");
  EXPECT_EQ(sign_of(removal, nullptr, {}, kSince), Sign::gone);
  EXPECT_EQ(sign(removal, {}, kThen, "old"), Sign::not_applied);
  EXPECT_EQ(sign(removal, {}, kThen, "new"), Sign::open);
  EXPECT_EQ(sign(entry(OperationKind::remove, {}), {}, kThen - 31 * kSecond), Sign::not_applied);
}

TEST_F(RemoteReadBack, OneEntitySpeaksForItsGroup) {
  using enum Sign;
  const OperationKind insert = OperationKind::insert;
  EXPECT_EQ(verdict(insert, {open, applied, open}), Verdict::applied);
  EXPECT_EQ(verdict(insert, {open, not_applied, gone}), Verdict::not_applied);
  EXPECT_EQ(verdict(insert, {applied, not_applied}), Verdict::unknown);
  // A group that was refused because of an entity that somebody else had just made looks like this too.
  EXPECT_EQ(verdict(insert, {not_there, applied, open}), Verdict::unknown);
  EXPECT_EQ(verdict(insert, {gone, gone}), Verdict::applied);
  EXPECT_EQ(verdict(insert, {gone, not_there}), Verdict::unknown);
  EXPECT_EQ(verdict(insert, {gone, open}), Verdict::unknown);
  EXPECT_EQ(verdict(insert, {not_there, not_there}), Verdict::not_applied);
  EXPECT_EQ(verdict(insert, {not_there, open}), Verdict::unknown);
  EXPECT_EQ(verdict(insert, {not_there}), Verdict::unknown);
  EXPECT_EQ(verdict(OperationKind::insert_or_replace, {not_there}), Verdict::not_applied);
  EXPECT_EQ(verdict(insert, {open}), Verdict::unknown);
}

TEST_F(RemoteReadBack, TimeOfTheServiceAndOurs) {
  const Clock::time_point here{std::chrono::seconds(1'700'000'000)};
  const std::int64_t ticks = edm::kUnixEpochTicks + 1'700'000'000 * kSecond;
  // Down to the second, because that is what Date tells.
  Since found = since(here, here, std::chrono::milliseconds(1500));
  EXPECT_EQ(found.earliest, ticks - 2 * kSecond);
  EXPECT_EQ(found.surely_before, ticks - 32 * kSecond);
  // Whichever clock is behind decides what is surely older.
  found = since(here + std::chrono::minutes(10), here, std::chrono::seconds(0));
  EXPECT_EQ(found.earliest, ticks + 600 * kSecond);
  EXPECT_EQ(found.surely_before, ticks - 30 * kSecond);
  found = since(here - std::chrono::minutes(10), here, std::chrono::seconds(0));
  EXPECT_EQ(found.surely_before, ticks - 630 * kSecond);
}

}  // namespace
}  // namespace table_storage::backend::remote
