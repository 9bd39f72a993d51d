#include "heliostat/ui/report/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/ui/report/axis.h"

namespace heliostat::report {

Result<std::string> Render(const BarChart& chart) {
  double low = 0;
  double high = 0;
  double widest = 0;
  bool any_known = false;
  for (const Bar& bar : chart.bars) {
    widest = std::max(widest, TextWidth(bar.label));
    if (!std::isfinite(bar.value)) continue;
    any_known = true;
    low = std::min(low, bar.value);
    high = std::max(high, bar.value);
  }
  if (!any_known) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("chart '{}'", chart.title), "has no known value",
                "at least one bar with a value");
  }
  const int decimals = DecimalsFor(std::max(high, -low));
  const ChartTitle title(chart.title, chart.unit, chart.width);
  const double row = 22;
  const double top = 10 + kTitleRow * static_cast<double>(title.rows());
  const double room_for_values = 64;
  const double left = widest + 12 + (low < 0 ? room_for_values : 0);
  const double right = chart.width - room_for_values;
  const double height = top + row * static_cast<double>(chart.bars.size()) + 6;
  const double per_unit = high > low ? (right - left) / (high - low) : 0;
  const double zero = left - low * per_unit;

  SvgCanvas canvas(chart.width, height, chart.title);
  title.Draw(canvas);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double y = top + row * static_cast<double>(i);
    canvas.Text(0, y + 15, bar.label);
    if (!std::isfinite(bar.value)) {
      canvas.Text(zero + 6, y + 15, "unknown");
      continue;
    }
    const double length = std::abs(bar.value) * per_unit;
    const bool is_negative = bar.value < 0;
    canvas.Bar(is_negative ? zero - length : zero, y + 4, length, row - 8, bar.colour);
    canvas.Text(is_negative ? zero - length - 6 : zero + length + 6, y + 15, DecimalText(bar.value, decimals),
                is_negative ? Anchor::kEnd : Anchor::kStart);
  }
  canvas.Line(zero, top, zero, height - 6, "zero");
  return std::move(canvas).Finish();
}

}  // namespace heliostat::report
