// A secret in memory, overwritten when it goes. A value of its own: any thread, as std::string.
#pragma once

#include <openssl/crypto.h>

#include <string>
#include <string_view>
#include <utility>

namespace table_storage::catalog {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text) : text_(text) {}
  /// Takes the text over: none of it is left in `text`.
  explicit Secret(std::string&& text) : text_(text) { OPENSSL_cleanse(text.data(), text.capacity()); }
  ~Secret() { wipe(); }
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    wipe();
    text_ = std::move(other.text_);
    other.wipe();
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  void wipe() { OPENSSL_cleanse(text_.data(), text_.capacity()); }

  std::string text_;
};

}  // namespace table_storage::catalog
