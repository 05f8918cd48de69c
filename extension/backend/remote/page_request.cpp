#include "extension/backend/remote/page_request.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/url.h"

namespace table_storage::backend::remote {

std::size_t PageSource::page_size() const { return std::clamp<std::size_t>(options.page_size, 1, kMaxPage); }

PageCall PageSource::ask(const RangeQuery& query, const Projection& projection,
                         const std::optional<Continuation>& continuation, bool now) const {
  if (options.budget) options.budget->spend(options.name.empty() ? table : options.name);
  HttpRequest request = query.request;
  if (options.full_metadata) set_header(request, "Accept", kAcceptFull);
  if (continuation) add_continuation(request.query, *continuation);
  if (!query.is_point) {
    std::uint64_t top = page_size();
    if (!continuation && query.first_page) top = std::min(top, *query.first_page);
    if (top < kMaxPage) add_parameter(request.query, "$top", std::to_string(top));
  }
  PageCall ahead;
  ahead.page = pages->take(projection);
  AnswerReader reader;
  if (options.budget) reader.until = options.budget->until;
  reader.buffer = ahead.page->page.take_buffer();
  reader.read = [page = ahead.page, is_point = query.is_point](HttpResponse& response) {
    if (is_point) {
      page->reader.read_entity(std::move(response.body), page->page);
    } else {
      page->reader.read_list(std::move(response.body), page->page);
    }
    response.rows = page->page.size();
  };
  ahead.call = now ? service->prepare(std::move(request), asked, Repeat::harmless, std::move(reader))
                   : service->start(std::move(request), asked, Repeat::harmless, std::move(reader));
  return ahead;
}

}  // namespace table_storage::backend::remote
