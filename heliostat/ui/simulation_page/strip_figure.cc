#include "heliostat/ui/simulation_page/strip_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heliostat/ui/report/axis.h"

namespace heliostat::simulation_page {
namespace {

using report::Anchor;
using report::Coordinate;
using report::SvgCanvas;
using report::TextWidth;

constexpr int kShades = 9;
constexpr double kRoomForLabels = 560;  // narrower figures have labels above the strips
constexpr double kTitleRow = 24;
constexpr double kThick = 18;
constexpr double kRoomBelow = 36;

struct Scale {
  double low = 0.0;
  double high = 0.0;

  int ShadeOf(double value) const {
    if (!(high > low)) return 0;
    return std::clamp(static_cast<int>((value - low) / (high - low) * kShades), 0, kShades - 1);
  }
};

Scale ScaleOf(const StripGroup& group) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Strip& strip : group.strips) {
    for (const double value : strip.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (high < low) return {};
  return {group.from_zero ? std::min(0.0, low) : low, high};
}

// The letter of the classes of a ramp's strokes in the style sheet.
char LetterOf(Ramp ramp) { return ramp == Ramp::kWarm ? 'w' : 'h'; }

struct Frame {
  const TimeGrid& grid;
  double left, right;
  bool has_labels_above;

  double row() const { return has_labels_above ? kThick + 20 : kThick + 5; }
  double X(std::size_t step) const {
    const Instant t = std::min(grid.span.begin + grid.step * static_cast<std::int64_t>(step), grid.span.end);
    return left + (right - left) * static_cast<double>((t - grid.span.begin).count()) /
                      static_cast<double>(grid.span.length().count());
  }
};

double WidestLabel(const StripFigure& figure) {
  double widest = 0;
  for (const StripGroup& group : figure.groups) {
    for (const Strip& strip : group.strips) widest = std::max(widest, TextWidth(strip.label));
  }
  return widest;
}

double WidestNote(const StripFigure& figure) {
  double widest = 0;
  for (const StripGroup& group : figure.groups) {
    for (const Strip& strip : group.strips) widest = std::max(widest, TextWidth(strip.note));
  }
  return widest;
}

Frame FrameOf(const StripFigure& figure, double width) {
  if (width < kRoomForLabels) return {figure.grid, 0, width - 4, true};
  const double note = WidestNote(figure);
  return {figure.grid, std::min(200.0, WidestLabel(figure) + 12), width - 8 - (note > 0 ? note + 8 : 0), false};
}

double HeightOf(const StripFigure& figure, const Frame& frame) {
  double height = kRoomBelow;
  for (const StripGroup& group : figure.groups) {
    height += kTitleRow + frame.row() * static_cast<double>(group.strips.size()) + 4;
  }
  return height;
}

// Draws neighbours of the same shade as one stroke, and all strokes of a shade as one path.
void DrawStrip(const Strip& strip, Ramp ramp, const Scale& scale, const Frame& frame, double middle,
               SvgCanvas& canvas) {
  std::array<std::string, kShades> paths;
  for (std::size_t i = 0; i < strip.values.size();) {
    if (!std::isfinite(strip.values[i])) {
      ++i;
      continue;
    }
    const int shade = scale.ShadeOf(strip.values[i]);
    const std::size_t begin = i;
    while (i < strip.values.size() && std::isfinite(strip.values[i]) && scale.ShadeOf(strip.values[i]) == shade) ++i;
    paths[static_cast<std::size_t>(shade)] +=
        fmt::format("M{} {}H{}", Coordinate(frame.X(begin)), Coordinate(middle), Coordinate(frame.X(i)));
  }
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    if (paths[shade].empty()) continue;
    canvas.Raw(fmt::format("<path class=\"mark {}{}\" d=\"{}\" stroke-width=\"{}\"/>\n", LetterOf(ramp), shade,
                           paths[shade], kThick));
  }
  canvas.Raw(fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                         Coordinate(frame.left), Coordinate(middle - kThick / 2), Coordinate(frame.right - frame.left),
                         kThick));
}

void DrawScale(const StripGroup& group, const Scale& scale, const Frame& frame, double top, SvgCanvas& canvas) {
  const double patch = frame.has_labels_above ? 7 : 11;
  double right = frame.right;
  const std::string high = fmt::format("{} {}", report::NumberText(scale.high), group.unit);
  right -= TextWidth(high);
  canvas.Text(right, top + 13, high);
  right -= 6 + patch * kShades;
  for (int shade = 0; shade < kShades; ++shade) {
    canvas.Raw(fmt::format("<path class=\"{}{}\" d=\"M{} {}h{}\" stroke-width=\"10\"/>\n", LetterOf(group.ramp), shade,
                           Coordinate(right + patch * shade), Coordinate(top + 9), patch));
  }
  canvas.Text(right - 5, top + 13, report::NumberText(scale.low), Anchor::kEnd);
}

void DrawTimes(const Frame& frame, double bottom, double width, SvgCanvas& canvas) {
  const TimeGrid& grid = frame.grid;
  const report::Axis time = report::TimeAxis(grid.span, static_cast<int>((frame.right - frame.left) / 62));
  for (const report::Tick& tick : time.ticks) {
    const double x = frame.left + time.ShareOf(tick.value) * (frame.right - frame.left);
    canvas.Line(x, bottom, x, bottom + 4, "grid");
    if (x + TextWidth(tick.label) / 2 > width) continue;
    canvas.Text(x, bottom + 16, tick.label, x < TextWidth(tick.label) / 2 ? Anchor::kStart : Anchor::kMiddle);
  }
  canvas.Text(frame.right, bottom + 31,
              fmt::format("UTC, {} to {}", FormatInstant(grid.span.begin).substr(0, 10),
                          FormatInstant(grid.span.end - Duration{1}).substr(0, 10)),
              Anchor::kEnd);
}

}  // namespace

std::string Render(const StripFigure& figure, double width) {
  const Frame frame = FrameOf(figure, width);
  const double height = HeightOf(figure, frame);
  SvgCanvas canvas(width, height, figure.title,
                   fmt::format(" data-plot=\"{} {} {} {}\"", Coordinate(frame.left), Coordinate(frame.right),
                               Coordinate(kTitleRow), Coordinate(height - kRoomBelow)));
  double top = 0;
  for (const StripGroup& group : figure.groups) {
    const Scale scale = ScaleOf(group);
    canvas.Text(0, top + 13, group.title, Anchor::kStart, "title");
    DrawScale(group, scale, frame, top, canvas);
    top += kTitleRow;
    for (const Strip& strip : group.strips) {
      const double middle = top + frame.row() - kThick / 2 - 3;
      if (frame.has_labels_above) {
        canvas.Text(0, top + 12, strip.label);
        canvas.Text(frame.right, top + 12, strip.note, Anchor::kEnd);
      } else {
        canvas.Text(0, middle + 4, strip.label);
        if (!strip.note.empty()) canvas.Text(frame.right + 8, middle + 4, strip.note);
      }
      DrawStrip(strip, group.ramp, scale, frame, middle, canvas);
      top += frame.row();
    }
    top += 4;
  }
  DrawTimes(frame, top, width, canvas);
  return std::move(canvas).Finish();
}

std::string DataOf(const StripFigure& figure) {
  TimeFigure same{figure.key, figure.title, figure.grid, {}};
  for (const StripGroup& group : figure.groups) {
    Panel panel;
    panel.title = group.title;
    panel.unit = group.unit;
    for (const Strip& strip : group.strips) panel.curves.push_back({strip.label, strip.values});
    same.panels.push_back(std::move(panel));
  }
  return DataOf(same);
}

}  // namespace heliostat::simulation_page
