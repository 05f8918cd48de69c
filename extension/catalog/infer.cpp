#include "extension/catalog/infer.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/sqlite.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using edm::Type;

namespace {

/// Names a table cannot have as columns would be of no use; memory is what this limits.
constexpr std::size_t kMaxPropertyNames = 50'000;
constexpr std::int64_t kExactDouble = std::int64_t{1} << 53;

constexpr std::array<std::string_view, edm::kTypeCount> kColumnTypes{"STRING", "BINARY", "BOOLEAN",  "INT32",
                                                                     "INT64",  "DOUBLE", "DATETIME", "GUID"};

std::string_view column_type_name(std::optional<Type> type) {
  return type ? kColumnTypes[static_cast<std::size_t>(*type)] : std::string_view("ANY");
}

std::string folded_name(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(), definition::lower);
  return out;
}

/// "String 3, Int32 997", the most frequent first.
std::string counts_text(const PropertyEvidence& property) {
  std::vector<std::size_t> types;
  for (std::size_t t = 0; t < property.counts.size(); ++t) {
    if (property.counts[t] > 0) types.push_back(t);
  }
  std::stable_sort(types.begin(), types.end(),
                   [&](std::size_t a, std::size_t b) { return property.counts[a] > property.counts[b]; });
  std::string out;
  for (std::size_t t : types) {
    out += out.empty() ? "" : ", ";
    out += edm::name_of(static_cast<Type>(t)).substr(4);  // less "Edm."
    out += ' ' + std::to_string(property.counts[t]);
  }
  return out;
}

bool shows_all(std::optional<Type> column, const PropertyEvidence& property) {
  if (!column) return true;
  for (std::size_t t = 0; t < property.counts.size(); ++t) {
    if (property.counts[t] == 0) continue;
    const auto seen = static_cast<Type>(t);
    const bool widens = (*column == Type::Int64 && seen == Type::Int32) ||
                        (*column == Type::Double && seen == Type::Int32) ||
                        (*column == Type::Double && seen == Type::Int64 && !property.large_integer);
    if (seen != *column && !widens) return false;
  }
  return true;
}

/// The narrowest type whose columns show all that was seen; nullopt: ANY.
std::optional<Type> inferred_type(const PropertyEvidence& property) {
  for (std::size_t t = 0; t < property.counts.size(); ++t) {
    if (property.counts[t] > 0 && property.counts[t] == property.count()) return static_cast<Type>(t);
  }
  for (Type wider : {Type::Int64, Type::Double}) {
    if (shows_all(wider, property)) return wider;
  }
  return std::nullopt;
}

std::string mixed_notice(const PropertyEvidence& property) {
  const bool numbers =
      property.count(Type::Int32) + property.count(Type::Int64) + property.count(Type::Double) ==
      property.count();
  return (numbers ? "integers beyond 2^53 and doubles: " : "mixed types: ") + counts_text(property) +
         "; an ANY column shows each value as it is, a column of one type would show NULL for the others";
}

const std::string& property_of(const definition::Column& column) {
  for (const definition::Option& option : column.options) {
    if (definition::equal_without_case(option.name, "property")) return option.value;
  }
  return column.name;
}

/// Columns of every foreign table, and SQLite's name for the identity of a row.
constexpr std::array<std::string_view, 7> kGivenNames{"PartitionKey", "RowKey",  "Timestamp", "_etag",
                                                      "_properties",  "_filter", "rowid"};

std::string renamed_notice(const std::string& property, const std::string& name) {
  for (std::string_view given : kGivenNames) {
    if (definition::equal_without_case(given, property))
      return "the column is called " + name + ", as " + std::string(given) +
             " means something else in every foreign table";
  }
  return "the column is called " + name +
         ", as SQL names do not tell upper from lower case and another property has this one";
}

/// SQL names that are still free.
class Names {
 public:
  explicit Names(const Evidence& evidence) {
    for (std::string_view name : kGivenNames) taken_.insert(folded_name(name));
    for (const PropertyEvidence& property : evidence.properties()) own_.insert(folded_name(property.name));
  }

  void take(std::string_view name) { taken_.insert(folded_name(name)); }

  /// The property's own name, or one with a number behind it that no other property has for its own.
  std::string choose(const std::string& property) {
    if (taken_.insert(folded_name(property)).second) return property;
    for (int n = 2;; ++n) {
      std::string name = property + "_" + std::to_string(n);
      if (own_.contains(folded_name(name))) continue;
      if (taken_.insert(folded_name(name)).second) return name;
    }
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> own_;
};

void add_notice(std::string& notice, const std::string& text) {
  notice += (notice.empty() ? "" : "; ") + text;
}

/// A column that is declared already, with the type that it should have now.
ColumnSuggestion keep(const definition::Column& column, const Evidence& evidence) {
  ColumnSuggestion kept;
  kept.column = column;
  kept.property = property_of(column);
  const PropertyEvidence* seen = evidence.find(kept.property);
  if (seen == nullptr) {
    add_notice(kept.notice, "not seen in the " + std::to_string(evidence.entities()) +
                                " entities looked at; the column is kept as it is declared");
    return kept;
  }
  if (shows_all(column.type, *seen)) return kept;
  kept.column.type = inferred_type(*seen);
  kept.column.declared_type = column_type_name(kept.column.type);
  add_notice(kept.notice,
             "was declared " + column.declared_type + ", which does not show all of " + counts_text(*seen));
  if (!kept.column.type) add_notice(kept.notice, mixed_notice(*seen));
  return kept;
}

ColumnSuggestion make(const PropertyEvidence& property, Names& names) {
  ColumnSuggestion made;
  made.property = property.name;
  made.column.type = inferred_type(property);
  made.column.declared_type = column_type_name(made.column.type);
  try {
    backend::check_property_name(property.name);
  } catch (const Error& error) {
    made.usable = false;
    made.notice = "no column can stand for it: " + error.message() + "; _properties shows it";
    return made;
  }
  made.column.name = names.choose(property.name);
  if (made.column.name != property.name) {
    made.column.options.push_back({"property", property.name, 0});
    add_notice(made.notice, renamed_notice(property.name, made.column.name));
  }
  if (!made.column.type) add_notice(made.notice, mixed_notice(property));
  return made;
}

bool is_bare_word(std::string_view name) {
  const auto is_start = [](char c) {
    const char l = definition::lower(c);
    return (l >= 'a' && l <= 'z') || l == '_' || static_cast<unsigned char>(l) >= 0x80;
  };
  return !name.empty() && is_start(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_start(c) || (c >= '0' && c <= '9') || c == '$';
  });
}

std::string quoted_text(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out += quote;
}

}  // namespace

std::uint64_t PropertyEvidence::count() const {
  std::uint64_t sum = 0;
  for (std::uint64_t n : counts) sum += n;
  return sum;
}

std::size_t Evidence::index_of(std::string_view name, std::size_t position) {
  if (position < order_.size() && properties_[order_[position]].name == name) return order_[position];
  const auto [place, is_new] = index_.try_emplace(std::string(name), properties_.size());
  if (is_new) {
    if (properties_.size() >= kMaxPropertyNames) {
      throw Error(Error::Kind::invalid, "",
                  "the entities have more than " + std::to_string(kMaxPropertyNames) +
                      " different property names, and SQLite takes 2000 columns; declare the columns that "
                      "matter with CREATE VIRTUAL TABLE, _properties shows the others");
    }
    properties_.emplace_back().name = name;
  }
  if (position >= order_.size()) order_.resize(position + 1);
  return order_[position] = place->second;
}

void Evidence::add(const backend::EntityView& entity) {
  ++entities_;
  for (std::size_t i = 0; i < entity.all.size(); ++i) {
    const auto& [name, value] = entity.all[i];
    if (!value) continue;
    PropertyEvidence& property = properties_[index_of(name, i)];
    if (property.count() == 0) {
      property.first_partition_key = entity.partition_key;
      property.first_row_key = entity.row_key;
    }
    ++property.counts[static_cast<std::size_t>(value.type())];
    if (value.type() == Type::Int64) {
      const std::int64_t n = value.as_int64();
      if (n > kExactDouble || n < -kExactDouble) property.large_integer = true;
    }
  }
}

const PropertyEvidence* Evidence::find(std::string_view property) const {
  const auto place = index_.find(std::string(property));
  return place == index_.end() ? nullptr : &properties_[place->second];
}

std::vector<ColumnSuggestion> suggest(const Evidence& evidence,
                                      const std::vector<definition::Column>& existing) {
  std::vector<ColumnSuggestion> columns;
  Names names(evidence);
  std::unordered_set<std::string_view> done;
  for (const definition::Column& column : existing) {
    names.take(column.name);
    done.insert(property_of(column));
    columns.push_back(keep(column, evidence));
  }
  for (const PropertyEvidence& property : evidence.properties()) {
    if (!done.contains(property.name)) columns.push_back(make(property, names));
  }
  return columns;
}

std::string ColumnSuggestion::text() const { return usable ? column_text(column) : std::string(); }

std::string identifier_text(std::string_view name) {
  // Words that start another kind of argument of table_storage().
  const bool is_clause =
      definition::equal_without_case(name, "server") || definition::equal_without_case(name, "options");
  if (is_bare_word(name) && !is_clause &&
      sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) == 0) {
    return std::string(name);
  }
  return quoted_text(name, '"');
}

std::string literal_text(std::string_view text) { return quoted_text(text, '\''); }

std::string options_clause(const std::vector<definition::Option>& options) {
  if (options.empty()) return {};
  std::string out;
  for (const definition::Option& option : options) {
    out += (out.empty() ? "OPTIONS (" : ", ") + option.name + ' ' + literal_text(option.value);
  }
  return out += ')';
}

std::string column_text(const definition::Column& column) {
  std::string out = identifier_text(column.name) + ' ' + column.declared_type;
  if (const std::string options = options_clause(column.options); !options.empty()) out += ' ' + options;
  return out;
}

}  // namespace table_storage::catalog
