// One case's data: entity tables, the foreign tables that map them, and a native table to join with.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/random.h"
#include "tests/differential/values.h"

namespace table_storage::differential {

struct Entity {
  std::string partition;
  std::string row;
  std::vector<std::pair<std::string, EdmValue>> properties;

  const EdmValue* find(const std::string& property) const {
    for (const auto& [name, value] : properties) {
      if (name == property) return &value;
    }
    return nullptr;
  }
};

/// A table of the service.
struct Store {
  std::string name;
  std::vector<Entity> entities;  // no two with the same keys
};

struct Column {
  std::string name;         // in SQL
  std::string property;     // in the store
  std::string declared;     // the type as written
  std::optional<Edm> type;  // nullopt: ANY
};

/// A foreign table, called "f<index>"; its native twin is "p<index>".
struct ForeignTable {
  std::size_t store = 0;
  std::vector<Column> columns;  // after PartitionKey, RowKey, Timestamp
};

/// A row of the native table h(id, i INTEGER, r REAL, t TEXT, b BLOB, n).
struct HelperRow {
  std::vector<SqlValue> values;  // i, r, t, b, n
};

/// How the fake of the service cuts answers into pages.
struct Pages {
  std::size_t size = 1000;
  std::size_t empty_every = 0;  // each of so many pages is empty and has a token; 0: none
  bool by_partition = false;    // a page ends with its partition, and the token names only the next one
  bool trailing_empty = false;  // an empty page behind the last row
};

struct Scenario {
  std::string encoding;  // for PRAGMA encoding
  bool case_sensitive_like = false;
  std::vector<Store> stores;
  std::vector<ForeignTable> tables;  // the last one, alone on its store, is the one that is written to
  std::vector<HelperRow> helper;
  Pages pages;
  unsigned concurrency = 8;  // the foreign tables' option, where there is a service
  bool empty_keys = true;    // PartitionKey and RowKey may be empty

  std::size_t writable() const { return tables.size() - 1; }
};

inline const char* const kHelperColumns[] = {"i", "r", "t", "b", "n"};

/// No table has more than `most` entities, which must be at least 5.
Scenario random_scenario(Random& random, std::size_t most, bool empty_keys);

/// CREATE VIRTUAL TABLE f<index> …, with `options` in its OPTIONS; they are empty or begin with a comma.
std::string foreign_ddl(const Scenario& scenario, std::size_t table, const std::string& options);
/// CREATE TABLE p<index> … and a unique index on its keys; the columns have the types `declared_to_sqlite`
/// that the foreign table declared.
std::string native_ddl(const Scenario& scenario, std::size_t table,
                       const std::vector<std::string>& declared_to_sqlite);
/// Views over the tables of a kind, 'f' or 'p', and triggers that read and write them:
///   v<kind><k>   the table as it is; the writable one's can be written through INSTEAD OF triggers
///   w<kind><k>   its rows with those of the next table and of h that have the same row key: pk2, rk2, ht
///   u<kind><k>   the keys of it and of the next table, UNION ALL
///   job<kind><w>(p, r), of the writable table: an INSERT notes in trace<kind><w>(p, r, n) what has one of
///   the
///                keys, and deletes the entity that has both
std::string views_ddl(const Scenario& scenario, char kind);
/// The collation that the design gives a column; empty for BINARY.
std::string collation_of(const Column& column);
/// TEXT, NUMERIC, INTEGER, REAL or BLOB: what the design gives a column, and what SQLite derives from a
/// type's name.
std::string affinity_of(const Column& column);
std::string affinity_of_type(const std::string& declared_to_sqlite);
/// The JSON for `_properties`.
std::string json_of(const Entity& entity);

}  // namespace table_storage::differential
