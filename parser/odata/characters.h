// The characters of a filter: which may stand in a property name and which separate tokens.
//
// Names follow the lexer of the OData library: a letter or `_` first, then letters, digits, combining marks,
// connectors and format characters. The library looks at UTF-16 code units, where a supplementary character
// is a pair of surrogates and no letter, so names stay in the Basic Multilingual Plane. Pure functions: any
// thread.
#pragma once

#include <cstdint>

namespace table_storage::odata {

/// The character at the front of [first, last), which is valid UTF-8 and not empty.
struct Character {
  char32_t code;
  std::uint32_t size;  // in bytes
};
Character read_character(const char* first, const char* last);

/// ASCII is decided without a table look-up.
bool starts_name(char32_t code);
bool continues_name(char32_t code);
/// ASCII and Unicode white space, a no-break space pasted from a document included.
bool is_space(char32_t code);

/// End of the name, or of the white space, that begins at `first`; `first` itself if there is none.
const char* skip_name(const char* first, const char* last);
const char* skip_spaces(const char* first, const char* last);

}  // namespace table_storage::odata
