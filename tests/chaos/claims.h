// What the error of a COMMIT says about each group of writes (extension/backend/remote/commit.cpp words it).
#pragma once

#include <map>
#include <string>
#include <utility>

namespace table_storage::chaos {

enum class Claim : unsigned char {
  not_applied,
  applied,
  unknown,
  in_part,  // several groups of one partition that ended in different ways
  unnamed   // one of those that a message only counts: it names five partitions of a kind
};

/// Whatever a message does not speak of is claimed as not applied.
class Claims {
 public:
  explicit Claims(const std::string& message);

  Claim of(const std::string& table, const std::string& partition) const;
  bool any_unknown() const { return any_unknown_; }

 private:
  std::map<std::string, Claim> tables_;  // as a whole
  std::map<std::pair<std::string, std::string>, Claim> groups_;
  bool any_unknown_ = false;
  std::string cut_;  // the table whose partitions are not all named
};

}  // namespace table_storage::chaos
