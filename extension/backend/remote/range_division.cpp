#include "extension/backend/remote/range_division.h"

namespace table_storage::backend::remote {

namespace {

std::vector<TextRange> divided(TextRange range, const std::vector<std::string>& boundaries) {
  std::vector<TextRange> pieces;
  for (const std::string& boundary : boundaries) {
    TextRange piece = range;
    piece.upper = boundary;
    piece.upper_inclusive = false;
    pieces.push_back(std::move(piece));
    range.lower = boundary;
    range.lower_inclusive = true;
  }
  pieces.push_back(std::move(range));
  return pieces;
}

TextRange behind(TextRange range, const std::string& key) {
  range.lower = key;
  range.lower_inclusive = false;
  return range;
}

}  // namespace

std::vector<KeyRange> divide_by_partition(const KeyRange& range, const std::vector<std::string>& boundaries) {
  std::vector<KeyRange> pieces;
  for (TextRange& partition : divided(range.partition, boundaries)) {
    pieces.push_back({std::move(partition), range.row});
  }
  return pieces;
}

std::vector<KeyRange> divide_by_row(const KeyRange& range, const std::vector<std::string>& boundaries) {
  std::vector<KeyRange> pieces;
  for (TextRange& row : divided(range.row, boundaries)) pieces.push_back({range.partition, std::move(row)});
  return pieces;
}

std::vector<KeyRange> divide_by_row(const KeyRange& range, const Position& position,
                                    const std::vector<std::string>& boundaries) {
  std::vector<KeyRange> pieces =
      divide_by_row({TextRange::exactly(position.first), behind(range.row, position.second)}, boundaries);
  if (!range.partition.is_point()) pieces.push_back({behind(range.partition, position.first), range.row});
  return pieces;
}

std::vector<KeyRange> rest_of(const KeyRange& range, const Position& position) {
  return divide_by_row(range, position, {});
}

}  // namespace table_storage::backend::remote
