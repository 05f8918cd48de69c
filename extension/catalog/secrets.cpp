// What looks like a secret in the text of CREATE VIRTUAL TABLE.
//
// The scanner is no parser: it must also see the secret in an argument that does not parse, before an error
// message quotes that argument.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "extension/catalog/options.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

using definition::equal_without_case;
using definition::lower;

// --- Names -----------------------------------------------------------------------------------------------

/// Names of options that hold secrets, less case, blanks, '_' and '-'.
constexpr auto kSecretNames = std::to_array<std::string_view>({"key",
                                                               "key1",
                                                               "key2",
                                                               "accountkey",
                                                               "storagekey",
                                                               "storageaccountkey",
                                                               "accesskey",
                                                               "sharedkey",
                                                               "masterkey",
                                                               "apikey",
                                                               "privatekey",
                                                               "sas",
                                                               "sasuri",
                                                               "sasurl",
                                                               "sig",
                                                               "signature",
                                                               "connectionstring",
                                                               "connstr",
                                                               "conninfo",
                                                               "pass",
                                                               "pwd",
                                                               "bearer",
                                                               "authorization",
                                                               "jwt",
                                                               "clientassertion",
                                                               "sharedaccesssignature",
                                                               "sharedaccesskey"});
/// Inside a longer name too: sas_token, client_secret.
constexpr auto kSecretParts =
    std::to_array<std::string_view>({"token", "secret", "password", "passwd", "passphrase", "credential"});

bool is_secret_name(std::string_view name) {
  std::string folded;
  for (char c : name)
    if (c != '_' && c != '-' && c != ' ') folded += lower(c);
  return std::find(kSecretNames.begin(), kSecretNames.end(), folded) != kSecretNames.end() ||
         std::any_of(kSecretParts.begin(), kSecretParts.end(),
                     [&](std::string_view part) { return folded.find(part) != std::string::npos; });
}

// --- Tokens ----------------------------------------------------------------------------------------------

struct Token {
  enum class Kind : unsigned char { word, quoted, text, mark };  // text: '…'; quoted: "…", `…`, […]
  Kind kind;
  std::string_view content;  // without quotes; doubled ones stay doubled
  bool is(char c) const { return kind == Kind::mark && content[0] == c; }
};

/// Cuts an argument into tokens, forgiving: quotes and comments that are not closed reach to the end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  std::optional<Token> next() {
    skip_blanks();
    if (rest_.empty()) return std::nullopt;
    const char c = rest_[0];
    if (c == '\'') return Token{Token::Kind::text, quoted(c)};
    if (c == '"' || c == '`') return Token{Token::Kind::quoted, quoted(c)};
    if (c == '[') return Token{Token::Kind::quoted, quoted(']')};
    std::size_t size = 0;
    // A dash belongs to a name (account-key is a name people try), two of them start a comment.
    while (size < rest_.size() && (is_word(rest_[size]) ||
                                   (size > 0 && rest_[size] == '-' && !rest_.substr(size).starts_with("--"))))
      ++size;
    if (size > 0) return Token{Token::Kind::word, take(size)};
    return Token{Token::Kind::mark, take(1)};
  }

 private:
  static bool is_word(char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '_' || l == '$' ||
           static_cast<unsigned char>(l) >= 0x80;
  }

  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
    return taken;
  }

  void skip_blanks() {
    for (;;) {
      const std::size_t start = std::min(rest_.find_first_not_of(" \t\r\n\f\v"), rest_.size());
      rest_.remove_prefix(start);
      if (rest_.starts_with("--"))
        take(std::min(rest_.find('\n'), rest_.size()));
      else if (rest_.starts_with("/*"))
        take(std::min(rest_.find("*/", 2), rest_.size() - 2) + 2);
      else
        return;
    }
  }

  std::string_view quoted(char close) {
    rest_.remove_prefix(1);
    std::size_t end = rest_.find(close);
    while (close != ']' && end != std::string_view::npos && end + 1 < rest_.size() && rest_[end + 1] == close)
      end = rest_.find(close, end + 2);
    const std::string_view content = take(std::min(end, rest_.size()));
    if (!rest_.empty()) rest_.remove_prefix(1);
    return content;
  }

  std::string_view rest_;
};

/// A value that only says where the secret is, or the emulator's connection string, which is public.
bool is_reference(const std::optional<Token>& value) {
  if (!value || (value->kind != Token::Kind::text && value->kind != Token::Kind::quoted)) return false;
  return value->content.starts_with("env:") || value->content.starts_with("file:") ||
         equal_without_case(value->content, "UseDevelopmentStorage=true");
}

/// The first name of a secret that has, or was meant to have, a value that is no reference.
std::optional<std::string_view> secret_option(std::string_view argument) {
  Tokens tokens(argument);
  std::optional<Token> before;  // the token before `token`
  bool in_options = false;
  bool name_expected = false;  // inside OPTIONS: after '(', ',' and a value
  for (std::optional<Token> token = tokens.next(); token; before = token, token = tokens.next()) {
    const bool name_like = token->kind == Token::Kind::word || token->kind == Token::Kind::quoted;
    if (in_options) {
      if (token->is(')')) {
        in_options = false;
      } else if (name_expected && name_like) {
        const std::optional<Token> value = Tokens(tokens).next();
        if (is_secret_name(token->content) && !is_reference(value)) return token->content;
        name_expected = false;
      } else {
        name_expected = token->is(',') || (!name_expected && token->kind != Token::Kind::mark);
      }
      continue;
    }
    if (token->is('(') && before && before->kind == Token::Kind::word &&
        equal_without_case(before->content, "options")) {
      in_options = name_expected = true;
    } else if ((token->is('=') || token->kind == Token::Kind::text) && before &&
               (before->kind == Token::Kind::word || before->kind == Token::Kind::quoted) &&
               is_secret_name(before->content)) {
      // key='…' and key '…' are no columns.
      return before->content;
    }
  }
  return std::nullopt;
}

// --- Shapes ----------------------------------------------------------------------------------------------

bool is_base64(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || c == '+' || c == '/' || c == '-' || c == '_';
}

/// Length of the run of base64 letters (of either alphabet) at `from`.
std::size_t base64_run(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_base64(text[end])) ++end;
  return end - from;
}

/// %XX decoded once, so that a signature in a URL reads like one in a header.
std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) -> int {
    const char l = lower(c);
    if (l >= '0' && l <= '9') return l - '0';
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// True if `key` stands in the text as a word of its own, a separator behind it, and then at least `least`
/// base64 letters. `folded` is `text` in lower case.
bool has_value(std::string_view folded, std::string_view text, std::string_view key, char separator,
               std::size_t least) {
  for (std::size_t at = folded.find(key); at != std::string_view::npos; at = folded.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '/' && is_base64(text[at - 1])) continue;
    std::size_t value = at + key.size();
    bool separated = false;
    for (; value < text.size() && (text[value] == ' ' || text[value] == separator); ++value)
      separated = separated || text[value] == separator;
    if (separated && base64_run(text, value) >= least) return true;
  }
  return false;
}

/// scheme://user:password@host
bool has_password(std::string_view text) {
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 1)) {
    const std::string_view authority = text.substr(at + 3, text.find_first_of("/?#'\" ", at + 3) - at - 3);
    const std::size_t user_end = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (user_end != std::string_view::npos && colon < user_end) return true;
  }
  return false;
}

/// Keys of 64 bytes and signatures of 32 with the padding that no identifier has.
bool has_key(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t run = base64_run(text, at);
    const std::string_view behind = text.substr(at + run);
    if ((run >= 86 && behind.starts_with("==")) || (run == 43 && behind.starts_with("="))) return true;
    at += run + 1;
  }
  return false;
}

/// Where the secret stands, without repeating it: a name only if it can be nothing but a name.
std::string option_text(std::string_view name) {
  const bool plain = name.size() <= 24 && std::all_of(name.begin(), name.end(), [](char c) {
                       return c == '_' || (lower(c) >= 'a' && lower(c) <= 'z');
                     });
  return plain ? "the option " + std::string(name) : "an option";
}

[[noreturn]] void refuse_argument(std::size_t argument, const std::string& what) {
  throw Error(
      Error::Kind::invalid, "",
      "argument " + std::to_string(argument + 1) + " of table_storage() holds " + what +
          ", and SQLite keeps the text of CREATE VIRTUAL TABLE in the database file. Keep secrets outside "
          "the SQL text and say where they are: 'env:NAME' for an environment variable, 'file:PATH' for a "
          "file, as in OPTIONS (connection_string 'env:AZURE_STORAGE_CONNECTION_STRING')");
}

}  // namespace

std::string_view secret_shape(std::string_view argument) {
  const std::string text = percent_decoded(argument);
  std::string folded(text.size(), ' ');
  std::transform(text.begin(), text.end(), folded.begin(), lower);

  for (std::string_view key : {"accountkey", "sharedaccesssignature", "sharedaccesskey", "clientsecret"}) {
    for (std::size_t at = folded.find(key); at != std::string::npos; at = folded.find(key, at + 1)) {
      const std::size_t behind = folded.find_first_not_of(' ', at + key.size());
      if (behind != std::string::npos && folded[behind] == '=') return "a connection string with its secret";
    }
  }
  constexpr std::size_t kSignature = 16;  // of 44: part of a signature is too much already
  constexpr std::size_t kToken = 20;      // longer than any type that could follow a column called Bearer
  if (has_value(folded, text, "sig", '=', kSignature)) return "a shared access signature";
  if (has_value(folded, text, "bearer", ' ', kToken)) return "a bearer token";
  if (folded.find("private key-----") != std::string::npos) return "a private key";
  for (std::size_t at = folded.find("sharedkey"); at != std::string::npos;
       at = folded.find("sharedkey", at + 1)) {
    const std::size_t colon = folded.find(':', at);
    if (colon != std::string::npos && base64_run(text, colon + 1) >= kSignature)
      return "an authorization header";
  }
  // A token: header.payload.signature, each base64url of JSON. {" is eyJ.
  for (std::size_t at = text.find("eyJ"); at != std::string::npos; at = text.find("eyJ", at + 1)) {
    const std::size_t header = base64_run(text, at);
    const std::size_t dot = at + header;
    if (header >= 10 && dot < text.size() && text[dot] == '.' && base64_run(text, dot + 1) >= 10)
      return "a token";
  }
  if (has_password(text)) return "a password in an address";
  if (has_key(text)) return "a key in base64";
  return {};
}

void refuse_secrets(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const std::string_view shape = secret_shape(arguments[i]); !shape.empty())
      refuse_argument(i, "what looks like " + std::string(shape));
    if (const auto name = secret_option(arguments[i]))
      refuse_argument(i, option_text(*name) + ", which names a secret");
  }
}

}  // namespace table_storage::catalog
