// Which entities a sample has.
//
// The service has no count, no random access and no descending order: all it can do is to read on from a key.
// The first entities of a table are read as they come. If there are more, the rest is probed: a probe reads a
// few entities from some key on.
//
// Where to probe is found by leaving out subtrees of the tree of key prefixes. A gap is an interval
// (from, to) of keys of which nothing but its start has been read. Its probe starts behind all keys that
// share their first n characters with `from`: at 'e' for 'device-17' and n = 1. What it finds cuts the gap in
// two; if it finds nothing, the upper part of the gap is empty, and n grows, faster and faster. So keys that
// differ in their first character, such as GUIDs, are spread over at once, and keys with a long common prefix
// after a few probes. A gap that lies within a subtree waits until those between subtrees have been probed.
//
// There are gaps between partitions, and gaps between RowKeys within a partition of which only the first
// entities have been read. The two take turns, since new properties often come in with new rows at the end of
// every partition.
#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "extension/catalog/infer.h"
#include "extension/catalog/options.h"
#include "parser/definition/closest.h"
#include "parser/edm/prefix.h"
#include "parser/error.h"

namespace table_storage::catalog {

namespace {

using backend::EntityView;
using backend::KeyRange;

struct Gap {
  std::optional<std::string> partition;  // a gap between its RowKeys; else between partitions
  std::string from;
  std::optional<std::string> to;  // exclusive; none: no end
  std::size_t shared = 0;         // probes behind `from` with so many characters or fewer would find nothing
  std::size_t step = 1;
  std::size_t depth = 0;        // in how many subtrees it lies
  bool starts_at_next = false;  // the first probe asks for the very next key: is there anything at all?
};

/// Ends of the characters of a text, as far as prefixes of it have a successor.
std::vector<std::size_t> character_ends(std::string_view text) {
  const std::string_view usable = edm::comparable_prefix(text);
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= usable.size(); ++i) {
    if (i == usable.size() || (static_cast<unsigned char>(usable[i]) & 0xC0) != 0x80) ends.push_back(i);
  }
  return ends;
}

struct Probe {
  std::string lower;
  bool inclusive = true;   // of `lower`
  std::size_t shared = 0;  // characters of the prefix that it leaves behind
  bool is_last = false;    // nothing of the gap lies before it
};

/// Where to read next; moves gap.shared over prefixes whose subtrees reach to the gap's end.
Probe next_probe(Gap& gap) {
  Probe probe;
  const std::vector<std::size_t> ends = character_ends(gap.from);
  while (!gap.starts_at_next && gap.shared < ends.size()) {
    const std::size_t halfway = (gap.shared + ends.size() + 1) / 2;
    probe.shared = std::min(gap.shared + gap.step, halfway);
    const auto bound = edm::prefix_successor(std::string_view(gap.from).substr(0, ends[probe.shared - 1]));
    if (bound && (!gap.to || *bound < *gap.to)) {
      probe.lower = *bound;
      return probe;
    }
    gap.shared = probe.shared;
  }
  probe.lower = gap.from;
  probe.inclusive = false;
  probe.is_last = true;
  return probe;
}

class Sampler {
 public:
  Sampler(backend::Table& table, Evidence& evidence, std::uint64_t rows)
      : table_(table), evidence_(evidence), rows_(rows) {}

  void run() {
    const Head first = read({}, rows_);
    if (first.ended) {
      evidence_.set_whole();
      return;
    }
    // Without key order there is nothing to leave out; but there the order is one of hashes, and the first
    // entities come from all over the table.
    if (!table_.capabilities().key_order) return;
    left_ = rows_;
    row_gaps_.push_back(row_gap(first));
    partition_gaps_.push_back(partition_gap(first));
    while (left_ > 0 && probes_ < kSampleProbes && (!partition_gaps_.empty() || !row_gaps_.empty())) {
      const bool rows_turn = probes_ % 2 == 0;
      std::vector<Gap>& gaps =
          row_gaps_.empty() || (!rows_turn && !partition_gaps_.empty()) ? partition_gaps_ : row_gaps_;
      // The first one of the least depth.
      const auto first_gap = std::min_element(gaps.begin(), gaps.end(),
                                              [](const Gap& a, const Gap& b) { return a.depth < b.depth; });
      Gap gap = std::move(*first_gap);
      gaps.erase(first_gap);
      probe(std::move(gap));
    }
    if (row_gaps_.empty() && partition_gaps_.empty()) evidence_.set_whole();
  }

 private:
  /// What one request gave.
  struct Head {
    std::uint64_t entities = 0;
    std::string last_partition;
    std::string last_row;
    bool ended = false;  // there is nothing more in the range
  };

  Head read(const KeyRange& range, std::uint64_t most) {
    backend::ScanRequest request;
    request.ranges = {range};
    request.projection.all_properties = true;
    request.limit_hint = most;
    const auto scan = table_.open_scan(request);
    Head head;
    while (head.entities < most) {
      const EntityView* entity = scan->next();
      if (entity == nullptr) {
        head.ended = true;
        break;
      }
      ++head.entities;
      head.last_partition = entity->partition_key;
      head.last_row = entity->row_key;
      count(*entity);
    }
    return head;
  }

  /// Keys that the service orders in another way than SQLite could come twice.
  void count(const EntityView& entity) {
    std::string key(entity.partition_key);
    key += '\0';  // no key holds it
    key += entity.row_key;
    if (seen_.insert(std::hash<std::string>()(key)).second) evidence_.add(entity);
  }

  static Gap row_gap(const Head& head) {
    Gap gap;
    gap.partition = head.last_partition;
    gap.from = head.last_row;
    gap.starts_at_next = true;
    return gap;
  }
  static Gap partition_gap(const Head& head) {
    Gap gap;
    gap.from = head.last_partition;
    gap.starts_at_next = true;
    return gap;
  }

  void probe(Gap gap) {
    const Probe probe = next_probe(gap);
    backend::TextRange keys;
    keys.lower = probe.lower;
    keys.lower_inclusive = probe.inclusive;
    keys.upper = gap.to;
    keys.upper_inclusive = !gap.to.has_value();
    KeyRange range;
    if (gap.partition) {
      range.partition = backend::TextRange::exactly(*gap.partition);
      range.row = std::move(keys);
    } else {
      range.partition = std::move(keys);
    }
    // Half of the probes may find nothing, and the entities should not be used up before the probes are.
    const std::uint64_t most = std::min(std::max<std::uint64_t>(rows_ / (kSampleProbes / 2), 1), left_);
    ++probes_;
    const Head head = read(range, most);
    left_ -= head.entities;
    std::vector<Gap>& gaps = gap.partition ? row_gaps_ : partition_gaps_;
    if (!head.ended) {
      Gap upper;
      upper.partition = gap.partition;
      upper.from = gap.partition ? head.last_row : head.last_partition;
      upper.to = gap.to;
      upper.depth = gap.depth;
      gaps.push_back(std::move(upper));
      if (!gap.partition) {
        Gap rest;
        rest.partition = head.last_partition;
        rest.from = head.last_row;
        row_gaps_.push_back(std::move(rest));
      }
    }
    if (probe.is_last) return;
    gap.to = probe.lower;
    gap.shared = probe.shared;
    gap.step = head.entities == 0 ? gap.step * 2 : 1;
    gap.depth += head.entities == 0 ? 0 : 1;
    gaps.push_back(std::move(gap));
  }

  backend::Table& table_;
  Evidence& evidence_;
  const std::uint64_t rows_;
  std::uint64_t left_ = 0;  // entities that probes may still read
  std::size_t probes_ = 0;
  std::vector<Gap> partition_gaps_;
  std::vector<Gap> row_gaps_;
  std::unordered_set<std::size_t> seen_;  // hashes of keys
};

}  // namespace

SampleSize parse_sample_rows(std::string_view text) {
  if (definition::equal_without_case(text, "all")) return {std::nullopt};
  constexpr std::int64_t kMost = 1'000'000;  // above that, all
  const auto rows = parse_integer(text);
  if (!rows || *rows < 1 || *rows > kMost) {
    throw Error(Error::Kind::invalid, "",
                "sample_rows takes the number of entities to look at, from 1 to " + std::to_string(kMost) +
                    ", or all; not '" + definition::excerpt(text, 40) + "'");
  }
  return {static_cast<std::uint64_t>(*rows)};
}

Evidence sample(backend::Table& table, SampleSize size) {
  Evidence evidence;
  if (size.rows) {
    Sampler(table, evidence, *size.rows).run();
    return evidence;
  }
  backend::ScanRequest request;
  request.ranges.emplace_back();
  request.projection.all_properties = true;
  const auto scan = table.open_scan(request);
  while (const EntityView* entity = scan->next()) evidence.add(*entity);
  evidence.set_whole();
  return evidence;
}

}  // namespace table_storage::catalog
