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
      R"(table (\w+) \(\d+ groups?\)(?:, table \w+ \(\d+ groups?\))* applied before)");
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
    for (Each name(partitions.begin(), partitions.end(), kPartition); name != end; ++name)
      groups_[{table, (*name)[1]}] = claim;
  }
  for (Each line(message.begin(), message.end(), kOther), end; line != end; ++line)
    tables_[(*line)[1]] = Claim::applied;
}

Claim Claims::of(const std::string& table, const std::string& partition) const {
  if (const auto group = groups_.find({table, partition}); group != groups_.end()) return group->second;
  const auto whole = tables_.find(table);
  return whole == tables_.end() ? Claim::not_applied : whole->second;
}

}  // namespace table_storage::chaos
