#include "tests/chaos/statements.h"

namespace table_storage::chaos {

Statement Statements::next(bool in_transaction) {
  const std::size_t which = random_.below(100);
  if (which < 30) return {Kind::read, select(), false};
  if (which < 75) return write(in_transaction);
  return transaction_statement(in_transaction);
}

Statement Statements::transaction_statement(bool in_transaction) {
  if (!in_transaction) return {Kind::begin, "BEGIN", false};
  switch (random_.below(7)) {
    case 0:
    case 1:
      return {Kind::savepoint, "SAVEPOINT s" + std::to_string(savepoints_++), false};
    case 2:
      if (savepoints_ > 0)
        return {Kind::savepoint, "ROLLBACK TO s" + std::to_string(some_savepoint()), false};
      break;
    case 3:
      if (savepoints_ > 0)
        return {Kind::savepoint, "RELEASE s" + std::to_string(savepoints_ = some_savepoint()), false};
      break;
    case 4:
      return {Kind::rollback, "ROLLBACK", false};
    default:
      break;
  }
  return {Kind::commit, "COMMIT", false};
}

std::size_t Statements::some_savepoint() {
  const std::size_t which = random_.below(savepoints_);
  savepoints_ = which + 1;
  return which;
}

std::string Statements::values(bool distinct) {
  std::string list;
  for (std::size_t i = 1 + random_.below(3); i > 0; --i) {
    const std::string its_text = distinct ? "'new " + std::to_string(++made_) + "'" : text();
    list += "(" + partition() + ", " + row() + ", " + number() + ", " + its_text + ")";
    if (i > 1) list += ", ";
  }
  return list;
}

Statement Statements::write(bool in_transaction) {
  const std::string columns = "(PartitionKey, RowKey, N, S) VALUES ";
  switch (random_.below(9)) {
    case 0:
    case 1:
      return {Kind::write, "INSERT OR REPLACE INTO " + table() + columns + values(), false};
    case 2:
    case 3:
      return {Kind::write, "INSERT OR IGNORE INTO " + table() + columns + values(), false};
    case 4:
      // Where its answer is lost, an equal entity of the same moment cannot be told from what it made.
      if (!in_transaction) return {Kind::write, "INSERT INTO " + table() + columns + values(true), true};
      return {Kind::write, "INSERT OR IGNORE INTO " + table() + columns + values(), false};
    case 5:
      return {Kind::write, "UPDATE " + table() + " SET N = N + 1 WHERE " + condition(), false};
    case 6:
      return {Kind::write,
              "UPDATE " + table() + " SET S = " + text() + ", N = " + number() + " WHERE " + condition(),
              false};
    default:
      return {Kind::write, "DELETE FROM " + table() + " WHERE N = " + number() + " AND " + condition(),
              false};
  }
}

std::string Statements::condition() {
  switch (random_.below(6)) {
    case 0:
      return "PartitionKey = " + partition() + " AND RowKey = " + row();
    case 1:
      return "PartitionKey = " + partition();
    case 2:
      return "N > " + number();
    case 3:
      return "S IS NULL";
    case 4:
      return "RowKey >= " + row() + " AND PartitionKey IN (" + partition() + ", " + partition() + ")";
    default:
      return "S = " + text();
  }
}

std::string Statements::select() {
  const std::string from = table();
  switch (random_.below(6)) {
    case 0:
      return "SELECT N, S FROM " + from + " WHERE PartitionKey = " + partition() + " AND RowKey = " + row();
    case 1:
      return "SELECT count(*), sum(N) FROM " + from;
    case 2:
      return "SELECT PartitionKey, RowKey, N FROM " + from + " WHERE " + condition() + " ORDER BY 1, 2";
    case 3:
      return "SELECT a.PartitionKey, a.RowKey, a.N, b.N FROM Alpha a JOIN Beta b ON b.PartitionKey = "
             "a.PartitionKey AND b.RowKey = a.RowKey WHERE a.N >= " +
             number() + " ORDER BY 1, 2";
    case 4:
      return "SELECT a.RowKey, count(*), sum(b.N) FROM Alpha a LEFT JOIN Beta b ON b.S = a.S WHERE "
             "a.PartitionKey = " +
             partition() + " GROUP BY 1 ORDER BY 1";
    default:
      return "SELECT PartitionKey, RowKey, N, S FROM " + from + " ORDER BY PartitionKey, RowKey LIMIT " +
             number();
  }
}

}  // namespace table_storage::chaos
