#include "heliostat/ui/report/gantt_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {
namespace {

// The stronger colours of the heat map. The palest are too close to the background, on light and on dark pages.
constexpr int kPalest = 2;
constexpr std::size_t kColoursOfShades = 7;
constexpr std::array<std::string_view, kColoursOfShades> kLight{"#bfd9b8", "#94c8b0", "#66b3ab", "#3f9aa5",
                                                                "#2b7d99", "#235f88", "#1e3f6e"};
constexpr std::size_t kMostLabelled = 80;
constexpr double kWidestLabel = 140;   // pixels
constexpr double kMostOfWidth = 0.28;  // for labels, in a narrow chart
constexpr double kTop = 28;
constexpr double kRoomBelow = 40;

struct Frame {
  Interval span;
  double left, right, row;

  double X(Instant t) const {
    const Instant inside = std::clamp(t, span.begin, span.end);
    return left + (right - left) * static_cast<double>((inside - span.begin).count()) /
                      static_cast<double>(span.length().count());
  }
  double Y(std::size_t i) const { return kTop + row * (static_cast<double>(i) + 0.5); }
};

// Spreads the shades over all colours, so that neighbours differ as much as possible.
std::size_t ColourOf(std::size_t shade, std::size_t shades) {
  if (shades <= 1) return kColoursOfShades / 2;
  return std::min(shade, shades - 1) * (kColoursOfShades - 1) / (shades - 1);
}

void DrawBar(const GanttBar& bar, const Frame& frame, std::size_t row, std::size_t shades, SvgCanvas& canvas) {
  const double from = frame.X(bar.span.begin);
  const double to = frame.X(bar.span.end);
  if (to <= from) return;
  const std::size_t colour = ColourOf(bar.shade, shades);
  const double thick = std::max(1.0, frame.row * 0.7);
  // A bar is at least half a pixel wide, so that it is visible.
  canvas.Raw(fmt::format("<path class=\"h{}\" d=\"M{} {}h{}\" stroke=\"{}\" stroke-width=\"{}\">",
                         kPalest + static_cast<int>(colour), Coordinate(from), Coordinate(frame.Y(row)),
                         Coordinate(std::max(0.5, to - from)), kLight[colour], Coordinate(thick)));
  canvas.Raw("<title>" + Escape(bar.hint) + "</title></path>\n");
}

// As much of the label as fits; a shortened label ends in dots.
std::string Fitting(const std::string& label, double width) {
  const double widest = std::min(kWidestLabel, kMostOfWidth * width);
  if (TextWidth(label) <= widest) return label;
  std::size_t end = 0;
  while (end < label.size() && TextWidth(std::string_view(label).substr(0, end)) < widest - 12) ++end;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80) --end;
  return label.substr(0, end) + "…";
}

void DrawLegend(const GanttChart& chart, double right, SvgCanvas& canvas) {
  for (std::size_t i = chart.shades.size(); i-- > 0;) {
    right -= TextWidth(chart.shades[i]);
    canvas.Text(right, 14, chart.shades[i]);
    const std::size_t colour = ColourOf(i, chart.shades.size());
    canvas.Raw(fmt::format("<path class=\"h{}\" d=\"M{} 10h10\" stroke=\"{}\" stroke-width=\"10\"/>\n",
                           kPalest + static_cast<int>(colour), Coordinate(right - 14), kLight[colour]));
    right -= 24;
  }
  canvas.Text(right, 14, chart.shade_name, Anchor::kEnd);
}

void DrawTimes(const Frame& frame, double bottom, double width, SvgCanvas& canvas) {
  const Axis axis = TimeAxis(frame.span, std::max(2, static_cast<int>((frame.right - frame.left) / 62)));
  for (const Tick& tick : axis.ticks) {
    const double x = frame.left + axis.ShareOf(tick.value) * (frame.right - frame.left);
    canvas.Line(x, kTop, x, bottom + 4, "grid");
    if (x + TextWidth(tick.label) / 2 > width) continue;  // the line below shows the end of the axis
    canvas.Text(x, bottom + 16, tick.label, Anchor::kMiddle);
  }
  canvas.Text(frame.right, bottom + 30,
              fmt::format("UTC, {} to {}", FormatInstant(frame.span.begin).substr(0, 10),
                          FormatInstant(frame.span.end - Duration{1}).substr(0, 10)),
              Anchor::kEnd);
}

}  // namespace

Result<std::string> Render(const GanttChart& chart) {
  if (chart.span.empty() || chart.rows.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("chart '{}'", chart.title), "has no rows or an empty span",
                "at least one row and a span that is not empty");
  }
  const std::size_t count = chart.rows.size();
  const bool is_labelled = count <= kMostLabelled;
  double widest = 0;
  if (is_labelled) {
    for (const GanttRow& row : chart.rows) widest = std::max(widest, TextWidth(Fitting(row.label, chart.width)));
  }
  const Frame frame{chart.span, std::max(chart.label_room, widest + 10), chart.width - 12,
                    count <= 40   ? 16.0
                    : is_labelled ? 12.0
                                  : 5.0};
  const double bottom = kTop + frame.row * static_cast<double>(count);

  SvgCanvas canvas(chart.width, bottom + kRoomBelow, chart.title);
  canvas.Text(0, 14, chart.title, Anchor::kStart, "title");
  DrawLegend(chart, frame.right, canvas);
  DrawTimes(frame, bottom, chart.width, canvas);
  for (std::size_t i = 0; i < count; ++i) {
    const GanttRow& row = chart.rows[i];
    if (is_labelled) canvas.Text(frame.left - 6, frame.Y(i) + 4, Fitting(row.label, chart.width), Anchor::kEnd);
    if (row.window) canvas.Line(frame.X(row.window->begin), frame.Y(i), frame.X(row.window->end), frame.Y(i), "zero");
    if (!row.link.empty()) canvas.Raw(fmt::format("<a href=\"#{}\">", Escape(row.link)));
    for (const GanttBar& bar : row.bars) DrawBar(bar, frame, i, chart.shades.size(), canvas);
    if (!row.link.empty()) canvas.Raw("</a>\n");
  }
  return std::move(canvas).Finish();
}

}  // namespace heliostat::report
