// What IMPORT FOREIGN SCHEMA has to say besides its command tag; ts_import_notices shows it.
#pragma once

#include <string>

namespace table_storage::catalog {

struct ImportNotice {
  std::string schema;
  std::string table;     // SQL name; empty: about the import as a whole
  std::string column;    // empty: about the table as a whole, or there is none
  std::string property;  // empty: about the table as a whole
  std::string text;
};

}  // namespace table_storage::catalog
