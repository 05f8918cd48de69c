// Pages with their readers, used again by one scan after another: the memory of a page and what its reader
// has learnt about the members cost more than a small answer.
//
// The pool belongs to the connection's thread. A page that is being read into belongs to the thread that
// received its answer.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/page.h"

namespace table_storage::backend::remote {

struct PooledPage {
  PooledPage(const Projection& columns, std::shared_ptr<ParserPool> parsers)
      : projection(columns), reader(columns, std::move(parsers)) {}
  Projection projection;
  PageReader reader;
  Page page;
};

class PagePool {
 public:
  PagePool() { idle_.reserve(kKept + 1); }
  /// One that reads this projection, empty.
  std::shared_ptr<PooledPage> take(const Projection& projection);
  /// The caller must have the only reference left.
  void give_back(std::shared_ptr<PooledPage> page) noexcept;

 private:
  // Two do for a scan; look-ups that are sent ahead have one each.
  static constexpr std::size_t kKept = 16;
  static constexpr std::size_t kLargest = std::size_t{8} << 20;  // bytes, of all of them
  void let_go_of_oldest() noexcept;

  std::shared_ptr<ParserPool> parsers_ = make_parser_pool();
  std::vector<std::shared_ptr<PooledPage>> idle_;
  std::size_t idle_bytes_ = 0;
};

}  // namespace table_storage::backend::remote
