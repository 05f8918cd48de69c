#include "extension/backend/remote/page_members.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "parser/error.h"
#include "parser/json/unescape.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::string_view kTypeSuffix = "@odata.type";
// A table can have another property in every entity; what is remembered of them is bounded.
constexpr std::size_t kMostMembers = 4096;

/// Bytes of a JSON string from `raw` to its closing quote, with it.
std::size_t size_with_quote(const char* raw, std::size_t available) {
  for (std::size_t i = 0; i < available; ++i) {
    if (raw[i] == '\\')
      ++i;
    else if (raw[i] == '"')
      return i + 1;
  }
  throw Error(Error::Kind::storage, "", "the name of a property has no end");
}

std::string name_of(std::string_view raw_with_quote) {
  if (raw_with_quote.find('\\') == std::string_view::npos) {
    return std::string(raw_with_quote.substr(0, raw_with_quote.size() - 1));
  }
  std::optional<std::string> name = json::unescaped('"' + std::string(raw_with_quote));
  if (!name) throw Error(Error::Kind::storage, "", "the name of a property has a wrong escape");
  return std::move(*name);
}

}  // namespace

Members::Members(const Projection& projection) : projection_(projection) {
  for (std::size_t i = 0; i < projection.properties.size(); ++i) {
    slots_.emplace(projection.properties[i], i);  // the first of several
  }
}

void Members::start_entity() {
  if (members_.size() > kMostMembers) forget();
  previous_ = &start_;
}

void Members::forget() {
  by_raw_.clear();
  members_.clear();
  start_.next = nullptr;
}

Member& Members::look_up(const char* raw, std::size_t available) {
  const std::string_view text(raw, size_with_quote(raw, available));
  const auto known = by_raw_.find(text);
  Member& member = known != by_raw_.end() ? *known->second : add(text);
  previous_->next = &member;
  previous_ = &member;
  return member;
}

Member& Members::add(std::string_view raw) { return add(raw, name_of(raw)); }

Member& Members::add(std::string_view raw, std::string name) {
  Member member;
  member.raw = raw;
  std::memcpy(&member.head, raw.data(), std::min(raw.size(), sizeof member.head));
  const std::uint64_t all = ~std::uint64_t{0};
  std::memcpy(&member.head_mask, &all, std::min(raw.size(), sizeof all));
  const std::size_t at = name.find('@');
  if (name.starts_with("odata.")) {
    if (name == "odata.etag") member.role = Member::Role::etag;
  } else if (at != std::string::npos) {
    if (name.substr(at) == kTypeSuffix) {
      // The base as it would be written here; a service writes a name the same way each time.
      const std::string base_name = name.substr(0, at);
      const std::string base_raw = std::string(raw.substr(0, raw.rfind('@'))) + '"';
      const auto known = by_raw_.find(base_raw);
      Member& base = known != by_raw_.end() ? *known->second : add(base_raw, base_name);
      if (base.role == Member::Role::property) {
        member.role = Member::Role::annotation;
        member.base = &base;
      }
    }
  } else if (name == "PartitionKey") {
    member.role = Member::Role::partition_key;
  } else if (name == "RowKey") {
    member.role = Member::Role::row_key;
  } else if (name == "Timestamp") {
    if (projection_.timestamp || projection_.all_properties) member.role = Member::Role::timestamp;
  } else {
    const auto slot = slots_.find(name);
    if (slot != slots_.end()) member.slot = slot->second;
    if (slot != slots_.end() || projection_.all_properties) member.role = Member::Role::property;
  }
  member.name = std::move(name);
  members_.push_back(std::move(member));
  Member& stored = members_.back();
  by_raw_.emplace(stored.raw, &stored);
  return stored;
}

}  // namespace table_storage::backend::remote
