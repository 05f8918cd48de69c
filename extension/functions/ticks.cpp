#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "extension/functions/functions.h"
#include "extension/module/column_value.h"
#include "extension/module/guard.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::functions {

namespace {

// Which way a function goes; the pointer to one of these is its user data.
struct Direction {
  const char* name;
  bool reverse;
};
constexpr Direction kTicks{"ts_ticks", false};
constexpr Direction kReverseTicks{"ts_reverse_ticks", true};
constexpr Direction kFromTicks{"ts_from_ticks", false};
constexpr Direction kFromReverseTicks{"ts_from_reverse_ticks", true};

const Direction& direction_of(sqlite3_context* context) {
  return *static_cast<const Direction*>(sqlite3_user_data(context));
}

[[noreturn]] void refuse(const Direction& direction, sqlite3_value* value, const char* expected) {
  throw Error(
      Error::Kind::invalid, "",
      std::string(direction.name) + " cannot take " + module::describe(value) + ": it wants " + expected);
}

void to_ticks(sqlite3_context* context, int, sqlite3_value** argv) {
  module::guarded_result(context, [&] {
    const Direction& direction = direction_of(context);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
    auto ticks = sqlite3_value_type(argv[0]) == SQLITE_TEXT ? edm::parse_datetime(module::text_of(argv[0]))
                                                            : std::nullopt;
    if (!ticks) refuse(direction, argv[0], "a time such as '2024-06-15T12:30:00Z' or datetime('now')");
    const std::int64_t number = direction.reverse ? edm::kMaxServiceTicks - *ticks : *ticks;
    char text[20];
    sqlite3_snprintf(sizeof text, text, "%019lld", static_cast<long long>(number));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
  });
}

void from_ticks(sqlite3_context* context, int, sqlite3_value** argv) {
  module::guarded_result(context, [&] {
    const Direction& direction = direction_of(context);
    const int type = sqlite3_value_type(argv[0]);
    if (type == SQLITE_NULL) return;
    std::int64_t number = -1;
    if (type == SQLITE_INTEGER) {
      number = sqlite3_value_int64(argv[0]);
    } else if (type == SQLITE_TEXT) {
      const std::string_view text = module::text_of(argv[0]);
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (failure != std::errc() || end != text.data() + text.size()) number = -1;
    }
    if (number < 0 || number > edm::kMaxServiceTicks) {
      refuse(direction, argv[0], "ticks from 0 to 3155378975999999999, as a number or as text");
    }
    char text[edm::kFixedDateTimeSize];
    edm::format_datetime_fixed(direction.reverse ? edm::kMaxServiceTicks - number : number, text);
    sqlite3_result_text(context, text, sizeof text, SQLITE_TRANSIENT);
  });
}

}  // namespace

int register_ticks(sqlite3* db) {
  struct Entry {
    const Direction* direction;
    void (*function)(sqlite3_context*, int, sqlite3_value**);
  };
  for (const Entry& entry : {Entry{&kTicks, to_ticks}, Entry{&kReverseTicks, to_ticks},
                             Entry{&kFromTicks, from_ticks}, Entry{&kFromReverseTicks, from_ticks}}) {
    const int rc = sqlite3_create_function_v2(
        db, entry.direction->name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        const_cast<Direction*>(entry.direction), entry.function, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}

}  // namespace table_storage::functions
