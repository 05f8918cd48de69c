// Damaged databases. The first byte chooses what is damaged:
//   'f'  bytes of the file: two bytes place, one byte value, again and again. SQLite may notice or not.
//   else what is stored in it, while the file itself is sound: entities, keys and property names, by SQL.
//   Then
//        reading either works or is SQLITE_CORRUPT.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sql_database.h"

namespace table_storage::fuzz {
namespace {

const char* const kScript = R"(
  CREATE VIRTUAL TABLE things USING table_storage(a INT64, b STRING, c DOUBLE, d BOOLEAN, e DATETIME, f GUID,
                                                  g BINARY, h ANY);
  CREATE VIRTUAL TABLE few USING table_storage(a INT32, OPTIONS (table 'things'));
  CREATE VIRTUAL TABLE other USING table_storage(x STRING, y INT32);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
    INSERT INTO things(PartitionKey, RowKey, a, b, c, d, e, f, g, h)
      SELECT 'p' || (i % 3), 'r' || i, i * 100000000, 'text ' || i, i + 0.5, i % 2, '2024-06-15',
             'c9da6455-213d-42c9-9a79-3e9149a57833', x'0102', iif(i % 2, i, 'any') FROM n;
  INSERT INTO other(PartitionKey, RowKey, x, y) VALUES ('p', 'r', 'x', 5), ('', '', '', 0);
)";

const char* const kReading[] = {
    "SELECT *, _etag, _properties FROM things",
    "SELECT a FROM few WHERE PartitionKey = 'p1' AND RowKey = 'r1'",
    "SELECT * FROM things WHERE PartitionKey IN ('p0', 'p2') AND RowKey >= 'r' ORDER BY RowKey DESC",
    "SELECT count(*) FROM things",
    "SELECT RowKey, h FROM things WHERE a > 5 AND b <> 'x' AND c < 10.5 AND e >= '2024' AND d",
    "SELECT RowKey FROM things WHERE _filter = 'not (a gt 5) or h eq ''any'' or RowKey lt ''r2'''",
    "SELECT t.RowKey, o.x FROM things t LEFT JOIN other o ON o.PartitionKey = t.PartitionKey",
    "SELECT name FROM ts_tables('local')",
};

const char* const kWriting[] = {
    "UPDATE things SET a = 7, b = NULL WHERE RowKey < 'r3'",
    "UPDATE things SET PartitionKey = 'q' WHERE RowKey = 'r5'",
    "INSERT OR REPLACE INTO things(PartitionKey, RowKey, _properties) VALUES ('p1', 'r1', '{\"new\":1}')",
    "INSERT INTO other(PartitionKey, RowKey, x, y) SELECT PartitionKey, RowKey, b, d FROM things",
    "DELETE FROM things WHERE a = 7 OR h = 'any'",
    "SELECT *, _properties FROM things",
    "DELETE FROM things",
    "SELECT ts_drop_table('local', 'other')",
    "DROP TABLE things",
};

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "x'";
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out + '\'';
}

/// One statement that damages what is stored.
std::string damage(Choices& choices) {
  const std::string table = choices.below(4) == 3 ? "ts_entities_other" : "ts_entities_things";
  const std::size_t row = choices.below(12);
  const std::string where = " WHERE (PartitionKey, RowKey) = (SELECT PartitionKey, RowKey FROM " + table +
                            " LIMIT 1 OFFSET " + std::to_string(row) + ")";
  const std::size_t what = choices.below(8);
  const std::size_t place = choices.byte();
  const std::string bytes = hex_of(choices.take(choices.below(64)));
  const std::string id = std::to_string(place % 10);
  switch (what) {
    case 0:
      return "UPDATE " + table + " SET Entity = " + bytes + where;
    case 1:  // bytes in the middle
      return "UPDATE " + table + " SET Entity = CAST(substr(Entity, 1, " + std::to_string(place) + ") || " +
             bytes + " || substr(Entity, " + std::to_string(place + bytes.size() / 2) + ") AS BLOB)" + where;
    case 2:
      return "UPDATE " + table + " SET Entity = substr(Entity, 1, " + std::to_string(place) + ")" + where;
    case 3:
      return "UPDATE " + table + " SET PartitionKey = " + bytes + where;
    case 4:
      return "UPDATE " + table + " SET RowKey = CAST(" + bytes + " AS TEXT)" + where;
    case 5:
      return "DELETE FROM ts_property_names WHERE id = " + id;
    case 6:
      return "UPDATE ts_property_names SET name = CAST(" + bytes + " AS TEXT) WHERE id = " + id;
    default:
      return place % 2 == 0 ? "UPDATE " + table + " SET Entity = 'text'" + where
                            : "UPDATE ts_property_names SET id = id * 1000000007 WHERE id = " + id;
  }
}

void run_all(SqlDatabase& database, bool is_sound) {
  for (const char* sql : kReading) {
    const int rc = database.run(sql);
    require(!is_sound || rc == SQLITE_OK || rc == SQLITE_CORRUPT,
            "reading damaged entities works or is SQLITE_CORRUPT", sql + ("\n" + database.message()));
  }
  for (const char* sql : kWriting) database.run(sql);
}

}  // namespace

FUZZ_TARGET(database) {
  static const std::vector<unsigned char> image = image_of(kScript);
  Choices choices(input);
  if (choices.byte() == 'f') {
    std::vector<unsigned char> damaged = image;
    while (!choices.empty()) {
      const std::uint64_t place = choices.number(2) % damaged.size();
      damaged[place] = static_cast<unsigned char>(choices.byte());
    }
    SqlDatabase database(damaged);
    run_all(database, false);
    return;
  }
  SqlDatabase database(image);
  for (int i = 0; i < 8 && !choices.empty(); ++i) database.run(damage(choices));
  run_all(database, true);
}

}  // namespace table_storage::fuzz
