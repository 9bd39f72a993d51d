#include "heliostat/base/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace heliostat::io {
namespace {

constexpr std::size_t kBlock = 64;

// One bit for each of the 64 bytes at `bytes` that can be a delimiter, newline, quote or NUL: the delimiter, and all
// bytes up to the comma in value. The other such bytes are mostly blanks in tables. Two comparisons instead of four;
// the caller checks the byte of each bit.
std::uint64_t SpecialBytes(const char* bytes, char delimiter) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i comma = _mm_set1_epi8(',');
  const __m128i between = _mm_set1_epi8(delimiter);
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + std::size_t{16} * part));
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(chunk, comma), chunk), _mm_cmpeq_epi8(chunk, between));
    mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(_mm_movemask_epi8(found))) << (16 * part);
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) {
    const bool may_end = static_cast<unsigned char>(bytes[i]) <= ',' || bytes[i] == delimiter;
    mask |= static_cast<std::uint64_t>(may_end) << i;
  }
#endif
  return mask;
}

bool IsSpecial(char c, char delimiter) { return c == delimiter || c == '\n' || c == '"' || c == '\0'; }

std::uint64_t SpecialBytesAt(std::string_view text, std::size_t block, char delimiter) {
  if (block + kBlock <= text.size()) [[likely]]
    return SpecialBytes(text.data() + block, delimiter);
  std::array<char, kBlock> tail;
  tail.fill('x');
  std::memcpy(tail.data(), text.data() + block, text.size() - block);
  return SpecialBytes(tail.data(), delimiter);
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file, CsvDialect dialect)
    : text_(text), file_(std::move(file)), dialect_(dialect) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (!text_.empty()) mask_ = SpecialBytesAt(text_, 0, dialect_.delimiter);
}

std::string CsvReader::where() const { return fmt::format("{}:{}", file_, line_); }

// Position of the next special byte not yet visited, or the text's end.
std::size_t CsvReader::NextSpecial() {
  while (true) {
    while (mask_ == 0) {
      block_ += kBlock;
      if (block_ >= text_.size()) {
        block_ = text_.size();
        return text_.size();
      }
      mask_ = SpecialBytesAt(text_, block_, dialect_.delimiter);
    }
    const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(mask_));
    mask_ &= mask_ - 1;
    if (IsSpecial(text_[at], dialect_.delimiter)) return at;
  }
}

// Continues the search for special bytes at `position`.
void CsvReader::SeekSpecial(std::size_t position) {
  if (position >= text_.size()) {
    block_ = text_.size();
    mask_ = 0;
    return;
  }
  block_ = position / kBlock * kBlock;
  mask_ = SpecialBytesAt(text_, block_, dialect_.delimiter) & (~std::uint64_t{0} << (position - block_));
}

bool CsvReader::Refuse(std::string what, std::string allowed) {
  cells_.clear();
  status_ = Fail(ErrorCode::kInvalidArgument, where(), std::move(what), std::move(allowed));
  return false;
}

// `position` is at an opening quote. Moves it behind the closing quote and adds the cell.
bool CsvReader::TakeQuotedCell(std::size_t& position) {
  const std::size_t start = position + 1;
  bool has_doubled_quote = false;
  std::size_t at = start;
  while (true) {
    at = text_.find('"', at);
    if (at == std::string_view::npos) return Refuse("a quote is not closed", "close it or remove it");
    if (at + 1 >= text_.size() || text_[at + 1] != '"') break;
    has_doubled_quote = true;
    at += 2;
  }
  std::string_view cell = text_.substr(start, at - start);
  if (cell.size() > kLongestLine) return Refuse("a quoted cell is too long", "at most 65536 bytes");
  if (cell.find('\0') != std::string_view::npos) return Refuse("holds a NUL byte", "must be text, not binary data");
  next_line_ += std::ranges::count(cell, '\n');
  if (has_doubled_quote) {
    std::string& plain = unquoted_.emplace_back();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      plain += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = plain;
  }
  cells_.push_back(cell);
  position = at + 1;
  SeekSpecial(position);
  return true;
}

// Ends a row and checks its number of cells. `end` is behind its last byte.
bool CsvReader::FinishRow(std::size_t end) {
  position_ = end;
  ++next_line_;
  if (width_ == 0) {
    width_ = cells_.size();
    marks_.resize(width_ + 1);
  }
  if (cells_.size() == width_ || dialect_.is_ragged) [[likely]]
    return true;
  const std::size_t found = cells_.size();
  return Refuse(fmt::format("row has {} cell{}", found, found == 1 ? "" : "s"),
                fmt::format("the header has {}: the file may be truncated here", width_));
}

std::vector<std::string> CsvReader::texts() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < size(); ++i) all.emplace_back(cell(i));
  return all;
}

bool CsvReader::NextRow() {
  row_is_plain_ = TakePlainRow();
  return row_is_plain_ || TakeAnyRow();
}

// Reads the usual row: as many cells as the header, no quotes, not at the end of the text. Leaves the state of the
// reader unchanged when the row is not of this kind.
bool CsvReader::TakePlainRow() {
  // From byte 8 on, ParseNumberBefore() may read eight bytes before the end of a cell.
  if (width_ == 0 || position_ < 8 || !status_) return false;
  const char* const text = text_.data();
  const char** const marks = marks_.data();
  const std::size_t width = width_;
  const char delimiter = dialect_.delimiter;
  std::uint64_t mask = mask_;
  std::size_t block = block_;
  std::size_t cell = position_;
  for (std::size_t i = 0;;) {
    while (mask == 0) {
      block += kBlock;
      if (block + kBlock > text_.size()) return false;
      mask = SpecialBytes(text + block, delimiter);
    }
    const std::size_t at = block + static_cast<std::size_t>(std::countr_zero(mask));
    mask &= mask - 1;
    const char found = text[at];
    if (found == delimiter) [[likely]] {
      if (i + 1 == width) return false;
      marks[i++] = text + cell;
      cell = at + 1;
    } else if (found == '\n') {
      if (i + 1 != width) return false;
      marks[i] = text + cell;
      cell = at + 1;
      break;
    } else if (IsSpecial(found, delimiter)) {
      return false;
    }
  }
  const bool ends_in_cr = text + cell - 1 > marks[width - 1] && text[cell - 2] == '\r';
  marks[width] = text + cell - (ends_in_cr ? 1 : 0);
  const bool is_blank = width == 1 && marks[1] - marks[0] == 1;
  if (is_blank || cell - position_ > kLongestLine) return false;
  mask_ = mask;
  block_ = block;
  position_ = cell;
  line_ = next_line_++;
  return true;
}

// Moves `cell` over the blanks of `1, "2"`.
void CsvReader::SkipBlanksBeforeQuote(std::size_t& cell) const {
  std::size_t at = cell;
  while (at < text_.size() && text_[at] == ' ' && dialect_.delimiter != ' ') ++at;
  if (at < text_.size() && text_[at] == '"') cell = at;
}

bool CsvReader::TakeAnyRow() {
  if (!status_) return false;
  cells_.clear();
  if (!unquoted_.empty()) unquoted_.clear();
  line_ = next_line_;
  std::size_t cell = position_;
  const std::size_t row = position_;
  while (cell < text_.size() || !cells_.empty()) {
    if (dialect_.is_ragged) SkipBlanksBeforeQuote(cell);
    if (cell < text_.size() && text_[cell] == '"') {
      if (!TakeQuotedCell(cell)) return false;
      const std::size_t next = NextSpecial();
      const std::string_view rest = text_.substr(cell, next - cell);
      if (!rest.empty() && rest != "\r")
        return Refuse("text follows a closing quote", "quote the whole cell or none of it");
      if (next >= text_.size()) return FinishRow(next);
      if (text_[next] == '\n') return FinishRow(next + 1);
      if (text_[next] != dialect_.delimiter)
        return Refuse("a quote or NUL follows a closing quote", "quote the whole cell or none of it");
      cell = next + 1;
      if (cell == text_.size()) {
        cells_.emplace_back();
        return FinishRow(cell);
      }
      continue;
    }
    const std::size_t next = NextSpecial();
    if (next - row > kLongestLine) {
      return Refuse("line is too long", fmt::format("at most {} bytes per line", kLongestLine));
    }
    const char found = next < text_.size() ? text_[next] : '\n';
    if (found == dialect_.delimiter) [[likely]] {
      cells_.push_back(text_.substr(cell, next - cell));
      cell = next + 1;
      if (cell == text_.size()) {
        cells_.emplace_back();
        return FinishRow(cell);
      }
      continue;
    }
    if (found == '\0') return Refuse("holds a NUL byte", "must be text, not binary data");
    if (found == '"') return Refuse("a quote is inside a cell", "quote the whole cell or none of it");
    std::string_view last = text_.substr(cell, next - cell);
    if (!last.empty() && last.back() == '\r') last.remove_suffix(1);
    const std::size_t after = std::min(next + 1, text_.size());
    if (cells_.empty() && last.empty()) {  // a blank line
      ++next_line_;
      line_ = next_line_;
      position_ = cell = after;
      continue;
    }
    cells_.push_back(last);
    return FinishRow(after);
  }
  return false;
}

}  // namespace heliostat::io
