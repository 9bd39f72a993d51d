#include "heliostat/ui/cli/shell_words.h"

#include <cctype>
#include <utility>

namespace heliostat::cli {

std::string InShell(std::span<const std::string> words) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;  // a word has begun
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (quote == '\0' && c == '#' && !is_open) break;
    if (quote == '\0' && is_blank) {
      if (is_open) words.push_back(std::exchange(word, {}));
      is_open = false;
      continue;
    }
    is_open = true;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      word += c;
    }
  }
  if (is_open) words.push_back(std::move(word));
  return words;
}

}  // namespace heliostat::cli
