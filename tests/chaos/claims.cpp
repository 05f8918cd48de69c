#include "tests/chaos/claims.h"

#include <regex>

namespace table_storage::chaos {

namespace {

using Each = std::sregex_iterator;

}  // namespace

Claims::Claims(const std::string& message) {
  static const std::regex kFailed("COMMIT of \\d+ groups? of table (\\w+)");
  static const std::regex kGroups(
      R"(\d+ groups? \(partition ([^)]*)\) (applied, and that stays|was applied is unknown|not applied|not sent))");
  static const std::regex kPartition("'([^']*)'");
  static const std::regex kOther(
      R"(table (\w+) of \S+ \(\d+ groups?\)(?:, table \w+ of \S+ \(\d+ groups?\))* applied before)");
  std::smatch failed;
  if (!std::regex_search(message, failed, kFailed)) return;
  const std::string table = failed[1];
  for (Each line(message.begin(), message.end(), kGroups), end; line != end; ++line) {
    const std::string words = (*line)[2];
    const Claim claim = words.starts_with("applied") ? Claim::applied
                        : words.starts_with("was")   ? Claim::unknown
                                                     : Claim::not_applied;
    any_unknown_ = any_unknown_ || claim == Claim::unknown;
    const std::string partitions = (*line)[1];
    if (partitions.ends_with("…")) cut_ = table;
    for (Each name(partitions.begin(), partitions.end(), kPartition); name != end; ++name) {
      const auto [known, is_new] = groups_.try_emplace({table, (*name)[1]}, claim);
      if (!is_new && known->second != claim) known->second = Claim::in_part;
    }
  }
  for (Each line(message.begin(), message.end(), kOther), end; line != end; ++line)
    tables_[(*line)[1]] = Claim::applied;
}

Claim Claims::of(const std::string& table, const std::string& partition) const {
  if (const auto group = groups_.find({table, partition}); group != groups_.end()) {
    // Another group of it may be among those that are only counted.
    return table == cut_ && group->second != Claim::in_part ? Claim::unnamed : group->second;
  }
  if (table == cut_) return Claim::unnamed;
  const auto whole = tables_.find(table);
  return whole == tables_.end() ? Claim::not_applied : whole->second;
}

}  // namespace table_storage::chaos
