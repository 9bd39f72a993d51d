#include "heliostat/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "heliostat/io/number.h"

namespace heliostat::io {
namespace {

constexpr std::size_t kBlock = 64;

// One bit for each of the 64 bytes at `bytes` that is a comma, newline, quote or NUL.
std::uint64_t SpecialBytes(const char* bytes) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i comma = _mm_set1_epi8(',');
  const __m128i newline = _mm_set1_epi8('\n');
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i zero = _mm_setzero_si128();
  for (std::size_t part = 0; part < 4; ++part) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(chunk, comma), _mm_cmpeq_epi8(chunk, newline)),
                                       _mm_or_si128(_mm_cmpeq_epi8(chunk, quote), _mm_cmpeq_epi8(chunk, zero)));
    mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(_mm_movemask_epi8(found))) << (16 * part);
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) {
    const char c = bytes[i];
    mask |= static_cast<std::uint64_t>(c == ',' || c == '\n' || c == '"' || c == '\0') << i;
  }
#endif
  return mask;
}

std::uint64_t SpecialBytesAt(std::string_view text, std::size_t block) {
  if (block + kBlock <= text.size()) [[likely]]
    return SpecialBytes(text.data() + block);
  std::array<char, kBlock> tail;
  tail.fill(' ');
  std::memcpy(tail.data(), text.data() + block, text.size() - block);
  return SpecialBytes(tail.data());
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (!text_.empty()) mask_ = SpecialBytesAt(text_, 0);
}

std::string CsvReader::where() const { return fmt::format("{}:{}", file_, line_); }

// Position of the next special byte not yet visited, or the text's end.
std::size_t CsvReader::NextSpecial() {
  while (mask_ == 0) {
    block_ += kBlock;
    if (block_ >= text_.size()) {
      block_ = text_.size();
      return text_.size();
    }
    mask_ = SpecialBytesAt(text_, block_);
  }
  const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(mask_));
  mask_ &= mask_ - 1;
  return at;
}

// Goes on looking for special bytes from `position`.
void CsvReader::SeekSpecial(std::size_t position) {
  if (position >= text_.size()) {
    block_ = text_.size();
    mask_ = 0;
    return;
  }
  block_ = position / kBlock * kBlock;
  mask_ = SpecialBytesAt(text_, block_) & (~std::uint64_t{0} << (position - block_));
}

bool CsvReader::Refuse(std::string what, std::string allowed) {
  cells_.clear();
  status_ = Fail(ErrorCode::kInvalidArgument, where(), std::move(what), std::move(allowed));
  return false;
}

// `position` is at an opening quote; moves it behind the closing one and adds the cell.
bool CsvReader::TakeQuotedCell(std::size_t& position) {
  const std::size_t start = position + 1;
  bool has_doubled_quote = false;
  std::size_t at = start;
  while (true) {
    at = text_.find('"', at);
    if (at == std::string_view::npos) return Refuse("a quote is opened and never closed", "close it or remove it");
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

// The row is complete but for its width: `end` is behind its last byte.
bool CsvReader::FinishRow(std::size_t end) {
  position_ = end;
  ++next_line_;
  if (width_ == 0) width_ = cells_.size();
  if (cells_.size() == width_) [[likely]]
    return true;
  const std::size_t found = cells_.size();
  return Refuse(fmt::format("row has {} cell{}", found, found == 1 ? "" : "s"),
                fmt::format("the header has {}: is the file cut off here?", width_));
}

bool CsvReader::ReadNumber(std::size_t i, double& value) const {
  const std::string_view text = cells_[i];
  const char* const end = text.data() + text.size();
  // Cells with doubled quotes live elsewhere; all others have text before them but for the very first.
  const bool has_text_before = end >= text_.data() + 8 && end <= text_.data() + text_.size();
  if (has_text_before) [[likely]]
    return ParseNumberBefore(end, text.size(), value);
  const auto number = ParseNumber(text);
  value = number.value_or(0);
  return number.has_value();
}

bool CsvReader::NextRow() {
  if (TakePlainRow()) [[likely]]
    return true;
  return TakeAnyRow();
}

// The usual row: as many cells as the header, no quotes, not at the end of the
// text. Changes nothing when the row is of another kind.
bool CsvReader::TakePlainRow() {
  if (width_ == 0 || cells_.size() != width_ || !unquoted_.empty()) return false;
  const char* const text = text_.data();
  std::string_view* const cells = cells_.data();
  std::uint64_t mask = mask_;
  std::size_t block = block_;
  std::size_t cell = position_;
  for (std::size_t i = 0; i < width_; ++i) {
    while (mask == 0) {
      block += kBlock;
      if (block + kBlock > text_.size()) return false;
      mask = SpecialBytes(text + block);
    }
    const std::size_t at = block + static_cast<std::size_t>(std::countr_zero(mask));
    if (text[at] != (i + 1 < width_ ? ',' : '\n')) return false;
    mask &= mask - 1;
    cells[i] = std::string_view(text + cell, at - cell);
    cell = at + 1;
  }
  std::string_view& last = cells[width_ - 1];
  if (!last.empty() && last.back() == '\r') last.remove_suffix(1);
  const bool is_blank = width_ == 1 && last.empty();
  if (is_blank || cell - position_ > kLongestLine) return false;
  mask_ = mask;
  block_ = block;
  position_ = cell;
  line_ = next_line_++;
  return true;
}

bool CsvReader::TakeAnyRow() {
  if (!status_) return false;
  cells_.clear();
  if (!unquoted_.empty()) unquoted_.clear();
  line_ = next_line_;
  std::size_t cell = position_;
  const std::size_t row = position_;
  while (cell < text_.size() || !cells_.empty()) {
    if (cell < text_.size() && text_[cell] == '"') {
      if (!TakeQuotedCell(cell)) return false;
      const std::size_t next = NextSpecial();
      const std::string_view rest = text_.substr(cell, next - cell);
      if (!rest.empty() && rest != "\r")
        return Refuse("text follows a closing quote", "quote the whole cell or none of it");
      if (next >= text_.size()) return FinishRow(next);
      if (text_[next] == '\n') return FinishRow(next + 1);
      if (text_[next] != ',')
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
      return Refuse("line is too long", fmt::format("at most {} bytes a line", kLongestLine));
    }
    const char found = next < text_.size() ? text_[next] : '\n';
    if (found == ',') [[likely]] {
      cells_.push_back(text_.substr(cell, next - cell));
      cell = next + 1;
      if (cell == text_.size()) {
        cells_.emplace_back();
        return FinishRow(cell);
      }
      continue;
    }
    if (found == '\0') return Refuse("holds a NUL byte", "must be text, not binary data");
    if (found == '"') return Refuse("a quote stands inside a cell", "quote the whole cell or none of it");
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
