#include "extension/backend/remote/read_back.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "extension/backend/remote/page.h"
#include "extension/backend/remote/url.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;

/// Machines of a service are not of one mind about the time. Within this an entity counts as neither older
/// nor newer than a write.
constexpr std::chrono::seconds kClockDoubt{30};

/// As a service gives back what it was given: -0.0 may come back as 0.0.
bool same(edm::ValueView a, edm::ValueView b) {
  if (!a || !b) return !a && !b;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case edm::Type::String:
    case edm::Type::Binary:
    case edm::Type::Guid:
      return a.bytes() == b.bytes();
    case edm::Type::Boolean:
      return a.as_boolean() == b.as_boolean();
    case edm::Type::Int32:
    case edm::Type::Int64:
    case edm::Type::DateTime:
      return a.as_int64() == b.as_int64();
    case edm::Type::Double:
      return a.as_double() == b.as_double() ||
             (a.as_double() != a.as_double() && b.as_double() != b.as_double());
  }
  return false;
}

bool holds(const EntityView& entity, std::string_view name, edm::ValueView value) {
  return std::any_of(entity.all.begin(), entity.all.end(), [&](const NamedValue& property) {
    return property.name == name && same(property.value, value);
  });
}

/// Whether the entity is what the write makes of it.
bool is_result(const PendingOperation& wanted, const EntityView& entity) {
  const bool is_known = wanted.merges() && wanted.base != nullptr;
  const EntityView before = is_known ? wanted.base->view() : EntityView();
  const std::vector<NamedValue> expected = properties_after(wanted, is_known ? &before : nullptr);
  // Where it is not known what was there before, more than what was written may stand beside it.
  if ((!wanted.merges() || is_known) && expected.size() != entity.all.size()) return false;
  return std::all_of(expected.begin(), expected.end(), [&](const NamedValue& property) {
    return holds(entity, property.name, property.value);
  });
}

}  // namespace

Sign sign_of(const PendingEntry& entry, const EntityView* now, const std::string& etag,
             const std::optional<Since>& since) {
  const PendingOperation& wanted = entry.second;
  const bool conditional = wanted.kind == OperationKind::merge || wanted.kind == OperationKind::replace ||
                           wanted.kind == OperationKind::remove;
  if (now == nullptr) {
    if (wanted.kind == OperationKind::remove) return Sign::gone;
    return conditional ? Sign::open : Sign::not_there;
  }
  if (conditional && wanted.if_match != "*" && wanted.if_match == etag) return Sign::not_applied;
  if (!since || now->timestamp == 0) return Sign::open;
  // Every write sets the Timestamp, an insert needs a free place, a condition the version of before.
  if (now->timestamp <= since->surely_before) return Sign::not_applied;
  if (wanted.kind == OperationKind::remove || now->timestamp < since->earliest) return Sign::open;
  return is_result(wanted, *now) ? Sign::applied : Sign::open;
}

Verdict verdict_of(const WriteGroup& group, const std::vector<Sign>& signs) {
  const auto has = [&](Sign sign) { return std::find(signs.begin(), signs.end(), sign) != signs.end(); };
  const auto all = [&](Sign sign) {
    return std::all_of(signs.begin(), signs.end(), [&](Sign s) { return s == sign; });
  };
  if (has(Sign::applied)) {
    // A group is applied as a whole. One entity as it should be beside one that is not there may be somebody
    // else's.
    return has(Sign::not_applied) || has(Sign::not_there) ? Verdict::unknown : Verdict::applied;
  }
  if (has(Sign::not_applied)) return Verdict::not_applied;
  if (all(Sign::gone)) return Verdict::applied;
  if (all(Sign::not_there) &&
      (signs.size() > 1 || group.entries.front()->second.kind != OperationKind::insert))
    return Verdict::not_applied;
  return Verdict::unknown;
}

Since since(Clock::time_point date, Clock::time_point here, std::chrono::steady_clock::duration elapsed) {
  const auto before = [&](Clock::time_point time) {
    const auto then = time.time_since_epoch() - std::chrono::ceil<std::chrono::microseconds>(elapsed);
    return edm::kUnixEpochTicks + Ticks(std::chrono::floor<std::chrono::seconds>(then)).count();
  };
  const std::int64_t earliest = before(date);
  return {earliest, std::min(earliest, before(here)) - Ticks(kClockDoubt).count()};
}

Verdict read_back(Service& service, const std::string& table, const WriteGroup& group,
                  std::chrono::steady_clock::time_point began, std::size_t concurrency) try {
  const std::string asked = "reading table " + table + " to see whether it was written";
  const std::size_t count = group.entries.size();
  std::vector<std::unique_ptr<Call>> calls(count);
  const auto call_for = [&](std::size_t i, bool now) {
    HttpRequest request;
    const EntityKeys& keys = group.entries[i]->first;
    request.path = entity_path(service.endpoint(), table, keys.first, keys.second);
    return now ? service.start(std::move(request), asked, Repeat::harmless)
               : service.prepare(std::move(request), asked, Repeat::harmless);
  };
  Projection whole;
  whole.all_properties = true;
  PageReader reader(whole);
  Page page;
  std::vector<Sign> signs;
  std::size_t started = 0;
  for (std::size_t at = 0; at < count; ++at) {
    while (started < count && started < at + std::max<std::size_t>(concurrency, 1)) {
      calls[started] = call_for(started, count > 1);
      ++started;
    }
    HttpResponse response = calls[at]->get();
    const auto elapsed = std::chrono::steady_clock::now() - began;
    calls[at].reset();
    if (response.status == 404) {
      signs.push_back(sign_of(*group.entries[at], nullptr, {}, std::nullopt));
      continue;
    }
    if (response.status != 200) return Verdict::unknown;
    std::optional<Since> period;
    if (const auto date = response.header("Date")) {
      if (const auto time = parse_http_date(*date)) period = since(*time, Clock::now(), elapsed);
    }
    reader.read_entity(std::move(response.body), page);
    if (page.empty()) return Verdict::unknown;
    const EntityView now = page[0];
    signs.push_back(sign_of(*group.entries[at], &now, page.etag(0), period));
  }
  return verdict_of(group, signs);
} catch (const Error&) {
  // No answer, or none that can be read. What was known before is what is told.
  return Verdict::unknown;
} catch (const std::bad_alloc&) {
  return Verdict::unknown;
}

}  // namespace table_storage::backend::remote
