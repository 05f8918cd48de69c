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

const RowSource* LookAhead::source() const {
  const auto& open = table_.session().row_sources();
  return std::find(open.begin(), open.end(), source_) == open.end() ? nullptr : source_;
}

void LookAhead::observe(const RowSource& self, std::string_view value) {
  if (const RowSource* known = source(); known != nullptr && known->current() != nullptr) {
    if (text_at(place_, *known->current()) == value) {
      ++agreed_;
      return;
    }
  }
  agreed_ = 0;
  wasted_ += opened_.size();
  opened_.clear();
  for (const RowSource* candidate : table_.session().row_sources()) {
    if (candidate == &self || candidate->current() == nullptr) continue;
    const std::optional<Place> place = find(value, *candidate->current());
    if (!place) continue;
    source_ = candidate;
    place_ = *place;
    agreed_ = 1;
    return;
  }
}

std::unique_ptr<backend::Scan> LookAhead::take(std::string_view value) {
  const auto found =
      std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) { return one.value == value; });
  if (found == opened_.end()) return nullptr;
  std::unique_ptr<backend::Scan> scan = std::move(found->scan);
  // Look-ups come in the order of the rows: those before it were rows that a condition left out.
  wasted_ += static_cast<std::size_t>(found - opened_.begin());
  ++taken_;
  opened_.erase(opened_.begin(), found + 1);
  return scan;
}

bool LookAhead::is_opened(std::string_view value) const {
  return std::any_of(opened_.begin(), opened_.end(), [&](const Opened& one) { return one.value == value; });
}

void LookAhead::start(const PlannedScan& scan, std::string_view value, std::size_t most) {
  const RowSource* const from = source();
  if (agreed_ < kAgreed || from == nullptr || wasted_ > taken_ + kWasted) return;
  if (scan.sort || !scan.wanted.empty() || scan.request.ranges.size() != 1) return;
  const auto range_of = [this](PlannedScan& of) -> backend::TextRange& {
    backend::KeyRange& range = of.request.ranges.front();
    return column_ == kPartitionKey ? range.partition : range.row;
  };
  PlannedScan next = scan;
  if (!range_of(next).is_point() || *range_of(next).lower != value) return;
  next.request.ahead = true;
  backend::EntityView row;
  for (std::size_t distance = 1; opened_.size() < most && distance <= kFarthest; ++distance) {
    if (!from->peek(distance, row)) return;
    const std::optional<std::string_view> expected = text_at(place_, row);
    if (!expected || *expected == value || is_opened(*expected)) continue;
    range_of(next) = backend::TextRange::exactly(*expected);
    try {
      opened_.push_back({std::string(*expected), open_scan(table_, next)});
    } catch (const Error&) {
      // Nobody has asked for it. Whoever does will be told.
      wasted_ += kWasted + taken_ + 1;
      return;
    }
  }
}

}  // namespace table_storage::module
