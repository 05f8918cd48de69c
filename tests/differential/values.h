// Values on both sides of the comparison: what an entity holds (EdmValue) and what SQL sees (SqlValue), with
// the rule that leads from one to the other.
//
// The rule is written here a second time on purpose, from the design and without the project's own parser, so
// that a mistake there does not cancel out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/random.h"

namespace table_storage::differential {

enum class Edm : unsigned char { String, Binary, Boolean, Int32, Int64, Double, DateTime, Guid };
inline constexpr std::size_t kEdmCount = 8;

/// A value of one of SQLite's five storage classes.
struct SqlValue {
  enum class Class : unsigned char { null, integer, real, text, blob };
  Class storage = Class::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;  // text (UTF-8) or blob

  static SqlValue null() { return {}; }
  static SqlValue of(std::int64_t v) { return {Class::integer, v, 0, {}}; }
  static SqlValue of(double v) { return {Class::real, 0, v, {}}; }
  static SqlValue text(std::string v) { return {Class::text, 0, 0, std::move(v)}; }
  static SqlValue blob(std::string v) { return {Class::blob, 0, 0, std::move(v)}; }

  bool is_null() const { return storage == Class::null; }
  bool is_text() const { return storage == Class::text; }
};

/// The value as an SQL expression; a literal wherever one exists (a text with U+0000 needs char()).
std::string sql_of(const SqlValue& value);
std::string quoted(const std::string& identifier);
/// The value as a test compares it. `loose`: 5 and 5.0 are the same, for results in which SQLite may pick
/// either of two equal values (DISTINCT, GROUP BY, MIN). -0.0 is always 0.0, because a REAL column of SQLite
/// loses the sign.
std::string canonical(const SqlValue& value, bool loose);

/// A property's value. String and Binary in `bytes`; Guid as lower-case text with dashes; DateTime as the
/// fixed text "2024-06-15T00:00:00.0000000Z".
struct EdmValue {
  Edm type = Edm::String;
  std::int64_t integer = 0;  // Boolean, Int32, Int64
  double real = 0;
  std::string bytes;
};

/// What a column shows: the declared type plus lossless widening, NULL for anything else. nullopt: an ANY
/// column.
SqlValue shown(const EdmValue& value, std::optional<Edm> column);

/// `"name@odata.type":"Edm.Int64","name":"5"`, as `_properties` takes it.
std::string json_member(const std::string& name, const EdmValue& value);

/// Random values, with the awkward ones far more often than fate would have it.
EdmValue random_edm(Random& random, Edm type);
std::string random_text(Random& random);
/// A text the service takes as a key: no / \ # ? and no control characters; may be empty.
std::string random_key(Random& random, bool may_be_empty = true);
SqlValue random_sql(Random& random);
/// A value near `value`: another storage class, another spelling of the same date or Guid, one more or less,
/// …
SqlValue perturbed(Random& random, const SqlValue& value);

}  // namespace table_storage::differential
