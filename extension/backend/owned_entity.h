// An entity that outlives the scan it came from.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "extension/backend/backend.h"

namespace table_storage::backend {

/// Owns what its view points to. It must not move: the view points into it.
struct OwnedEntity {
  OwnedEntity(const OwnedEntity&) = delete;
  OwnedEntity& operator=(const OwnedEntity&) = delete;

  std::deque<std::string> texts;
  EntityView view;
  std::string etag;

  std::string_view keep(std::string_view text) { return texts.emplace_back(text); }

  edm::ValueView keep(edm::ValueView value) {
    if (!value) return value;
    switch (value.type()) {
      case edm::Type::String:
        return edm::ValueView::string(keep(value.bytes()));
      case edm::Type::Binary:
        return edm::ValueView::binary(keep(value.bytes()));
      case edm::Type::Guid:
        return edm::ValueView::guid(keep(value.bytes()));
      default:
        return value;
    }
  }

  explicit OwnedEntity(const EntityView& from, std::string its_etag) : etag(std::move(its_etag)) {
    view.partition_key = keep(from.partition_key);
    view.row_key = keep(from.row_key);
    view.timestamp = from.timestamp;
    view.properties.reserve(from.properties.size());
    for (const edm::ValueView& value : from.properties) view.properties.push_back(keep(value));
    view.all.reserve(from.all.size());
    for (const NamedValue& named : from.all) view.all.push_back({keep(named.name), keep(named.value)});
  }
};

}  // namespace table_storage::backend
