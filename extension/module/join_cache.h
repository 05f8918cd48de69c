// The inner side of a join, in memory for the length of a statement.
//
// SQLite runs the inner side of a join once for every row of the outer side and never indexes a virtual
// table; a service charges for each request, and one without a partition key makes it scan the table. So the
// xFilter calls of one cursor are watched. Values that were the same in all calls are taken for fixed, the
// others vary. When single requests have cost about as much as it, the rows under the fixed conditions alone
// are fetched, hashed on the columns whose `=` varies, and from then on they answer: also that there is no
// row.
//
// What is fetched, and when (a page is page_size rows):
//
//   look-ups that make the service read as much as the fetch would,     after 2 of them
//   since no key condition varies (`b.Status = a.Status`)
//   a key condition varies, and the size of the table is known          after as many as it has pages
//   the same, not known                                                 8 pages after 3 of them, and half a
//                                                                       page more for each from the 32nd on
//   the same, and look-ups give pages themselves                        never
//   look-ups that repeat in one partition                               that partition, likewise
//   equal requests                                                      kept the first time if they give few
//                                                                       rows, else fetched the second time
//   the same, whose first rows were enough (`LIMIT 1`, EXISTS)          as many pages as the look-ups have
//   read
//
// Where nothing can be kept, the look-ups themselves may be sent ahead (look_ahead.h).
//
// The local backend reads without requests: there only conditions that no key supports are worth it.
//
// Correctness rests on three things. A kept row set is a superset of what the conditions that it was fetched
// under accept, and SQLite tests every row again (join_key.h for the hash); `_filter`, which it does not
// test, is always among the fixed ones. The cache belongs to a cursor, or to the one that takes its place
// when SQLite opens a correlated subquery anew (Cursor::inherit), so it ends with the statement. A write of
// the connection to the table drops it: writes of the same transaction are seen.
//
// Memory is bounded by option join_cache_memory for all caches of a foreign table together. A fetch that
// would go beyond is given up, not tried again by the statement, and look-ups are sent one by one.
//
// The connection's thread only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/module/foreign_table.h"
#include "extension/module/join_key.h"
#include "extension/module/look_ahead.h"
#include "extension/module/right_value.h"
#include "extension/module/row_store.h"
#include "extension/module/scan_request.h"
#include "extension/sqlite.h"

namespace table_storage::module {

/// Rows of a store that may answer a look-up. Lives no longer than the cache, and not past its next find().
class KeptRows {
 public:
  KeptRows() = default;
  /// Rows `first` up to `end`.
  KeptRows(const RowStore& store, std::size_t first, std::size_t end)
      : store_(&store), row_(first), end_(end) {}
  /// A chain of a hash table: rows whose hash is `hash`, from `first` on.
  KeptRows(const RowStore& store, const std::uint32_t* next, const std::uint32_t* hashes, std::uint32_t hash,
           std::size_t first);

  bool at_end() const { return row_ == end_; }
  void advance();
  const RowStore& store() const { return *store_; }
  std::size_t row() const { return row_; }

 private:
  void pass_others();

  const RowStore* store_ = nullptr;
  std::size_t row_ = 0;
  std::size_t end_ = 0;
  const std::uint32_t* next_ = nullptr;  // null: consecutive rows
  const std::uint32_t* hashes_ = nullptr;
  std::uint32_t hash_ = 0;
};

/// The look-ups of one plan.
class JoinCache {
 public:
  JoinCache(ForeignTable& table, std::shared_ptr<const ResolvedPlan> plan);
  ~JoinCache();
  JoinCache(const JoinCache&) = delete;
  JoinCache& operator=(const JoinCache&) = delete;

  /// Whether look-ups of this plan are watched at all.
  static bool is_useful(ForeignTable& table, const ResolvedPlan& plan);

  /// The rows that may answer this look-up; nullopt if the backend has to be asked for it alone. May fetch.
  std::optional<KeptRows> find(sqlite3_value** argv);

  /// For a look-up that find() could not answer: its scan, if that has been opened ahead; null: `planned` is
  /// to be opened. Opens those that are likely to come next. `self`: the cursor that looks up.
  std::unique_ptr<backend::Scan> opened_ahead(const RowSource& self, sqlite3_value** argv,
                                              const PlannedScan& planned);

  /// How far the service is, as a look-up has shown.
  void note_answer(const backend::Scan& scan) {
    answered_in_ = std::min(answered_in_, scan.answered_in().value_or(answered_in_));
  }

  /// What the backend gave for the look-up that find() could not answer: each row, then that it was the last.
  void record(const backend::EntityView& row, const backend::Scan& scan);
  void record_end();

  const ResolvedPlan& plan() const { return *plan_; }

  /// The cursor has been asked before: what its scans would read may soon be in memory.
  bool is_asked_again() const { return misses_ > 1; }

 private:
  /// A condition of the plan.
  struct Position {
    int argument = 0;
    int column = 0;
    plan::Operator op = plan::Operator::eq;
    bool key = false;
    bool odata = false;
    bool sent = true;  // to the backend, with a look-up
    bool varies = false;
    RightValue last;

    bool is_equality() const { return !odata && (op == plan::Operator::eq || op == plan::Operator::is); }
  };

  struct HashTable {
    std::vector<std::pair<std::size_t, RightKey::Kind>> parts;  // positions, and how their rows are hashed
    std::vector<std::uint32_t> heads;                           // row + 1; 0: none
    std::vector<std::uint32_t> next;                            // likewise
    std::vector<std::uint32_t> hashes;
  };

  /// Rows fetched under some of the conditions.
  struct Fragment {
    std::vector<bool> fixed;  // by position
    std::unique_ptr<backend::Scan> scan;
    bool whole_table = false;
    bool started = false;
    bool complete = false;
    bool given_up = false;
    std::size_t look_ups = 0;  // that were sent one by one although this could have answered them
    RowStore rows;
    std::vector<std::unique_ptr<HashTable>> tables;
    std::size_t accounted = 0;  // bytes, in TableState::join_bytes
  };

  struct Memo {
    std::vector<RightValue> values;
    // No initializers: clang has not read them yet where std::optional asks whether a Memo can be made.
    std::size_t first;
    std::size_t end;
  };

  void note_values(sqlite3_value** argv);
  bool order_holds(sqlite3_value** argv) const;
  std::optional<KeptRows> find_memo(sqlite3_value** argv);
  void begin_recording(sqlite3_value** argv);
  /// What the look-ups that were sent one by one gave, on the average.
  double rows_a_look_up() const;
  /// Called before the next one: what the last one has read.
  void note_pages();
  /// Rows that so many look-ups read where most of them stop before the end; kUnlimited where they do not.
  std::uint64_t rows_read(std::size_t look_ups) const;
  KeptRows find_in(Fragment& fragment, sqlite3_value** argv);
  HashTable& hash_table(Fragment& fragment,
                        const std::vector<std::pair<std::size_t, RightKey::Kind>>& parts) const;
  std::uint64_t hash_of_row(const Fragment& fragment, std::size_t row,
                            const std::vector<std::pair<std::size_t, RightKey::Kind>>& parts) const;

  Fragment* partition_fragment(sqlite3_value** argv, bool make);
  /// The fragment is the whole table, and there is no room for that, or it is not to be read.
  bool has_no_room(const Fragment& fragment) const;
  /// Notes that the look-up is sent.
  std::nullopt_t one_by_one(sqlite3_value** argv);
  /// The keys of the look-up; nullopt if none of them varies, or something else does too.
  std::optional<LookAhead::Keys> keys_to_follow(sqlite3_value** argv) const;
  /// Look-ups are not going to be answered from memory, as far as one can see.
  bool sends_one_by_one() const;
  /// Rows that the fragment may have by now; 0: it is not worth it yet.
  std::uint64_t allowance(const Fragment& fragment) const;
  bool reads_less_than(const Fragment& fragment) const;
  /// Fetches up to `most` rows in all. True if the fragment is complete.
  bool fetch(Fragment& fragment, std::uint64_t most, sqlite3_value** argv);
  void give_up(Fragment& fragment);
  void drop_fragments();
  /// Brings the table's count of bytes up to date. False if it is too much.
  bool account(Fragment& fragment);
  bool account_memos();
  bool account(std::size_t bytes, std::size_t& accounted);

  ForeignTable& table_;
  std::shared_ptr<const ResolvedPlan> plan_;
  std::vector<Position> positions_;
  std::optional<std::size_t> partition_position_;  // of `PartitionKey =`
  std::unique_ptr<LookAhead> ahead_;        // null: no key is looked up by `=`, or the backend is local
  std::vector<std::size_t> key_positions_;  // that are looked up by `=`
  std::chrono::microseconds answered_in_ = std::chrono::microseconds::max();
  const bool keeps_;  // it may keep rows at all
  bool first_ = true;
  bool records_;  // look-ups are worth keeping one by one
  std::size_t misses_ = 0;
  std::size_t returned_ = 0;         // rows of the misses
  std::size_t returned_before_ = 0;  // the last of them
  bool under_way_ = false;           // the last one has not been read to its end
  std::size_t stopped_ = 0;          // misses that never were
  std::size_t pages_read_ = 0;       // by all but the last one
  std::unique_ptr<Fragment> whole_;
  std::unordered_map<std::string, std::unique_ptr<Fragment>> partitions_;
  RowStore memo_rows_;
  std::unordered_multimap<std::uint64_t, Memo> memos_;
  std::unordered_set<std::uint64_t> seen_;
  bool repeats_ = false;  // a look-up has come twice
  std::optional<Memo> recording_;
  std::uint64_t recording_hash_ = 0;
  std::size_t memo_overhead_ = 0;
  std::size_t memo_accounted_ = 0;
  bool full_ = false;  // a partition found no room: none is begun any more
};

/// The caches of a cursor, one for each plan that it runs (the arms of an OR are several).
class JoinCaches {
 public:
  explicit JoinCaches(ForeignTable& table) : table_(table) {}
  /// The cache of a plan that JoinCache::is_useful() for; null where writes have made it none.
  JoinCache* of(const std::shared_ptr<const ResolvedPlan>& plan);

 private:
  ForeignTable& table_;
  std::uint64_t writes_ = 0;  // as of the caches' last use
  std::size_t drops_ = 0;
  std::vector<std::unique_ptr<JoinCache>> caches_;
};

}  // namespace table_storage::module
