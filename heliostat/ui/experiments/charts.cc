#include "heliostat/ui/experiments/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::experiments {
namespace {

using report::Anchor;
using report::Colour;
using report::Coordinate;

constexpr double kRow = 14;
constexpr double kGap = 8;
// Light to dark; the same for every chart, so that two can be compared.
constexpr std::array<const char*, 7> kShades{"#f3f0e2", "#dfe6c8", "#bfd9b8", "#94c8b0",
                                             "#66b3ab", "#3f9aa5", "#2b7d99"};

Colour ColourOf(std::size_t series) { return static_cast<Colour>(series % report::kColours); }

// The series of a chart, in rows within its width.
struct SeriesEntry {
  std::size_t series;
  double x;
  std::size_t row;
};
std::vector<SeriesEntry> LegendOf(const SpreadChart& chart) {
  std::vector<SeriesEntry> entries;
  double x = 0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const double width = 28 + report::TextWidth(chart.series[i]);
    if (x > 0 && x + width > chart.width + 16) {
      x = 0;
      ++row;
    }
    entries.push_back({i, x, row});
    x += width;
  }
  return entries;
}

void DrawLegend(const SpreadChart& chart, const std::vector<SeriesEntry>& legend, double first,
                report::SvgCanvas& canvas) {
  for (const SeriesEntry& entry : legend) {
    const double y = first + report::kTitleRow * static_cast<double>(entry.row);
    canvas.Dot(entry.x + 4, y - 4, ColourOf(entry.series));
    canvas.Text(entry.x + 12, y, chart.series[entry.series]);
  }
}

void DrawSpread(const Spread& spread, const report::Axis& axis, double left, double room, double y, Colour colour,
                report::SvgCanvas& canvas) {
  const auto at = [&](double value) { return Coordinate(left + axis.ShareOf(value) * room); };
  const std::string height = Coordinate(y);
  canvas.Stroke(fmt::format("M{} {}H{}", at(spread.least), height, at(spread.most)), colour, report::Pen::kThin);
  canvas.Stroke(fmt::format("M{} {}H{}", at(spread.low), height, at(spread.high)), colour);
  canvas.Dot(left + axis.ShareOf(spread.mean) * room, y, colour);
}

std::size_t ShadeOf(double value, double least, double most) {
  const double share = most > least ? (value - least) / (most - least) : 0.5;
  return std::min(kShades.size() - 1, static_cast<std::size_t>(share * static_cast<double>(kShades.size())));
}

}  // namespace

Result<std::string> Render(const SpreadChart& chart) {
  if (chart.rows.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("chart '{}'", chart.title), "has no row", "needed is one");
  }
  double least = 0.0;
  double most = 0.0;
  double widest = 0.0;
  for (const SpreadChart::Row& row : chart.rows) {
    widest = std::max(widest, report::TextWidth(row.label));
    for (const Spread& spread : row.spreads) {
      least = std::min(least, spread.least);
      most = std::max(most, spread.most);
    }
  }
  const double left = widest + 14;
  const double room = chart.width - left - 20;
  constexpr double kTickRoom = 50;
  const report::Axis axis = report::NumberAxis(least, most, std::clamp(static_cast<int>(room / kTickRoom), 2, 8));
  const report::ChartTitle title(chart.title, chart.unit, chart.width);
  const auto legend = LegendOf(chart);
  const std::size_t legend_rows = legend.empty() ? 0 : legend.back().row + 1;
  const double top = 14 + report::kTitleRow * static_cast<double>(title.rows() + legend_rows);
  const double row_height = kRow * static_cast<double>(std::max<std::size_t>(1, chart.series.size())) + kGap;
  const double bottom = top + row_height * static_cast<double>(chart.rows.size());
  report::SvgCanvas canvas(chart.width, bottom + 20, chart.title);
  title.Draw(canvas);
  DrawLegend(chart, legend, 14 + report::kTitleRow * static_cast<double>(title.rows()), canvas);
  for (const report::Tick& tick : axis.ticks) {
    const double x = left + axis.ShareOf(tick.value) * room;
    canvas.Line(x, top - 6, x, bottom, tick.value == 0.0 ? "zero" : "grid");
    canvas.Text(x, bottom + 14, tick.label, Anchor::kMiddle);
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = top + row_height * static_cast<double>(r);
    canvas.Text(0, y + row_height / 2, chart.rows[r].label);
    for (std::size_t s = 0; s < chart.rows[r].spreads.size(); ++s) {
      DrawSpread(chart.rows[r].spreads[s], axis, left, room, y + kRow * (static_cast<double>(s) + 0.5), ColourOf(s),
                 canvas);
    }
  }
  return std::move(canvas).Finish();
}

Result<std::string> Render(const CellChart& chart) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const auto& row : chart.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  if (least > most) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("chart '{}'", chart.title), "has no known value",
                "needed is one");
  }
  double widest = 0.0;
  for (const std::string& row : chart.rows) widest = std::max(widest, report::TextWidth(row));
  const double left = widest + 12;
  const double cell = (chart.width - left) / static_cast<double>(std::max<std::size_t>(1, chart.columns.size()));
  constexpr double kHeight = 24;
  const report::ChartTitle title(chart.title, chart.unit, chart.width);
  const double top = 30 + report::kTitleRow * static_cast<double>(title.rows());
  report::SvgCanvas canvas(chart.width, top + kHeight * static_cast<double>(chart.rows.size()) + 4, chart.title);
  title.Draw(canvas);
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    canvas.Text(left + cell * (static_cast<double>(c) + 0.5), top - 8, chart.columns[c], Anchor::kMiddle);
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = top + kHeight * static_cast<double>(r);
    canvas.Text(0, y + 16, chart.rows[r]);
    for (std::size_t c = 0; c < chart.values[r].size(); ++c) {
      const double value = chart.values[r][c];
      if (!std::isfinite(value)) continue;
      const std::size_t shade = ShadeOf(value, least, most);
      const double x = left + cell * static_cast<double>(c);
      canvas.Raw(fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", Coordinate(x + 1),
                             Coordinate(y + 1), Coordinate(cell - 2), Coordinate(kHeight - 2), kShades[shade]));
      // Cells keep their shade in the dark, and so does what is written on them.
      canvas.Raw(fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" style=\"fill:{}\">{}</text>\n",
                             Coordinate(x + cell / 2), Coordinate(y + 16),
                             shade + 2 < kShades.size() ? "#1c2430" : "#ffffff", report::NumberText(value)));
    }
  }
  return std::move(canvas).Finish();
}

}  // namespace heliostat::experiments
