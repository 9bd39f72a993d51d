#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// The width of text where there is no terminal and COLUMNS is not set.
inline constexpr std::size_t kUsualWidth = 100;

// How to draw on a terminal.
struct TerminalStyle {
  std::size_t width = 80;  // columns
  bool is_utf8 = true;     // otherwise plain ASCII
};

// The width of the text that goes to the file `descriptor`: COLUMNS if it is set to a number of columns, else what the
// terminal reports; std::nullopt if there is no terminal.
std::optional<std::size_t> KnownWidth(const Environment& environment, int descriptor);
// The same for the stdout of this process, or kUsualWidth.
std::size_t TerminalWidth();

// Whether the locale prints UTF-8: by the first of LC_ALL, LC_CTYPE and LANG that is set and not empty.
bool IsUtf8Locale(const Environment& environment);
// The same for the environment of this process.
bool IsUtf8Terminal();

// The stdout of this process.
TerminalStyle ThisTerminal();

// One line of blocks "▁▂▃▄▅▆▇█" (ASCII: "_.-=+*#@"), at most `width` characters. Each shows the mean of an equal share
// of the values, and is blank if all of these are missing. A constant is drawn at middle height. Fails if `width` is 0
// or no value is known.
Result<std::string> Sparkline(std::span<const double> values, std::size_t width, bool is_utf8);

// "carbon  ▂▁▄█  133 .. 530 gCO2e/kWh": a label, the sparkline and the range of the values, within the width of
// `style`.
Result<std::string> LabelledSparkline(std::string_view label, std::span<const double> values, std::string_view unit,
                                      const TerminalStyle& style);

// A table as text: columns are as wide as needed, numbers are aligned right. If the table is wider than `width`, long
// texts are wrapped; if that is not enough, the columns that do not fit follow below, next to those that tell the rows
// apart.
std::string TextOf(const HtmlTable& table, std::size_t width);
// The same for the width of stdout.
std::string TextOf(const HtmlTable& table);

// Breaks the lines that are longer than `width` between words. The new lines are indented like the first, or like the
// text behind its label. A single word is never broken.
std::string Wrapped(std::string_view text, std::size_t width);

}  // namespace heliostat::report
