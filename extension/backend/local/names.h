// The dictionary of property names of one schema. Records store the number of a name instead of the name.
//
//   CREATE TABLE ts_property_names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)
//
// Numbers are dense from 1; rows are never changed or deleted, since every connection remembers what it has
// read. Not for use by several threads at once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct sqlite3;

namespace table_storage::backend::local {

using NameId = std::uint32_t;  // 1, 2, …; 0 is no name

/// The names as far as they have been read. Names keep their place in memory as long as the object lives, and
/// only ever grow in number: a scan that holds on to the store can hand out views of names.
class NameStore {
 public:
  NameId size() const { return static_cast<NameId>(by_id_.size()); }
  /// `id` is 1..size().
  std::string_view name(NameId id) const { return by_id_[id - 1]; }
  /// 0 if the name has not been read.
  NameId find(std::string_view name) const {
    const auto it = ids_.find(name);
    return it == ids_.end() ? 0 : it->second;
  }
  /// Throws std::bad_alloc, and then nothing has changed.
  void append(std::string name);

 private:
  std::deque<std::string> texts_;
  std::vector<std::string_view> by_id_;
  std::unordered_map<std::string_view, NameId> ids_;
};

class PropertyNames {
 public:
  PropertyNames(sqlite3* db, std::string schema);

  /// Another object after forget(): who resolved names to numbers before must do so again.
  const std::shared_ptr<NameStore>& store() const { return store_; }
  /// Reads the names that were added since the last time. No table, no names. Throws Error(corrupt) if a
  /// number is missing.
  void refresh();
  /// The number of a name, which is added to the schema where it is new; the caller has checked its shape.
  NameId add(std::string_view name);
  /// Starts anew, because names added in a transaction that was undone are gone.
  void forget() noexcept;

 private:
  bool insert(NameId id, std::string_view name);

  sqlite3* db_;
  std::string schema_;
  std::shared_ptr<NameStore> store_ = std::make_shared<NameStore>();
  // What forget() puts in its place, made beforehand, because a rollback must not fail. Null only while
  // store_ is empty.
  std::shared_ptr<NameStore> spare_;
};

}  // namespace table_storage::backend::local
