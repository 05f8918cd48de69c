#include "extension/backend/local/inner_savepoint.h"

#include "extension/backend/local/database.h"
#include "extension/backend/local/statement.h"
#include "extension/sqlite.h"

namespace table_storage::backend::local {

InnerSavepoint::InnerSavepoint(LocalDatabase& database) : database_(database) {
  sqlite3* const db = database.handle();
  if (sqlite3_txn_state(db, database.schema().c_str()) == SQLITE_TXN_WRITE) return;
  const int rc = sqlite3_exec(db, "SAVEPOINT ts_local_write", nullptr, nullptr, nullptr);
  // Busy: a statement that writes another schema is under way, which is as good.
  if (rc != SQLITE_OK && (rc & 0xFF) != SQLITE_BUSY) {
    throw_storage_error(db, rc, "beginning a write in schema " + database.schema());
  }
  open_ = rc == SQLITE_OK;
}

InnerSavepoint::~InnerSavepoint() {
  if (!open_) return;
  sqlite3_exec(database_.handle(), "ROLLBACK TO ts_local_write; RELEASE ts_local_write", nullptr, nullptr,
               nullptr);
  database_.names().forget();
}

void InnerSavepoint::release() {
  if (!open_) return;
  execute(database_.handle(), "RELEASE ts_local_write", "committing a write in schema " + database_.schema());
  open_ = false;
}

}  // namespace table_storage::backend::local
