// The memory that simdjson parses in, which is several times the answer, used again by one page after
// another.
//
// What a page shows lies in the page itself. So a parser is needed only while one is read, by at most two
// threads of a service, and the pages that wait or are shown need none.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace table_storage::backend::remote {

/// Any thread.
class ParserPool {
 public:
  using Parser = simdjson::ondemand::parser;

  ParserPool() { idle_.reserve(kKept); }

  /// Gives the parser back when it ends.
  class Loan {
   public:
    explicit Loan(ParserPool& pool) : pool_(pool), parser_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(parser_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Parser& operator*() const { return *parser_; }

   private:
    ParserPool& pool_;
    std::unique_ptr<Parser> parser_;
  };

 private:
  static constexpr std::size_t kKept = 2;                        // the connection's thread and the I/O thread
  static constexpr std::size_t kLargest = std::size_t{4} << 20;  // bytes of an answer

  std::unique_ptr<Parser> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Parser> parser = std::move(idle_.back());
        idle_.pop_back();
        return parser;
      }
    }
    return std::make_unique<Parser>();
  }

  void give_back(std::unique_ptr<Parser> parser) noexcept {
    if (parser->capacity() > kLargest) return;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kKept) idle_.push_back(std::move(parser));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Parser>> idle_;
};

}  // namespace table_storage::backend::remote
