#include "tests/service/store.h"

#include <algorithm>
#include <functional>

#include "extension/backend/limits.h"
#include "parser/edm/compare.h"
#include "parser/edm/text.h"
#include "parser/odata/evaluate.h"

namespace table_storage::fake {
namespace {

using backend::OperationKind;

// Behind the last row of a trailing token. No key holds it.
constexpr char kPastTheEnd = '\x01';

std::string without_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::size_t hash_of(const Key& key) {
  return std::hash<std::string>()(key.partition) * 31 + std::hash<std::string>()(key.row);
}

/// The part of a filter that limits the scan, so that a look-up in a large table does not read all of it.
struct KeyBounds {
  std::optional<std::string> partition_from, partition_to, row_from, row_to;
};

void tighten(KeyBounds& bounds, const odata::Filter& filter) {
  if (filter.kind == odata::Filter::Kind::conjunction) {
    for (const odata::Filter& operand : filter.operands) tighten(bounds, operand);
    return;
  }
  if (filter.kind != odata::Filter::Kind::comparison) return;
  const bool partition = filter.property == "PartitionKey";
  if (!partition && filter.property != "RowKey") return;
  const std::string value(filter.literal.view().bytes());
  auto& from = partition ? bounds.partition_from : bounds.row_from;
  auto& to = partition ? bounds.partition_to : bounds.row_to;
  using odata::Operator;
  if (filter.op == Operator::eq || filter.op == Operator::ge || filter.op == Operator::gt) {
    if (!from || edm::compare_utf16(*from, value) < 0) from = value;
  }
  if (filter.op == Operator::eq || filter.op == Operator::le || filter.op == Operator::lt) {
    if (!to || edm::compare_utf16(value, *to) < 0) to = value;
  }
}

/// A filter over the entities of this store.
class Matcher {
 public:
  explicit Matcher(const odata::Filter& filter)
      : evaluator_(filter), slots_(evaluator_.properties().size()) {}

  bool matches(const Key& key, const Entity& entity) {
    const auto& names = evaluator_.properties();
    for (std::size_t i = 0; i < names.size(); ++i) slots_[i] = value_of(names[i], key, entity);
    return evaluator_.matches(slots_.data());
  }

 private:
  static edm::ValueView value_of(const std::string& name, const Key& key, const Entity& entity) {
    if (name == "PartitionKey") return edm::ValueView::string(key.partition);
    if (name == "RowKey") return edm::ValueView::string(key.row);
    if (name == "Timestamp") return edm::ValueView::datetime(entity.timestamp);
    for (const auto& [property, value] : entity.properties) {
      if (property == name) return value;
    }
    return edm::ValueView::missing();
  }

  odata::Evaluator evaluator_;
  std::vector<edm::ValueView> slots_;
};

bool is_well_formed_etag(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag.size() >= 2 && etag.front() == '"' && etag.find('"', 1) == etag.size() - 1;
}

void check_etag(const std::string& if_match, const Entity& entity) {
  if (if_match == "*") return;
  if (!is_well_formed_etag(if_match))
    throw Refusal{400, "InvalidInput",
                  "The etag value '" + if_match +
                      "' specified in one of the request headers is "
                      "not valid. Please make sure only one etag value is specified and is valid."};
  if (if_match != entity.etag)
    throw Refusal{412, "UpdateConditionNotSatisfied",
                  "The update condition specified in the request was not satisfied."};
}

}  // namespace

bool KeyOrder::operator()(const Key& a, const Key& b) const {
  if (personality == Personality::cosmos) {
    const std::size_t hash_a = hash_of(a), hash_b = hash_of(b);
    if (hash_a != hash_b) return hash_a < hash_b;
  }
  const auto partitions = edm::compare_utf16(a.partition, b.partition);
  if (partitions != 0) return partitions < 0;
  return edm::compare_utf16(a.row, b.row) < 0;
}

std::string Store::map_key(const std::string& name) const {
  return personality_ == Personality::cosmos ? name : without_case(name);
}

Table* Store::find_table(const std::string& name) {
  const auto at = tables_.find(map_key(name));
  return at == tables_.end() ? nullptr : &at->second;
}

Table& Store::table(const std::string& name) {
  Table* const found = find_table(name);
  if (found == nullptr) throw Refusal{404, "TableNotFound", "The table specified does not exist."};
  return *found;
}

void Store::create_table(const std::string& name) {
  backend::check_table_name(name);
  if (const auto at = being_deleted_.find(map_key(name)); at != being_deleted_.end()) {
    if (std::chrono::steady_clock::now() < at->second)
      throw Refusal{409, "TableBeingDeleted", "The specified table is being deleted. Try operation later."};
    being_deleted_.erase(at);
  }
  const auto [at, is_new] = tables_.try_emplace(map_key(name));
  if (!is_new) throw Refusal{409, "TableAlreadyExists", "The table specified already exists."};
  at->second.name = name;
  at->second.rows = Rows(KeyOrder{personality_});
}

void Store::drop_table(const std::string& name, std::chrono::milliseconds deletion_time) {
  if (tables_.erase(map_key(name)) == 0)
    throw Refusal{404, "ResourceNotFound", "The specified resource does not exist."};
  if (deletion_time.count() > 0)
    being_deleted_[map_key(name)] = std::chrono::steady_clock::now() + deletion_time;
}

void Store::clear() {
  tables_.clear();
  being_deleted_.clear();
  undo_.clear();
  queries_ = 0;
}

// Strictly increasing, so that no two versions of an entity have the same ETag.
void Store::stamp(Entity& entity) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto ticks =
      std::chrono::duration_cast<std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>>(since);
  last_timestamp_ = std::max(last_timestamp_ + 1, edm::kUnixEpochTicks + ticks.count());
  entity.timestamp = last_timestamp_;
  // Cosmos' tags look alike but are not made from the Timestamp.
  const std::int64_t shown = personality_ == Personality::cosmos ? last_timestamp_ + 12'345 : last_timestamp_;
  entity.etag = "W/\"datetime'";
  for (const char c : edm::format_datetime(shown)) {
    if (c == ':') {
      entity.etag += "%3A";
    } else {
      entity.etag += c;
    }
  }
  entity.etag += "'\"";
}

void Store::remember(Table& table, const Key& key) {
  if (!in_transaction_) return;
  const auto at = table.rows.find(key);
  undo_.push_back({&table, key, at == table.rows.end() ? std::nullopt : std::optional(at->second)});
}

void Store::roll_back() {
  for (auto entry = undo_.rbegin(); entry != undo_.rend(); ++entry) {
    if (entry->before) {
      entry->table->rows[entry->key] = *entry->before;
    } else {
      entry->table->rows.erase(entry->key);
    }
  }
  commit();
}

Entity Store::apply(Table& table, const Change& change) {
  backend::Operation operation;
  operation.kind = change.kind;
  operation.partition_key = change.key.partition;
  operation.row_key = change.key.row;
  for (const auto& [name, value] : change.properties) operation.properties.push_back({name, value});
  backend::check_operation(operation);
  if (personality_ == Personality::cosmos && (change.key.partition.empty() || change.key.row.empty()))
    throw Refusal{400, "PropertiesNeedValue", "PartitionKey/RowKey cannot be empty"};

  const auto at = table.rows.find(change.key);
  const bool exists = at != table.rows.end();
  switch (change.kind) {
    case OperationKind::insert:
      if (exists) throw Refusal{409, "EntityAlreadyExists", "The specified entity already exists."};
      break;
    case OperationKind::replace:
    case OperationKind::merge:
    case OperationKind::remove:
      if (!exists) throw Refusal{404, "ResourceNotFound", "The specified resource does not exist."};
      check_etag(change.if_match, at->second);
      break;
    case OperationKind::insert_or_replace:
    case OperationKind::insert_or_merge:
      break;
  }
  remember(table, change.key);
  if (change.kind == OperationKind::remove) {
    table.rows.erase(at);
    return {};
  }
  Entity entity;
  const bool merges = change.kind == OperationKind::merge || change.kind == OperationKind::insert_or_merge;
  if (merges && exists) entity.properties = at->second.properties;
  for (const auto& [name, value] : change.properties) {
    const auto old = std::find_if(entity.properties.begin(), entity.properties.end(),
                                  [&, n = name](const auto& property) { return property.first == n; });
    if (old == entity.properties.end()) {
      entity.properties.emplace_back(name, value);
    } else {
      old->second = value;
    }
  }
  if (merges) {  // the sum may be too much where the parts are not
    std::vector<backend::NamedValue> all;
    for (const auto& [name, value] : entity.properties) all.push_back({name, value});
    backend::check_entity(change.key.partition, change.key.row, all);
  }
  stamp(entity);
  table.rows[change.key] = entity;
  return entity;
}

Page Store::query(const Table& table, const Query& query, const Paging& paging) {
  ++queries_;
  Page page;
  const Rows& rows = table.rows;
  KeyBounds bounds;
  const bool ordered = personality_ == Personality::storage;
  if (ordered && query.filter) tighten(bounds, *query.filter);
  const bool one_partition = bounds.partition_from && bounds.partition_from == bounds.partition_to;

  auto at = query.from ? rows.lower_bound(*query.from) : rows.begin();
  if (ordered && bounds.partition_from) {
    const Key first{*bounds.partition_from, one_partition ? bounds.row_from.value_or("") : ""};
    const auto begin = rows.lower_bound(first);
    if (!query.from || (begin != rows.end() && rows.key_comp()(*query.from, begin->first))) at = begin;
    if (begin == rows.end()) at = begin;
  }
  const auto past = [&](const Key& key) {
    if (bounds.partition_to && edm::compare_utf16(key.partition, *bounds.partition_to) > 0) return true;
    return one_partition && bounds.row_to && edm::compare_utf16(key.row, *bounds.row_to) > 0;
  };

  const auto stop_at = [&](const Key& key) { page.next = key; };
  if (paging.empty_every > 0 && queries_ % paging.empty_every == 0 && at != rows.end() && !past(at->first)) {
    stop_at(at->first);
    return page;
  }
  std::optional<Matcher> matcher;
  if (query.filter) matcher.emplace(*query.filter);
  // At $top=0 the service gives no entities and nothing to go on with.
  if (query.top == 0) return page;
  const std::size_t most = std::min(query.top, paging.page_size);
  std::size_t looked_at = 0;
  std::optional<std::string> partition;
  for (; at != rows.end() && !past(at->first); ++at) {
    if (paging.partition_pages && ordered && partition && *partition != at->first.partition) {
      stop_at({at->first.partition, ""});
      page.next_has_row = false;
      return page;
    }
    partition = at->first.partition;
    if (paging.scan_limit > 0 && looked_at == paging.scan_limit) {
      stop_at(at->first);
      return page;
    }
    ++looked_at;
    if (matcher && !matcher->matches(at->first, at->second)) continue;
    if (page.rows.size() == most) {  // the next matching row is where to go on
      stop_at(at->first);
      return page;
    }
    page.rows.push_back(at);
  }
  if (paging.trailing_empty_page && ordered && !page.rows.empty()) {
    Key end = page.rows.back()->first;
    end.row += kPastTheEnd;
    stop_at(end);
  }
  return page;
}

}  // namespace table_storage::fake
