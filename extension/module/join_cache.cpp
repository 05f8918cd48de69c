#include "extension/module/join_cache.h"

#include <algorithm>
#include <limits>

#include "extension/module/column_value.h"
#include "extension/module/near_service.h"
#include "extension/module/sql_number.h"

namespace table_storage::module {

using plan::Operator;
using Kind = RightKey::Kind;
using Parts = std::vector<std::pair<std::size_t, Kind>>;

namespace {

constexpr std::size_t kFirstScans = 2;
constexpr std::size_t kFirstLookUps = 3;
constexpr std::uint64_t kFirstPages = 8;
/// From here on a fetch whose size is not known goes on by half a page for each look-up.
constexpr std::size_t kManyLookUps = 32;
/// Look-ups that give fewer rows would share a page with others; those that give more are pages themselves.
constexpr double kFewRows = 50;
constexpr double kManyRows = 500;
/// Of a table whose size is not known, where it counts what a scan reads and not what it returns.
constexpr std::uint64_t kAssumedRows = 100'000;
constexpr std::size_t kMemoRows = 1000;
/// Look-ups that are told apart, to see whether one comes again.
constexpr std::size_t kMaxSeen = 1'000'000;
/// Partitions that are counted at once.
constexpr std::size_t kMaxPartitions = 100'000;
/// What a row is taken to need in memory before one has been seen.
constexpr std::uint64_t kRowBytes = 200;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMaxArguments = 62;  // ArgumentSet tells so many apart

bool is_remote(ForeignTable& table) {
  return table.backend_capabilities().dialect != backend::Dialect::local;
}

bool keeps_rows(ForeignTable& table) {
  return table.join_policy() != JoinPolicy::off && table.definition().join_cache_memory != 0;
}

std::uint64_t mix(std::uint64_t sum, std::uint64_t hash) {
  return (sum ^ hash) * 0x9FB21C651E98DF25ULL + 0x165667B19E3779F9ULL;
}

std::uint32_t folded(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }

}  // namespace

// --- KeptRows --------------------------------------------------------------------------------------------

KeptRows::KeptRows(const RowStore& store, const std::uint32_t* next, const std::uint32_t* hashes,
                   std::uint32_t hash, std::size_t first)
    : store_(&store), row_(first), end_(store.size()), next_(next), hashes_(hashes), hash_(hash) {
  pass_others();
}

void KeptRows::advance() {
  if (next_ == nullptr) {
    ++row_;
    return;
  }
  row_ = next_[row_] == 0 ? end_ : next_[row_] - 1;
  pass_others();
}

void KeptRows::pass_others() {
  while (row_ != end_ && hashes_[row_] != hash_) row_ = next_[row_] == 0 ? end_ : next_[row_] - 1;
}

// --- JoinCaches ------------------------------------------------------------------------------------------

JoinCache* JoinCaches::of(const std::shared_ptr<const ResolvedPlan>& plan) {
  // A statement that writes to the table while it reads would fetch again and again.
  constexpr std::size_t kMostDrops = 4;
  if (table_.writes() != writes_) {
    writes_ = table_.writes();
    if (!caches_.empty()) ++drops_;
    caches_.clear();
  }
  if (drops_ > kMostDrops) return nullptr;
  for (const std::unique_ptr<JoinCache>& cache : caches_) {
    if (&cache->plan() == plan.get()) return cache.get();
  }
  return caches_.emplace_back(std::make_unique<JoinCache>(table_, plan)).get();
}

// --- JoinCache -------------------------------------------------------------------------------------------

bool JoinCache::is_useful(ForeignTable& table, const ResolvedPlan& plan) {
  if (plan.access == plan::Plan::Access::row) return false;
  const std::size_t arguments =
      plan.keys.size() + plan.filter.size() + plan.match.size() + plan.odata.size() + 2;
  if (arguments > kMaxArguments) return false;
  if (is_remote(table)) return true;
  if (!keeps_rows(table)) return false;
  if (table.join_policy() == JoinPolicy::early) return true;
  const auto is_equality = [](const ResolvedCondition& condition) {
    return condition.op == Operator::eq || condition.op == Operator::is;
  };
  // The local backend looks up keys as fast as a hash table does.
  const bool by_partition =
      std::any_of(plan.keys.begin(), plan.keys.end(),
                  [](const ResolvedCondition& condition) { return condition.column == kPartitionKey; });
  if (by_partition) return false;
  return std::any_of(plan.keys.begin(), plan.keys.end(), is_equality) ||
         std::any_of(plan.filter.begin(), plan.filter.end(), is_equality) ||
         std::any_of(plan.match.begin(), plan.match.end(), is_equality);
}

JoinCache::JoinCache(ForeignTable& table, std::shared_ptr<const ResolvedPlan> plan)
    : table_(table), plan_(std::move(plan)), keeps_(keeps_rows(table)), records_(keeps_ && is_remote(table)) {
  const auto add = [&](const ResolvedCondition& condition, bool key, bool sent) {
    Position position;
    position.argument = condition.argument;
    position.column = condition.column;
    position.op = condition.op;
    position.key = key;
    position.sent = sent;
    if (key && condition.column == kPartitionKey && position.is_equality() && !partition_position_) {
      partition_position_ = positions_.size();
    }
    if (key && position.op == Operator::eq && is_remote(table_)) {
      if (!ahead_) ahead_ = std::make_unique<LookAhead>(table_);
      key_positions_.push_back(positions_.size());
    }
    positions_.push_back(std::move(position));
  };
  for (const ResolvedCondition& condition : plan_->keys) add(condition, true, true);
  for (const ResolvedCondition& condition : plan_->filter) add(condition, false, true);
  for (const ResolvedCondition& condition : plan_->match) add(condition, false, false);
  for (int argument : plan_->odata) {
    Position position;
    position.argument = argument;
    position.column = kFilter;
    position.odata = true;
    positions_.push_back(std::move(position));
  }
}

JoinCache::~JoinCache() {
  drop_fragments();
  table_.state().join_bytes -= memo_accounted_;
}

std::optional<KeptRows> JoinCache::find(sqlite3_value** argv) {
  recording_.reset();
  note_pages();
  note_values(argv);
  for (const Position& position : positions_) {
    if (position.odata && position.varies) return std::nullopt;
  }
  if (!keeps_) {
    ++misses_;
    return std::nullopt;
  }
  if (!order_holds(argv)) return std::nullopt;
  if (whole_ && whole_->complete) return find_in(*whole_, argv);
  if (auto rows = find_memo(argv)) return rows;
  Fragment* partition = partition_fragment(argv, false);
  if (partition != nullptr && partition->complete) return find_in(*partition, argv);

  ++misses_;
  if (ahead_) {
    const auto keys = keys_to_follow(argv);
    if (keys && ahead_->is_opened(*keys)) return one_by_one(argv);
  }
  partition = partition_fragment(argv, true);
  if (partition != nullptr) {
    ++partition->look_ups;
    if (fetch(*partition, allowance(*partition), argv)) return find_in(*partition, argv);
  }
  if (!whole_) {
    whole_ = std::make_unique<Fragment>();
    for (const Position& position : positions_) whole_->fixed.push_back(!position.varies);
  }
  whole_->look_ups = misses_;
  if (fetch(*whole_, allowance(*whole_), argv)) return find_in(*whole_, argv);
  return one_by_one(argv);
}

std::nullopt_t JoinCache::one_by_one(sqlite3_value** argv) {
  under_way_ = true;
  if (records_) begin_recording(argv);
  return std::nullopt;
}

std::optional<LookAhead::Keys> JoinCache::keys_to_follow(sqlite3_value** argv) const {
  LookAhead::Keys keys;
  bool varies = false;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const bool is_key = std::find(key_positions_.begin(), key_positions_.end(), i) != key_positions_.end();
    if (!is_key) {
      if (positions_[i].varies) return std::nullopt;
      continue;
    }
    sqlite3_value* const value = argv[positions_[i].argument];
    if (sqlite3_value_type(value) != SQLITE_TEXT) return std::nullopt;
    keys.push_back({positions_[i].column, text_of(value), positions_[i].varies});
    varies = varies || positions_[i].varies;
  }
  if (!varies || (keys.size() > 1 && keys[0].column == keys[1].column) || keys.size() > 2)
    return std::nullopt;
  return keys;
}

bool JoinCache::sends_one_by_one() const {
  if (!keeps_) return true;
  if (table_.join_policy() == JoinPolicy::early || !whole_) return false;
  // Where both keys are looked up, the partition may come to be kept.
  const bool by_partition = partition_position_ && positions_[*partition_position_].varies;
  if (by_partition && key_positions_.size() > 1 && !full_) return false;
  if (whole_->given_up || has_no_room(*whole_)) return true;
  return misses_ > 1 && reads_less_than(*whole_) && rows_a_look_up() >= kManyRows;
}

std::unique_ptr<backend::Scan> JoinCache::opened_ahead(const RowSource& self, sqlite3_value** argv,
                                                       const PlannedScan& planned) {
  // A transaction that writes notes what it is shown, and a budget is for what is asked.
  if (!ahead_ || table_.state().writing || table_.definition().max_requests) return nullptr;
  LookAhead::Keys keys;
  for (const std::size_t number : key_positions_) {
    const Position& position = positions_[number];
    sqlite3_value* const value = argv[position.argument];
    if (sqlite3_value_type(value) == SQLITE_TEXT)
      keys.push_back({position.column, text_of(value), position.varies});
  }
  ahead_->observe(self, keys);
  if (!keys_to_follow(argv)) return nullptr;
  std::unique_ptr<backend::Scan> scan = ahead_->take(keys);
  // Where answers come at once, one that is fetched while another is read is all that helps.
  const bool near = answered_in_ < std::chrono::microseconds(near_service.load(std::memory_order_relaxed));
  const std::size_t most = near ? 1 : table_.definition().backend_options.concurrency;
  if (sends_one_by_one()) ahead_->start(planned, keys, most);
  return scan;
}

void JoinCache::note_pages() {
  if (!under_way_ && returned_ == returned_before_) return;
  const std::size_t page = std::max<std::size_t>(table_.definition().backend_options.page_size, 1);
  pages_read_ += std::max<std::size_t>((returned_ - returned_before_ + page - 1) / page, 1);
  returned_before_ = returned_;
  if (under_way_) ++stopped_;
  under_way_ = false;
}

std::uint64_t JoinCache::rows_read(std::size_t look_ups) const {
  const std::size_t before = std::max<std::size_t>(misses_ - 1, 1);
  if (2 * stopped_ <= before) return kUnlimited;
  const std::uint64_t page = std::max<std::uint64_t>(table_.definition().backend_options.page_size, 1);
  return look_ups * std::max<std::size_t>(pages_read_ / before, 1) * page;
}

/// Look-ups that give many rows are kept only where one has come twice.
void JoinCache::begin_recording(sqlite3_value** argv) {
  std::vector<RightValue> values;
  std::uint64_t hash = 0;
  for (const Position& position : positions_) {
    values.emplace_back(argv[position.argument], position.op == Operator::in);
    hash = mix(hash, values.back().hash());
  }
  const bool repeated = !seen_.insert(hash).second;
  repeats_ = repeats_ || repeated;
  if (seen_.size() >= kMaxSeen) seen_.clear();
  const bool few_rows = misses_ <= kFirstLookUps || rows_a_look_up() <= kFewRows;
  if (!few_rows && !repeats_) return;
  recording_.emplace();
  recording_->values = std::move(values);
  recording_->first = memo_rows_.size();
  recording_hash_ = hash;
}

double JoinCache::rows_a_look_up() const {
  return static_cast<double>(returned_) / static_cast<double>(std::max<std::size_t>(misses_ - 1, 1));
}

/// Finds out which values vary. What was fetched under a value that turns out to vary is of no more use.
void JoinCache::note_values(sqlite3_value** argv) {
  bool changed = false;
  for (Position& position : positions_) {
    const bool list = position.op == Operator::in;
    if (first_) {
      position.last = RightValue(argv[position.argument], list);
    } else if (!position.varies && !position.last.is(argv[position.argument], list)) {
      position.varies = true;
      changed = true;
    }
  }
  first_ = false;
  if (changed) drop_fragments();
}

void JoinCache::drop_fragments() {
  std::size_t& total = table_.state().join_bytes;
  if (whole_) total -= whole_->accounted;
  for (const auto& [key, fragment] : partitions_) total -= fragment->accounted;
  whole_.reset();
  partitions_.clear();
}

/// Whether rows in key order are in the order that the plan claims. With a number on its right, `=` may mean
/// several keys.
bool JoinCache::order_holds(sqlite3_value** argv) const {
  if (plan_->order.empty()) return true;
  return std::all_of(positions_.begin(), positions_.end(), [&](const Position& position) {
    if (!position.key || !position.is_equality()) return true;
    const int type = sqlite3_value_type(argv[position.argument]);
    return type == SQLITE_TEXT || type == SQLITE_NULL;
  });
}

std::optional<KeptRows> JoinCache::find_memo(sqlite3_value** argv) {
  if (memos_.empty()) return std::nullopt;
  std::uint64_t hash = 0;
  for (const Position& position : positions_) {
    hash = mix(hash, RightValue(argv[position.argument], position.op == Operator::in).hash());
  }
  const auto [first, last] = memos_.equal_range(hash);
  for (auto memo = first; memo != last; ++memo) {
    bool same = true;
    for (std::size_t i = 0; same && i < positions_.size(); ++i) {
      same = memo->second.values[i].is(argv[positions_[i].argument], positions_[i].op == Operator::in);
    }
    if (same) return KeptRows(memo_rows_, memo->second.first, memo->second.end);
  }
  return std::nullopt;
}

void JoinCache::record(const backend::EntityView& row, const backend::Scan& scan) {
  ++returned_;
  if (!recording_) return;
  if (memo_rows_.size() - recording_->first >= kMemoRows) {
    recording_.reset();
    records_ = account_memos();
    return;
  }
  memo_rows_.add(row, table_.keeps_etags(*plan_) ? scan.etag() : std::string());
}

void JoinCache::record_end() {
  under_way_ = false;
  if (!recording_) return;
  recording_->end = memo_rows_.size();
  for (const RightValue& value : recording_->values) memo_overhead_ += value.bytes();
  memo_overhead_ += sizeof(Memo) + 4 * sizeof(void*);
  memos_.emplace(recording_hash_, std::move(*recording_));
  recording_.reset();
  if (!account_memos()) records_ = false;
}

// --- Fragments -------------------------------------------------------------------------------------------

/// The fragment of the look-up's partition; null where a partition is not what would help.
JoinCache::Fragment* JoinCache::partition_fragment(sqlite3_value** argv, bool make) {
  if (!partition_position_ || !positions_[*partition_position_].varies) return nullptr;
  if (!make && partitions_.empty()) return nullptr;
  // Where nothing but the partition varies, the look-up is the partition: one that comes again is kept whole.
  const bool others = std::any_of(positions_.begin(), positions_.end(), [&](const Position& position) {
    return position.varies && &position != &positions_[*partition_position_];
  });
  if (!others && !repeats_) return nullptr;
  sqlite3_value* value = argv[positions_[*partition_position_].argument];
  if (sqlite3_value_type(value) != SQLITE_TEXT) return nullptr;
  std::string key(text_of(value));
  const auto known = partitions_.find(key);
  if (known != partitions_.end()) return known->second.get();
  if (!make || partitions_.size() >= kMaxPartitions) return nullptr;
  auto fragment = std::make_unique<Fragment>();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    fragment->fixed.push_back(!positions_[i].varies || i == *partition_position_);
  }
  return partitions_.emplace(std::move(key), std::move(fragment)).first->second.get();
}

/// Whether a look-up makes the service read less than the fetch of the fragment would: a key condition is not
/// among those fixed there.
bool JoinCache::reads_less_than(const Fragment& fragment) const {
  bool partition_fixed = false;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Position& position = positions_[i];
    if (position.key && position.column == kPartitionKey && position.is_equality()) partition_fixed = true;
  }
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Position& position = positions_[i];
    if (fragment.fixed[i] || !position.key) continue;
    // Without a partition the service reads the whole table for a row key.
    if (position.column == kPartitionKey || partition_fixed) return true;
  }
  return false;
}

bool JoinCache::has_no_room(const Fragment& fragment) const {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (positions_[i].sent && fragment.fixed[i]) return false;  // nobody knows how much it is
  }
  // A table that cannot fit is not begun.
  const std::optional<std::uint64_t> size = table_.likely_rows();
  if (size && *size * kRowBytes > table_.definition().join_cache_memory) return true;
  if (table_.state().outgrown_plans.count(plan_->text) != 0) return true;
  // With require_key, a table is not to be read whole for look-ups that name their partition.
  return table_.definition().require_key != RequireKey::off && reads_less_than(fragment);
}

std::uint64_t JoinCache::allowance(const Fragment& fragment) const {
  if (table_.join_policy() == JoinPolicy::early) return kUnlimited;
  if (full_) return 0;
  const std::uint64_t page = std::max<std::uint64_t>(table_.definition().backend_options.page_size, 1);
  const std::optional<std::uint64_t> size = table_.likely_rows();
  bool narrowed = false;      // the fetch is not the whole table
  bool in_partition = false;  // the service finds it without reading the whole table
  bool same_request = true;   // nor is it more than the look-up
  bool filtered = false;      // the service reads more than it gives
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (!positions_[i].sent) continue;
    narrowed = narrowed || fragment.fixed[i];
    in_partition =
        in_partition || (fragment.fixed[i] && positions_[i].key && positions_[i].column == kPartitionKey);
    same_request = same_request && fragment.fixed[i];
    filtered = filtered || !positions_[i].key || (positions_[i].column == kRowKey && !partition_position_);
  }
  if (has_no_room(fragment)) return 0;
  if (same_request) {
    if (fragment.look_ups <= 1 && !repeats_) return 0;
    return filtered ? kUnlimited : rows_read(fragment.look_ups);
  }
  if (!reads_less_than(fragment)) return fragment.look_ups > kFirstScans ? kUnlimited : 0;

  const double rows = rows_a_look_up();
  const double share = std::clamp((kManyRows - rows) / (kManyRows - kFewRows), 0.0, 1.0);
  if (share == 0) return 0;
  // However little comes back, the service reads every entity where no partition is fixed.
  if ((size || narrowed) && !in_partition) {
    const bool paid = fragment.look_ups * page >= size.value_or(kAssumedRows);
    return fragment.look_ups > 1 && paid ? kUnlimited : 0;
  }
  if (fragment.look_ups <= kFirstLookUps) return 0;
  const std::uint64_t pages = fragment.look_ups < kManyLookUps
                                  ? kFirstPages
                                  : std::max<std::uint64_t>(fragment.look_ups / 2, kFirstPages);
  return static_cast<std::uint64_t>(share * static_cast<double>(pages * page));
}

bool JoinCache::fetch(Fragment& fragment, std::uint64_t most, sqlite3_value** argv) {
  if (fragment.given_up || fragment.rows.size() >= most) return false;
  if (!fragment.started) {
    ArgumentSet used;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (fragment.fixed[i]) used.add(positions_[i].argument);
    }
    PlannedScan planned = plan_scan(table_, *plan_, argv, used);
    fragment.started = true;
    fragment.whole_table = planned.whole_table;
    if (!planned.possible) {
      fragment.complete = true;
      return true;
    }
    // What may be given up half-way is fetched bit by bit.
    planned.request.in_parts = most == kUnlimited;
    planned.sort = false;  // order_holds() sees to it that key order will do
    fragment.scan = open_scan(table_, planned);
  }
  constexpr std::size_t kRowsBetweenChecks = 256;
  const bool etags = table_.keeps_etags(*plan_);
  while (fragment.rows.size() < most) {
    const backend::EntityView* row = fragment.scan->next();
    if (row == nullptr) {
      fragment.complete = true;
      fragment.scan.reset();
      if (fragment.whole_table) table_.state().known_rows = fragment.rows.size();
      if (!account(fragment)) {
        give_up(fragment);
        return false;
      }
      return true;
    }
    fragment.rows.add(*row, etags ? fragment.scan->etag() : std::string());
    if (fragment.rows.size() % kRowsBetweenChecks == 0 && !account(fragment)) {
      give_up(fragment);
      return false;
    }
  }
  if (fragment.whole_table) table_.note_at_least(fragment.rows.size());
  account(fragment);
  return false;
}

void JoinCache::give_up(Fragment& fragment) {
  if (fragment.whole_table) {
    table_.note_at_least(fragment.rows.size());
    table_.state().note_outgrown(plan_->text);
  }
  table_.state().join_bytes -= fragment.accounted;
  // What it holds goes with the fragment; one that stays empty takes its place.
  auto empty = std::make_unique<Fragment>();
  empty->fixed = fragment.fixed;
  empty->look_ups = fragment.look_ups;
  empty->given_up = true;
  if (whole_.get() == &fragment) {
    whole_ = std::move(empty);
    return;
  }
  full_ = true;
  for (auto& [key, known] : partitions_) {
    if (known.get() != &fragment) continue;
    known = std::move(empty);
    return;
  }
}

bool JoinCache::account(Fragment& fragment) {
  // A hash table takes about 20 bytes a row when it is made.
  return account(fragment.rows.bytes() + fragment.rows.size() * 20, fragment.accounted);
}

bool JoinCache::account_memos() {
  const std::size_t bytes = memo_rows_.bytes() + memo_overhead_;
  // They must not take the room of a fetch.
  return account(bytes, memo_accounted_) && bytes <= table_.definition().join_cache_memory / 4;
}

bool JoinCache::account(std::size_t bytes, std::size_t& accounted) {
  std::size_t& total = table_.state().join_bytes;
  total += bytes - accounted;
  accounted = bytes;
  return total <= table_.definition().join_cache_memory;
}

// --- Hash tables -----------------------------------------------------------------------------------------

std::uint64_t JoinCache::hash_of_row(const Fragment& fragment, std::size_t row, const Parts& parts) const {
  std::uint64_t hash = 0;
  for (const auto& [number, kind] : parts) {
    const int index = positions_[number].column;
    const Column& column = table_.definition().columns[static_cast<std::size_t>(index)];
    edm::ValueView value;
    switch (column.role) {
      case Column::Role::partition_key:
        value = edm::ValueView::string(fragment.rows.partition_key(row));
        break;
      case Column::Role::row_key:
        value = edm::ValueView::string(fragment.rows.row_key(row));
        break;
      case Column::Role::timestamp:
        if (fragment.rows.timestamp(row) != 0) value = edm::ValueView::datetime(fragment.rows.timestamp(row));
        break;
      default:
        value = fragment.rows.property(
            row, static_cast<std::size_t>(plan_->slots[static_cast<std::size_t>(index)]));
        break;
    }
    hash = mix(hash, row_hash(column, kind, value));
  }
  return hash;
}

JoinCache::HashTable& JoinCache::hash_table(Fragment& fragment, const Parts& parts) const {
  for (const std::unique_ptr<HashTable>& table : fragment.tables) {
    if (table->parts == parts) return *table;
  }
  auto table = std::make_unique<HashTable>();
  table->parts = parts;
  const std::size_t count = fragment.rows.size();
  std::size_t places = 16;
  while (places < 2 * count) places *= 2;
  table->heads.assign(places, 0);
  table->next.assign(count, 0);
  table->hashes.resize(count);
  // From the last row to the first, so that a chain goes in the order of the rows.
  for (std::size_t row = count; row-- > 0;) {
    const std::uint32_t hash = folded(hash_of_row(fragment, row, parts));
    std::uint32_t& head = table->heads[hash & (places - 1)];
    table->hashes[row] = hash;
    table->next[row] = head;
    head = static_cast<std::uint32_t>(row + 1);
  }
  return *fragment.tables.emplace_back(std::move(table));
}

KeptRows JoinCache::find_in(Fragment& fragment, sqlite3_value** argv) {
  thread_local Parts parts;
  parts.clear();
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Position& position = positions_[i];
    if (fragment.fixed[i] || !position.is_equality()) continue;
    // A property that is not fetched cannot be hashed; SQLite reads what it tests, so there is none.
    const auto index = static_cast<std::size_t>(position.column);
    const Column& column = table_.definition().columns[index];
    if (column.role == Column::Role::property && plan_->slots[index] < 0) continue;
    const backend::Projection& projection = plan_->projection;
    if (column.role == Column::Role::timestamp && !projection.timestamp && !projection.all_properties)
      continue;
    const RightKey key = right_key(column, position.op, argv[position.argument]);
    if (key.kind == Kind::never) return {fragment.rows, 0, 0};
    if (key.kind == Kind::open) continue;
    parts.emplace_back(i, key.kind);
    hash = mix(hash, key.hash);
  }
  const std::size_t count = fragment.rows.size();
  if (parts.empty() || count == 0) return {fragment.rows, 0, count};
  const HashTable& table = hash_table(fragment, parts);
  const std::uint32_t short_hash = folded(hash);
  const std::uint32_t head = table.heads[short_hash & (table.heads.size() - 1)];
  if (head == 0) return {fragment.rows, count, count};
  return {fragment.rows, table.next.data(), table.hashes.data(), short_hash, head - 1};
}

}  // namespace table_storage::module
