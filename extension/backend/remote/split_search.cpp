#include "extension/backend/remote/split_search.h"

#include <algorithm>
#include <utility>

namespace table_storage::backend::remote {

namespace {

constexpr std::size_t kMostRounds = 4;

std::optional<std::string> smaller(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

}  // namespace

SplitSearch::SplitSearch(KeySpace& space, std::string low, std::optional<std::string> high,
                         const std::optional<std::string>& end, std::vector<double> shares)
    : space_(space),
      low_(std::move(low)),
      high_(std::move(high)),
      end_(smaller(end, high_)),
      last_known_(low_),
      shares_(std::move(shares)) {
  // A guess that has been overtaken.
  if (end_ && *end_ <= low_) end_ = high_;
}

void SplitSearch::begin(std::vector<std::string> probes) {
  probes_ = std::move(probes);
  answers_.assign(probes_.size(), {});
  answered_ = 0;
  ++rounds_;
}

bool SplitSearch::next_round(std::size_t most) {
  if (rounds_ > 0) evaluate();
  if (over_ || most == 0 || rounds_ == kMostRounds) return false;
  std::vector<std::string> probes;
  interpolates_ = end_.has_value();
  if (end_) {
    std::vector<double> shares = shares_;
    if (shares.size() > most) shares.resize(most);
    probes = space_.between(low_, *end_, shares);
  }
  if (probes.empty()) {
    interpolates_ = false;
    probes = KeySpace::above(end_ ? low_ : last_known_, end_, most);
    std::reverse(probes.begin(), probes.end());
  }
  if (probes.empty()) return false;
  begin(std::move(probes));
  return true;
}

void SplitSearch::found(std::size_t probe, std::string key) {
  ++answered_;
  answers_[probe] = {Answer::Kind::key, std::move(key)};
}

void SplitSearch::found_nothing(std::size_t probe) {
  ++answered_;
  answers_[probe].kind = Answer::Kind::nothing;
}

void SplitSearch::failed(std::size_t probe) {
  ++answered_;
  answers_[probe].kind = Answer::Kind::unknown;
}

/// Probes ascend.
void SplitSearch::evaluate() {
  std::vector<std::string> useful;
  std::optional<std::string> pending;  // a probe with a key behind it
  std::string its_key;
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const Answer& answer = answers_[i];
    if (answer.kind == Answer::Kind::nothing) {
      end_ = smaller(end_, probes_[i]);
      break;
    }
    if (answer.kind != Answer::Kind::key) continue;
    space_.note(answer.key);
    last_known_ = std::max(last_known_, answer.key);
    if (pending && its_key < probes_[i]) useful.push_back(*pending);
    pending = probes_[i];
    its_key = answer.key;
  }
  if (pending) useful.push_back(*pending);
  if (!useful.empty()) boundaries_ = std::move(useful);
  // All that a key can be followed by begins with just_above().
  if (end_ && is_comparable(low_) && *end_ <= just_above(low_)) exhausted_ = true;
  if (exhausted_ || (interpolates_ && !boundaries_.empty())) over_ = true;
}

}  // namespace table_storage::backend::remote
