// What the module asks of a table service. The local backend keeps entities in SQLite, the remote one speaks
// REST; the module knows only this interface, and a backend knows nothing of virtual tables.
//
// A Backend belongs to one SQLite connection and is used by the thread that uses the connection.
// Everything throws table_storage::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/edm/value.h"
#include "parser/error.h"
#include "parser/odata/filter.h"

namespace table_storage::backend {

/// Bounds of a text key in SQLite's own order (the BINARY collation of the database). A backend whose order
/// is another one widens them: a scan may return more than asked for.
struct TextRange {
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  bool lower_inclusive = true;
  bool upper_inclusive = true;

  static TextRange all() { return {}; }
  static TextRange exactly(std::string_view v) { return {std::string(v), std::string(v), true, true}; }
  bool is_point() const { return lower && upper && lower_inclusive && upper_inclusive && *lower == *upper; }
};

/// The entities whose PartitionKey lies in one range and whose RowKey lies in another.
struct KeyRange {
  TextRange partition;
  TextRange row;
};

struct Projection {
  bool all_properties = false;          // every property, for EntityView::all
  bool timestamp = true;                // EntityView::timestamp; else it may be 0
  std::vector<std::string> properties;  // names as stored, case-sensitive; never the keys or Timestamp

  friend bool operator==(const Projection&, const Projection&) = default;
};

struct ScanRequest {
  /// Ascending and disjoint, so that results in the order of the ranges are in key order. Empty: nothing at
  /// all.
  std::vector<KeyRange> ranges;
  /// The entities wanted; a backend evaluates it with the service's semantics (odata/evaluate.h).
  std::optional<odata::Filter> filter;
  /// Set where the service at hand does not evaluate `filter` as the rules say: it is to be sent `superset`
  /// instead, or nothing, and the backend tests the entities itself.
  bool test_entities = false;
  std::optional<odata::Filter> superset;
  Projection projection;
  /// The consumer relies on key order.
  bool ordered = false;
  /// A long range may be read in several parts at once; then rows come in key order only if `ordered`.
  bool in_parts = false;
  /// But not before so many rows have come: about what a small table is known to have.
  std::uint64_t rows_before_parts = 0;
  /// How many entities the consumer is likely to take: a page size, never a cut.
  std::optional<std::uint64_t> limit_hint;
  /// Its rows are not wanted yet: requests go out, and nobody waits for them.
  bool ahead = false;
};

struct NamedValue {
  std::string_view name;
  edm::ValueView value;
};

/// One entity of a scan. Views stay valid until the next call of Scan::next() or the end of the scan.
struct EntityView {
  std::string_view partition_key;
  std::string_view row_key;
  std::int64_t timestamp = 0;              // ticks, see edm/value.h
  std::vector<edm::ValueView> properties;  // by position in Projection::properties; missing() where absent
  std::vector<NamedValue> all;             // if Projection::all_properties: in first-written order
};

class Scan {
 public:
  virtual ~Scan() = default;
  /// The next entity, or null at the end; entities come in key order within Capabilities, but for
  /// ScanRequest::in_parts. Pages are the backend's affair: memory does not grow with the table.
  virtual const EntityView* next() = 0;
  /// ETag of the current entity, byte for byte what If-Match takes.
  virtual std::string etag() const = 0;
  /// Makes `entity` a view of the one that the next call but `distance` - 1 of next() will give. False where
  /// that is not known without asking anybody. Views are valid as those of next().
  virtual bool peek(std::size_t /*distance*/, EntityView& /*entity*/) const { return false; }
  /// The shortest time in which a service began to answer a request of this scan; none where nobody was asked
  /// yet, or it is not known.
  virtual std::optional<std::chrono::microseconds> answered_in() const { return std::nullopt; }
};

enum class OperationKind : unsigned char {
  insert,  // 409 EntityAlreadyExists
  insert_or_replace,
  insert_or_merge,
  replace,  // 404 ResourceNotFound, 412 UpdateConditionNotSatisfied
  merge,    // likewise
  remove    // likewise
};

/// A write of one entity. Views need to live until Table::run() returns.
struct Operation {
  OperationKind kind = OperationKind::insert;
  std::string_view partition_key;
  std::string_view row_key;
  std::vector<NamedValue> properties;
  /// replace, merge, remove: the ETag the entity must have; "*" for any version.
  std::string_view if_match = "*";
};

/// Whose rules for filters hold; what they are stands in module/dialect.h.
enum class Dialect : unsigned char { local, storage, cosmos, azurite };

struct Capabilities {
  bool key_order = true;  // scans come in SQLite's order of (PartitionKey, RowKey)
  Dialect dialect = Dialect::local;
  bool eager_conflicts = true;  // an insert of an entity that exists fails at once, not when it is committed
};

/// One entity table of a service, by name. Opening it asks the service nothing.
class Table {
 public:
  virtual ~Table() = default;
  virtual Capabilities capabilities() const = 0;
  /// A table that does not exist reads as empty where the backend makes tables on first use, else
  /// Error(missing, "TableNotFound").
  virtual std::unique_ptr<Scan> open_scan(const ScanRequest& request) = 0;
  /// All or nothing. A failure names the entity.
  virtual void run(const Operation& operation) = 0;
  /// Gives up prepared work, because the table is about to be dropped or the connection closed.
  virtual void release() = 0;
  /// Called when a transaction or savepoint was undone: whatever was remembered since may be wrong.
  virtual void forget_uncommitted() = 0;

  // The transaction of the connection, as SQLite tells it. A backend that writes inside SQLite's own
  // transaction has nothing to do; one that keeps writes until COMMIT sends them in sync(). Savepoints are
  // numbered from the outside in, and a table that joins late may hear of a number that it has not seen set.
  virtual void begin() {}
  virtual void savepoint(int) {}
  virtual void release_savepoint(int) {}
  virtual void rollback_to(int) { forget_uncommitted(); }
  virtual void sync() {}
  virtual void commit() {}
  virtual void rollback() { forget_uncommitted(); }
};

/// What INSERT OR REPLACE becomes.
enum class Upsert : unsigned char { replace, merge };

/// What scans of one statement may cost on a table: requests, and time from the first one on. The
/// connection's thread only.
struct RequestBudget {
  using Time = std::chrono::steady_clock::time_point;

  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::chrono::seconds time{0};  // 0: any
  std::uint64_t used = 0;        // by the statement so far
  Time until = Time::max();      // the end of its time

  /// A statement begins.
  void begin() {
    used = 0;
    until = time.count() == 0 ? Time::max() : std::chrono::steady_clock::now() + time;
  }
  /// Before each request. Throws Error(invalid) for one too many or too late.
  void spend(const std::string& table) {
    if (until != Time::max() && std::chrono::steady_clock::now() >= until) {
      throw Error(Error::Kind::storage, "",
                  table + ": the statement takes longer than the " + std::to_string(time.count()) +
                      " s that statement_timeout allows; narrow it with conditions on PartitionKey and "
                      "RowKey (ts_explain shows what they save), or raise statement_timeout");
    }
    if (used >= limit) {
      throw Error(Error::Kind::invalid, "",
                  table + ": the statement needs more than the " + std::to_string(limit) +
                      " requests that max_requests allows; narrow it with conditions on PartitionKey and "
                      "RowKey (ts_explain shows what they save), or raise max_requests");
    }
    ++used;
  }
};

/// How one foreign table wants its service used: the option of the table, else of its server. The local
/// backend has no use for them.
struct TableOptions {
  std::string name;                // of the foreign table, for people
  std::size_t concurrency = 8;     // requests of one scan or COMMIT under way at once
  std::size_t page_size = 1000;    // entities asked for in one request; the service gives no more than 1000
  std::size_t prefetch_pages = 1;  // pages asked for before the current one has been read
  bool full_metadata = false;      // scans ask for more OData metadata than they need
  Upsert upsert = Upsert::replace;
  bool atomic_commit = false;             // refuse a COMMIT that needs more than one entity group transaction
  std::shared_ptr<RequestBudget> budget;  // null: no limits
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::unique_ptr<Table> open_table(const std::string& name, const TableOptions& options = {}) = 0;
  /// 409 TableAlreadyExists; 400 InvalidResourceName, OutOfRangeInput or InvalidInput for a bad name.
  virtual void create_table(const std::string& name) = 0;
  /// 404 ResourceNotFound.
  virtual void drop_table(const std::string& name) = 0;
  /// Names as they were created, ordered by their lower-case form.
  virtual std::vector<std::string> list_tables() = 0;
};

}  // namespace table_storage::backend
