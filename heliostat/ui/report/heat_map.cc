#include "heliostat/ui/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

constexpr int kShades = 9;
constexpr std::array<std::string_view, kShades> kLight{"#f3f0e2", "#dfe6c8", "#bfd9b8", "#94c8b0", "#66b3ab",
                                                       "#3f9aa5", "#2b7d99", "#235f88", "#1e3f6e"};

// Hourly means by column (day) and row (hour of the local day).
struct Carpet {
  std::chrono::sys_days first_day;
  std::vector<std::array<double, 24>> columns;
};

Carpet CarpetOf(const signal::StepSeries& hourly, Duration offset) {
  Carpet carpet{std::chrono::floor<days>(hourly.start() + offset), {}};
  const auto last_day = std::chrono::floor<days>(hourly.end() + offset - 1s);
  std::array<double, 24> unknown{};
  unknown.fill(signal::Missing());
  carpet.columns.assign(static_cast<std::size_t>((last_day - carpet.first_day).count()) + 1, unknown);
  for (std::size_t i = 0; i < hourly.size(); ++i) {
    const Duration since = hourly.TimeOf(i) + offset - carpet.first_day;
    carpet.columns[static_cast<std::size_t>(since / days{1})][static_cast<std::size_t>(since % days{1} / 1h)] =
        hourly.values()[i];
  }
  return carpet;
}

struct Scale {
  double low;
  double high;

  int ShadeOf(double value) const {
    if (!(high > low)) return kShades / 2;
    return std::clamp(static_cast<int>((value - low) / (high - low) * kShades), 0, kShades - 1);
  }
};

Scale ScaleOf(std::vector<double> known) {
  std::ranges::sort(known);
  const auto at = [&](double share) {
    return known[static_cast<std::size_t>(share * static_cast<double>(known.size() - 1))];
  };
  return {at(0.05), at(0.95)};
}

// One path per shade, of vertical strokes one column wide: a run of hours is "M12.5 7v3".
std::string StrokesOf(const Carpet& carpet, const Scale& scale) {
  std::array<std::string, kShades> paths;
  for (std::size_t day = 0; day < carpet.columns.size(); ++day) {
    const auto& column = carpet.columns[day];
    for (std::size_t hour = 0; hour < 24;) {
      if (!std::isfinite(column[hour])) {
        ++hour;
        continue;
      }
      const int shade = scale.ShadeOf(column[hour]);
      const std::size_t begin = hour;
      while (hour < 24 && std::isfinite(column[hour]) && scale.ShadeOf(column[hour]) == shade) ++hour;
      paths[static_cast<std::size_t>(shade)] += fmt::format("M{}.5 {}v{}", day, begin, hour - begin);
    }
  }
  std::string markup;
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    if (paths[shade].empty()) continue;
    markup += fmt::format("<path class=\"h{}\" d=\"{}\" stroke=\"{}\" stroke-width=\"1.02\"/>\n", shade, paths[shade],
                          kLight[shade]);
  }
  return markup;
}

constexpr double kPatch = 14;  // pixels, of the legend

std::string LowText(const Scale& scale) { return "≤ " + NumberText(scale.low); }
std::string HighText(const Scale& scale) { return "≥ " + NumberText(scale.high); }

double LegendWidth(const Scale& scale) {
  return TextWidth(LowText(scale)) + 12 + kPatch * kShades + TextWidth(HighText(scale));
}

void DrawLegend(const Scale& scale, double right, double y, SvgCanvas& canvas) {
  const double patch = kPatch;
  right -= TextWidth(HighText(scale));
  canvas.Text(right, y, HighText(scale));
  right -= 6 + patch * kShades;
  for (int shade = 0; shade < kShades; ++shade) {
    canvas.Raw(fmt::format("<path class=\"h{}\" d=\"M{} {}h{}\" stroke=\"{}\" stroke-width=\"10\"/>\n", shade,
                           Coordinate(right + patch * shade), Coordinate(y - 4), Coordinate(patch),
                           kLight[static_cast<std::size_t>(shade)]));
  }
  canvas.Text(right - 6, y, LowText(scale), Anchor::kEnd);
}

}  // namespace

Result<std::string> Render(const HeatMap& map, const signal::StepSeries& series) {
  const auto hourly = series.Resample(1h);
  if (!hourly) return Propagate(hourly);
  std::vector<double> known;
  std::ranges::copy_if(hourly->values(), std::back_inserter(known), [](double v) { return !signal::IsMissing(v); });
  if (known.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("heat map '{}'", map.title), "has no known hour",
                "at least one known hour");
  }
  const Scale scale = ScaleOf(std::move(known));
  const Carpet carpet = CarpetOf(*hourly, map.utc_offset_hours * 1h);
  const auto count = static_cast<double>(carpet.columns.size());
  const double left = 40;
  const double right = map.width - 12;
  const ChartTitle title(map.title, map.unit, map.width);
  const bool fits_beside = title.rows() == 1 && title.right() + 12 + LegendWidth(scale) <= right;
  const double more = kTitleRow * static_cast<double>(title.rows() - (fits_beside ? 1 : 0));
  const double top = 26 + more;
  const double bottom = map.height - 36 + more;

  SvgCanvas canvas(map.width, map.height + more, map.title);
  title.Draw(canvas);
  DrawLegend(scale, right, 14 + more, canvas);
  canvas.Rect(left, top, right - left, bottom - top, "empty");
  canvas.Raw(
      fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} 24\" "
                  "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n{}</svg>\n",
                  Coordinate(left), Coordinate(top), Coordinate(right - left), Coordinate(bottom - top), count,
                  StrokesOf(carpet, scale)));
  for (const int hour : {0, 6, 12, 18, 24}) {
    canvas.Text(left - 6, top + (bottom - top) * hour / 24 + 4, fmt::format("{} h", hour), Anchor::kEnd);
  }
  const Interval shown{carpet.first_day, carpet.first_day + days{carpet.columns.size()}};
  for (const Tick& tick : TimeAxis(shown, static_cast<int>((right - left) / 48)).ticks) {
    const double x = left + (right - left) *
                                (tick.value - static_cast<double>(shown.begin.time_since_epoch().count())) /
                                static_cast<double>(shown.length().count());
    if (x < right - 20) canvas.Text(x, bottom + 16, tick.label, x < left + 20 ? Anchor::kStart : Anchor::kMiddle);
  }
  canvas.Text(right, bottom + 30, fmt::format("hour of the day at UTC{:+}, by day", map.utc_offset_hours),
              Anchor::kEnd);
  return std::move(canvas).Finish();
}

}  // namespace heliostat::report
