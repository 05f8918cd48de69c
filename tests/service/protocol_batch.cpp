// Entity group transactions of the fake service.
#include <algorithm>
#include <optional>

#include "extension/backend/limits.h"
#include "tests/service/protocol.h"
#include "tests/service/protocol_call.h"

namespace table_storage::fake {

Answer Protocol::batch(const Request& request) {
  const std::string* const type = request.header("Content-Type");
  const auto parts = parse_batch(type == nullptr ? "" : *type, request.body);
  for (const BatchPart& part : parts) {
    if (!part.absolute) violate(request, "a relative URL in a batch");
  }
  Answer answer;
  if (parts.front().changes) {
    answer = batch_changes(parts);
  } else {
    Call call = call_of(parts.front().request, true);
    const std::string* const accept = parts.front().request.header("Accept");
    call.metadata = parse_accept(accept == nullptr ? "" : *accept).value_or(Metadata::minimal);
    if (call.method != "GET") bad_input("A change must be inside a change set.");
    Answer inner;
    try {
      inner = execute(call);
    } catch (const Refusal& refusal) {
      inner = error(refusal);
    } catch (const Error& e) {
      inner = error(refusal_of(e));
    }
    const BatchReply reply = render_batch({inner}, false, settings.personality);
    answer.body = reply.body;
    answer.headers = {{"Content-Type", "multipart/mixed; boundary=" + reply.boundary}};
  }
  answer.status = 202;
  return answer;
}

Answer Protocol::batch_changes(const std::vector<BatchPart>& parts) {
  std::vector<Answer> answers;
  std::size_t index = 0;
  std::optional<Refusal> refused;
  store.begin();
  try {
    if (parts.size() > backend::kMaxBatchOperations) {
      index = backend::kMaxBatchOperations - 1;
      bad_input("The batch request operation exceeds the maximum 100 changes per change set.");
    }
    std::vector<Key> keys;
    std::string table;
    for (; index < parts.size(); ++index) {
      const BatchPart& part = parts[index];
      Call call = call_of(part.request, true);
      if (call.method == "GET") bad_input("A query must not be inside a change set.");
      const std::string* const accept = part.request.header("Accept");
      call.metadata = parse_accept(accept == nullptr ? "" : *accept).value_or(Metadata::minimal);
      Key key = call.resource.key;
      if (call.method == "POST") {
        const Body body = parse_body(part.request.body);
        key = {body.partition.value_or(""), body.row.value_or("")};
      }
      if (index == 0) table = lower_case(call.resource.table);
      if (lower_case(call.resource.table) != table)
        bad_input("All commands of a batch must be on one table.");
      if (!keys.empty() && keys.front().partition != key.partition)
        throw Refusal{400, "CommandsInBatchActOnDifferentPartitions",
                      "All commands in a batch must operate on same entity group."};
      if (std::any_of(keys.begin(), keys.end(), [&](const Key& other) { return other.row == key.row; }))
        throw Refusal{
            400, "InvalidDuplicateRow",
            "The batch request contains multiple changes with same row key. An entity can appear only once "
            "in a batch request."};
      keys.push_back(std::move(key));
      Answer answer = execute(call);
      answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
      answer.headers.emplace_back("Cache-Control", "no-cache");
      answer.headers.emplace_back("DataServiceVersion", "3.0;");
      if (!part.content_id.empty()) answer.headers.emplace_back("Content-ID", part.content_id);
      answers.push_back(std::move(answer));
    }
  } catch (const Refusal& refusal) {
    refused = refusal;
  } catch (const Error& e) {
    refused = refusal_of(e);
  }
  if (refused) {
    store.roll_back();
    if (refused->status == 0)
      *refused = {400, "OutOfRangeInput", "One of the request inputs is out of range."};
    // A batch of one that fails on its ETag has been seen without the index.
    const bool bare = parts.size() == 1 && refused->status == 412;
    if (!bare) refused->message = std::to_string(index) + ":" + refused->message;
    answers = {error(*refused)};
  } else {
    store.commit();
  }
  const BatchReply reply = render_batch(answers, true, settings.personality);
  Answer answer;
  answer.body = reply.body;
  answer.headers = {{"Content-Type", "multipart/mixed; boundary=" + reply.boundary}};
  return answer;
}

}  // namespace table_storage::fake
