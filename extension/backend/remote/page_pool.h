// Pages with their readers, used again by one scan after another: the memory of a page and what its reader
// has learnt about the members cost more than a small answer.
//
// The pool belongs to the connection's thread. A page that is being read into belongs to the thread that
// received its answer.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/page.h"

namespace table_storage::backend::remote {

struct PooledPage {
  explicit PooledPage(const Projection& columns) : projection(columns), reader(columns) {}
  Projection projection;
  PageReader reader;
  Page page;
};

class PagePool {
 public:
  PagePool() { idle_.reserve(kKept); }
  /// One that reads this projection, empty.
  std::shared_ptr<PooledPage> take(const Projection& projection);
  /// The caller must have the only reference left.
  void give_back(std::shared_ptr<PooledPage> page) noexcept;

 private:
  // Two do for a scan, and a few statements have scans of their own open at a time.
  static constexpr std::size_t kKept = 6;
  static constexpr std::size_t kLargest = std::size_t{4} << 20;  // bytes of body; a larger page is let go
  std::vector<std::shared_ptr<PooledPage>> idle_;
};

}  // namespace table_storage::backend::remote
