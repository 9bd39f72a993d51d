#include "heliostat/ui/report/terminal.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "heliostat/signals/signal/summary.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

constexpr std::size_t kLevels = 8;
constexpr std::array<std::string_view, kLevels> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kLevels> kAscii{"_", ".", "-", "=", "+", "*", "#", "@"};
constexpr std::size_t kLabelWidth = 9;
constexpr std::size_t kRangeWidth = 30;  // lines with shorter ranges end at the same column
constexpr std::size_t kNarrowest = 8;
constexpr long kLeastColumns = 20;  // of a terminal; less or more is a mistake
constexpr long kMostColumns = 2000;
constexpr std::size_t kBetween = 2;         // columns between two columns of a table
constexpr std::size_t kNarrowestText = 20;  // to which a column of text is wrapped
constexpr std::size_t kWidestLabel = 24;    // of a line; text behind a longer one is not a column

// The means of the known values of `width` equal shares; missing where a share has none.
std::vector<double> Shares(std::span<const double> values, std::size_t width) {
  const std::size_t count = std::min(width, values.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    means.push_back(signal::Summarize(values.subspan(begin, end - begin)).mean);
  }
  return means;
}

// "-0.04 .. 0.24 EUR/kWh": both ends with the decimals of the larger.
std::string RangeText(const signal::Summary& range, std::string_view unit) {
  const double size = std::max(std::abs(range.min), std::abs(range.max));
  if (!(size >= 1e-3 && size < 1e7))
    return fmt::format("{} .. {} {}", NumberText(range.min), NumberText(range.max), unit);
  const int decimals = std::max(0, 2 - static_cast<int>(std::floor(std::log10(size))));
  const auto fixed = [&](double value) { return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals); };
  return fmt::format("{} .. {} {}", fixed(range.min), fixed(range.max), unit);
}

}  // namespace

bool IsUtf8Locale(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string setting = environment(name).value_or("");
    if (setting.empty()) continue;
    std::string letters;
    for (const char c : setting) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    return letters.find("utf8") != std::string::npos;
  }
  return false;
}

bool IsUtf8Terminal() { return IsUtf8Locale(ProcessEnvironment()); }

std::optional<std::size_t> KnownWidth(const Environment& environment, int descriptor) {
  const auto is_width = [](long columns) { return columns >= kLeastColumns && columns <= kMostColumns; };
  const std::string setting = environment("COLUMNS").value_or("");
  long columns = 0;
  const auto read = std::from_chars(setting.data(), setting.data() + setting.size(), columns);
  if (read.ec == std::errc() && read.ptr == setting.data() + setting.size() && is_width(columns)) {
    return static_cast<std::size_t>(columns);
  }
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || !is_width(size.ws_col)) return std::nullopt;
  return size.ws_col;
}

std::size_t TerminalWidth() { return KnownWidth(ProcessEnvironment(), STDOUT_FILENO).value_or(kUsualWidth); }

TerminalStyle ThisTerminal() { return {TerminalWidth(), IsUtf8Terminal()}; }

Result<std::string> Sparkline(std::span<const double> values, std::size_t width, bool is_utf8) {
  const auto known = signal::Summarize(values);
  if (known.count == known.missing || width == 0) {
    return Fail(ErrorCode::kInvalidArgument, "plot", width == 0 ? "has no width" : "has no known value",
                "a width of at least 1 and at least one known value");
  }
  const auto means = Shares(values, width);
  const auto range = signal::Summarize(means);
  std::string line;
  for (const double mean : means) {
    if (signal::IsMissing(mean)) {
      line += ' ';
      continue;
    }
    const double share = range.max > range.min ? (mean - range.min) / (range.max - range.min) : 0.5;
    const auto level = std::min(kLevels - 1, static_cast<std::size_t>(share * (kLevels - 0.001)));
    line += is_utf8 ? kBlocks[level] : kAscii[level];
  }
  return line;
}

Result<std::string> LabelledSparkline(std::string_view label, std::span<const double> values, std::string_view unit,
                                      const TerminalStyle& style) {
  const std::string text = RangeText(signal::Summarize(values), unit);
  const std::size_t taken = std::max(label.size(), kLabelWidth) + std::max(text.size(), kRangeWidth) + 4;
  const std::size_t width = style.width > taken + kNarrowest ? style.width - taken : kNarrowest;
  const auto line = Sparkline(values, width, style.is_utf8);
  if (!line) return Propagate(line);
  const std::size_t drawn = std::min(width, values.size());
  return fmt::format("{:<{}}  {}{:{}}  {}", label, kLabelWidth, *line, "", width - drawn, text);
}

namespace {

// The number of characters, not of bytes; escape sequences of colours have none.
std::size_t WidthOf(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++width;
    }
  }
  return width;
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = text.find_first_not_of(' '); i < text.size(); i = text.find_first_not_of(' ', i)) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// The text in lines of at most `width`, unless a word is longer.
std::vector<std::string> LinesOf(std::string_view text, std::size_t width) {
  if (WidthOf(text) <= width) return {std::string(text)};
  std::vector<std::string> lines;
  for (const std::string_view word : WordsOf(text)) {
    if (lines.empty() || WidthOf(lines.back()) + 1 + WidthOf(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back() += " " + std::string(word);
    }
  }
  return lines;
}

// Where the text of a line begins: behind its label if two spaces or more follow one, else behind its indent.
std::size_t TextBegin(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", indent);
  if (gap >= kWidestLabel) return indent;
  return std::min(line.find_first_not_of(' ', gap), line.size());
}

// A table that is being set as text.
struct Setting {
  const HtmlTable& table;
  std::vector<std::size_t> widths;  // of the columns

  explicit Setting(const HtmlTable& what) : table(what) {
    for (std::size_t c = 0; c < table.header.size(); ++c) {
      std::size_t width = WidthOf(table.header[c]);
      for (const auto& row : table.rows) width = std::max(width, WidthOf(row[c]));
      widths.push_back(width);
    }
  }
  std::size_t WidthOfAll(std::size_t begin, std::size_t end) const {
    std::size_t width = 0;
    for (std::size_t c = begin; c < end; ++c) width += widths[c] + (c == begin ? 0 : kBetween);
    return width;
  }
  // The least width of a column of text: its longest word.
  std::size_t LeastWidth(std::size_t column) const {
    std::size_t least = std::min(widths[column], kNarrowestText);
    for (const auto& row : table.rows) {
      for (const std::string_view word : WordsOf(row[column])) least = std::max(least, WidthOf(word));
    }
    for (const std::string_view word : WordsOf(table.header[column])) least = std::max(least, WidthOf(word));
    return least;
  }
  // Narrows the columns of text between `begin` and `end`, the widest first, until these columns fit.
  void Narrow(std::size_t begin, std::size_t end, std::size_t width) {
    std::vector<std::size_t> least(widths);
    for (std::size_t c = begin; c < std::min(end, table.text_columns); ++c) least[c] = LeastWidth(c);
    while (WidthOfAll(begin, end) > width) {
      std::size_t widest = end;
      for (std::size_t c = begin; c < end; ++c) {
        if (widths[c] > least[c] && (widest == end || widths[c] > widths[widest])) widest = c;
      }
      if (widest == end) return;
      --widths[widest];
    }
  }
  void AddRow(const std::vector<std::string>& row, const std::vector<std::size_t>& columns, std::string& text) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t c : columns) {
      cells.push_back(LinesOf(row[c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::string line;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::string cell = i < cells[k].size() ? cells[k][i] : "";
        const std::string gap(widths[columns[k]] - std::min(widths[columns[k]], WidthOf(cell)), ' ');
        line += (columns[k] < table.text_columns ? cell + gap : gap + cell) + std::string(kBetween, ' ');
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  std::string Text(const std::vector<std::size_t>& columns) const {
    std::string text;
    AddRow(table.header, columns, text);
    for (const auto& row : table.rows) AddRow(row, columns, text);
    return text;
  }
};

// The number of leading columns of text that tell the rows apart, as far as there is room for them.
std::size_t KeysOf(const Setting& set, std::size_t width) {
  std::size_t keys = 1;
  for (; keys < set.table.text_columns && set.WidthOfAll(0, keys + 1) <= width / 2; ++keys) {
    std::set<std::vector<std::string>> seen;
    for (const auto& row : set.table.rows) {
      seen.emplace(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys));
    }
    if (seen.size() == set.table.rows.size()) break;
  }
  return keys;
}

// The columns of the parts of a table that is too wide. Each part begins with the keys.
std::vector<std::vector<std::size_t>> PartsOf(const Setting& set, std::size_t width) {
  std::vector<std::size_t> keys(KeysOf(set, width));
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  const std::size_t first = set.WidthOfAll(0, keys.size());
  std::vector<std::vector<std::size_t>> parts{keys};
  std::size_t taken = first;
  for (std::size_t c = keys.size(); c < set.widths.size(); ++c) {
    if (parts.back().size() > keys.size() && taken + kBetween + set.widths[c] > width) {
      parts.push_back(keys);
      taken = first;
    }
    parts.back().push_back(c);
    taken += kBetween + set.widths[c];
  }
  return parts;
}

}  // namespace

std::string TextOf(const HtmlTable& table, std::size_t width) {
  Setting set(table);
  const std::size_t count = table.header.size();
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (count == 0 || set.WidthOfAll(0, count) <= width) return set.Text(all);
  set.Narrow(0, count, width);
  if (set.WidthOfAll(0, count) <= width) return set.Text(all);
  // Wrapping does not help, so texts are only as narrow as one next to the keys must be.
  Setting apart(table);
  apart.Narrow(0, 1, width / 2);
  const std::size_t keys = KeysOf(apart, width);
  for (std::size_t c = keys; c < count; ++c) {
    apart.Narrow(c, c + 1, width - std::min(width, apart.WidthOfAll(0, keys) + kBetween));
  }
  std::string text;
  for (const auto& part : PartsOf(apart, width)) text += (text.empty() ? "" : "\n") + apart.Text(part);
  return text;
}

std::string TextOf(const HtmlTable& table) { return TextOf(table, TerminalWidth()); }

std::string Wrapped(std::string_view text, std::size_t width) {
  std::string wrapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t indent = TextBegin(line);
    if (WidthOf(line) <= width || indent + kNarrowest > width) {
      wrapped += line;
    } else {
      const std::size_t room = width - WidthOf(line.substr(0, indent));
      bool is_first = true;
      for (const std::string& part : LinesOf(line.substr(indent), room)) {
        wrapped +=
            is_first ? std::string(line.substr(0, indent)) : "\n" + std::string(WidthOf(line.substr(0, indent)), ' ');
        wrapped += part;
        is_first = false;
      }
    }
    if (end < text.size()) wrapped += '\n';
    begin = end + 1;
  }
  return wrapped;
}

}  // namespace heliostat::report
