// The search for texts that divide a stretch of keys into parts which all have keys in them: round by round,
// texts to ask the service for the first key behind, until the answers show where keys lie.
//
// A search begins behind a key that was seen. Where the end of the keys is not known, the first round finds
// out how much of that key all the others share. The next one interpolates between the two ends; what it
// finds are the dividing texts. A round of bad guesses narrows the stretch for another one.
//
// No clock, no network. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/remote/key_space.h"

namespace table_storage::backend::remote {

class SplitSearch {
 public:
  /// Of the keys above `low` and below `high`. `end`: behind it nothing was found, a guess. `shares`: where
  /// the dividing texts are wanted, each in 0..1, ascending. `space` learns and outlives the search.
  SplitSearch(KeySpace& space, std::string low, std::optional<std::string> high,
              const std::optional<std::string>& end, std::vector<double> shares);

  /// Begins a round of at most `most` probes. False if the search is over.
  bool next_round(std::size_t most);
  /// Of the round: texts, each to be answered with the first key that is not below it and is below high().
  const std::vector<std::string>& probes() const { return probes_; }
  void found(std::size_t probe, std::string key);
  void found_nothing(std::size_t probe);
  void failed(std::size_t probe);
  /// Every probe of the round has its answer.
  bool round_is_over() const { return answered_ == probes_.size(); }

  const std::optional<std::string>& high() const { return high_; }
  /// When the search is over: ascending texts between the bounds. Behind each, before the next, was a key.
  const std::vector<std::string>& boundaries() const { return boundaries_; }
  const std::optional<std::string>& end() const { return end_; }
  /// There is no key above `low`.
  bool is_exhausted() const { return exhausted_; }

 private:
  struct Answer {
    enum class Kind : unsigned char { none, key, nothing, unknown };
    Kind kind = Kind::none;
    std::string key;
  };
  void begin(std::vector<std::string> probes);
  void evaluate();

  KeySpace& space_;
  const std::string low_;
  const std::optional<std::string> high_;
  std::optional<std::string> end_;
  std::string last_known_;  // the largest key that is known, or low_
  const std::vector<double> shares_;
  std::vector<std::string> probes_;
  std::vector<Answer> answers_;
  std::size_t answered_ = 0;
  std::size_t rounds_ = 0;
  bool interpolates_ = false;  // the round does
  bool over_ = false;
  bool exhausted_ = false;
  std::vector<std::string> boundaries_;
};

}  // namespace table_storage::backend::remote
