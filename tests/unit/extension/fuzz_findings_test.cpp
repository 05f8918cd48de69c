// What fuzzing and failing allocations have found, in the words of the code it was found in.
#include <gtest/gtest.h>

#include "extension/backend/local/names.h"
#include "extension/backend/local/record.h"
#include "extension/backend/remote/http_date.h"
#include "extension/backend/remote/token_reply.h"

namespace table_storage::backend {
namespace {

// Times that the clock cannot hold, which counts nanoseconds.
TEST(FuzzFindings, TimesBeyondTheClock) {
  EXPECT_FALSE(remote::read_local_time("24-0-15 12:3:0"));
  EXPECT_TRUE(remote::read_local_time("9999-12-31 23:59:59"));  // as late as the clock can
  EXPECT_TRUE(remote::read_local_time("2024-06-15 12:34:56"));
  EXPECT_FALSE(remote::parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT"));
  EXPECT_FALSE(remote::parse_http_date("Mon, 01 Jan 1601 00:00:00 GMT"));
}

// forget() comes from destructors and rollbacks: it has to work without memory, and again and again.
TEST(FuzzFindings, NamesAreForgottenWithoutMemory) {
  static_assert(noexcept(std::declval<local::PropertyNames&>().forget()));
  local::PropertyNames names(nullptr, "main");
  const local::NameStore* first = names.store().get();
  names.forget();
  names.forget();
  EXPECT_EQ(names.store().get(), first);  // nothing has been read since: there is nothing to forget
  EXPECT_EQ(names.store()->size(), 0U);
}

}  // namespace
}  // namespace table_storage::backend
