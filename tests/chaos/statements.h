// Random statements over two tables, the same for foreign tables and for plain ones.
#pragma once

#include <string>
#include <vector>

#include "tests/differential/random.h"

namespace table_storage::chaos {

inline constexpr const char* kTables[] = {"Alpha", "Beta"};
inline constexpr int kPartitions = 4;
inline constexpr int kRows = 8;

enum class Kind : unsigned char { read, write, begin, commit, rollback, savepoint };
inline constexpr int kKinds = 6;
inline constexpr const char* kKindNames[kKinds] = {"reads",   "writes",    "begins",
                                                   "commits", "rollbacks", "savepoint statements"};

struct Statement {
  Kind kind = Kind::read;
  std::string sql;
  /// An INSERT of a key that may be taken: the service says so at COMMIT only.
  bool may_conflict = false;
};

class Statements {
 public:
  explicit Statements(std::uint64_t seed) : random_(seed) {}

  Statement next(bool in_transaction);
  /// The transaction ended; its savepoints are gone.
  void transaction_ended() { savepoints_ = 0; }

 private:
  Statement transaction_statement(bool in_transaction);
  Statement write(bool in_transaction);
  std::string select();
  std::string table() { return random_.pick(kTables); }
  std::string number() { return std::to_string(random_.below(6)); }
  std::string text() { return random_.chance(30) ? "NULL" : "'" + number() + "'"; }
  std::string partition() { return "'p" + std::to_string(random_.below(kPartitions)) + "'"; }
  std::string row() { return "'r" + std::to_string(random_.below(kRows)) + "'"; }
  std::string values(bool distinct = false);  // distinct: no two entities are equal
  std::string condition();
  /// ROLLBACK TO and RELEASE end the savepoints inside.
  std::size_t some_savepoint();

  differential::Random random_;
  std::size_t made_ = 0;  // distinct entities
  std::size_t savepoints_ = 0;
};

}  // namespace table_storage::chaos
