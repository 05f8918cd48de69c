// The columns of a foreign table: what each shows, and how SQLite compares it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parser/edm/value.h"

namespace table_storage::module {

struct Column {
  enum class Role : unsigned char {
    partition_key,
    row_key,
    timestamp,
    etag,        // hidden `_etag`
    properties,  // hidden `_properties`
    filter,      // hidden `_filter`
    property
  };

  Role role = Role::property;
  std::string name;               // SQL name
  std::string property;           // property of the entity; case-sensitive
  std::optional<edm::Type> type;  // nullopt: ANY

  /// What SQLite is told: a declared type whose affinity makes SQL comparisons right, and the collation. A
  /// name such as DATETIME alone would get NUMERIC affinity, hence "DATETIME TEXT".
  std::string declaration() const;
  /// Comparisons under any other collation are not pushed down.
  const char* collation() const;
  /// "DATETIME" and so on, for messages.
  const char* type_name() const;
};

inline constexpr int kPartitionKey = 0;
inline constexpr int kRowKey = 1;
inline constexpr int kTimestamp = 2;
inline constexpr int kEtag = 3;
inline constexpr int kProperties = 4;
inline constexpr int kFilter = 5;
inline constexpr int kFirstProperty = 6;

inline constexpr const char* kDateTimeCollation = "ts_datetime";

/// The six columns that every foreign table has. The hidden ones stand before the declared ones, so that
/// colUsed, which has one bit for all columns from the 64th on, always tells them apart.
std::vector<Column> system_columns();

/// An SQL identifier in double quotes.
std::string quoted(const std::string& identifier);

}  // namespace table_storage::module
