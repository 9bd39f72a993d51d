#include "heliostat/ui/report/forecast_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::report {
namespace {

constexpr double kWidth = 960;
constexpr Colour kForecast = Colour::kBlue;
constexpr Colour kActual = Colour::kVermilion;
constexpr std::size_t kMostScenarios = 12;  // more would overlap too much

double SecondsOf(Instant t) { return static_cast<double>(t.time_since_epoch().count()); }

// Each value twice, as StepsOf repeats times: the curve is drawn as steps.
std::vector<double> Doubled(const std::vector<double>& values) {
  std::vector<double> doubled;
  for (const double value : values) doubled.insert(doubled.end(), 2, value);
  return doubled;
}

std::vector<double> StepEdges(Instant start, Duration step, std::size_t count) {
  std::vector<double> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const Instant begin = start + step * static_cast<std::int64_t>(i);
    edges.push_back(SecondsOf(begin));
    edges.push_back(SecondsOf(begin + step));
  }
  return edges;
}

void AddCurve(const ForecastCurve& curve, LineChart& chart) {
  const auto edges = StepEdges(curve.start, curve.step, curve.values.size());
  std::string levels;
  for (auto range = curve.ranges.rbegin(); range != curve.ranges.rend(); ++range) {
    levels += fmt::format("{}{:g}", levels.empty() ? "" : ", ", range->percent);
  }
  for (const auto& range : curve.ranges) {
    // All bands have one entry in the legend, with their levels from dark to light.
    const bool is_first = &range == &curve.ranges.front();
    chart.bands.push_back(
        {is_first ? levels + " % bands" : "", edges, Doubled(range.low), Doubled(range.high), kForecast});
  }
  chart.lines.push_back({curve.model, edges, Doubled(curve.values), kForecast});
}

// Ticks at whole hours or days, depending on the horizon.
std::vector<double> LeadTicks(double hours) {
  int every = 1;
  for (const int candidate : {1, 2, 3, 6, 12, 24}) {
    every = candidate;
    if (hours / every <= 12) break;
  }
  std::vector<double> ticks;
  for (int tick = 0; tick <= hours; tick += every) ticks.push_back(tick);
  return ticks;
}

struct LeadChart {
  std::string title;
  std::string unit;
  std::vector<double> LeadErrors::*values;
  bool from_zero;
};

// nullopt if no model has such values.
Result<std::optional<std::string>> ByLead(const BacktestPage& page, const LeadChart& what) {
  LineChart chart{.title = what.title,
                  .unit = what.unit,
                  .x_label = "hours after the forecast was issued",
                  .x = LineChart::X::kNumber,
                  .x_ticks = {},
                  .lines = {},
                  .bands = {},
                  .width = kWidth,
                  .height = 260,
                  .from_zero = what.from_zero};
  double longest = 0;
  bool is_known = false;
  for (std::size_t m = 0; m < page.models.size(); ++m) {
    const auto& values = page.models[m].*what.values;
    // There are six colours; further lines repeat them, dashed.
    Line line{
        page.models[m].model, {}, values, static_cast<Colour>(m % kColours), m < kColours ? Pen::kSolid : Pen::kDashed};
    for (std::size_t i = 0; i < values.size(); ++i) {
      line.x.push_back(static_cast<double>(page.step.count()) * static_cast<double>(i + 1) / 3600);
    }
    if (!line.x.empty()) longest = std::max(longest, line.x.back());
    is_known = is_known || std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
    chart.lines.push_back(std::move(line));
  }
  if (!is_known) return std::optional<std::string>();
  chart.x_ticks = LeadTicks(longest);
  if (what.values == &LeadErrors::coverage90) {
    chart.lines.push_back({"90 % wanted", {0, longest}, {90, 90}, Colour::kGrey, Pen::kDashed});
  }
  auto svg = Render(chart);
  if (!svg) return Propagate(svg);
  return std::optional<std::string>(std::move(*svg));
}

Status AddByLead(const BacktestPage& data, const LeadChart& what, std::string_view missing, Page& page) {
  const auto svg = ByLead(data, what);
  if (!svg) return Propagate(svg);
  if (*svg) {
    page.Figure(**svg);
  } else if (!missing.empty()) {
    page.Note(missing);
  }
  return {};
}

Status AddExample(const ForecastExample& example, const std::string& unit, Page& page) {
  LineChart chart{.title = "Forecast and true values",
                  .unit = unit,
                  .x_label = {},
                  .x_ticks = {},
                  .lines = {},
                  .bands = {},
                  .width = kWidth,
                  .height = 320};
  AddCurve(example.forecast, chart);
  if (example.before) {
    chart.lines.push_back(StepsOf("", *example.before, kActual));
    chart.marks.push_back(SecondsOf(example.forecast.start));
  }
  chart.lines.push_back(StepsOf("true values", example.actual, kActual));
  const auto svg = Render(chart);
  if (!svg) return Propagate(svg);
  page.Figure(*svg);
  return {};
}

Status AddForecast(const ForecastExample& example, const std::string& unit, Page& page) {
  page.Heading("A typical forecast", "typical");
  page.Paragraph(
      fmt::format("Issued {} by {}: the forecast with the median error of all origins. The values left of the "
                  "vertical line were known at that time.",
                  FormatInstant(example.forecast.start), example.forecast.model));
  return AddExample(example, unit, page);
}

Status AddWeek(const ForecastExample& week, const std::string& unit, Page& page) {
  page.Heading("A typical week", "week");
  page.Paragraph(
      fmt::format("By {}: each forecast up to the issue of the next, as a user would have seen them. It is the week "
                  "with the median error of all weeks.",
                  week.forecast.model));
  return AddExample(week, unit, page);
}

}  // namespace

Result<std::string> Render(const BacktestPage& data) {
  Page page(data.title, data.subtitle);
  page.Add(data.scores);
  for (const std::string& note : data.notes) page.Note(note);
  page.Heading("By lead", "by-lead");
  const LeadChart error{data.error_name + " by lead", data.error_unit, &LeadErrors::error, true};
  if (const auto bad = AddByLead(data, error, "No error is known at any lead.", page); !bad) return Propagate(bad);
  const LeadChart coverage{"Share of values inside the 90 % band, by lead", "%", &LeadErrors::coverage90, false};
  if (const auto bad = AddByLead(data, coverage, "No model had enough past errors to make bands.", page); !bad) {
    return Propagate(bad);
  }
  if (data.example) {
    if (const auto bad = AddForecast(*data.example, data.unit, page); !bad) return Propagate(bad);
  }
  if (data.week) {
    if (const auto bad = AddWeek(*data.week, data.unit, page); !bad) return Propagate(bad);
  }
  return std::move(page).Finish();
}

Result<std::string> Render(const ForecastPage& data) {
  LineChart chart{.title = "Forecast",
                  .unit = data.unit,
                  .x_label = {},
                  .x_ticks = {},
                  .lines = {},
                  .bands = {},
                  .width = kWidth,
                  .height = 360};
  const auto edges = StepEdges(data.forecast.start, data.forecast.step, data.forecast.values.size());
  const std::size_t drawn = std::min(data.scenarios.size(), kMostScenarios);
  for (std::size_t i = 0; i < drawn; ++i) {
    chart.lines.push_back(
        {i == 0 ? "possible futures" : "", edges, Doubled(data.scenarios[i]), Colour::kGrey, Pen::kThin});
  }
  AddCurve(data.forecast, chart);
  chart.marks.push_back(SecondsOf(data.forecast.start));
  chart.lines.push_back(StepsOf("so far", data.before, kActual));
  const auto svg = Render(chart);
  if (!svg) return Propagate(svg);
  Page page(data.title, data.subtitle);
  page.Figure(*svg);
  if (data.scenarios.size() > drawn) {
    page.Note(fmt::format("{} of {} possible futures are drawn.", drawn, data.scenarios.size()));
  }
  page.Add(data.facts);
  page.Heading("Values", "values");
  page.Add(data.values);
  return std::move(page).Finish();
}

}  // namespace heliostat::report
