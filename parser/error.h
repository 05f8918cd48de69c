// The one error type of the project.
//
// Everything below the C callbacks of SQLite reports failure by throwing Error; the callbacks turn it into a
// result code and a message (extension/module/guard.h). An error says what was asked, on which object, what
// is wrong and what would be right, in one sentence that a person reads.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace table_storage {

class Error : public std::exception {
 public:
  /// What a caller can do about it. `storage` carries the code of the store underneath in native_code().
  enum class Kind {
    invalid,       ///< the request is wrong: syntax, type, limit, name
    unsupported,   ///< well formed, but the service does not do it (HTTP 501)
    conflict,      ///< the entity or table exists already (HTTP 409)
    precondition,  ///< the ETag does not match (HTTP 412)
    missing,       ///< no such entity or table (HTTP 404)
    corrupt,       ///< stored bytes are damaged
    storage        ///< the store underneath failed
  };

  /// `code` is the service's own error code ("InvalidInput"), empty where the service has none. `message` is
  /// a sentence without the code.
  Error(Kind kind, std::string code, std::string message)
      : kind_(kind), code_(std::move(code)), message_(std::move(message)) {
    compose();
  }

  Kind kind() const { return kind_; }
  const std::string& code() const { return code_; }
  const std::string& message() const { return message_; }

  /// 0-based byte offset in the text that failed to parse.
  std::optional<std::size_t> position() const { return position_; }
  Error& at(std::size_t position) {
    position_ = position;
    return *this;
  }

  int native_code() const { return native_code_; }
  Error& native(int code) {
    native_code_ = code;
    return *this;
  }

  /// Puts context in front of the message, e.g. the entity a bulk statement had reached.
  Error& prefix(const std::string& context) {
    message_ = context + ": " + message_;
    compose();
    return *this;
  }

  /// "Code: message", or the message alone.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void compose() { text_ = code_.empty() ? message_ : code_ + ": " + message_; }

  Kind kind_;
  std::string code_;
  std::string message_;
  std::string text_;
  std::optional<std::size_t> position_;
  int native_code_ = 0;
};

/// What was asked cannot be done: throws Error(invalid).
[[noreturn]] inline void refuse(std::string why) { throw Error(Error::Kind::invalid, "", std::move(why)); }

}  // namespace table_storage
