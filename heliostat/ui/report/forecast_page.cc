#include "heliostat/ui/report/forecast_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::report {
namespace {

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
std::optional<LineChart> ByLead(const BacktestPage& page, const LeadChart& what) {
  LineChart chart;
  chart.title = what.title;
  chart.unit = what.unit;
  chart.x_label = "hours after the forecast was issued";
  chart.x = LineChart::X::kNumber;
  chart.height = 260;
  chart.from_zero = what.from_zero;
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
  if (!is_known) return std::nullopt;
  chart.x_ticks = LeadTicks(longest);
  if (what.values == &LeadErrors::coverage90) {
    chart.lines.push_back({"90 % wanted", {0, longest}, {90, 90}, Colour::kGrey, Pen::kDashed});
  }
  return chart;
}

Status AddByLead(const BacktestPage& data, const LeadChart& what, std::string_view missing, Page& page) {
  if (const auto chart = ByLead(data, what)) return page.Figure(AtAnyWidth(*chart));
  if (!missing.empty()) page.Note(missing);
  return {};
}

LineChart ChartOf(std::string title, const std::string& unit, double height) {
  LineChart chart;
  chart.title = std::move(title);
  chart.unit = unit;
  chart.height = height;
  return chart;
}

Status AddExample(const ForecastExample& example, const std::string& unit, Page& page) {
  LineChart chart = ChartOf("Forecast and true values", unit, 320);
  AddCurve(example.forecast, chart);
  if (example.before) {
    chart.lines.push_back(StepsOf("", *example.before, kActual));
    chart.marks.push_back(SecondsOf(example.forecast.start));
  }
  chart.lines.push_back(StepsOf("true values", example.actual, kActual));
  return page.Figure(AtAnyWidth(std::move(chart)));
}

Status AddForecast(const ForecastExample& example, const std::string& unit, Page& page) {
  page.Heading("A typical forecast", "typical");
  page.Paragraph(
      fmt::format("Issued {} UTC by {}: the forecast with the median error of all origins. The values left of the "
                  "vertical line were known at that time.",
                  ShortTime(example.forecast.start), example.forecast.model));
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

double MeanOf(const std::vector<double>& values, std::size_t begin, std::size_t count) {
  double sum = 0;
  for (std::size_t i = begin; i < begin + count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

Answer AnswerOf(const ForecastPage& page, const std::optional<BestWindow>& window) {
  const Duration horizon = page.forecast.step * static_cast<std::int64_t>(page.forecast.values.size());
  if (!window) return {"The forecast has no value.", {}, {}, Answer::Tone::kBad};
  const std::string length = HoursText(window->span.length());
  Answer answer{fmt::format("{} {}: {}.", page.best_name, length, WindowText(page.forecast, *window, page.unit))};
  answer.tiles = {{fmt::format("in these {}", length), NumberText(window->mean), page.unit},
                  {"mean of the next " + HoursText(horizon), NumberText(window->whole_mean), page.unit},
                  {fmt::format("in the worst {}", length), NumberText(window->worst_mean), page.unit}};
  if (!page.forecast.ranges.empty()) {
    answer.tiles.push_back({fmt::format("{:g} % range in these {}", page.forecast.ranges.front().percent, length),
                            fmt::format("{} to {}", NumberText(window->low), NumberText(window->high)), page.unit});
  }
  constexpr double kEven = 0.03;
  if (const double below = std::abs(window->below()); below < kEven) {
    answer.tone = Answer::Tone::kOpen;
    answer.caveats.push_back("The forecast is nearly even: it matters little when work runs.");
  }
  return answer;
}

}  // namespace

double BestWindow::below() const { return whole_mean > 0 ? 1 - mean / whole_mean : signal::Missing(); }

Duration WindowLength(const ForecastCurve& curve) {
  constexpr Duration kUsual = std::chrono::hours{4};
  const Duration half = curve.step * static_cast<std::int64_t>(curve.values.size()) / 2;
  return std::max(curve.step, std::min(kUsual, half) / curve.step * curve.step);
}

std::optional<BestWindow> BestWindowOf(const ForecastCurve& curve, bool seeks_lowest) {
  const auto count = static_cast<std::size_t>(WindowLength(curve) / curve.step);
  const std::size_t all = curve.values.size();
  if (all < count || std::ranges::any_of(curve.values, [](double value) { return !std::isfinite(value); })) {
    return std::nullopt;
  }
  std::size_t best = 0;
  BestWindow window;
  window.whole_mean = MeanOf(curve.values, 0, all);
  window.mean = window.worst_mean = MeanOf(curve.values, 0, count);
  for (std::size_t begin = 1; begin + count <= all; ++begin) {
    const double mean = MeanOf(curve.values, begin, count);
    const bool is_better = seeks_lowest ? mean < window.mean : mean > window.mean;
    if (is_better) best = begin;
    window.mean = is_better ? mean : window.mean;
    window.worst_mean = seeks_lowest ? std::max(window.worst_mean, mean) : std::min(window.worst_mean, mean);
  }
  window.span.begin = curve.start + curve.step * static_cast<std::int64_t>(best);
  window.span.end = window.span.begin + WindowLength(curve);
  window.low = curve.ranges.empty() ? signal::Missing() : MeanOf(curve.ranges.front().low, best, count);
  window.high = curve.ranges.empty() ? signal::Missing() : MeanOf(curve.ranges.front().high, best, count);
  return window;
}

std::string HoursText(Duration length) {
  constexpr Duration kHour = std::chrono::hours{1};
  const bool is_hours = length % kHour == Duration{0} && length <= 96 * kHour;
  return is_hours ? fmt::format("{} h", length / kHour) : FormatDuration(length);
}

std::string WindowText(const ForecastCurve& curve, const BestWindow& window, std::string_view unit) {
  const double difference = window.mean - window.whole_mean;
  const std::string by = std::isfinite(window.below()) ? fmt::format("{:.0f} %", 100 * std::abs(window.below()))
                                                       : fmt::format("{} {}", NumberText(std::abs(difference)), unit);
  return fmt::format("{} UTC, {} {} the mean of the next {} ({} instead of {} {})", ShortSpan(window.span), by,
                     difference <= 0 ? "below" : "above",
                     HoursText(curve.step * static_cast<std::int64_t>(curve.values.size())), NumberText(window.mean),
                     NumberText(window.whole_mean), unit);
}

Result<std::string> Render(const BacktestPage& data) {
  Page page({data.title, data.subtitle, data.answer});
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
  return std::move(page).Finish(data.made_by);
}

Result<std::string> Render(const ForecastPage& data) {
  LineChart chart = ChartOf("Forecast", data.unit, 360);
  const auto window = BestWindowOf(data.forecast, data.seeks_lowest);
  if (window) {
    chart.spans.push_back({data.best_name + " " + HoursText(window->span.length()), SecondsOf(window->span.begin),
                           SecondsOf(window->span.end)});
  }
  const auto edges = StepEdges(data.forecast.start, data.forecast.step, data.forecast.values.size());
  const std::size_t drawn = std::min(data.scenarios.size(), kMostScenarios);
  for (std::size_t i = 0; i < drawn; ++i) {
    chart.lines.push_back(
        {i == 0 ? "possible futures" : "", edges, Doubled(data.scenarios[i]), Colour::kGrey, Pen::kThin});
  }
  AddCurve(data.forecast, chart);
  chart.marks.push_back(SecondsOf(data.forecast.start));
  chart.lines.push_back(StepsOf("so far", data.before, kActual));
  Page page({data.title, data.subtitle, AnswerOf(data, window)});
  if (const auto bad = page.Figure(AtAnyWidth(std::move(chart))); !bad) return Propagate(bad);
  if (data.scenarios.size() > drawn) {
    page.Note(fmt::format("{} of {} possible futures are drawn.", drawn, data.scenarios.size()));
  }
  page.Add(data.facts);
  page.Fold("Values of the forecast", data.values);
  return std::move(page).Finish(data.made_by);
}

}  // namespace heliostat::report
