#include "extension/module/identity.h"

#include <limits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace table_storage::module {

namespace {

std::int64_t g_hash_mask = std::numeric_limits<std::int64_t>::max();

}  // namespace

void set_hash_mask_for_testing(std::int64_t mask) { g_hash_mask = mask; }

std::int64_t hash_of_keys(std::string_view partition_key, std::string_view row_key) {
  // The hash of the first key, which covers its length, seeds that of the second.
  const XXH64_hash_t seed = XXH3_64bits(partition_key.data(), partition_key.size());
  const XXH64_hash_t hash = XXH3_64bits_withSeed(row_key.data(), row_key.size(), seed);
  return static_cast<std::int64_t>(hash & static_cast<std::uint64_t>(g_hash_mask));
}

namespace {

std::int64_t next_number(std::int64_t rowid) {
  return rowid == std::numeric_limits<std::int64_t>::max() ? 0 : rowid + 1;
}

}  // namespace

std::int64_t RowMap::remember(std::string_view partition_key, std::string_view row_key,
                              std::string_view etag) {
  std::int64_t rowid = hash_of_keys(partition_key, row_key);
  for (;; rowid = next_number(rowid)) {
    auto [place, added] = rows_.try_emplace(rowid);
    Row& row = place->second;
    if (added) {
      row.text.reserve(partition_key.size() + row_key.size() + etag.size());
      row.text.append(partition_key).append(row_key);
      row.partition_size = static_cast<std::uint32_t>(partition_key.size());
      row.row_size = static_cast<std::uint32_t>(row_key.size());
    } else if (!row.is(partition_key, row_key)) {
      continue;
    }
    row.set_etag(etag);
    row.replaced = false;
    return rowid;
  }
}

std::int64_t RowMap::rowid_of(std::string_view partition_key, std::string_view row_key) const {
  const std::int64_t hash = hash_of_keys(partition_key, row_key);
  if (rows_.empty()) return hash;
  for (std::int64_t rowid = hash;; rowid = next_number(rowid)) {
    auto place = rows_.find(rowid);
    if (place == rows_.end() || place->second.is(partition_key, row_key)) return rowid;
  }
}

RowMap::Row* RowMap::find(std::string_view partition_key, std::string_view row_key) {
  if (rows_.empty()) return nullptr;
  auto place = rows_.find(rowid_of(partition_key, row_key));
  return place == rows_.end() ? nullptr : &place->second;
}

void RowMap::mark_written(std::string_view partition_key, std::string_view row_key) {
  if (Row* row = find(partition_key, row_key)) {
    row->set_etag("*");
    row->replaced = false;
  }
}

void RowMap::mark_replaced(std::string_view partition_key, std::string_view row_key) {
  if (Row* row = find(partition_key, row_key)) row->replaced = true;
}

std::optional<ShownRow> RowMap::find(std::int64_t rowid) const {
  auto place = rows_.find(rowid);
  if (place == rows_.end()) return std::nullopt;
  const Row& row = place->second;
  return ShownRow{std::string(row.partition_key()), std::string(row.row_key()),
                  row.text.substr(row.partition_size + row.row_size), row.replaced};
}

}  // namespace table_storage::module
