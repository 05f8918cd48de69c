#include "extension/module/dialect.h"

#include <gtest/gtest.h>

namespace table_storage::module {
namespace {

using backend::Dialect;

std::string translated(const char* filter, Dialect dialect) {
  const auto result = in_dialect(odata::parse_filter(filter), dialect);
  return result ? odata::print(*result) : "left out";
}

TEST(Dialect, StorageAndLocalTakeEverythingAsItIs) {
  for (Dialect dialect : {Dialect::local, Dialect::storage}) {
    EXPECT_EQ(translated("v eq 5000000000L or not (v lt 1e300)", dialect),
              "v eq 5000000000L or not (v lt 1e+300)");
  }
}

TEST(Dialect, AzuriteGetsNothingThatCrashesItOrLosesRows) {
  const auto azurite = [](const char* filter) { return translated(filter, Dialect::azurite); };
  EXPECT_EQ(azurite("v eq 5"), "v ge 5 and v le 5");
  EXPECT_EQ(azurite("v gt 5"), "v gt 5");
  EXPECT_EQ(azurite("v gt 5000000000L"), "left out");
  EXPECT_EQ(azurite("v eq 5.5"), "v eq 5.5");
  EXPECT_EQ(azurite("v lt 1e300"), "left out");
  EXPECT_EQ(azurite("v eq INF"), "left out");
  EXPECT_EQ(azurite("v gt datetime'2024-06-15T00:00:00.0000001Z'"),
            "v ge datetime'2024-06-15T00:00:00.0000001Z'");
  EXPECT_EQ(azurite("v lt datetime'2024-06-15T00:00:00Z'"), "v le datetime'2024-06-15T00:00:00Z'");
  EXPECT_EQ(azurite("v ne datetime'2024-06-15T00:00:00Z'"), "left out");
  EXPECT_EQ(azurite("v eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'"), "left out");
  EXPECT_EQ(azurite("v eq X'00'"), "left out");
  EXPECT_EQ(azurite("v eq true and w ge 'a'"), "v eq true and w ge 'a'");
}

TEST(Dialect, WhatIsLeftOutWidensAConjunctionAndOpensADisjunction) {
  EXPECT_EQ(translated("a eq X'00' and b eq 'x'", Dialect::azurite), "b eq 'x'");
  EXPECT_EQ(translated("a eq X'00' or b eq 'x'", Dialect::azurite), "left out");
  EXPECT_EQ(translated("v ge -3000000000L or v ge -2147483648", Dialect::azurite), "left out");
  EXPECT_EQ(translated("not (b eq 'x')", Dialect::azurite), "left out");
}

std::string own(const char* filter, Dialect dialect = Dialect::azurite) {
  const OwnFilter result = own_filter_in_dialect(odata::parse_filter(filter), dialect);
  return (result.exact ? "exact: " : "superset: ") +
         (result.superset ? odata::print(*result.superset) : "everything");
}

TEST(Dialect, AFilterOfTheUsersOwnGoesAsItIsToServicesThatKeepTheRules) {
  for (Dialect dialect : {Dialect::local, Dialect::storage, Dialect::cosmos}) {
    EXPECT_EQ(own("v lt 5 or not (w eq 5L)", dialect), "exact: v lt 5 or not (w eq 5L)");
  }
}

TEST(Dialect, AzuriteIsTrustedWithKeysOnly) {
  EXPECT_EQ(own("PartitionKey lt 'x' and not (RowKey eq 'r')"),
            "exact: PartitionKey lt 'x' and not (RowKey eq 'r')");
  EXPECT_EQ(own("v eq 'x'"), "superset: v eq 'x'");
  EXPECT_EQ(own("v ge 'x'"), "superset: v ge 'x'");
  EXPECT_EQ(own("v ne 'x'"), "superset: everything");
  EXPECT_EQ(own("v eq 5"), "superset: v ge 5 and v le 5");
  EXPECT_EQ(own("v ne 5"), "superset: v ne 5");
  EXPECT_EQ(own("v eq 5L"), "superset: everything");
  EXPECT_EQ(own("v gt 5.5"), "superset: v gt 5.5");
  EXPECT_EQ(own("v gt 1e300"), "superset: everything");
  EXPECT_EQ(own("v ne 5.5"), "superset: everything");
  EXPECT_EQ(own("v"), "superset: v eq true");
  EXPECT_EQ(own("v gt datetime'2024-06-15T00:00:00Z'"), "superset: v ge datetime'2024-06-15T00:00:00Z'");
  EXPECT_EQ(own("v lt datetime'2024-06-15T00:00:00Z'"), "superset: everything");
  EXPECT_EQ(own("Timestamp lt datetime'2024-06-15T00:00:00Z'"),
            "superset: Timestamp le datetime'2024-06-15T00:00:00Z'");
  EXPECT_EQ(own("v eq X'00'"), "superset: everything");
}

TEST(Dialect, WhatAzuriteMustNotGetWidensTheRest) {
  EXPECT_EQ(own("a eq 'x' and b lt 5"), "superset: a eq 'x'");
  EXPECT_EQ(own("a lt 'x' and b lt 5"), "superset: everything");
  EXPECT_EQ(own("PartitionKey eq 'p' and b lt 5"), "superset: PartitionKey eq 'p'");
  EXPECT_EQ(own("a eq 'x' or b eq 5"), "superset: a eq 'x' or b ge 5 and b le 5");
  EXPECT_EQ(own("a eq 'x' or b lt 5"), "superset: everything");
  EXPECT_EQ(own("not (a eq 'x')"), "superset: everything");
  EXPECT_EQ(own("not (a eq 'x') and RowKey ge 'r'"), "superset: RowKey ge 'r'");
}

TEST(Dialect, CosmosGetsEqualityOfTextAndBooleans) {
  EXPECT_EQ(translated("a eq 'x' and b eq false and c eq 5 and d gt 'm'", Dialect::cosmos),
            "a eq 'x' and b eq false");
  EXPECT_EQ(translated("Timestamp gt datetime'2024-06-15T00:00:00Z'", Dialect::cosmos), "left out");
}

}  // namespace
}  // namespace table_storage::module
