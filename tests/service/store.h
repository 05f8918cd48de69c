// What the fake service keeps: tables of entities in the service's order, and what operations do to them.
// Not for several threads: the service guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "parser/edm/value.h"
#include "parser/odata/filter.h"

namespace table_storage::fake {

enum class Personality : unsigned char { storage, cosmos };

/// A request that the service does not fulfil. Thrown.
struct Refusal {
  int status = 400;
  std::string code;
  std::string message;
};

using Properties =
    std::vector<std::pair<std::string, edm::Value>>;  // in first-written order; no keys, no Timestamp

struct Entity {
  Properties properties;
  std::int64_t timestamp = 0;  // ticks
  std::string etag;
};

struct Key {
  std::string partition;
  std::string row;
};

/// Storage: by UTF-16 code units. Cosmos promises no order: by a hash, so that nobody relies on one.
struct KeyOrder {
  Personality personality = Personality::storage;
  bool operator()(const Key& a, const Key& b) const;
};
using Rows = std::map<Key, Entity, KeyOrder>;

struct Table {
  std::string name;
  Rows rows;
};

struct Change {
  backend::OperationKind kind = backend::OperationKind::insert;
  Key key;
  Properties properties;
  std::string if_match;  // empty where the kind takes none
};

struct Paging {
  std::size_t page_size = 1000;  // entities at most
  std::size_t scan_limit = 0;    // entities looked at for one page; 0: no limit
  std::size_t empty_every = 0;   // each n-th query gets an empty page and the same place to go on from
  bool partition_pages = false;  // a page ends with its partition, and its token names the next one only
  bool trailing_empty_page =
      false;  // the last page with entities has a token, and the page after it is empty
};

struct Query {
  std::optional<odata::Filter> filter;
  std::size_t top = 1000;
  std::optional<Key> from;  // of a continuation; an absent row is the partition's first
};

struct Page {
  std::vector<Rows::const_iterator> rows;
  std::optional<Key> next;
  bool next_has_row = true;
};

class Store {
 public:
  explicit Store(Personality personality) : personality_(personality) {}

  /// `deletion_time`: how long a dropped table's name stays taken.
  void create_table(const std::string& name);
  void drop_table(const std::string& name, std::chrono::milliseconds deletion_time);
  /// Null if there is none.
  Table* find_table(const std::string& name);
  /// Throws TableNotFound.
  Table& table(const std::string& name);
  const std::map<std::string, Table>& tables() const { return tables_; }

  /// The entity afterwards; its ETag is empty for a removal.
  Entity apply(Table& table, const Change& change);
  Page query(const Table& table, const Query& query, const Paging& paging);

  /// A transaction, one at a time: undone by roll_back() back to begin().
  void begin() {
    undo_.clear();
    in_transaction_ = true;
  }
  void commit() {
    undo_.clear();
    in_transaction_ = false;
  }
  void roll_back();

  void clear();

 private:
  struct Undo {
    Table* table;
    Key key;
    std::optional<Entity> before;
  };

  std::string map_key(const std::string& name) const;
  void stamp(Entity& entity);
  void remember(Table& table, const Key& key);

  const Personality personality_;
  std::map<std::string, Table> tables_;
  std::map<std::string, std::chrono::steady_clock::time_point> being_deleted_;
  std::vector<Undo> undo_;
  bool in_transaction_ = false;
  std::int64_t last_timestamp_ = 0;
  std::size_t queries_ = 0;
};

}  // namespace table_storage::fake
