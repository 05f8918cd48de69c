#include "extension/module/cursor.h"

#include <utility>

#include "extension/module/column_value.h"
#include "extension/module/scan_request.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

namespace table_storage::module {

void Cursor::inherit(Cursor& old) {
  if (!caches_) caches_ = std::move(old.caches_);
}

JoinCache* Cursor::cache_of_plan() {
  if (!caches_) caches_ = std::make_unique<JoinCaches>(table_);
  return caches_->of(plan_);
}

void Cursor::filter(const char* plan_text, sqlite3_value** argv) {
  row_ = nullptr;
  skips_ = nullptr;
  scan_.reset();
  kept_.reset();
  wanted_.clear();
  odata_text_.reset();
  seen_ = 0;
  if (!plan_ || plan_text_ != plan_text) {
    plan_ = table_.resolve(plan_text);
    plan_text_ = plan_text;
    // A skip scan yields what its reader wants to know of the rows; the next one may want more.
    keeps_rows_ = !plan_->distinct_partitions && JoinCache::is_useful(table_, *plan_);
  }
  cache_ = keeps_rows_ ? cache_of_plan() : nullptr;
  if (cache_ != nullptr) {
    kept_ = cache_->find(argv);
    if (kept_) {
      for (int argument : plan_->odata) odata_text_ = std::string(text_of(argv[argument]));
      show_kept();
      return;
    }
  }
  PlannedScan planned = plan_scan(table_, *plan_, argv);
  odata_text_ = std::move(planned.odata_text);
  wanted_ = std::move(planned.wanted);
  counts_table_ = planned.whole_table;
  counts_partition_ = planned.whole_partition;
  if (!planned.possible) {
    if (cache_ != nullptr) cache_->record_end();
    return;
  }
  if (cache_ != nullptr && cache_->is_asked_again()) planned.request.in_parts = false;
  if (cache_ != nullptr) scan_ = cache_->opened_ahead(*this, argv, planned);
  if (scan_) {
    next();
    if (scan_) cache_->note_answer(*scan_);
    return;
  }
  if (auto skipping = open_skip_scan(table_, planned)) {
    skips_ = skipping.get();
    scan_ = std::move(skipping);
    counts_table_ = false;
  } else {
    scan_ = open_scan(table_, planned);
  }
  next();
  if (cache_ != nullptr && scan_) cache_->note_answer(*scan_);
}

bool Cursor::peek(std::size_t distance, backend::EntityView& entity) const {
  // A cursor that looks for rowids passes over rows.
  if (row_ == nullptr || !wanted_.empty()) return false;
  if (!kept_) return scan_->peek(distance, entity);
  KeptRows rows = *kept_;
  for (; distance > 0 && !rows.at_end(); --distance) rows.advance();
  if (rows.at_end()) return false;
  rows.store().show(rows.row(), entity);
  return true;
}

void Cursor::show_kept() {
  if (kept_->at_end()) {
    row_ = nullptr;
    return;
  }
  kept_->store().show(kept_->row(), kept_row_);
  row_ = &kept_row_;
}

void Cursor::next() {
  if (kept_) {
    kept_->advance();
    show_kept();
    return;
  }
  do {
    row_ = nullptr;  // also if an exception comes: others look at it
    row_ = scan_->next();
    if (row_ == nullptr) {
      end_of_scan();
      return;
    }
    ++seen_;
  } while (!wanted_.empty() &&
           wanted_.count(table_.state().rows.rowid_of(row_->partition_key, row_->row_key)) == 0);
  if (cache_ != nullptr) cache_->record(*row_, *scan_);
}

/// A complete scan tells how much there is.
void Cursor::end_of_scan() {
  if (cache_ != nullptr) cache_->record_end();
  if (counts_table_) table_.state().known_rows = seen_;
  if (counts_partition_) table_.state().note_partition(seen_);
}

std::string Cursor::etag() const {
  return kept_ ? std::string(kept_->store().etag(kept_->row())) : scan_->etag();
}

std::int64_t Cursor::rowid() {
  // Whoever tells rows by their identity wants all of them.
  if (skips_ != nullptr) std::exchange(skips_, nullptr)->stop_skipping();
  TableState& state = table_.state();
  if (state.writing) {
    // A kept row has no ETag if it was fetched before the transaction began to write: then no write has been
    // shown it, and none will be by this scan.
    if (const std::string its_etag = etag(); !its_etag.empty()) {
      return state.rows.remember(row_->partition_key, row_->row_key, its_etag);
    }
  }
  return state.rows.rowid_of(row_->partition_key, row_->row_key);
}

void Cursor::column(sqlite3_context* context, int index) {
  // In an UPDATE the columns that are not assigned need no value, and xUpdate then knows that they did not
  // change.
  if (table_.state().writing && sqlite3_vtab_nochange(context) != 0) return;
  const Column& column = table_.definition().columns[static_cast<std::size_t>(index)];
  switch (column.role) {
    case Column::Role::partition_key:
      show(context, column.type, edm::ValueView::string(row_->partition_key));
      break;
    case Column::Role::row_key:
      show(context, column.type, edm::ValueView::string(row_->row_key));
      break;
    case Column::Role::timestamp:
      if (!plan_->projection.timestamp && !plan_->projection.all_properties) not_fetched(column);
      // An entity that is not committed yet has none.
      if (row_->timestamp != 0) show(context, column.type, edm::ValueView::datetime(row_->timestamp));
      break;
    case Column::Role::etag: {
      const std::string its_etag = etag();
      if (its_etag != "*") show(context, column.type, edm::ValueView::string(its_etag));
      break;
    }
    case Column::Role::properties:
      show_json(context);
      break;
    case Column::Role::filter:
      if (odata_text_) {
        show(context, column.type, edm::ValueView::string(*odata_text_));
      } else if (last_column_ != kProperties) {
        // A condition that the planner could not see wants a value, and there is none. Only UPDATE … FROM
        // before SQLite 3.43 reads the column for no purpose: there all columns are read one after another.
        throw Error(Error::Kind::invalid, "",
                    "_filter of " + table_.definition().name +
                        " can only stand in WHERE as _filter = '…', joined by AND");
      }
      break;
    case Column::Role::property:
      show_property(context, column, plan_->slots[static_cast<std::size_t>(index)]);
      break;
  }
  last_column_ = index;
}

void Cursor::show_property(sqlite3_context* context, const Column& column, int slot) {
  if (slot < 0) not_fetched(column);
  const edm::ValueView value = row_->properties[static_cast<std::size_t>(slot)];
  if (!value) return;
  if (!shows(column.type, value)) {
    if (table_.definition().on_type_mismatch == OnTypeMismatch::error) mismatch(column, value);
    return;
  }
  show(context, column.type, value);
}

void Cursor::not_fetched(const Column& column) const {
  throw Error(Error::Kind::storage, "",
              "column " + column.name + " of " + table_.definition().name +
                  " was asked for but is not in the plan: " + plan_text_);
}

void Cursor::show_json(sqlite3_context* context) {
  std::string json = "{";
  for (const backend::NamedValue& property : row_->all)
    json::append_property(json, property.name, property.value);
  json += '}';
  show(context, edm::Type::String, edm::ValueView::string(json));
}

void Cursor::mismatch(const Column& column, edm::ValueView value) const {
  throw Error(Error::Kind::invalid, "",
              "entity with PartitionKey '" + std::string(row_->partition_key) + "', RowKey '" +
                  std::string(row_->row_key) + "' of " + table_.definition().name + ": property " +
                  column.property + " holds " + std::string(edm::name_of(value.type())) + ", which column " +
                  column.name + " (" + column.type_name() +
                  ") does not show; declare the column ANY, or set on_type_mismatch to 'null' to read NULL")
      .native(SQLITE_MISMATCH);
}

}  // namespace table_storage::module
