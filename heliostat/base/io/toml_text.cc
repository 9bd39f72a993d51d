#include "heliostat/base/io/toml_text.h"

#include <algorithm>

namespace heliostat::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r\n";

// Finds the strings and comments of a document. In a document that is not TOML it can mistake one for the other, but
// only after the place where the parser stops.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
  }

  std::optional<std::size_t> FindStray() {
    while (at_ < text_.size() && !is_stray_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        SkipString(c);
      } else if (IsBeyondAscii(at_)) {
        is_stray_ = true;
      } else {
        ++at_;
      }
    }
    if (!is_stray_) return std::nullopt;
    return static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n')) +
           1;
  }

 private:
  bool IsBeyondAscii(std::size_t at) const {
    return at < text_.size() && static_cast<unsigned char>(text_[at]) >= 0x80;
  }
  std::size_t QuotesAt(std::size_t at, char quote) const {
    return std::min(text_.find_first_not_of(quote, at), text_.size()) - at;
  }

  void SkipString(char quote) {
    const std::size_t quotes = QuotesAt(at_, quote);
    const bool is_long = quotes >= 3;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size() && !is_stray_) {
      const char c = text_[at_];
      if (c == quote && (!is_long || QuotesAt(at_, quote) >= 3)) {
        // The content of a long string may end in two quotes.
        at_ += is_long ? std::min<std::size_t>(QuotesAt(at_, quote), 5) : 1;
        return;
      }
      if (c == '\n' && !is_long) return;
      if (c == '\\' && quote == '"') {
        SkipEscape(is_long);
      } else {
        ++at_;
      }
    }
  }

  void SkipEscape(bool is_long) {
    std::size_t next = at_ + 1;
    if (is_long) next = std::min(text_.find_first_not_of(kBlank, next), text_.size());
    is_stray_ = IsBeyondAscii(next);
    // The character after skipped blanks is not escaped; it can be a closing quote.
    const bool is_escaped = next == at_ + 1 && !is_stray_;
    at_ = std::min(next + (is_escaped ? 1 : 0), text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_stray_ = false;
};

}  // namespace

std::optional<std::size_t> LineOfStrayCharacter(std::string_view text) { return Walk(text).FindStray(); }

}  // namespace heliostat::io
