#include "heliostat/ui/report/terminal_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heliostat/signals/signal/step_series.h"
#include "heliostat/signals/signal/summary.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

struct Glyphs {
  std::string_view line;
  std::string_view start;
  std::array<std::string_view, 3> bands;  // widest first
  std::string_view axis;
  std::string_view tick;
};
constexpr Glyphs kUtf8{"━", "│", {"░", "▒", "▓"}, "│", "┤"};
constexpr Glyphs kAscii{"*", "|", {".", ":", "="}, "|", "+"};
constexpr std::size_t kNarrowest = 16;

// One character column of the plot.
struct PlotColumn {
  double value = signal::Missing();
  std::vector<double> low;
  std::vector<double> high;
};

// The index of the value, of `count`, that column `i` of `columns` shows.
struct Share {
  std::size_t begin;
  std::size_t end;
};
Share ShareOf(std::size_t i, std::size_t columns, std::size_t count) {
  const std::size_t begin = i * count / columns;
  return {begin, std::max(begin + 1, (i + 1) * count / columns)};
}

double MeanOf(const std::vector<double>& values, const Share& share) {
  const std::span<const double> all(values);
  return signal::Summarize(all.subspan(share.begin, share.end - share.begin)).mean;
}

struct Drawing {
  std::vector<PlotColumn> columns;
  std::size_t start = 0;  // the column where the forecast begins
};

Drawing Lay(const TerminalPlot& plot, std::size_t width) {
  std::vector<double> all = plot.before;
  all.insert(all.end(), plot.values.begin(), plot.values.end());
  Drawing drawing;
  drawing.columns.resize(width);
  drawing.start = (plot.before.size() * width + all.size() - 1) / all.size();
  for (std::size_t i = 0; i < width; ++i) {
    const Share share = ShareOf(i, width, all.size());
    PlotColumn& column = drawing.columns[i];
    column.value = MeanOf(all, share);
    if (i < drawing.start) continue;
    const Share ahead{share.begin - plot.before.size(), share.end - plot.before.size()};
    for (const Fan& band : plot.bands) {
      column.low.push_back(MeanOf(band.low, ahead));
      column.high.push_back(MeanOf(band.high, ahead));
    }
  }
  return drawing;
}

Axis ValueAxis(const Drawing& drawing, std::size_t rows) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const auto include = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const PlotColumn& column : drawing.columns) {
    include(column.value);
    for (const double value : column.low) include(value);
    for (const double value : column.high) include(value);
  }
  Axis axis = NumberAxis(low, high, std::max(2, static_cast<int>(rows / 4)));
  if (low < high) {  // there are few rows, so the data fill all of them
    axis.low = low;
    axis.high = high;
    std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.value < low || tick.value > high; });
  }
  return axis;
}

std::size_t WidestLabel(const Axis& axis) {
  std::size_t widest = 0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, tick.label.size());
  return widest;
}

// The row, counted from the top, in which `value` lies.
std::size_t RowOf(double value, const Axis& axis, std::size_t rows) {
  const double from_top = (1 - axis.ShareOf(value)) * static_cast<double>(rows - 1);
  return static_cast<std::size_t>(std::clamp(std::lround(from_top), 0L, static_cast<long>(rows) - 1));
}

std::string_view GlyphAt(const Drawing& drawing, std::size_t i, std::size_t row, const Axis& axis, std::size_t rows,
                         const Glyphs& glyphs) {
  const PlotColumn& column = drawing.columns[i];
  if (std::isfinite(column.value) && RowOf(column.value, axis, rows) == row) return glyphs.line;
  for (std::size_t b = column.low.size(); b-- > 0;) {
    if (!std::isfinite(column.low[b]) || !std::isfinite(column.high[b])) continue;
    if (row >= RowOf(column.high[b], axis, rows) && row <= RowOf(column.low[b], axis, rows)) return glyphs.bands[b];
  }
  return i == drawing.start && drawing.start > 0 ? glyphs.start : " ";
}

// The labels of the time axis, each at its time, without overlap.
std::string TimeLine(const TerminalPlot& plot, std::size_t width) {
  const Instant begin = plot.start - plot.step * static_cast<std::int64_t>(plot.before.size());
  const Instant end = plot.start + plot.step * static_cast<std::int64_t>(plot.values.size());
  const Axis axis = TimeAxis({begin, end}, std::max(2, static_cast<int>(width / 9)));
  std::string line;
  for (const Tick& tick : axis.ticks) {
    const auto at = static_cast<std::size_t>(axis.ShareOf(tick.value) * static_cast<double>(width));
    if (at + tick.label.size() > width || (!line.empty() && at <= line.size())) continue;
    line.resize(at, ' ');
    line += tick.label;
  }
  return line;
}

// A sparkline with a block for each column of the plot.
std::string Strip(const std::vector<double>& values, std::size_t width, bool is_utf8) {
  std::vector<double> columns(width);
  for (std::size_t i = 0; i < width; ++i) columns[i] = MeanOf(values, ShareOf(i, width, values.size()));
  return Sparkline(columns, width, is_utf8).value_or("");
}

Status RefuseUnfit(const TerminalPlot& plot) {
  const auto is_known = [](const std::vector<double>& values) {
    return std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
  };
  bool fits = !plot.values.empty() && (is_known(plot.values) || is_known(plot.before)) && plot.rows > 1 &&
              plot.step > Duration{0} && plot.bands.size() <= kUtf8.bands.size();
  for (const Fan& band : plot.bands) {
    fits = fits && band.low.size() == plot.values.size() && band.high.size() == plot.values.size();
  }
  if (fits) return {};
  return Fail(ErrorCode::kInvalidArgument, "plot", "cannot be drawn",
              "at least one known value, bands as long as the line, at most three bands");
}

}  // namespace

Result<std::string> Render(const TerminalPlot& plot, const TerminalStyle& style) {
  if (const auto bad = RefuseUnfit(plot); !bad) return Propagate(bad);
  const Glyphs& glyphs = style.is_utf8 ? kUtf8 : kAscii;
  // The axis depends on the width of its labels, and the labels on the axis. Nine columns are enough for most labels;
  // longer ones reduce the width of the plot.
  constexpr std::size_t kRoomForLabels = 9;
  const std::size_t room = style.width > kRoomForLabels + kNarrowest ? style.width - kRoomForLabels : kNarrowest;
  std::size_t width = std::min(plot.widest, room);
  Drawing drawing = Lay(plot, width);
  Axis axis = ValueAxis(drawing, plot.rows);
  while (width > kNarrowest && WidestLabel(axis) + 2 + width > style.width) {
    drawing = Lay(plot, --width);
    axis = ValueAxis(drawing, plot.rows);
  }

  std::vector<std::string> labels(plot.rows);
  const std::size_t widest = WidestLabel(axis);
  for (const Tick& tick : axis.ticks) labels[RowOf(tick.value, axis, plot.rows)] = tick.label;
  std::string text = fmt::format("{:>{}} {}\n", "", widest, plot.unit);
  for (std::size_t row = 0; row < plot.rows; ++row) {
    std::string line = fmt::format("{:>{}} {}", labels[row], widest, labels[row].empty() ? glyphs.axis : glyphs.tick);
    for (std::size_t i = 0; i < width; ++i) line += GlyphAt(drawing, i, row, axis, plot.rows, glyphs);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("{:>{}}  {}\n", "", widest, TimeLine(plot, width));
  for (const auto& strip : plot.strips) {
    if (!strip.empty()) text += fmt::format("{:>{}}  {}\n", "", widest, Strip(strip, width, style.is_utf8));
  }
  return text;
}

}  // namespace heliostat::report
