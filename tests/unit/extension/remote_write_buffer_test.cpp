// The writes of a transaction before COMMIT: what several changes of one entity come to, and what savepoints
// undo.
#include "extension/backend/remote/write_buffer.h"

#include <gtest/gtest.h>

#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

using edm::ValueView;
using Kind = OperationKind;

class RemoteWriteBuffer : public ::testing::Test {
 protected:
  /// N of entity p/`row`.
  void add(Kind kind, const std::string& row, int n, const std::string& if_match = "*") {
    Operation operation;
    operation.kind = kind;
    operation.partition_key = "p";
    operation.row_key = row;
    operation.if_match = if_match;
    if (kind != Kind::remove) operation.properties = {{"N", ValueView::int32(n)}};
    buffer_.add("T", operation, nullptr);
  }

  /// "a insert 1, b remove"
  std::string shown() const {
    const std::vector<std::string> names = {
        "insert", "insert_or_replace", "insert_or_merge", "replace", "merge", "remove"};
    std::string text;
    for (const auto& [keys, pending] : buffer_.operations()) {
      const Operation operation = pending.view(keys);
      text += (text.empty() ? "" : ", ") + keys.second + " " + names[static_cast<std::size_t>(pending.kind)];
      for (const NamedValue& property : operation.properties)
        text += " " + std::to_string(property.value.as_int32());
    }
    return text;
  }

  WriteBuffer buffer_;
};

TEST_F(RemoteWriteBuffer, ChangesOfOneEntityBecomeOne) {
  add(Kind::insert, "a", 1);
  add(Kind::merge, "a", 2);
  add(Kind::merge, "b", 3);
  add(Kind::replace, "b", 4);
  add(Kind::insert_or_merge, "c", 5);
  add(Kind::replace, "c", 6);
  add(Kind::replace, "d", 7, "tag");
  add(Kind::insert_or_replace, "d", 8);
  add(Kind::insert, "e", 9);
  add(Kind::remove, "e", 0);
  add(Kind::remove, "f", 0);
  add(Kind::insert_or_replace, "f", 10);
  EXPECT_EQ(shown(),
            "a insert 2, b replace 4, c insert_or_replace 6, d insert_or_replace 8, f insert_or_replace 10");
}

TEST_F(RemoteWriteBuffer, ARemovedEntityCannotBeChanged) {
  add(Kind::remove, "a", 0);
  for (const Kind kind : {Kind::replace, Kind::merge, Kind::remove}) {
    try {
      add(kind, "a", 1);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::missing);
      EXPECT_STREQ(
          error.what(),
          "ResourceNotFound: table T, PartitionKey 'p', RowKey 'a': this transaction has removed the entity");
    }
  }
  EXPECT_EQ(shown(), "a remove");
}

TEST_F(RemoteWriteBuffer, ASavepointUndoesWhatCameAfterIt) {
  add(Kind::insert, "a", 1);
  buffer_.savepoint(0);
  add(Kind::merge, "a", 2);
  add(Kind::insert, "b", 3);
  buffer_.savepoint(1);
  add(Kind::remove, "a", 0);
  add(Kind::remove, "b", 0);
  add(Kind::insert, "c", 4);
  EXPECT_EQ(shown(), "c insert 4");
  buffer_.rollback_to(1);
  EXPECT_EQ(shown(), "a insert 2, b insert 3");
  buffer_.rollback_to(0);
  EXPECT_EQ(shown(), "a insert 1");
  buffer_.release(0);
  EXPECT_EQ(shown(), "a insert 1");
}

TEST_F(RemoteWriteBuffer, ASavepointFromBeforeTheTableJoinedUndoesAll) {
  buffer_.savepoint(1);  // of the statement that writes first
  add(Kind::insert, "a", 1);
  buffer_.release(1);
  buffer_.rollback_to(0);
  EXPECT_EQ(shown(), "");
  add(Kind::insert, "a", 1);
  buffer_.older_savepoint(0);
  add(Kind::insert, "b", 2);
  buffer_.rollback_to(0);
  EXPECT_EQ(shown(), "");
}

}  // namespace
}  // namespace table_storage::backend::remote
