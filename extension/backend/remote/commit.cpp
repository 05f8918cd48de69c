#include "extension/backend/remote/commit.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "extension/backend/remote/batch_body.h"
#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/read_back.h"
#include "extension/backend/remote/service_error.h"
#include "extension/backend/remote/write_groups.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

enum class Outcome : unsigned char { applied, refused, unknown, not_sent };

/// A group under way.
struct Sending {
  WriteGroup group;
  std::unique_ptr<Call> call;
  std::chrono::steady_clock::time_point began;  // of the first attempt
  Repeat repeat = Repeat::harmless;
};

/// What one answer comes to.
struct Answer {
  std::optional<Error> error;  // none: applied
  bool maybe_applied = false;
  bool resendable = false;  // another attempt may bring something else
  bool out_of_memory = false;
};

std::string count_of(std::size_t groups) {
  return std::to_string(groups) + (groups == 1 ? " group" : " groups");
}

std::string keys_of(const PendingEntry& entry) {
  return "PartitionKey '" + entry.first.first + "', RowKey '" + entry.first.second + "'";
}

/// "PartitionKey 'p', RowKeys 'a', 'b' and 98 more up to 'z'"
std::string keys_of(const WriteGroup& group) {
  if (group.entries.size() == 1) return keys_of(*group.entries.front());
  std::string text = "PartitionKey '" + group.entries.front()->first.first + "', RowKeys ";
  constexpr std::size_t kMostBytes = 4'000;
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    if (text.size() > kMostBytes && i + 1 < group.entries.size()) {
      return text + " and " + std::to_string(group.entries.size() - i) + " more up to '" +
             group.entries.back()->first.second + "'";
    }
    text += (i == 0 ? "'" : ", '") + group.entries[i]->first.second + "'";
  }
  return text;
}

/// What is to be told of the groups of a COMMIT that failed. Only a few partitions are named of each kind,
/// but all keys of those whose outcome is not known.
class Report {
 public:
  /// The group is counted even if there is no memory for its name.
  void add(const WriteGroup& group, Outcome outcome) noexcept {
    Line& line = lines_[static_cast<std::size_t>(outcome)];
    ++groups_;
    ++line.groups;
    try {
      name(group, outcome, line);
    } catch (const std::bad_alloc&) {
      line.unnamed = true;
    }
  }
  /// There are more groups, which were not sent.
  void add_rest() noexcept { rest_ = true; }

  bool empty() const { return groups_ == 0; }
  bool any(Outcome outcome) const { return lines_[static_cast<std::size_t>(outcome)].groups > 0; }

  std::string text(const std::string& table, const OtherTables& others) const {
    std::string text = "COMMIT of ";
    if (!empty()) text += count_of(groups_) + (rest_ ? " and more of " : " of ");
    text += "table " + table + ": ";
    const bool nothing = !any(Outcome::applied) && !any(Outcome::unknown);
    if (nothing) text += "nothing was applied";
    if (any(Outcome::applied)) text += show(Outcome::applied) + " applied, and that stays";
    if (any(Outcome::unknown)) {
      text += std::string(any(Outcome::applied) ? "; " : "") + "whether " + show(Outcome::unknown) +
              " was applied is unknown (" + lines_[static_cast<std::size_t>(Outcome::unknown)].keys + ")";
    }
    if (!nothing && any(Outcome::refused)) text += "; " + show(Outcome::refused) + " not applied";
    if (!nothing && any(Outcome::not_sent)) text += "; " + show(Outcome::not_sent) + " not sent";
    if (!nothing && rest_) text += "; the rest not sent";
    if (!others.applied.empty()) text += "; " + others.applied + " applied before, and that stays";
    if (!others.not_sent.empty()) text += "; " + others.not_sent + " not sent";
    if (!nothing || !others.applied.empty()) {
      text += "; everything else of the transaction is rolled back, rows of the database's own tables too";
    }
    return text;
  }

 private:
  struct Line {
    std::size_t groups = 0;
    std::string partitions;
    std::string keys;
    bool unnamed = false;  // not all that should be is named
  };
  static void name(const WriteGroup& group, Outcome outcome, Line& line) {
    constexpr std::size_t kNamed = 5;
    if (line.groups <= kNamed) {
      line.partitions += (line.partitions.empty() ? "'" : ", '") + group.entries.front()->first.first + "'";
    } else if (line.groups == kNamed + 1) {
      line.partitions += ", …";
    }
    if (outcome == Outcome::unknown) line.keys += (line.keys.empty() ? "" : "; ") + keys_of(group);
  }
  std::string show(Outcome outcome) const {
    const Line& line = lines_[static_cast<std::size_t>(outcome)];
    return count_of(line.groups) + " (partition " + line.partitions +
           (line.unnamed ? ", and no memory for more names)" : ")");
  }

  Line lines_[4];  // by Outcome
  std::size_t groups_ = 0;
  bool rest_ = false;
};

/// A group is atomic: one operation under an ETag keeps all of it from being done twice.
Repeat repeat_of(const WriteGroup& group) {
  const auto kind_of = [](const PendingEntry* entry) { return entry->second.kind; };
  const auto is_guarded = [&](const PendingEntry* entry) {
    const OperationKind kind = kind_of(entry);
    return kind != OperationKind::insert && !is_idempotent(kind) && entry->second.if_match != "*";
  };
  const auto& entries = group.entries;
  if (std::any_of(entries.begin(), entries.end(), is_guarded)) return Repeat::refused;
  const bool harmless = std::all_of(entries.begin(), entries.end(),
                                    [&](const PendingEntry* entry) { return is_idempotent(kind_of(entry)); });
  return harmless ? Repeat::harmless : Repeat::harmful;
}

/// Azurite has one transaction for all: a write beside an entity group transaction may get "Transaction
/// Overlap!" as a 500, or be undone with it.
std::size_t groups_at_once(const Service& service, const TableOptions& options) {
  return service.endpoint().dialect == Dialect::azurite ? 1 : std::max<std::size_t>(options.concurrency, 1);
}

class Committer {
 public:
  Committer(Service& service, const std::string& table, const TableOptions& options)
      : service_(service),
        table_(table),
        asked_("writing table " + table),
        concurrency_(groups_at_once(service, options)) {}

  std::size_t run(const WriteBuffer& buffer, const OtherTables& others) {
    GroupCutter cutter(service_.endpoint(), table_, buffer);
    std::deque<Sending> under_way;
    WriteGroup group;
    HttpRequest request;
    bool more = false;
    // Whatever ends the sending, what is under way has to be waited for and told all the same.
    const auto ends_sending = [&](auto&& step) {
      try {
        step();
        return;
      } catch (const Error& error) {
        note(error);
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
      }
      more = false;
      report_.add_rest();
      if (!under_way.empty() && !under_way.back().call) under_way.pop_back();
    };
    ends_sending([&] { more = cutter.next(group, request); });
    while (more || !under_way.empty()) {
      ends_sending([&] {
        while (more && !failed() && under_way.size() < concurrency_) {
          Sending& sending = under_way.emplace_back();
          std::swap(sending.group, group);
          HttpRequest ready = std::move(request);
          request = HttpRequest();
          more = cutter.next(group, request);
          start(sending, std::move(ready), !more && under_way.size() == 1);
        }
      });
      if (under_way.empty()) break;
      const Outcome outcome = outcome_of(under_way.front());
      report_.add(under_way.front().group, outcome);
      if (outcome == Outcome::applied) ++applied_;
      under_way.pop_front();
    }
    if (!failed()) return applied_;
    ends_sending([&] {
      for (; more; more = cutter.next(group, request)) report_.add(group, Outcome::not_sent);
    });
    tell_failure(others);
  }

 private:
  bool failed() const { return failure_ || out_of_memory_; }

  /// The first failure is the one to tell.
  void note(const Error& error) noexcept {
    try {
      if (!failure_) failure_ = error;
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
  }

  [[noreturn]] void tell_failure(const OtherTables& others) {
    const bool any =
        report_.any(Outcome::applied) || report_.any(Outcome::unknown) || !others.applied.empty();
    if (!failure_ && !any) throw std::bad_alloc();
    if (!failure_) failure_ = no_memory();
    // Whoever looks at the code alone must not take for refused what may have been applied.
    if (report_.any(Outcome::unknown) && failure_->native_code() == 0) failure_->native(SQLITE_IOERR);
    if (!report_.empty() || !others.applied.empty()) failure_->prefix(report_.text(table_, others));
    throw *std::move(failure_);
  }

  Error no_memory() const {
    return Error(Error::Kind::storage, "", asked_ + ": out of memory").native(SQLITE_IOERR);
  }

  Outcome outcome_of(Sending& sending) {
    try {
      return finish(sending);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      return Outcome::unknown;
    }
  }

  /// `at_once`: nothing is done meanwhile, so that the calling thread may as well send.
  void start(Sending& sending, HttpRequest request, bool at_once) {
    sending.repeat = repeat_of(sending.group);
    if (sending.began == std::chrono::steady_clock::time_point{}) sending.began = now();
    sending.call = at_once ? service_.prepare(std::move(request), asked_, sending.repeat)
                           : service_.start(std::move(request), asked_, sending.repeat);
  }

  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

  /// Waits for the group until its outcome is known, or cannot be.
  Outcome finish(Sending& sending) {
    const RetryOptions& retry = service_.options().retry;
    for (int resends = 0;; ++resends) {
      Answer answer = wait(sending);
      if (!answer.error) return Outcome::applied;
      const Outcome outcome = answer.maybe_applied ? look_at(sending, *answer.error) : Outcome::refused;
      if (outcome == Outcome::applied) return outcome;
      if (outcome == Outcome::unknown || !answer.resendable || failed() || resends >= retry.max_retries) {
        if (answer.out_of_memory) {
          out_of_memory_ = true;
        } else if (!failure_) {
          failure_ = std::move(answer.error);
        }
        return outcome;
      }
      try {
        service_.pause(retry.first_delay * (1 << std::min(resends, 6)), asked_);
        start(sending, group_request(service_.endpoint(), table_, sending.group), true);
      } catch (const Error& error) {
        note(error);
        return outcome;
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
        return outcome;
      }
    }
  }

  Outcome look_at(const Sending& sending, const Error& error) {
    if (error.native_code() == SQLITE_INTERRUPT) return Outcome::unknown;  // reading would be interrupted too
    switch (read_back(service_, table_, sending.group, sending.began, concurrency_)) {
      case Verdict::applied:
        return Outcome::applied;
      case Verdict::not_applied:
        return Outcome::refused;
      case Verdict::unknown:
        break;
    }
    return Outcome::unknown;
  }

  Answer wait(const Sending& sending) {
    Answer answer;
    bool answered = false;
    try {
      const HttpResponse response = sending.call->get();
      answered = true;
      answer = read(sending.group, response);
      if (answer.error) answer.maybe_applied = answer.maybe_applied || sending.call->maybe_applied();
    } catch (const Error& error) {
      // Either no answer, or one that is damaged.
      answer.error = error;
      answer.maybe_applied = answered || sending.call->maybe_applied();
      // What can be repeated without a look has been.
      answer.resendable = answer.maybe_applied && sending.repeat != Repeat::harmless;
    } catch (const std::bad_alloc&) {
      answer.error = no_memory();
      answer.out_of_memory = true;
      answer.maybe_applied = answered || sending.call->maybe_applied();
      answer.resendable = answer.maybe_applied;
    }
    return answer;
  }

  Answer read(const WriteGroup& group, const HttpResponse& response) {
    const PendingEntry* culprit = group.entries.front();
    if (group.entries.size() == 1) {
      const bool success = response.status >= 200 && response.status < 300;
      if (success || (culprit->second.may_be_missing && response.status == 404)) return {};
      return refused(response, *culprit);
    }
    const BatchReply reply = read_batch_reply(response, group.entries.size());
    if (!reply.error) return {};
    if (reply.error->operation && *reply.error->operation < group.entries.size()) {
      culprit = group.entries[*reply.error->operation];
    }
    Answer answer = refused(reply.failed ? *reply.failed : response, *culprit);
    // Inside an answer that is a success by itself, nobody has looked at the status yet.
    if (reply.failed && response.status < 300) {
      const RetryDecision decision =
          RetryPolicy(service_.options().retry)
              .after(*reply.failed, RetryState(), Repeat::harmless, 0, Clock::now());
      answer.resendable = decision.retry;
      answer.maybe_applied = decision.maybe_applied;
    }
    return answer;
  }

  /// A status that leaves it open whether the write was done is for the Call to know.
  Answer refused(const HttpResponse& response, const PendingEntry& culprit) const {
    Answer answer;
    answer.error = service_.refusal(response, asked_ + ", " + keys_of(culprit));
    const RetryDecision decision =
        RetryPolicy(service_.options().retry).after(response, RetryState(), Repeat::harmful, 0, Clock::now());
    answer.resendable = decision.maybe_applied;
    return answer;
  }

  Service& service_;
  const std::string& table_;
  const std::string asked_;
  const std::size_t concurrency_;
  Report report_;
  std::size_t applied_ = 0;       // groups
  std::optional<Error> failure_;  // the first one; nothing new is sent behind it
  bool out_of_memory_ = false;    // likewise
};

}  // namespace

std::size_t send_all(Service& service, const std::string& table, const TableOptions& options,
                     const WriteBuffer& buffer, const OtherTables& others) {
  return Committer(service, table, options).run(buffer, others);
}

}  // namespace table_storage::backend::remote
