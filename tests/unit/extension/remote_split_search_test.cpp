// Where a scan is split: guesses about keys, answered here from a set of keys, and key ranges cut into
// pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "extension/backend/limits.h"
#include "extension/backend/remote/key_space.h"
#include "extension/backend/remote/query.h"
#include "extension/backend/remote/range_division.h"
#include "extension/backend/remote/split_search.h"

namespace table_storage::backend::remote {
namespace {

using Keys = std::set<std::string>;

struct Found {
  std::vector<std::string> boundaries;
  std::optional<std::string> end;
  bool exhausted = false;
  std::size_t probes = 0;
  std::size_t rounds = 0;
};

std::vector<double> even(std::size_t count) {
  std::vector<double> shares;
  for (std::size_t i = 1; i <= count; ++i)
    shares.push_back(static_cast<double>(i) / static_cast<double>(count + 1));
  return shares;
}

/// A search behind `low`, of which the first `seen` keys are known.
Found searched(const Keys& keys, const std::string& low, std::size_t seen, std::size_t parts,
               const std::optional<std::string>& high = std::nullopt) {
  KeySpace space;
  for (const std::string& key : keys) {
    if (seen-- == 0) break;
    space.note(key);
  }
  SplitSearch search(space, low, high, std::nullopt, even(parts - 1));
  Found found;
  const std::size_t most = std::max<std::size_t>(parts - 1, 8);
  while (search.next_round(most)) {
    ++found.rounds;
    EXPECT_LE(search.probes().size(), most);
    EXPECT_TRUE(std::is_sorted(search.probes().begin(), search.probes().end()));
    for (std::size_t i = 0; i < search.probes().size(); ++i) {
      const std::string& probe = search.probes()[i];
      ++found.probes;
      EXPECT_GT(probe, low);
      if (high) {
        EXPECT_LT(probe, *high);
      }
      EXPECT_NO_THROW(check_key("PartitionKey", probe)) << probe;
      EXPECT_TRUE(is_comparable(probe)) << probe;
      const auto at = keys.lower_bound(probe);
      if (at == keys.end() || (high && *at >= *high)) {
        search.found_nothing(i);
      } else {
        search.found(i, *at);
      }
    }
    EXPECT_TRUE(search.round_is_over());
  }
  found.boundaries = search.boundaries();
  found.end = search.end();
  found.exhausted = search.is_exhausted();
  // What is promised of boundaries.
  EXPECT_TRUE(std::is_sorted(found.boundaries.begin(), found.boundaries.end()));
  for (std::size_t i = 0; i < found.boundaries.size(); ++i) {
    EXPECT_GT(found.boundaries[i], low);
    const auto at = keys.lower_bound(found.boundaries[i]);
    EXPECT_TRUE(at != keys.end() && (i + 1 == found.boundaries.size() || *at < found.boundaries[i + 1]))
        << "nothing behind " << found.boundaries[i];
  }
  return found;
}

/// How many keys the largest part has.
std::size_t largest_part(const Keys& keys, const std::vector<std::string>& boundaries) {
  std::size_t largest = 0;
  auto from = keys.begin();
  for (std::size_t i = 0; i <= boundaries.size(); ++i) {
    const auto to = i == boundaries.size() ? keys.end() : keys.lower_bound(boundaries[i]);
    largest = std::max(largest, static_cast<std::size_t>(std::distance(from, to)));
    from = to;
  }
  return largest;
}

std::string padded(int number, std::size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

TEST(SplitSearch, NumberedKeysAreDividedEvenly) {
  Keys keys;
  for (int i = 0; i < 1000; ++i) keys.insert("dev-" + padded(i, 5));
  for (const std::size_t parts : {2U, 8U, 32U}) {
    const Found found = searched(keys, "dev-00000", 1, parts);
    EXPECT_EQ(found.boundaries.size(), parts - 1) << parts;
    EXPECT_LE(largest_part(keys, found.boundaries), 3 * keys.size() / (2 * parts) + 1) << parts;
    EXPECT_LE(found.rounds, 3U);
  }
}

TEST(SplitSearch, HexadecimalKeysAreDividedEvenly) {
  Keys keys;
  for (unsigned i = 0; i < 4096; ++i) {
    char text[40];
    std::snprintf(text, sizeof text, "%08x-%04x", i * 1048583U + 17, i * 40503U & 0xFFFFU);
    keys.insert(text);
  }
  const Found found = searched(keys, *keys.begin(), 100, 8);
  EXPECT_GE(found.boundaries.size(), 6U);
  EXPECT_LE(largest_part(keys, found.boundaries), keys.size() / 4);
}

TEST(SplitSearch, NumbersWithoutZeroes) {
  Keys keys;
  for (int i = 1; i <= 3000; ++i) keys.insert(std::to_string(i));
  const Found found = searched(keys, "1", 100, 8);
  EXPECT_GE(found.boundaries.size(), 4U);
  EXPECT_LE(largest_part(keys, found.boundaries), keys.size() / 2);
}

TEST(SplitSearch, WordsAndOtherScripts) {
  const Keys keys{"Bern", "Genf", "Zug", "Zürich", "zzz", "Ωmega", "東京", "東北", "한국"};
  for (const std::string& low : keys) {
    const Found found = searched(keys, low, keys.size(), 8);
    if (low == "한국") {
      EXPECT_TRUE(found.exhausted);
    } else {
      EXPECT_FALSE(found.exhausted) << low;
      EXPECT_FALSE(found.boundaries.empty()) << low;
    }
  }
}

TEST(SplitSearch, SupplementaryAndPrivateKeysAreNeverPartOfABoundary) {
  Keys keys;
  for (int i = 0; i < 300; ++i) keys.insert("\xF0\x9F\x98\x80" + padded(i, 3));
  for (int i = 0; i < 300; ++i) keys.insert("\xEE\x80\x80" + padded(i, 3));
  for (int i = 0; i < 300; ++i) keys.insert("a" + padded(i, 3));
  searched(keys, "a000", 50, 8);
  searched(keys,
           "\xEE\x80\x80"
           "000",
           900, 8);
}

TEST(SplitSearch, NothingBehindTheKeyIsFoundOut) {
  const Found found = searched({"only"}, "only", 1, 8);
  EXPECT_TRUE(found.exhausted);
  EXPECT_TRUE(found.boundaries.empty());
  EXPECT_EQ(found.rounds, 1U);
  EXPECT_TRUE(searched({""}, "", 1, 2).exhausted);
}

TEST(SplitSearch, AKeyThatOnlyLengthensTheLast) {
  const Found found = searched({"key", "key!"}, "key", 1, 8);
  EXPECT_FALSE(found.exhausted);
  EXPECT_FALSE(found.boundaries.empty());
}

TEST(SplitSearch, EmptyKey) {
  const Found found = searched({"", "a", "b"}, "", 3, 8);
  EXPECT_FALSE(found.boundaries.empty());
}

TEST(SplitSearch, StaysBelowTheUpperEnd) {
  Keys keys;
  for (int i = 0; i < 1000; ++i) keys.insert(padded(i, 4));
  const Found found = searched(keys, "0100", 200, 8, "0200");
  EXPECT_EQ(found.boundaries.size(), 7U);
  for (const std::string& boundary : found.boundaries) EXPECT_LT(boundary, "0200");
}

TEST(SplitSearch, LongKeys) {
  Keys keys;
  for (int i = 0; i < 100; ++i) keys.insert(std::string(509, 'x') + padded(i, 3));
  const Found found = searched(keys, *keys.begin(), 2, 8);
  EXPECT_FALSE(found.boundaries.empty());
  // A key of the greatest length has nothing behind it that begins with it.
  searched({std::string(512, 'x')}, std::string(512, 'x'), 1, 8);
}

TEST(SplitSearch, AnswersThatFailDivideNothing) {
  KeySpace space;
  space.note("a1");
  SplitSearch search(space, "a1", std::nullopt, std::nullopt, even(7));
  std::size_t rounds = 0;
  while (search.next_round(7)) {
    ASSERT_LT(++rounds, 10U);
    for (std::size_t i = 0; i < search.probes().size(); ++i) search.failed(i);
  }
  EXPECT_TRUE(search.boundaries().empty());
  EXPECT_FALSE(search.is_exhausted());
}

TEST(KeySpace, SharesGrowWithTheKeys) {
  KeySpace space;
  for (int i = 0; i < 100; ++i) space.note("k" + padded(i * 101, 4));
  double last = 0;
  for (int i = 1; i < 9999; i += 7) {
    const double share = space.share("k0000", "k9999", "k" + padded(i, 4));
    EXPECT_GE(share, last);
    last = share;
  }
  EXPECT_NEAR(space.share("k0000", "k9999", "k5000"), 0.5, 0.01);
  EXPECT_EQ(space.share("k0000", "k9999", "k9999"), 1);
  EXPECT_EQ(space.share("k0000", "k9999", "a"), 0);
}

// --- Pieces

const std::vector<std::string> kNames{"", "a", "a1", "b", "b ", "c", "ü", "東"};

/// How many of the pieces have each pair of keys: one where `range` has it and it lies behind `position`.
void expect_partition(const KeyRange& range, const std::vector<KeyRange>& pieces, const Position* position) {
  for (const std::string& partition : kNames) {
    for (const std::string& row : kNames) {
      const bool wanted =
          contains(range, partition, row) && (position == nullptr || Position(partition, row) > *position);
      const auto count = std::count_if(pieces.begin(), pieces.end(), [&](const KeyRange& piece) {
        return contains(piece, partition, row);
      });
      EXPECT_EQ(count, wanted ? 1 : 0) << "'" << partition << "', '" << row << "'";
    }
  }
}

TEST(RangeDivision, PiecesHaveEachKeyOnce) {
  const std::vector<TextRange> ranges{TextRange::all(),
                                      {std::string("a"), std::string("c"), true, true},
                                      {std::string("a"), std::string("c"), false, false},
                                      {std::nullopt, std::string("東"), true, false},
                                      {std::string(""), std::nullopt, false, true}};
  for (const TextRange& partition : ranges) {
    for (const TextRange& row : ranges) {
      const KeyRange range{partition, row};
      expect_partition(range, divide_by_partition(range, {"a0", "b"}), nullptr);
      const Position position("b", "a");
      expect_partition(range, divide_by_row(range, position, {"a1", "b "}), &position);
      expect_partition(range, rest_of(range, position), &position);
      const KeyRange one{TextRange::exactly("b"), row};
      expect_partition(one, divide_by_row(one, {"a1", "b "}), nullptr);
      expect_partition(one, divide_by_row(one, position, {"b", "c"}), &position);
      expect_partition(one, rest_of(one, position), &position);
    }
  }
}

}  // namespace
}  // namespace table_storage::backend::remote
