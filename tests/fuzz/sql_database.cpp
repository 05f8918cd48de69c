#include "tests/fuzz/sql_database.h"

#include <cstring>

#include "extension/table_storage.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

constexpr int kMostRows = 2000;
constexpr int kMostSteps = 400'000;  // of SQLite's virtual machine, a statement
constexpr int kMostBytes = 2 << 20;

int interrupt(void*) { return 1; }

// No files, and no settings that outlive the connection.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  const std::string_view name = first == nullptr ? "" : first;
  if (action == SQLITE_ATTACH && !name.empty() && name != ":memory:") return SQLITE_DENY;
  if (action == SQLITE_PRAGMA) {
    for (const char* denied : {"hard_heap_limit", "soft_heap_limit", "temp_store_directory", "threads"})
      if (sqlite3_stricmp(first, denied) == 0) return SQLITE_DENY;
  }
  return SQLITE_OK;
}

sqlite3* open() {
  sqlite3* db = nullptr;
  require(sqlite3_open(":memory:", &db) == SQLITE_OK, "a database opens");
  char* message = nullptr;
  require(sqlite3_tablestorage_init(db, &message, nullptr) == SQLITE_OK, "the extension loads");
  return db;
}

}  // namespace

std::vector<unsigned char> image_of(const std::string& script) {
  sqlite3* db = open();
  require(
      sqlite3_exec(db, ("PRAGMA page_size = 512;" + script).c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
      "the script of the image runs", sqlite3_errmsg(db));
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
  require(bytes != nullptr, "the image is there");
  std::vector<unsigned char> image(bytes, bytes + size);
  sqlite3_free(bytes);
  sqlite3_close(db);
  return image;
}

SqlDatabase::SqlDatabase(const std::vector<unsigned char>& image) : db_(open()) {
  const auto size = static_cast<sqlite3_int64>(image.size());
  auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
  std::memcpy(bytes, image.data(), image.size());
  sqlite3_deserialize(db_, "main", bytes, size, size,
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, kMostBytes);
  sqlite3_limit(db_, SQLITE_LIMIT_VDBE_OP, 25'000);
  sqlite3_limit(db_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
  sqlite3_limit(db_, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_set_authorizer(db_, authorize, nullptr);
}

SqlDatabase::~SqlDatabase() { require(sqlite3_close(db_) == SQLITE_OK, "nothing is left open"); }

int SqlDatabase::step_all(sqlite3_stmt* statement) {
  int rc = SQLITE_ROW;
  for (int row = 0; row < kMostRows && (rc = sqlite3_step(statement)) == SQLITE_ROW; ++row) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, i));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      // The first byte and the last are read, for the sanitizer.
      if (size != 0 && text != nullptr && text[0] == text[size - 1] && size > kMostBytes)
        return SQLITE_TOOBIG;
      if (!has_value_ && text != nullptr) value_.assign(text, size);
      has_value_ = true;
    }
  }
  return rc;
}

int SqlDatabase::run(const std::string& sql) {
  value_.clear();
  has_value_ = false;
  const char* rest = sql.c_str();
  while (*rest != '\0') {
    sqlite3_progress_handler(db_, kMostSteps, interrupt, nullptr);
    sqlite3_stmt* statement = nullptr;
    int rc = sqlite3_prepare_v2(db_, rest, -1, &statement, &rest);
    if (rc == SQLITE_OK && statement != nullptr) rc = step_all(statement);
    if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE) {
      const std::string message = sqlite3_errmsg(db_);
      sqlite3_finalize(statement);
      rc &= 0xFF;
      require(rc != SQLITE_MISUSE && rc != SQLITE_INTERNAL, "SQLite is used as it wants to be", message);
      require(!message.empty(), "an error has words", sql);
      return rc;
    }
    sqlite3_finalize(statement);
  }
  return SQLITE_OK;
}

}  // namespace table_storage::fuzz
