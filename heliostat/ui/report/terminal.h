#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// How to draw on this terminal.
struct TerminalStyle {
  std::size_t width = 80;  // columns
  bool is_utf8 = true;     // otherwise plain ASCII
};

// Whether the locale prints UTF-8: by the first of LC_ALL, LC_CTYPE and LANG that is set and not empty.
bool IsUtf8Locale(const Environment& environment);
// The same for the environment of this process.
bool IsUtf8Terminal();

// One line of blocks "▁▂▃▄▅▆▇█" (ASCII: "_.-=+*#@"), at most `width` characters. Each shows the mean of an equal share
// of the values, and is blank if all of these are missing. A constant is drawn at middle height. Fails if `width` is 0
// or no value is known.
Result<std::string> Sparkline(std::span<const double> values, std::size_t width, bool is_utf8);

// "carbon  ▂▁▄█  133 .. 530 gCO2e/kWh": a label, the sparkline and the range of the values, within the width of
// `style`.
Result<std::string> LabelledSparkline(std::string_view label, std::span<const double> values, std::string_view unit,
                                      const TerminalStyle& style);

// A table as text: columns are as wide as needed, numbers are aligned right.
std::string TextOf(const HtmlTable& table);

}  // namespace heliostat::report
