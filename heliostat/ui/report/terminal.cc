#include "heliostat/ui/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "heliostat/signals/signal/summary.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

constexpr std::size_t kLevels = 8;
constexpr std::array<std::string_view, kLevels> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kLevels> kAscii{"_", ".", "-", "=", "+", "*", "#", "@"};
constexpr std::size_t kLabelWidth = 8;
constexpr std::size_t kRangeWidth = 30;  // lines with shorter ranges end at the same column
constexpr std::size_t kNarrowest = 8;

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

// The number of characters, not of bytes.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string TextOf(const HtmlTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t width = WidthOf(table.header[c]);
    for (const auto& row : table.rows) width = std::max(width, WidthOf(row[c]));
    widths.push_back(width);
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c < table.text_columns ? fmt::format("{:<{}}  ", row[c], widths[c])
                                     : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

}  // namespace heliostat::report
