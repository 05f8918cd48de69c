#include "extension/module/look_ahead.h"

#include <algorithm>
#include <utility>

#include "parser/error.h"

namespace table_storage::module {

namespace {

constexpr std::size_t kAgreed = 2;      // look-ups that make a guess
constexpr std::size_t kWasted = 8;      // scans that may be in vain, beside as many as were not
constexpr std::size_t kFarthest = 256;  // rows looked at for values that are new

}  // namespace

std::optional<std::string_view> LookAhead::text_at(const Place& place, const backend::EntityView& row) {
  switch (place.kind) {
    case Place::Kind::partition_key:
      return row.partition_key;
    case Place::Kind::row_key:
      return row.row_key;
    case Place::Kind::property:
      break;
  }
  if (place.slot >= row.properties.size()) return std::nullopt;
  const edm::ValueView value = row.properties[place.slot];
  if (!value || value.type() != edm::Type::String) return std::nullopt;
  return value.bytes();
}

std::optional<LookAhead::Place> LookAhead::find(std::string_view value, const backend::EntityView& row) {
  const auto is_at = [&](const Place& place) { return text_at(place, row) == value; };
  for (const Place::Kind kind : {Place::Kind::partition_key, Place::Kind::row_key}) {
    if (const Place place{kind, 0}; is_at(place)) return place;
  }
  for (std::size_t slot = 0; slot < row.properties.size(); ++slot) {
    if (const Place place{Place::Kind::property, slot}; is_at(place)) return place;
  }
  return std::nullopt;
}

const RowSource* LookAhead::open_source(const Origin& origin) const {
  const auto& open = table_.session().row_sources();
  return std::find(open.begin(), open.end(), origin.source) == open.end() ? nullptr : origin.source;
}

LookAhead::Origin LookAhead::find_origin(const RowSource& self, std::string_view value,
                                         const std::vector<const RowSource*>& open) {
  for (const RowSource* candidate : open) {
    if (candidate == &self || candidate->current() == nullptr) continue;
    if (const std::optional<Place> place = find(value, *candidate->current())) return {candidate, *place, 1};
  }
  return {};
}

void LookAhead::observe(const RowSource& self, const Keys& keys) {
  for (const auto& [column, value, varies] : keys) {
    Origin& origin = origins_[column == kPartitionKey ? 0 : 1];
    const RowSource* const known = open_source(origin);
    if (known != nullptr && known->current() != nullptr &&
        text_at(origin.place, *known->current()) == value) {
      ++origin.agreed;
      continue;
    }
    if (varies && origin.agreed >= kAgreed) drop_opened();
    origin = find_origin(self, value, table_.session().row_sources());
  }
}

std::size_t LookAhead::find_opened(const Keys& keys) const {
  const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) {
    return std::equal(one.values.begin(), one.values.end(), keys.begin(), keys.end(),
                      [](const std::string& a, const Key& b) { return a == b.value; });
  });
  return static_cast<std::size_t>(found - opened_.begin());
}

std::unique_ptr<backend::Scan> LookAhead::take(const Keys& keys) {
  const std::size_t place = find_opened(keys);
  if (place == opened_.size()) return nullptr;
  std::unique_ptr<backend::Scan> scan = std::move(opened_[place].scan);
  // Look-ups come in the order of the rows: those before it were rows that a condition left out.
  wasted_ += place;
  ++taken_;
  opened_.erase(opened_.begin(), opened_.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  return scan;
}

void LookAhead::drop_opened() {
  wasted_ += opened_.size();
  opened_.clear();
}

bool LookAhead::is_over() const { return wasted_ > taken_ + kWasted; }

void LookAhead::start(const PlannedScan& scan, const Keys& keys, std::size_t most) {
  if (is_over() || scan.sort || !scan.wanted.empty() || scan.request.ranges.size() != 1) return;
  PlannedScan next = scan;
  next.request.ahead = true;
  backend::KeyRange& range = next.request.ranges.front();
  const auto range_of = [&](const Key& key) -> backend::TextRange& {
    return key.column == kPartitionKey ? range.partition : range.row;
  };
  const auto origin_of = [&](const Key& key) -> const Origin& {
    return origins_[key.column == kPartitionKey ? 0 : 1];
  };
  const auto leader = std::find_if(keys.begin(), keys.end(), [](const Key& key) { return key.varies; });
  if (leader == keys.end()) return;
  const RowSource* const from = open_source(origin_of(*leader));
  // A key that has not varied so far may still follow the rows, as the partition key of neighbours does.
  const auto follows = [&](const Key& key) {
    return origin_of(key).agreed >= kAgreed && origin_of(key).source == from;
  };
  if (from == nullptr) return;
  for (const Key& key : keys) {
    if (key.varies && !follows(key)) return;
    if (!range_of(key).is_point() || *range_of(key).lower != key.value) return;
  }

  backend::EntityView row;
  Keys expected;
  for (std::size_t distance = 1; opened_.size() < most && distance <= kFarthest; ++distance) {
    if (!from->peek(distance, row)) return;
    expected.clear();
    for (const Key& key : keys) {
      const std::optional<std::string_view> text =
          follows(key) ? text_at(origin_of(key).place, row) : key.value;
      if (text) expected.push_back({key.column, *text, key.varies});
    }
    if (expected.size() != keys.size() || is_opened(expected)) continue;
    const bool is_current = std::equal(keys.begin(), keys.end(), expected.begin(),
                                       [](const Key& a, const Key& b) { return a.value == b.value; });
    if (is_current) continue;
    Opened opened;
    for (const Key& key : expected) {
      range_of(key) = backend::TextRange::exactly(key.value);
      opened.values.emplace_back(key.value);
    }
    try {
      opened.scan = open_scan(table_, next);
    } catch (const Error&) {
      // Nobody has asked for it. Whoever does will be told.
      wasted_ += kWasted + taken_ + 1;
      return;
    }
    opened_.push_back(std::move(opened));
  }
}

}  // namespace table_storage::module
