#include "extension/module/writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/module/column_value.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

namespace table_storage::module {

using backend::NamedValue;
using backend::Operation;
using backend::OperationKind;
using edm::ValueView;

namespace {

/// The properties an entity shall have, in order; what they point to is kept elsewhere.
class PropertyList {
 public:
  void set(std::string_view name, ValueView value) {
    if (auto* known = find(name)) {
      known->value = value;
    } else {
      list_.push_back({name, value});
    }
  }
  void remove(std::string_view name) {
    std::erase_if(list_, [&](const NamedValue& named) { return named.name == name; });
  }
  NamedValue* find(std::string_view name) {
    auto place =
        std::find_if(list_.begin(), list_.end(), [&](const NamedValue& named) { return named.name == name; });
    return place == list_.end() ? nullptr : &*place;
  }
  std::vector<NamedValue>& list() { return list_; }

 private:
  std::vector<NamedValue> list_;
};

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

class RowWriter {
 public:
  RowWriter(ForeignTable& table, sqlite3_value** argv)
      : table_(table), definition_(table.definition()), argv_(argv) {
    if (!definition_.updatable) {
      throw Error(Error::Kind::invalid, "",
                  definition_.name + " is not updatable: it was made with OPTIONS (updatable 'false')")
          .native(SQLITE_READONLY);
    }
  }

  void remove() {
    const ShownRow row = shown_row();
    if (row.replaced) return;
    Operation operation;
    operation.kind = OperationKind::remove;
    operation.partition_key = row.partition_key;
    operation.row_key = row.row_key;
    operation.if_match = row.etag;
    table_.backend_table().run(operation);
  }

  void insert(sqlite3_int64* rowid) {
    if (!is_null(argv_[1])) {
      throw Error(
          Error::Kind::invalid, "",
          "rowid of " + definition_.name + " cannot be given: it is made from PartitionKey and RowKey");
    }
    refuse_assignment(kEtag, "the service makes it");
    refuse_assignment(kFilter, "it is for WHERE only");
    partition_key_ = to_key(definition_.columns[kPartitionKey], value(kPartitionKey));
    row_key_ = to_key(definition_.columns[kRowKey], value(kRowKey));
    Operation& operation = table_.insert_operation();
    operation.partition_key = partition_key_;
    operation.row_key = row_key_;
    operation.properties.clear();
    const bool has_json = !is_null(value(kProperties));
    try {
      if (has_json) read_json();
      for (std::size_t i = kFirstProperty; i < definition_.columns.size(); ++i) {
        sqlite3_value* given = value(static_cast<int>(i));
        if (is_null(given)) continue;
        const Column& column = definition_.columns[i];
        const ValueView converted = to_property(column, given, ValueView::missing(), scratch_);
        if (has_json) {
          properties_.set(column.property, converted);
        } else {
          operation.properties.push_back({column.property, converted});
        }
      }
    } catch (Error& error) {
      error.prefix(entity_name());
      throw;
    }
    if (has_json) operation.properties = std::move(properties_.list());
    operation.kind = replaces() ? upsert() : OperationKind::insert;
    if (ignores() && !table_.backend_capabilities().eager_conflicts) refuse_existing(operation);
    table_.backend_table().run(operation);
    *rowid = table_.state().rows.rowid_of(operation.partition_key, operation.row_key);
  }

  void update() {
    if (sqlite3_value_type(argv_[1]) != SQLITE_INTEGER ||
        sqlite3_value_int64(argv_[1]) != sqlite3_value_int64(argv_[0])) {
      throw Error(
          Error::Kind::invalid, "",
          "rowid of " + definition_.name + " cannot be changed: it is made from PartitionKey and RowKey");
    }
    const ShownRow row = shown_row();
    if (row.replaced) return;
    partition_key_ = row.partition_key;
    row_key_ = row.row_key;
    read_current(row);
    // SQLite tells which columns were not assigned, except in UPDATE … FROM before 3.43. No UPDATE assigns
    // Timestamp, so a value there means that all values came whole, and those that are as shown did not
    // change.
    told_ = sqlite3_value_nochange(value(kTimestamp)) != 0;
    const bool as_shown = row.etag != "*";
    try {
      if (told_ || as_shown) {
        refuse_change(kTimestamp, ValueView::datetime(timestamp_), "the service sets it at every write");
        refuse_change(kEtag, ValueView::string(row.etag),
                      "the service makes it; compare it in WHERE instead");
      }
      refuse_change(kFilter, ValueView::missing(), "it is for WHERE only");
      change_properties();
    } catch (Error& error) {
      error.prefix(entity_name());
      throw;
    }
    const std::string new_partition(changed_key(kPartitionKey, row.partition_key));
    const std::string new_row(changed_key(kRowKey, row.row_key));
    if (new_partition != row.partition_key || new_row != row.row_key) {
      move(row, new_partition, new_row);
    } else {
      store(row);
    }
  }

 private:
  sqlite3_value* value(int column) const { return argv_[2 + column]; }

  std::string entity_name() const {
    std::string text = "entity with PartitionKey '";
    text.append(partition_key_)
        .append("', RowKey '")
        .append(row_key_)
        .append("' of ")
        .append(definition_.name);
    return text;
  }

  bool replaces() const { return sqlite3_vtab_on_conflict(table_.connection().db()) == SQLITE_REPLACE; }

  /// What INSERT OR REPLACE is here. UPDATE OR REPLACE of a key always takes the place of the other entity:
  /// a mixture of two entities is not what anybody asks for there.
  OperationKind upsert() const {
    return definition_.backend_options.upsert == backend::Upsert::merge ? OperationKind::insert_or_merge
                                                                        : OperationKind::insert_or_replace;
  }

  bool ignores() const { return sqlite3_vtab_on_conflict(table_.connection().db()) == SQLITE_IGNORE; }

  /// For whom has to know now whether the entity exists.
  void refuse_existing(const Operation& operation) const {
    backend::ScanRequest request;
    request.ranges.push_back({backend::TextRange::exactly(operation.partition_key),
                              backend::TextRange::exactly(operation.row_key)});
    if (table_.backend_table().open_scan(request)->next() != nullptr) {
      throw Error(Error::Kind::conflict, "EntityAlreadyExists",
                  "entity with PartitionKey '" + std::string(operation.partition_key) + "', RowKey '" +
                      std::string(operation.row_key) + "' of " + definition_.name + " exists already");
    }
  }

  ShownRow shown_row() const {
    const sqlite3_int64 rowid = sqlite3_value_int64(argv_[0]);
    std::optional<ShownRow> row = table_.state().rows.find(rowid);
    if (!row) {
      throw Error(Error::Kind::missing, "",
                  "no row of " + definition_.name + " was shown under rowid " + std::to_string(rowid) +
                      " in this transaction");
    }
    return *std::move(row);
  }

  void refuse_assignment(int column, const char* why) const {
    if (is_null(value(column))) return;
    throw Error(Error::Kind::invalid, "",
                "column " + definition_.columns[static_cast<std::size_t>(column)].name + " of " +
                    definition_.name + " cannot be written: " + why);
  }

  void refuse_change(int column, ValueView shown, const char* why) const {
    sqlite3_value* given = value(column);
    if (sqlite3_value_nochange(given) != 0) return;
    if (!told_ && is_shown_as(definition_.columns[static_cast<std::size_t>(column)], shown, given)) return;
    throw Error(Error::Kind::invalid, "",
                "column " + definition_.columns[static_cast<std::size_t>(column)].name +
                    " cannot be written: " + why);
  }

  std::string_view changed_key(int column, std::string_view present) const {
    sqlite3_value* given = value(column);
    if (sqlite3_value_nochange(given) != 0) return present;
    return to_key(definition_.columns[static_cast<std::size_t>(column)], given);
  }

  /// `_properties` as the new list of properties.
  void read_json() {
    sqlite3_value* given = value(kProperties);
    if (sqlite3_value_type(given) != SQLITE_TEXT) {
      throw Error(Error::Kind::invalid, "InvalidInput",
                  "column _properties takes a JSON object as text, not " + describe(given))
          .native(SQLITE_MISMATCH);
    }
    try {
      parsed_ = json::parse_properties(text_of(given));
    } catch (Error& error) {
      error.prefix("column _properties");
      throw;
    }
    for (const json::Property& property : parsed_) {
      if (property.first == "PartitionKey" || property.first == "RowKey" || property.first == "Timestamp") {
        throw Error(
            Error::Kind::invalid, "InvalidInput",
            "column _properties must not hold " + property.first + ": write the column of that name instead");
      }
      properties_.list().push_back({property.first, property.second.view()});
    }
  }

  /// The entity as it is now, into properties_; its bytes stay alive with the scan.
  void read_current(const ShownRow& row) {
    backend::ScanRequest request;
    request.ranges.push_back(
        {backend::TextRange::exactly(row.partition_key), backend::TextRange::exactly(row.row_key)});
    request.projection.all_properties = true;
    current_ = table_.backend_table().open_scan(request);
    const backend::EntityView* entity = current_->next();
    if (entity == nullptr) {
      throw Error(Error::Kind::missing, "ResourceNotFound", entity_name() + " does not exist any more");
    }
    timestamp_ = entity->timestamp;
    // Copied, because writing may end the scan.
    for (const NamedValue& named : entity->all) {
      present_.emplace_back(std::string(named.name), edm::Value(named.value));
    }
    current_.reset();
    for (const json::Property& property : present_) {
      properties_.list().push_back({property.first, property.second.view()});
    }
  }

  ValueView present(std::string_view name) const {
    for (const json::Property& property : present_) {
      if (property.first == name) return property.second.view();
    }
    return ValueView::missing();
  }

  std::string present_json() const {
    std::string text = "{";
    for (const json::Property& property : present_)
      json::append_property(text, property.first, property.second.view());
    return text += '}';
  }

  void change_properties() {
    sqlite3_value* json_value = value(kProperties);
    if (sqlite3_value_nochange(json_value) == 0) {
      const std::string shown = present_json();
      if (!is_shown_as(definition_.columns[kProperties], ValueView::string(shown), json_value)) {
        if (is_null(json_value)) {
          throw Error(Error::Kind::invalid, "InvalidInput",
                      "column _properties must not be NULL; '{}' removes every property");
        }
        properties_.list().clear();
        read_json();
        whole_ = true;
      }
    }
    for (std::size_t i = kFirstProperty; i < definition_.columns.size(); ++i) {
      sqlite3_value* given = value(static_cast<int>(i));
      if (sqlite3_value_nochange(given) != 0) continue;
      const Column& column = definition_.columns[i];
      const ValueView stored = present(column.property);
      if (is_shown_as(column, stored, given)) continue;
      if (is_null(given)) {
        if (properties_.find(column.property) == nullptr) continue;
        properties_.remove(column.property);
        whole_ = true;
      } else {
        const ValueView converted = to_property(column, given, stored, scratch_);
        properties_.set(column.property, converted);
        changed_.push_back({column.property, converted});
      }
    }
  }

  /// Under the same keys: what changed as a merge, or everything where properties go away.
  void store(const ShownRow& row) {
    if (!whole_ && changed_.empty()) return;
    Operation operation;
    operation.kind = whole_ ? OperationKind::replace : OperationKind::merge;
    operation.partition_key = row.partition_key;
    operation.row_key = row.row_key;
    operation.properties = whole_ ? std::move(properties_.list()) : std::move(changed_);
    operation.if_match = row.etag;
    table_.backend_table().run(operation);
    table_.state().rows.mark_written(row.partition_key, row.row_key);
  }

  void move(const ShownRow& row, const std::string& partition_key, const std::string& row_key) {
    Operation target;
    target.kind = replaces() ? OperationKind::insert_or_replace : OperationKind::insert;
    target.partition_key = partition_key;
    target.row_key = row_key;
    target.properties = std::move(properties_.list());
    // Known before anything is sent: the entity's old place may be emptied by another group than the one that
    // fills the new place, and would be even if that one is refused.
    if (!replaces() && !table_.backend_capabilities().eager_conflicts) refuse_existing(target);
    table_.backend_table().run(target);
    table_.state().rows.mark_replaced(partition_key, row_key);
    Operation source;
    source.kind = OperationKind::remove;
    source.partition_key = row.partition_key;
    source.row_key = row.row_key;
    source.if_match = row.etag;
    table_.backend_table().run(source);
    table_.state().rows.mark_replaced(row.partition_key, row.row_key);
  }

  ForeignTable& table_;
  const ForeignTableDefinition& definition_;
  sqlite3_value** argv_;
  std::string_view partition_key_;  // of the row as SQLite gave it or as it was shown
  std::string_view row_key_;
  Scratch scratch_;
  std::vector<json::Property> parsed_;   // of `_properties`
  std::vector<json::Property> present_;  // of the entity before an UPDATE
  std::unique_ptr<backend::Scan> current_;
  std::int64_t timestamp_ = 0;
  PropertyList properties_;
  std::vector<NamedValue> changed_;
  bool told_ = false;
  bool whole_ = false;
};

}  // namespace

void write_row(ForeignTable& table, int argc, sqlite3_value** argv, sqlite3_int64* rowid) {
  RowWriter writer(table, argv);
  if (argc == 1) {
    writer.remove();
  } else if (is_null(argv[0])) {
    writer.insert(rowid);
  } else {
    writer.update();
  }
}

}  // namespace table_storage::module
