#include "heliostat/ui/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Include(std::span<const double> values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  bool empty() const { return low > high; }
};

Status Refuse(const LineChart& chart, std::string what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("chart '{}'", chart.title), std::move(what),
              "lines with as many x as y, and at least one known value");
}

Status CheckLengths(const LineChart& chart) {
  for (const Line& line : chart.lines) {
    if (line.x.size() == line.y.size()) continue;
    return Refuse(chart, fmt::format("line '{}' has {} x and {} y", line.label, line.x.size(), line.y.size()));
  }
  for (const ChartBand& band : chart.bands) {
    if (band.x.size() != band.low.size() || band.x.size() != band.high.size()) {
      return Refuse(chart, fmt::format("band '{}' has columns of different lengths", band.label));
    }
  }
  return {};
}

// The position of the plot on the canvas, and its axes.
struct Frame {
  Axis x;
  Axis y;
  double left, top, right, bottom;

  double X(double value) const { return left + x.ShareOf(value) * (right - left); }
  double Y(double value) const { return bottom - y.ShareOf(value) * (bottom - top); }
};

// Builds path data through all known points of a line. Not thread-safe.
class PathBuilder {
 public:
  explicit PathBuilder(const Frame& frame) : frame_(frame) {}

  void Add(double x, double y) {
    if (!std::isfinite(y)) {
      Break();
      return;
    }
    const double px = frame_.X(x);
    const double py = frame_.Y(y);
    path_ += (points_ == 0 ? "M" : "L") + Coordinate(px) + " " + Coordinate(py);
    ++points_;
    last_x_ = px;
    last_y_ = py;
  }
  // Ends a connected part. A single point would be invisible, so it becomes a dot.
  void Break() {
    if (points_ == 1) dots_.emplace_back(last_x_, last_y_);
    points_ = 0;
  }

  const std::string& path() const { return path_; }
  const std::vector<std::pair<double, double>>& dots() const { return dots_; }

 private:
  const Frame& frame_;
  std::string path_;
  std::vector<std::pair<double, double>> dots_;
  std::size_t points_ = 0;
  double last_x_ = 0;
  double last_y_ = 0;
};

// Reduces a line to the lowest and highest y of each pixel column, in the order in which they occur. Gaps remain.
void AddByPixel(const Line& line, const Frame& frame, PathBuilder& builder) {
  std::size_t i = 0;
  while (i < line.x.size()) {
    const double pixel = std::floor(frame.X(line.x[i]));
    std::size_t end = i;
    while (end < line.x.size() && std::floor(frame.X(line.x[end])) <= pixel) ++end;
    const std::span<const double> column(line.y.data() + i, end - i);
    const bool begins_unknown = !std::isfinite(column.front());
    const bool has_gap = std::ranges::any_of(column, [](double y) { return !std::isfinite(y); });
    Extent extent;
    extent.Include(column);
    if (begins_unknown) builder.Break();
    if (!extent.empty()) {
      const bool is_falling = !begins_unknown && column.front() > column.back();
      builder.Add(line.x[i], is_falling ? extent.high : extent.low);
      if (extent.low < extent.high) builder.Add(line.x[i], is_falling ? extent.low : extent.high);
    }
    if (has_gap && !begins_unknown) builder.Break();
    i = end;
  }
}

void Draw(const Line& line, const Frame& frame, SvgCanvas& canvas) {
  PathBuilder builder(frame);
  if (static_cast<double>(line.x.size()) > 4 * (frame.right - frame.left)) {
    AddByPixel(line, frame, builder);
  } else {
    for (std::size_t i = 0; i < line.x.size(); ++i) builder.Add(line.x[i], line.y[i]);
  }
  builder.Break();
  if (!builder.path().empty()) canvas.Stroke(builder.path(), line.colour, line.pen);
  for (const auto& [x, y] : builder.dots()) canvas.Dot(x, y, line.colour);
}

void Draw(const ChartBand& band, const Frame& frame, SvgCanvas& canvas) {
  const auto known = [&](std::size_t i) { return std::isfinite(band.low[i]) && std::isfinite(band.high[i]); };
  std::string path;
  for (std::size_t i = 0; i < band.x.size();) {
    if (!known(i)) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < band.x.size() && known(i)) ++i;
    const auto point = [&](std::size_t at, double y) {
      return Coordinate(frame.X(band.x[at])) + " " + Coordinate(frame.Y(y));
    };
    path += "M" + point(begin, band.high[begin]);
    for (std::size_t j = begin + 1; j < i; ++j) path += "L" + point(j, band.high[j]);
    for (std::size_t j = i; j-- > begin;) path += "L" + point(j, band.low[j]);
    path += "z";
  }
  if (!path.empty()) canvas.Fill(path, band.colour);
}

void DrawAxes(const LineChart& chart, const Frame& frame, const std::string& x_label, SvgCanvas& canvas) {
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.Y(tick.value);
    const bool is_zero = tick.value == 0 && frame.y.low < 0;
    canvas.Line(frame.left, y, frame.right, y, is_zero ? "zero" : "grid");
    canvas.Text(frame.left - 6, y + 4, tick.label, Anchor::kEnd);
  }
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.X(tick.value);
    canvas.Line(x, frame.bottom, x, frame.bottom + 4, "grid");
    const double half = TextWidth(tick.label) / 2;
    if (x + half > chart.width) continue;  // the axis label below shows the end
    canvas.Text(x, frame.bottom + 16, tick.label, Anchor::kMiddle);
  }
  canvas.Text(frame.right, frame.bottom + 30, x_label, Anchor::kEnd);
}

struct LegendEntry {
  std::string_view label;
  Colour colour;
  std::optional<Pen> pen;  // nullopt: a band

  double width() const { return TextWidth(label) + 30; }
};

// The entries of the legend, in rows no wider than the chart.
std::vector<std::vector<LegendEntry>> LegendRows(const LineChart& chart, double room_beside_title) {
  std::vector<LegendEntry> all;
  for (const Line& line : chart.lines) {
    if (!line.label.empty()) all.push_back({line.label, line.colour, line.pen});
  }
  for (const ChartBand& band : chart.bands) {
    if (!band.label.empty()) all.push_back({band.label, band.colour, std::nullopt});
  }
  for (const ChartSpan& span : chart.spans) {
    if (!span.label.empty()) all.push_back({span.label, span.colour, std::nullopt});
  }
  double total = 0;
  for (const LegendEntry& entry : all) total += entry.width();
  std::vector<std::vector<LegendEntry>> rows(1);
  if (total > room_beside_title) rows.emplace_back();
  double taken = 0;
  for (const LegendEntry& entry : all) {
    if (taken > 0 && taken + entry.width() > chart.width - 24) {
      rows.emplace_back();
      taken = 0;
    }
    rows.back().push_back(entry);
    taken += entry.width();
  }
  return rows;
}

void DrawLegendRow(const std::vector<LegendEntry>& row, double right, double y, SvgCanvas& canvas) {
  for (auto entry = row.rbegin(); entry != row.rend(); ++entry) {
    right -= TextWidth(entry->label);
    canvas.Text(right, y, entry->label);
    if (entry->pen) {
      canvas.Stroke(fmt::format("M{} {}h14", Coordinate(right - 18), Coordinate(y - 4)), entry->colour, *entry->pen);
    } else {
      canvas.Area(right - 18, y - 9, 14, 10, entry->colour);
    }
    right -= 30;
  }
}

std::string DaysOf(const Extent& x) {
  const auto day = [](double seconds) {
    return FormatInstant(Instant{Duration{static_cast<std::int64_t>(seconds)}}).substr(0, 10);
  };
  const std::string first = day(x.low);
  const std::string last = day(std::max(x.low, x.high - 1));
  return first == last ? fmt::format("UTC, {}", first) : fmt::format("UTC, {} to {}", first, last);
}

Axis XAxisFor(const LineChart& chart, const Extent& x, double plot_width) {
  const int most = std::max(2, static_cast<int>(plot_width / 62));
  if (chart.x == LineChart::X::kNumber && chart.x_ticks.size() > 1) {
    Axis axis{std::min(x.low, chart.x_ticks.front()), std::max(x.high, chart.x_ticks.back()), {}};
    for (const double tick : chart.x_ticks) axis.ticks.push_back({tick, fmt::format("{:g}", tick)});
    return axis;
  }
  if (chart.x == LineChart::X::kNumber) {
    Axis axis = NumberAxis(x.low, x.high, std::min(most, 8));
    if (x.low < x.high) {  // data fill the width; only the y axis ends at round numbers
      axis.low = x.low;
      axis.high = x.high;
      std::erase_if(axis.ticks, [&](const Tick& t) { return t.value < x.low - 1e-9 || t.value > x.high + 1e-9; });
    }
    return axis;
  }
  const auto instant = [](double seconds) { return Instant{Duration{static_cast<std::int64_t>(seconds)}}; };
  return TimeAxis({instant(x.low), instant(x.high)}, most);
}

int TicksFor(const LineChart& chart) { return std::max(2, static_cast<int>(chart.height / 50)); }

double WidestLabel(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, TextWidth(tick.label));
  return widest;
}

}  // namespace

Line StepsOf(std::string label, const signal::StepSeries& series, Colour colour) {
  Line line{std::move(label), {}, {}, colour};
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto begin = static_cast<double>(series.TimeOf(i).time_since_epoch().count());
    line.x.push_back(begin);
    line.x.push_back(begin + static_cast<double>(series.step().count()));
    line.y.insert(line.y.end(), 2, series.values()[i]);
  }
  return line;
}

Result<std::string> Render(const LineChart& chart) {
  if (const auto bad = CheckLengths(chart); !bad) return Propagate(bad);
  Extent x;
  Extent y;
  for (const Line& line : chart.lines) {
    x.Include(line.x);
    y.Include(line.y);
  }
  for (const ChartBand& band : chart.bands) {
    x.Include(band.x);
    y.Include(band.low);
    y.Include(band.high);
  }
  if (x.empty() || y.empty()) {
    const auto bad = Refuse(chart, "has no known value");
    return Propagate(bad);
  }
  if (chart.from_zero) y.Include(std::vector<double>{0.0});

  const ChartTitle title(chart.title, chart.unit, chart.width);
  const double beside = title.rows() == 1 ? chart.width - 20 - title.right() : 0.0;
  const auto legend = LegendRows(chart, beside);
  const std::size_t rows = title.rows() - 1 + legend.size();
  Frame frame{{},
              NumberAxis(y.low, y.high, TicksFor(chart)),
              0,
              14 + kTitleRow * static_cast<double>(rows),
              chart.width - 12,
              chart.height - 36 + kTitleRow * static_cast<double>(rows - 1)};
  const double legend_end = frame.right;
  frame.left = std::max(chart.axis_room, WidestLabel(frame.y) + 10);
  frame.x = XAxisFor(chart, x, frame.right - frame.left);

  SvgCanvas canvas(chart.width, frame.bottom + 36, chart.title);
  title.Draw(canvas);
  for (std::size_t row = 0; row < legend.size(); ++row) {
    DrawLegendRow(legend[row], legend_end, 14 + kTitleRow * static_cast<double>(title.rows() - 1 + row), canvas);
  }
  const std::string days = chart.x == LineChart::X::kUtcTime ? DaysOf(x) : "";
  DrawAxes(chart, frame, chart.x_label.empty() ? days : chart.x_label, canvas);
  for (const ChartSpan& span : chart.spans) {
    const double left = frame.X(span.from);
    canvas.Area(left, frame.top, frame.X(span.to) - left, frame.bottom - frame.top, span.colour);
  }
  for (const double x_at : chart.marks) canvas.Line(frame.X(x_at), frame.top, frame.X(x_at), frame.bottom, "zero");
  for (const ChartBand& band : chart.bands) Draw(band, frame, canvas);
  for (const Line& line : chart.lines) Draw(line, frame, canvas);
  return std::move(canvas).Finish();
}

}  // namespace heliostat::report
