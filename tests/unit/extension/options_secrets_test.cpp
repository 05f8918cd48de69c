// Secrets in the text of CREATE VIRTUAL TABLE: refused, never repeated, and nothing innocent with them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extension/catalog/options.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

// Made up; of the right shapes.
const std::string kKey64 = [] {
  std::string key;
  for (int i = 0; i < 86; ++i) key += "Qz7+a/9Kd"[i % 9];
  return key + "==";
}();
const std::string kSignature = "h3Rk0b1%2Fq2%2BZz8y7XwVuTsRqPoNmLkJiHgFeDcBa01%3D";
const std::string kToken =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJlb2Zub3RoaW5n";

const std::string kAdvice =
    ", and SQLite keeps the text of CREATE VIRTUAL TABLE in the database file. Keep secrets outside the SQL "
    "text and say where they are: 'env:NAME' for an environment variable, 'file:PATH' for a file, as in "
    "OPTIONS (connection_string 'env:AZURE_STORAGE_CONNECTION_STRING')";

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    refuse_secrets(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::invalid);
    return error.what();
  }
  return "accepted";
}

TEST(Secrets, NamesOfOptions) {
  EXPECT_EQ(refusal({"x INT", "OPTIONS (table 'T', account_key 'hunter2')"}),
            "argument 2 of table_storage() holds the option account_key, which names a secret" + kAdvice);
  for (const char* name :
       {"account_key", "AccountKey",   "account-key",       "sas_token",        "SAS",
        "token",       "access_token", "connection_string", "ConnectionString", "password",
        "key",         "secret",       "client_secret",     "credential",       "shared_access_signature",
        "storage_key", "api_key",      "private_key",       "passphrase",       "sig",
        "bearer"}) {
    const std::string n(name);
    for (const std::string& argument :
         {"OPTIONS (" + n + " 'hunter2')", "options(table 'T'," + n + " \"hunter2\")",
          "OPTIONS (\"" + n + "\" 'hunter2')", "OPTIONS /* c */ ( -- d\n " + n + " 'hunter2')",
          "x INT OPTIONS (property 'x', [" + n + "] 'hunter2')", "SERVER prod OPTIONS (" + n + " 'hunter2')",
          "OPTIONS--c\n(" + n + " 'hunter2')",
          // Text that does not parse is refused too, before an error could quote it.
          "OPTIONS (table 'T' " + n + " 'hunter2')", "OPTIONS (" + n + " = 'hunter2'",
          "OPTIONS (" + n + " hunter2)", n + "='hunter2'", n + " = hunter2", n + " 'hunter2'",
          "\"" + n + "\" 'hunter2'"}) {
      const std::string message = refusal({argument});
      EXPECT_NE(message, "accepted") << argument;
      EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
      EXPECT_NE(message.find("'env:NAME'"), std::string::npos) << message;
    }
  }
}

TEST(Secrets, AReferenceIsNoSecret) {
  for (const char* argument :
       {"OPTIONS (connection_string 'env:AZURE_STORAGE_CONNECTION_STRING')",
        "OPTIONS (table 'T', connection_string \"file:/run/secrets/tables\", concurrency '4')",
        "OPTIONS (connection_string 'UseDevelopmentStorage=true')"}) {
    EXPECT_EQ(refusal({argument}), "accepted") << argument;
  }
  EXPECT_NE(refusal({"OPTIONS (connection_string 'env:X', account_key 'hunter2')"}), "accepted");
  EXPECT_NE(refusal({"OPTIONS (connection_string 'UseDevelopmentStorage=true;AccountKey=hunter2')"}),
            "accepted");
}

TEST(Secrets, NamesThatCouldBeSecretsThemselvesAreNotRepeated) {
  EXPECT_EQ(refusal({"OPTIONS (\"password hunter2\" 'x')"}),
            "argument 1 of table_storage() holds an option, which names a secret" + kAdvice);
}

TEST(Secrets, ShapesOfValues) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=short;",
       "a connection string with its secret"},
      {"accountkey = abc", "a connection string with its secret"},
      {"TableEndpoint=https://a.example/;SharedAccessSignature=sv=2019",
       "a connection string with its secret"},
      {"https://a.example/T?sv=2019-02-02&tn=T&sig=" + kSignature, "a shared access signature"},
      {"?sig=" + kSignature + "&se=2030", "a shared access signature"},
      {"https://a.example/T?sig%3D" + kSignature, "a shared access signature"},
      {"Bearer abcdefghijklmnopqrstuvwxyz0123", "a bearer token"},
      {kToken, "a token"},
      {kKey64, "a key in base64"},
      {"SharedKey account:" + kKey64, "an authorization header"},
      {"SharedKeyLite account:h3Rk0b1q2Zz8y7XwVuTsRqPoNmLkJiHgFeDcBa01234=", "an authorization header"},
      {"h3Rk0b1/q2+Zz8y7XwVuTsRqPoNmLkJiHgFeDcBa012=", "a key in base64"},
      {"-----BEGIN PRIVATE KEY-----", "a private key"},
  };
  for (const auto& [value, noun] : cases) {
    for (const std::string& argument : {"OPTIONS (table '" + value + "')", "OPTIONS (\"" + value + "\" 'x')",
                                        "x INT OPTIONS (property \"" + value + "\")", "\"" + value + "\" INT",
                                        "SERVER '" + value + "'", "x INT /* " + value + " */", value}) {
      EXPECT_EQ(refusal({"x INT", argument}),
                "argument 2 of table_storage() holds what looks like " + noun + kAdvice)
          << argument;
    }
  }
}

TEST(Secrets, InnocentColumnsAndOptions) {
  for (const char* argument :
       {"",
        "Key STRING",
        "Token STRING",
        "Password STRING",
        "\"Secret\" TEXT",
        "Sig BINARY",
        "Signature BINARY(64)",
        "AccountKey STRING",
        "Bearer DATETIMEOFFSET",
        "SharedAccessSignature STRING",
        "\"sig\" \"STRING\"",
        "Key STRING OPTIONS (property 'Key')",
        "k STRING OPTIONS (property 'AccountKey')",
        "t STRING OPTIONS (property 'SasToken')",
        "OPTIONS (table 'Keys')",
        "OPTIONS (table 'Tokens', updatable 'no')",
        "OPTIONS (table \"Key\", estimated_rows '5')",
        "SERVER token",
        "SERVER \"key\"",
        "Token STRING -- the key, 'x'",
        "design STRING OPTIONS (property 'sig')",
        "Options STRING",
        "\"OPTIONS\" STRING OPTIONS (property 'key')",
        "x VARCHAR(10)",
        "y DECIMAL(10,2)",
        "x INT OPTIONS (property 'it''s, key ''quoted''')",
        "eyJ STRING",
        "x STRING OPTIONS (property 'eyJust.a.name')",
        "A_very_long_property_name_that_somebody_flattened_from_nested_objects_and_lists_of_them STRING",
        "Key STRING COLLATE nocase DEFAULT 'x'",
        "\"Größe\" STRING",
        "partition_key STRING",
        "OPTIONS (partition_key 'x')"})
    EXPECT_EQ(refusal({argument}), "accepted") << argument;
  EXPECT_EQ(refusal({}), "accepted");
  const std::string identifier(86, 'a');
  EXPECT_EQ(refusal({identifier + " STRING OPTIONS (property '" + identifier + "')"}), "accepted");
}

TEST(Secrets, UnclosedTextDoesNotConfuse) {
  for (const char* argument : {"'", "\"", "[", "`", "/*", "/*/", "--", "OPTIONS (", "OPTIONS ('", "x 'a''",
                               "%", "%4", "sig STRING", "eyJ", "sharedkey:", "=", "bearer "})
    EXPECT_EQ(refusal({argument}), "accepted") << argument;
  EXPECT_NE(refusal({"OPTIONS (key"}), "accepted");
  EXPECT_NE(refusal({"sig="}), "accepted");
  EXPECT_EQ(refusal({"OPTIONS (/* key"}), "accepted");
}

}  // namespace
}  // namespace table_storage::catalog
