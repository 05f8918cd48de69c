// From entities to columns: what a table without a schema holds, and the column definitions that show it.
//
// Evidence counts what scans yield; sample() decides which entities those are; suggest() turns the counts
// into columns. Nothing here knows a connection or SQL objects. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "extension/backend/backend.h"
#include "parser/definition/table_definition.h"
#include "parser/edm/value.h"

namespace table_storage::catalog {

/// What was seen of one property.
struct PropertyEvidence {
  std::string name;
  std::array<std::uint64_t, edm::kTypeCount> counts{};  // by edm::Type
  /// An Int64 beyond 2^53, where doubles have gaps.
  bool large_integer = false;
  // Keys of the first entity that had it, in the order of reading.
  std::string first_partition_key;
  std::string first_row_key;

  std::uint64_t count() const;
  std::uint64_t count(edm::Type type) const { return counts[static_cast<std::size_t>(type)]; }
};

/// Counts entities. Memory grows with the number of different property names alone.
class Evidence {
 public:
  /// `entity` needs all its properties (Projection::all_properties). Throws Error(invalid) when there are
  /// more property names than could ever be columns, many times over.
  void add(const backend::EntityView& entity);

  std::uint64_t entities() const { return entities_; }
  /// In the order in which they were first seen.
  const std::vector<PropertyEvidence>& properties() const { return properties_; }
  const PropertyEvidence* find(std::string_view property) const;

  /// Every entity of the table was read.
  bool is_whole() const { return whole_; }
  void set_whole() { whole_ = true; }

 private:
  std::size_t index_of(std::string_view name, std::size_t position);

  std::vector<PropertyEvidence> properties_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::size_t> order_;  // of the last entity: the next one most likely has the same
  std::uint64_t entities_ = 0;
  bool whole_ = false;
};

inline constexpr std::uint64_t kDefaultSampleRows = 1000;

/// How much of a table is read; without `rows` all of it.
struct SampleSize {
  std::optional<std::uint64_t> rows = kDefaultSampleRows;
};

/// "1000" or "all". Throws Error(invalid) that says so.
SampleSize parse_sample_rows(std::string_view text);

/// Reads a table of at most `rows` entities whole. Of a larger one it reads the first `rows` entities and up
/// to as many again from places spread over the partitions and within them (infer_sample.cpp says how), in at
/// most kSampleProbes small requests.
Evidence sample(backend::Table& table, SampleSize size);

inline constexpr std::size_t kSampleProbes = 48;

/// One property as a column.
struct ColumnSuggestion {
  definition::Column column;  // name, type, options as they are to stand in CREATE VIRTUAL TABLE
  std::string property;
  /// Why it is not as one might expect: mixed types, another name, a changed type; empty if there is nothing
  /// to say.
  std::string notice;
  /// False where no column can stand for the property; `notice` says why.
  bool usable = true;

  /// The definition as text, `"In use" BOOLEAN OPTIONS (property 'InUse')`; empty if not usable.
  std::string text() const;
};

/// Columns for all properties. Those of `existing` come first, as they are declared, as long as their types
/// show all that was seen; one whose type no longer does gets a new type and keeps its name and options. Then
/// come the other properties, first seen first. Types: what was seen, if it is one type; Int32 and Int64
/// INT64; numbers with a Double among them DOUBLE, unless an Int64 was beyond 2^53; any other mix ANY.
std::vector<ColumnSuggestion> suggest(const Evidence& evidence,
                                      const std::vector<definition::Column>& existing = {});

/// The name in SQL text: quoted where SQLite or the grammar of columns would not take it bare.
std::string identifier_text(std::string_view name);
/// 'text', quotes doubled.
std::string literal_text(std::string_view text);
/// `name TYPE OPTIONS (a 'b')`.
std::string column_text(const definition::Column& column);
/// ` OPTIONS (a 'b', c 'd')`, without the blank in front; empty if there are none.
std::string options_clause(const std::vector<definition::Option>& options);

}  // namespace table_storage::catalog
