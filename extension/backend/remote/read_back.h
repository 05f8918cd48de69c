// A write that may have been applied although nobody saw its success: looking at the entities tells, where it
// can be told.
//
// What the service keeps about a write is the entity, its ETag and its Timestamp, so that is the evidence:
//  * the ETag that the write asked for is still there, or the entity is older than the write: not applied;
//  * the entity holds what was written and has a Timestamp of the time since: applied. Another client that
//    writes the very same at the very same time cannot be told apart, and its entity is as good;
//  * anything else, another content of that time above all, proves neither.
// A group is atomic, so one entity speaks for all. Inserts that left no trace at all: of a group of several
// that counts as not applied; of one alone it does not, since whoever works off a queue may have taken it
// away.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/http_date.h"
#include "extension/backend/remote/service.h"
#include "extension/backend/remote/write_groups.h"

namespace table_storage::backend::remote {

/// What one entity says about the write of its group.
enum class Sign : unsigned char {
  applied,
  not_applied,
  not_there,  // an entity to be written is not there
  gone,       // an entity to be removed is not there
  open        // nothing
};

enum class Verdict : unsigned char { applied, not_applied, unknown };

/// When a write may have been applied, in ticks of the service's clock.
struct Since {
  std::int64_t earliest = 0;       // not before
  std::int64_t surely_before = 0;  // an entity as old as this was there before, whichever clock is wrong
};

/// `now`: the entity with all its properties; null if there is none. `since`: nothing where the service does
/// not tell the time. Pure.
Sign sign_of(const PendingEntry& wanted, const EntityView* now, const std::string& etag,
             const std::optional<Since>& since);

/// `signs` by position of the group's operations. Pure.
Verdict verdict_of(const WriteGroup& group, const std::vector<Sign>& signs);

/// For a write that was sent `elapsed` or less before an answer came that tells `date`, which was at `here`
/// by our own clock. Whole seconds, because Date and the Timestamps of some services are. Pure.
Since since(Clock::time_point date, Clock::time_point here, std::chrono::steady_clock::duration elapsed);

/// Reads the entities of the group, several at a time, and judges. `began`: when the group was first sent.
/// Unknown if they cannot be read; throws nothing but what memory throws. The connection's thread.
Verdict read_back(Service& service, const std::string& table, const WriteGroup& group,
                  std::chrono::steady_clock::time_point began, std::size_t concurrency);

}  // namespace table_storage::backend::remote
