#include "heliostat/ui/simulation_page/time_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/simulation_page/json_text.h"

namespace heliostat::simulation_page {
namespace {

using report::Anchor;
using report::Coordinate;
using report::SvgCanvas;
using report::TextWidth;

constexpr double kLeft = 46;
constexpr double kRight = 8;
constexpr double kLegendRow = 17;
constexpr double kGap = 12;        // between panels
constexpr double kRoomBelow = 36;  // the time axis
constexpr double kPixelsATick = 62;

double InSeconds(Instant t) { return static_cast<double>(t.time_since_epoch().count()); }

struct Entry {
  std::string label;
  std::optional<Texture> texture;
  report::Colour colour = report::Colour::kBlue;
  report::Pen pen = report::Pen::kSolid;

  double width() const { return TextWidth(label) + 34; }
};

// The entries of the legend: layers from the top of the stack down, then curves.
std::vector<Entry> EntriesOf(const Panel& panel) {
  std::vector<Entry> entries;
  for (auto layer = panel.stack.rbegin(); layer != panel.stack.rend(); ++layer) {
    entries.push_back({layer->label, layer->texture});
  }
  for (const Curve& curve : panel.curves) entries.push_back({curve.label, std::nullopt, curve.colour, curve.pen});
  std::erase_if(entries, [](const Entry& entry) { return entry.label.empty(); });
  return entries;
}

// Places the legend after the title if it fits, else in rows below. Returns the number of rows; draws only if there is
// a canvas.
int Legend(const Panel& panel, double top, double width, SvgCanvas* canvas) {
  const auto entries = EntriesOf(panel);
  double x = TextWidth(panel.title) * 1.1 + TextWidth(panel.unit) + 24;
  double total = x;
  for (const Entry& entry : entries) total += entry.width();
  int row = 0;
  if (total > width) {
    row = 1;
    x = 0;
  }
  for (const Entry& entry : entries) {
    if (x > 0 && x + entry.width() > width + 10) {
      ++row;
      x = 0;
    }
    if (canvas != nullptr) {
      const double y = top + 12 + kLegendRow * row;
      if (entry.texture) {
        canvas->Raw(
            fmt::format("<rect class=\"swatch\" x=\"{}\" y=\"{}\" width=\"16\" height=\"12\" fill=\"url(#t{})\"/>\n",
                        Coordinate(x), Coordinate(y - 10), static_cast<int>(*entry.texture)));
      } else {
        canvas->Stroke(fmt::format("M{} {}h16", Coordinate(x), Coordinate(y - 4)), entry.colour, entry.pen);
      }
      canvas->Text(x + 21, y, entry.label);
    }
    x += entry.width();
  }
  return entries.empty() ? 1 : row + 1;
}

// The sums of the layers from the bottom up; one more than there are layers.
std::vector<std::vector<double>> SumsOf(const Panel& panel, std::size_t count) {
  std::vector<std::vector<double>> sums{std::vector<double>(count, 0.0)};
  for (const Layer& layer : panel.stack) {
    std::vector<double> sum = sums.back();
    for (std::size_t i = 0; i < count; ++i) sum[i] += std::isfinite(layer.values[i]) ? layer.values[i] : 0.0;
    sums.push_back(std::move(sum));
  }
  return sums;
}

report::Axis AxisOf(const Panel& panel, const std::vector<std::vector<double>>& sums) {
  double low = 0.0;
  double high = 0.0;
  const auto include = [&](const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isinf(value) && value > 0.0) high = std::max(high, panel.ceiling.value_or(high));
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  include(sums.back());
  for (const Curve& curve : panel.curves) include(curve.values);
  if (panel.ceiling) high = std::min(high, *panel.ceiling);
  if (high <= low) high = low + 1.0;
  return report::NumberAxis(low, high, std::max(2, static_cast<int>(panel.height / 45)));
}

// The position of a panel and its axes.
struct Frame {
  const TimeGrid& grid;
  report::Axis y;
  double left, right, top, bottom;

  double X(std::size_t step) const {
    const Instant t = std::min(grid.span.begin + grid.step * static_cast<std::int64_t>(step), grid.span.end);
    return left + (right - left) * static_cast<double>((t - grid.span.begin).count()) /
                      static_cast<double>(grid.span.length().count());
  }
  double Y(double value) const { return bottom - y.ShareOf(std::clamp(value, y.low, y.high)) * (bottom - top); }
};

std::string StepsOf(const std::vector<double>& values, const Frame& frame) {
  std::string path;
  bool is_open = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      is_open = false;
      continue;
    }
    const std::string y = Coordinate(frame.Y(values[i]));
    path += is_open ? "V" + y : "M" + Coordinate(frame.X(i)) + " " + y;
    path += "H" + Coordinate(frame.X(i + 1));
    is_open = true;
  }
  return path;
}

// Path data of the area between two lines of steps; empty if they are equal everywhere.
std::string AreaOf(const std::vector<double>& low, const std::vector<double>& high, const Frame& frame) {
  if (low == high || low.empty()) return {};
  std::string path = "M" + Coordinate(frame.X(0)) + " " + Coordinate(frame.Y(high[0]));
  std::string at = Coordinate(frame.Y(high[0]));
  for (std::size_t i = 1; i < high.size(); ++i) {
    const std::string y = Coordinate(frame.Y(high[i]));
    if (at == y) continue;
    path += "H" + Coordinate(frame.X(i)) + "V" + y;
    at = y;
  }
  path += "H" + Coordinate(frame.X(high.size()));
  at.clear();
  for (std::size_t i = low.size(); i-- > 0;) {
    const std::string y = Coordinate(frame.Y(low[i]));
    if (at == y) continue;
    if (!at.empty()) path += "H" + Coordinate(frame.X(i + 1));
    path += "V" + y;
    at = y;
  }
  return path + "H" + Coordinate(frame.X(0)) + "z";
}

void DrawTicks(const report::Axis& time, const Frame& frame, SvgCanvas& canvas) {
  for (const report::Tick& tick : frame.y.ticks) {
    const double y = frame.Y(tick.value);
    canvas.Line(frame.left, y, frame.right, y, tick.value == 0.0 ? "zero" : "grid");
    canvas.Text(frame.left - 6, y + 4, tick.label, Anchor::kEnd);
  }
  for (const report::Tick& tick : time.ticks) {
    const double x = frame.left + time.ShareOf(tick.value) * (frame.right - frame.left);
    canvas.Line(x, frame.bottom, x, frame.bottom + 4, "grid");
  }
}

void DrawTimeLabels(const TimeGrid& grid, const report::Axis& time, const Frame& last, double width,
                    SvgCanvas& canvas) {
  for (const report::Tick& tick : time.ticks) {
    const double x = last.left + time.ShareOf(tick.value) * (last.right - last.left);
    if (x + TextWidth(tick.label) / 2 > width) continue;  // the line below shows the end of the axis
    canvas.Text(x, last.bottom + 16, tick.label, Anchor::kMiddle);
  }
  canvas.Text(last.right, last.bottom + 31,
              fmt::format("UTC, {} to {}", FormatInstant(grid.span.begin).substr(0, 10),
                          FormatInstant(grid.span.end - Duration{1}).substr(0, 10)),
              Anchor::kEnd);
}

// Draws a panel whose title is at `top`; returns its position.
Frame DrawPanel(const TimeFigure& figure, const Panel& panel, const report::Axis& time, double top, double width,
                SvgCanvas& canvas) {
  const auto sums = SumsOf(panel, figure.grid.size());
  const double plot_top = top + kLegendRow * Legend(panel, top, width, nullptr) + 4;
  const Frame frame{figure.grid, AxisOf(panel, sums), kLeft, width - kRight, plot_top, plot_top + panel.height};
  canvas.Text(0, top + 12, panel.title, Anchor::kStart, "title");
  canvas.Text(TextWidth(panel.title) * 1.1 + 6, top + 12, panel.unit);
  Legend(panel, top, width, &canvas);
  DrawTicks(time, frame, canvas);
  for (std::size_t i = 0; i < panel.stack.size(); ++i) {
    const std::string area = AreaOf(sums[i], sums[i + 1], frame);
    if (area.empty()) continue;
    canvas.Raw(fmt::format("<path class=\"mark area\" d=\"{}\" fill=\"url(#t{})\"/>\n", area,
                           static_cast<int>(panel.stack[i].texture)));
  }
  for (const Curve& curve : panel.curves) {
    const std::string steps = StepsOf(curve.values, frame);
    if (steps.empty()) continue;
    // On a filled area a dashed line needs a halo to be visible.
    if (!panel.stack.empty()) canvas.Raw(fmt::format("<path class=\"halo\" d=\"{}\"/>\n", steps));
    canvas.Stroke(steps, curve.colour, curve.pen);
  }
  return frame;
}

double HeightOf(const TimeFigure& figure, double width) {
  double height = kRoomBelow;
  for (const Panel& panel : figure.panels) {
    height += kLegendRow * Legend(panel, 0, width, nullptr) + 4 + panel.height + kGap;
  }
  return height - kGap;
}

std::string SeriesOf(const std::string& label, const std::vector<double>& values) {
  return fmt::format("{{\"label\":{},\"values\":{}}}", JsonText(label), JsonNumbers(values));
}

struct Pattern {
  std::string_view colour;        // of the page
  std::string_view marks;         // drawn over it
  std::string_view pen = "etch";  // in the colour of paper, or "scratch" for those that are as pale themselves
};
constexpr std::array<Pattern, kTextures> kPatterns{{
    {"f0", ""},
    {"f3", R"(<path d="M-2 2l4-4M0 8l8-8M6 10l4-4"/>)"},
    {"f5", R"(<path d="M2 2h1.6M6 6h1.6"/>)"},
    {"g4", R"(<path d="M0 2h8M0 6h8"/>)"},
    {"pale", R"(<path d="M0 0l8 8M0 8l8-8"/>)", "scratch"},
    {"f1", R"(<path d="M2 0v8M6 0v8"/>)"},
    {"f2", R"(<path d="M-2 6l4 4M0 0l8 8M6-2l4 4"/>)"},
}};

}  // namespace

std::string Render(const TimeFigure& figure, double width) {
  const double height = HeightOf(figure, width);
  const double right = width - kRight;
  const report::Axis time = report::TimeAxis(figure.grid.span, static_cast<int>((right - kLeft) / kPixelsATick));
  double top = 0;
  SvgCanvas canvas(width, height, figure.title,
                   fmt::format(" data-plot=\"{} {} {} {}\"", Coordinate(kLeft), Coordinate(right),
                               Coordinate(kLegendRow), Coordinate(height - kRoomBelow)));
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Frame frame = DrawPanel(figure, figure.panels[i], time, top, width, canvas);
    if (i + 1 == figure.panels.size()) DrawTimeLabels(figure.grid, time, frame, width, canvas);
    top = frame.bottom + kGap;
  }
  return std::move(canvas).Finish();
}

std::string DataOf(const TimeFigure& figure) {
  std::string panels;
  for (const Panel& panel : figure.panels) {
    std::string series;
    const auto add = [&series](const std::string& one) { series += (series.empty() ? "" : ",") + one; };
    for (auto layer = panel.stack.rbegin(); layer != panel.stack.rend(); ++layer) {
      add(SeriesOf(layer->label, layer->values));
    }
    for (const Curve& curve : panel.curves) {
      add(SeriesOf(curve.label.empty() ? panel.title : curve.label, curve.values));
    }
    panels += fmt::format("{}{{\"title\":{},\"unit\":{},\"stacked\":{},\"series\":[{}]}}", panels.empty() ? "" : ",",
                          JsonText(panel.title), JsonText(panel.unit), panel.stack.size(), series);
  }
  return fmt::format("{{\"start\":{:.0f},\"step\":{},\"end\":{:.0f},\"panels\":[{}]}}",
                     InSeconds(figure.grid.span.begin), figure.grid.step.count(), InSeconds(figure.grid.span.end),
                     panels);
}

std::vector<double> Thinned(const std::vector<double>& values, std::size_t bucket) {
  if (bucket <= 1) return values;
  std::vector<double> means;
  for (std::size_t begin = 0; begin < values.size(); begin += bucket) {
    double sum = 0.0;
    int known = 0;
    for (std::size_t i = begin; i < std::min(values.size(), begin + bucket); ++i) {
      if (std::isnan(values[i])) continue;
      sum += values[i];
      ++known;
    }
    means.push_back(known > 0 ? sum / known : std::nan(""));
  }
  return means;
}

std::string PatternDefinitions() {
  std::string patterns;
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    patterns += fmt::format(
        "<pattern id=\"t{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect class=\"{}\" width=\"8\" "
        "height=\"8\"/><g class=\"{}\">{}</g></pattern>\n",
        i, kPatterns[i].colour, kPatterns[i].pen, kPatterns[i].marks);
  }
  return "<svg class=\"patterns\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n" + patterns +
         "</defs></svg>\n";
}

}  // namespace heliostat::simulation_page
