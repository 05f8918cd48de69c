#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "extension/backend/local/record.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

using edm::Type;
using edm::Value;
using edm::ValueView;

constexpr std::int64_t kSomeTicks = edm::kUnixEpochTicks + 123'456'789;

using Property = std::pair<NameId, Value>;

std::string encode(const std::vector<Property>& properties, std::int64_t timestamp = kSomeTicks) {
  RecordWriter writer;
  writer.begin(timestamp);
  for (const auto& [name, value] : properties) writer.append(name, value);
  return std::string(writer.record());
}

std::vector<Property> decode(std::string_view record) {
  std::vector<Property> out;
  RecordCursor cursor(record);
  while (cursor.next()) out.emplace_back(cursor.name(), Value(cursor.value()));
  return out;
}

Value random_value(std::mt19937_64& random) {
  const auto bytes = [&](std::size_t size) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(random());
    return out;
  };
  const std::uint64_t bits = random() >> (random() % 64);
  switch (static_cast<Type>(random() % edm::kTypeCount)) {
    case Type::String:
      return Value::string(std::string(random() % 300, static_cast<char>('a' + random() % 26)));
    case Type::Binary:
      return Value::binary(bytes(random() % 300));
    case Type::Boolean:
      return Value::boolean(random() % 2 == 0);
    case Type::Int32:
      return Value::int32(static_cast<std::int32_t>(random() % 2 == 0 ? bits : ~bits));
    case Type::Int64:
      return Value::int64(static_cast<std::int64_t>(random() % 2 == 0 ? bits : ~bits));
    case Type::Double: {
      const double choices[] = {0.0,
                                -0.0,
                                1.5,
                                -1e300,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::denorm_min()};
      return Value::real(choices[random() % 6]);
    }
    case Type::DateTime:
      return Value::datetime(edm::kMinServiceTicks + static_cast<std::int64_t>(random() >> 3));
    case Type::Guid:
      return Value::guid(bytes(16));
  }
  return Value::boolean(false);
}

std::vector<Property> random_properties(std::mt19937_64& random, NameId names) {
  std::vector<Property> out;
  for (NameId name = names; name > 0; --name) {
    if (random() % 3 != 0) out.emplace_back(name, random_value(random));
  }
  return out;
}

NameStore store_of(NameId names) {
  NameStore store;
  for (NameId i = 1; i <= names; ++i) store.append("n" + std::to_string(i));
  return store;
}

TEST(Record, RoundTripsEveryTypeAtItsEdges) {
  const std::vector<Property> all = {
      {1, Value::string("")},
      {2, Value::string("h\xC3\xA9llo \xF0\x9F\x98\x80")},
      {15, Value::binary(std::string("\0\xFF", 2))},
      {16, Value::binary("")},
      {17, Value::boolean(false)},
      {18, Value::boolean(true)},
      {19, Value::int32(std::numeric_limits<std::int32_t>::min())},
      {20, Value::int32(std::numeric_limits<std::int32_t>::max())},
      {21, Value::int32(-1)},
      {1000, Value::int64(std::numeric_limits<std::int64_t>::min())},
      {1001, Value::int64(std::numeric_limits<std::int64_t>::max())},
      {1002, Value::int64((std::int64_t{1} << 53) + 1)},
      {70'000, Value::real(std::numeric_limits<double>::quiet_NaN())},
      {70'001, Value::real(-0.0)},
      {70'002, Value::datetime(edm::kMinServiceTicks)},
      {70'003, Value::datetime(edm::kMaxServiceTicks)},
      {4'000'000'000, Value::guid("0123456789abcdef")},
  };
  EXPECT_EQ(decode(encode(all)), all);
  EXPECT_EQ(record_timestamp(encode(all)), kSomeTicks);
  EXPECT_EQ(decode(encode({})), std::vector<Property>{});
}

TEST(Record, SmallValuesTakeFewBytes) {
  EXPECT_EQ(encode({}).size(), 8u);
  EXPECT_EQ(encode({{15, Value::int32(-64)}}).size(), 8u + 2);
  EXPECT_EQ(encode({{15, Value::string("abc")}}).size(), 8u + 1 + 1 + 3);
  EXPECT_EQ(encode({{15, Value::boolean(true)}}).size(), 8u + 2);
  EXPECT_EQ(encode({{15, Value::real(1)}}).size(), 8u + 9);
}

TEST(Record, RandomRoundTripsAndChosenProperties) {
  std::mt19937_64 random(20240615);
  constexpr NameId kNames = 40;
  const NameStore store = store_of(kNames);
  for (int round = 0; round < 300; ++round) {
    const std::vector<Property> properties = random_properties(random, kNames);
    const std::string record = encode(properties);
    ASSERT_EQ(decode(record), properties) << "round " << round;

    std::vector<RecordReader::Wanted> wanted;
    for (NameId name = 1; name <= kNames; ++name) {
      if (random() % 4 == 0) {
        wanted.push_back({"n" + std::to_string(name), static_cast<std::uint32_t>(wanted.size())});
      }
    }
    RecordReader reader(wanted);
    reader.resolve(store);
    std::vector<ValueView> slots(wanted.size());
    ASSERT_EQ(reader.read(record, slots.data()), RecordReader::Outcome::complete);
    for (const auto& w : wanted) {
      const NameId name = store.find(w.name);
      const Value* expected = nullptr;
      for (const auto& p : properties) {
        if (p.first == name) expected = &p.second;
      }
      ASSERT_EQ(slots[w.slot].present(), expected != nullptr) << "round " << round;
      if (expected != nullptr) {
        ASSERT_EQ(Value(slots[w.slot]), *expected) << "round " << round;
      }
    }
  }
}

TEST(Record, RawPropertiesCanBeCopied) {
  const std::vector<Property> properties = {
      {3, Value::int32(7)}, {300, Value::string("x")}, {5, Value::real(0.5)}};
  const std::string record = encode(properties);
  RecordWriter copy;
  copy.begin(kSomeTicks);
  RecordCursor cursor(record);
  while (cursor.next()) copy.append_raw(cursor.raw());
  EXPECT_EQ(copy.record(), record);
}

TEST(Record, ANameThatTheStoreDoesNotKnowIsReported) {
  const std::string record = encode({{1, Value::int32(1)}, {7, Value::int32(2)}, {2, Value::int32(3)}});
  RecordReader reader({{"n1", 0}, {"n7", 1}});
  std::vector<ValueView> slots(2);
  reader.resolve(store_of(2));
  EXPECT_EQ(reader.read(record, slots.data()), RecordReader::Outcome::unknown_name);
  slots.assign(2, ValueView::missing());
  reader.resolve(store_of(7));
  EXPECT_EQ(reader.read(record, slots.data()), RecordReader::Outcome::complete);
  EXPECT_EQ(slots[1].as_int32(), 2);
  // All that is wanted comes before the unknown name: no need to know it.
  RecordReader first({{"n1", 0}});
  first.resolve(store_of(2));
  slots.assign(2, ValueView::missing());
  EXPECT_EQ(first.read(record, slots.data()), RecordReader::Outcome::complete);
}

// Reads a damaged record in every way there is: each must end in values or in Error(corrupt).
void read_damaged(std::string_view damaged, const NameStore& store) {
  // A copy of exact size, so that AddressSanitizer sees a read past the end.
  const std::vector<char> exact(damaged.begin(), damaged.end());
  const std::string_view record(exact.data(), exact.size());
  const auto attempt = [](auto action) {
    try {
      action();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::corrupt);
      EXPECT_EQ(e.native_code(), 11);
    }
  };
  attempt([&] { decode(record); });
  attempt([&] { record_timestamp(record); });
  attempt([&] {
    RecordReader reader({{"n2", 0}, {"n39", 1}, {"nowhere", 2}});
    reader.resolve(store);
    std::vector<ValueView> slots(3);
    reader.read(record, slots.data());
    for (const ValueView& slot : slots) {
      if (slot.present()) Value copy(slot);
    }
  });
}

TEST(Record, DamageNeverReadsOutOfBounds) {
  std::mt19937_64 random(7);
  const NameStore store = store_of(40);
  for (int round = 0; round < 8; ++round) {
    const std::string record = encode(random_properties(random, 40));
    for (std::size_t size = 0; size < record.size(); ++size) read_damaged(record.substr(0, size), store);
    for (std::size_t at = 0; at < record.size(); ++at) {
      std::string flipped = record;
      flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(1u << (random() % 8)));
      read_damaged(flipped, store);
      flipped[at] = static_cast<char>(random());
      read_damaged(flipped, store);
      flipped[at] = '\xFF';
      read_damaged(flipped, store);
    }
  }
}

TEST(Record, KindsOfDamageAreFound) {
  const std::string head = encode({});
  const auto refused = [&](const std::string& properties) {
    try {
      decode(head + properties);
    } catch (const Error& e) {
      return e.kind() == Error::Kind::corrupt;
    }
    return false;
  };
  const auto tagged = [](Type type) {
    return std::string(1, static_cast<char>(1 << 3 | static_cast<int>(type)));
  };
  EXPECT_TRUE(refused(std::string(1, '\0'))) << "name number 0";
  EXPECT_TRUE(refused(tagged(Type::Boolean) + "\x02"));
  EXPECT_TRUE(refused(tagged(Type::String) + "\x05"
                                             "abc"));
  EXPECT_TRUE(refused(tagged(Type::String) + std::string(9, '\xFF') + "\x01")) << "a length of 2^64 - 1";
  EXPECT_TRUE(refused(tagged(Type::Int64) + std::string(9, '\xFF') + "\x02")) << "65 bits";
  EXPECT_TRUE(refused(tagged(Type::Int64) + std::string(10, '\xFF') + "\x01")) << "a varint of 11 bytes";
  EXPECT_TRUE(refused(tagged(Type::Int32) + "\x80\x80\x80\x80\x20")) << "2^32 in an Int32";
  EXPECT_TRUE(refused(tagged(Type::DateTime) + std::string(8, '\0')));
  EXPECT_TRUE(refused(tagged(Type::Guid) + std::string(15, 'g')));
  EXPECT_TRUE(refused(tagged(Type::Double)));
  EXPECT_FALSE(refused(tagged(Type::Int32) + "\x02"));
  EXPECT_THROW(record_timestamp(std::string(8, '\0')), Error);
  EXPECT_THROW(record_timestamp("short"), Error);

  RecordReader twice({{"n1", 0}, {"n2", 1}});
  twice.resolve(store_of(2));
  std::vector<ValueView> slots(2);
  EXPECT_THROW(twice.read(encode({{1, Value::int32(1)}, {1, Value::int32(2)}}), slots.data()), Error);
}

}  // namespace
}  // namespace table_storage::backend::local
