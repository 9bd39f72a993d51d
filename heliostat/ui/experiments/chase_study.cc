#include "heliostat/ui/experiments/chase_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heliostat/ui/experiments/charts.h"
#include "heliostat/ui/experiments/chase_figures.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/line_chart.h"

namespace heliostat::experiments {
namespace {

constexpr double kPublishedCarbon = -0.136;
constexpr double kPublishedTime = 0.025;
constexpr const char* kMainModel = "resnet50";
constexpr int kMainBatch = 128;
constexpr double kTick = 2.5;  // % of time, in the picture

// "-13.6 %", "+2.5 %".
std::string Signed(double share, int digits = 1) {
  // No "-0.0".
  const double scale = std::pow(10.0, digits);
  return fmt::format("{:+.{}f} %", std::round(share * 100.0 * scale) / scale + 0.0, digits);
}

// "-0.29": of a difference of percentages.
std::string Points(double share) { return fmt::format("{:+.2f}", std::round(share * 1e4) / 1e2 + 0.0); }

std::string NameOf(const std::string& model, int batch) {
  return batch > 0 ? fmt::format("{} {}", model, batch) : model;
}

// The paper's own, or the first there is.
const ChaseWorkload& MainOf(const ChaseInput& input) {
  const auto is_main = [](const ChaseWorkload& one) {
    return one.name.starts_with(kMainModel) && one.batch == kMainBatch;
  };
  const auto found = std::ranges::find_if(input.workloads, is_main);
  return found == input.workloads.end() ? input.workloads.front() : *found;
}

bool BeatsPaper(const FrontierPoint& point) {
  return point.carbon <= kPublishedCarbon + 5e-5 && point.time <= kPublishedTime + 5e-5;
}

// Where the limit hardly matters, or a lower one was measured to be faster, changes of time are mostly noise.
bool IsNoisy(const ChaseWorkload& workload) {
  const level_control::LevelOption& usual = workload.options.back();
  const double fastest = workload.options[level_control::FastestOf(workload.options)].speed;
  return workload.options.front().speed > 0.95 * usual.speed || fastest > 1.02 * usual.speed;
}

const FrontierPoint* Find(const std::vector<FrontierPoint>& points, const ChaseWorkload& workload,
                          std::optional<double> eta) {
  const auto found = std::ranges::find_if(points, [&](const FrontierPoint& point) {
    return point.workload == workload.name && point.batch == workload.batch && point.eta == eta;
  });
  return found == points.end() ? nullptr : &*found;
}

struct Winners {
  std::vector<std::string> names;  // of workloads whose speed depends on the limit
  std::vector<std::string> noisy;
};
Winners WinnersOf(const ChaseInput& input, const std::vector<FrontierPoint>& points) {
  Winners winners;
  for (const ChaseWorkload& workload : input.workloads) {
    const bool wins = std::ranges::any_of(points, [&](const FrontierPoint& point) {
      return point.workload == workload.name && point.batch == workload.batch && BeatsPaper(point);
    });
    if (wins) (IsNoisy(workload) ? winners.noisy : winners.names).push_back(NameOf(workload.name, workload.batch));
  }
  return winners;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

report::HtmlTable EtaTable(const std::vector<FrontierPoint>& points, const ChaseWorkload& workload) {
  report::HtmlTable table{{"setting", "carbon", "time", "energy"}, {}};
  for (const FrontierPoint& point : points) {
    if (point.workload != workload.name || point.batch != workload.batch) continue;
    table.rows.push_back({point.eta ? fmt::format("eta {:.2f}", *point.eta) : "max slowdown 2.5 %",
                          Signed(point.carbon), Signed(point.time), Signed(point.energy)});
  }
  return table;
}

report::HtmlTable BudgetTable(const ChaseInput& input, const std::vector<FrontierPoint>& points, Size size) {
  report::HtmlTable table{
      {"workload", "carbon, slowdown 2.5 %", "time", "carbon, eta 0.30", "time", "-13.6 % for +2.5 %"}, {}};
  for (const ChaseWorkload& workload : input.workloads) {
    const FrontierPoint* budget = Find(points, workload, std::nullopt);
    const FrontierPoint* eta = Find(points, workload, 0.3);
    const bool wins = std::ranges::any_of(points, [&](const FrontierPoint& point) {
      return point.workload == workload.name && point.batch == workload.batch && BeatsPaper(point);
    });
    table.rows.push_back({NameOf(workload.name, workload.batch), Signed(budget->carbon), Signed(budget->time),
                          Signed(eta->carbon), Signed(eta->time),
                          size == Size::kQuick ? "not judged"
                          : !wins              ? "no"
                          : IsNoisy(workload)  ? "yes (noisy)"
                                               : "yes"});
  }
  return table;
}

Result<Picture> FrontierPicture(const ChaseInput& input, const std::vector<FrontierPoint>& points) {
  report::LineChart chart;
  chart.title = "Carbon against time, eta from 0 to 1";
  chart.unit = "% of carbon against the default limit";
  chart.x_label = "% of time against the default limit";
  chart.x = report::LineChart::X::kNumber;
  std::set<std::string> seen;
  double longest = 0.0;
  for (const ChaseWorkload& workload : input.workloads) {
    const bool is_main = &workload == &MainOf(input);
    // One batch of each model, the paper's of its own.
    const std::string model = workload.name.substr(0, workload.name.find('-'));
    if (IsNoisy(workload) || (!is_main && (model == kMainModel || seen.contains(workload.name)))) continue;
    seen.insert(workload.name);
    std::vector<std::pair<double, double>> line;
    for (const FrontierPoint& point : points) {
      if (point.workload == workload.name && point.batch == workload.batch && point.eta) {
        line.emplace_back(100.0 * point.time, 100.0 * point.carbon);
      }
    }
    std::ranges::sort(line);
    report::Line drawn{NameOf(workload.name, workload.batch),
                       {},
                       {},
                       static_cast<report::Colour>(chart.lines.size() % report::kColours)};
    for (const auto& [time, carbon] : line) {
      drawn.x.push_back(time);
      drawn.y.push_back(carbon);
      longest = std::max(longest, time);
    }
    chart.lines.push_back(std::move(drawn));
  }
  for (int i = 0; i < static_cast<int>(std::ceil(longest / kTick)) + 1; ++i) chart.x_ticks.push_back(kTick * i);
  chart.marks = {100.0 * kPublishedTime};
  chart.height = 300;
  return Drawn("chase_frontier", chart);
}

report::HtmlTable ZoneTable(const std::vector<ZonePoint>& zones) {
  report::HtmlTable table{{"zone", "swing", "carbon", "time", "best constant", "timing adds", "with perfect forecasts",
                           "eta 0.30: carbon", "time", "timing adds"},
                          {}};
  for (const ZonePoint& zone : zones) {
    if (zone.slowdown != kChaseSlowdown) continue;
    table.rows.push_back({zone.zone, Percent(zone.swing, 0), Signed(zone.carbon, 2), Signed(zone.time, 2),
                          Signed(zone.constant_carbon, 2), Points(zone.timing_points()),
                          Points(zone.perfect_carbon - zone.constant_carbon), Signed(zone.eta_carbon, 2),
                          Signed(zone.eta_time, 2), Points(zone.eta_carbon - zone.eta_constant_carbon)});
  }
  return table;
}

std::vector<double> TimingAt(const std::vector<ZonePoint>& zones, double slowdown, bool is_perfect) {
  std::vector<double> timing;
  for (const ZonePoint& zone : zones) {
    if (zone.slowdown != slowdown) continue;
    timing.push_back((is_perfect ? zone.perfect_carbon : zone.carbon) - zone.constant_carbon);
  }
  return timing;
}

report::HtmlTable SlackTable(const std::vector<ZonePoint>& zones) {
  report::HtmlTable table{{"slowdown allowed", "carbon", "time", "best constant", "timing adds", "most in a zone",
                           "with perfect forecasts"},
                          {}};
  std::set<double> slowdowns;
  for (const ZonePoint& zone : zones) slowdowns.insert(zone.slowdown);
  for (const double slowdown : slowdowns) {
    std::vector<double> carbon;
    std::vector<double> time;
    std::vector<double> constant;
    for (const ZonePoint& zone : zones) {
      if (zone.slowdown != slowdown) continue;
      carbon.push_back(zone.carbon);
      time.push_back(zone.time);
      constant.push_back(zone.constant_carbon);
    }
    const auto timing = TimingAt(zones, slowdown, false);
    table.rows.push_back({Percent(slowdown), Signed(MeanOf(carbon), 2), Signed(MeanOf(time), 2),
                          Signed(MeanOf(constant), 2), Points(MeanOf(timing)),
                          Points(*std::ranges::min_element(timing)), Points(MeanOf(TimingAt(zones, slowdown, true)))});
  }
  return table;
}

Result<Picture> ZonePicture(const std::vector<ZonePoint>& zones) {
  SpreadChart chart;
  chart.title = "What timing adds to saving energy";
  chart.unit = "points of carbon, slowdown 2.5 %; below 0: less carbon";
  chart.series = {"timing"};
  for (const ZonePoint& zone : zones) {
    if (zone.slowdown != kChaseSlowdown) continue;
    std::vector<double> points = zone.timing;
    for (double& point : points) point *= 100.0;
    chart.rows.push_back({zone.zone, {SpreadOf(points)}});
  }
  return Drawn("chase_timing", chart);
}

io::Json JsonOf(const FrontierPoint& point) {
  io::Json row;
  row.Set("workload", point.workload);
  row.Set("batch", point.batch);
  row.Set("mode", point.eta ? "eta" : "max-slowdown");
  row.Set("eta", point.eta ? io::Json(*point.eta) : io::Json());
  row.Set("max_slowdown_percent", point.eta ? io::Json() : io::Json(100.0 * kChaseSlowdown));
  row.Set("carbon_change_percent", 100.0 * point.carbon);
  row.Set("time_change_percent", 100.0 * point.time);
  row.Set("energy_change_percent", 100.0 * point.energy);
  return row;
}

io::Json JsonOf(const ZonePoint& zone) {
  io::Json row;
  row.Set("zone", zone.zone);
  row.Set("max_slowdown_percent", 100.0 * zone.slowdown);
  row.Set("swing_percent", 100.0 * zone.swing);
  row.Set("carbon_change_percent", 100.0 * zone.carbon);
  row.Set("time_change_percent", 100.0 * zone.time);
  row.Set("constant_level_carbon_change_percent", 100.0 * zone.constant_carbon);
  row.Set("timing_points", 100.0 * zone.timing_points());
  row.Set("perfect_forecast_carbon_change_percent", 100.0 * zone.perfect_carbon);
  return row;
}

io::Json JsonOf(const ChaseInput& input, const std::vector<FrontierPoint>& points, const std::vector<ZonePoint>& zones,
                const Winners& winners) {
  io::Json json;
  json.Set("gpu", input.gpu);
  json.Set("profiles", input.is_real ? "zeus" : "built-in");
  io::Json published;
  published.Set("carbon_change_percent", 100.0 * kPublishedCarbon).Set("time_change_percent", 100.0 * kPublishedTime);
  json.Set("published", std::move(published));
  const auto list = [](const std::vector<std::string>& names) {
    return io::Json(io::Json::Array(names.begin(), names.end()));
  };
  json.Set("matches_paper", list(winners.names));
  json.Set("matches_paper_noisy", list(winners.noisy));
  io::Json::Array frontier;
  for (const FrontierPoint& point : points) frontier.push_back(JsonOf(point));
  json.Set("frontier", std::move(frontier));
  io::Json::Array at_budget;
  io::Json::Array with_more_time;
  for (const ZonePoint& zone : zones)
    (zone.slowdown == kChaseSlowdown ? at_budget : with_more_time).push_back(JsonOf(zone));
  json.Set("zones", std::move(at_budget));
  json.Set("zones_with_more_time", std::move(with_more_time));
  return json;
}

std::string VerdictOf(const ChaseWorkload& main, const std::vector<FrontierPoint>& points,
                      const std::vector<ZonePoint>& zones, const Winners& winners, Size size) {
  const FrontierPoint* low = Find(points, main, 0.25);
  const FrontierPoint* high = Find(points, main, 0.3);
  const FrontierPoint* budget = Find(points, main, std::nullopt);
  const auto timing = TimingAt(zones, kChaseSlowdown, false);
  return fmt::format(
      "Published: {} carbon for {} time (ResNet-50 on one A40; its eta is not printed). Ours, {}: {} for {} with eta "
      "0.25, "
      "{} for {} with eta 0.30, {} for {} with a slowdown of at most 2.5 %. Matched or beaten by: {}. Nearly all of it "
      "is "
      "energy: over {} zones timing adds {} points of carbon on average, {} at best.",
      Signed(kPublishedCarbon), Signed(kPublishedTime), NameOf(main.name, main.batch), Signed(low->carbon),
      Signed(low->time), Signed(high->carbon), Signed(high->time), Signed(budget->carbon), Signed(budget->time),
      size == Size::kQuick ? "not judged" : Listed(winners.names), timing.size(), Points(MeanOf(timing)),
      Points(*std::ranges::min_element(timing)));
}

// Leads with energy, since nearly all of the saving is energy.
report::Answer AnswerOf(const ChaseWorkload& main, const std::vector<FrontierPoint>& points,
                        const std::vector<ZonePoint>& zones, const Winners& winners, Size size) {
  const FrontierPoint* budget = Find(points, main, std::nullopt);
  const double timing = MeanOf(TimingAt(zones, kChaseSlowdown, false));
  report::Answer answer{
      fmt::format(
          "For {} of time, power limits change the energy of {} by {} and its carbon by {}; following the carbon "
          "intensity contributes {} points of that, so nearly all of the saving is energy.",
          Signed(budget->time), NameOf(main.name, main.batch), Signed(budget->energy), Signed(budget->carbon),
          Points(timing)),
      {{"energy", Signed(budget->energy), fmt::format("for {} of time", Signed(budget->time))},
       {"carbon", Signed(budget->carbon),
        fmt::format("published: {} for {}", Signed(kPublishedCarbon), Signed(kPublishedTime))},
       {"of it by timing", Points(timing) + " points",
        fmt::format("mean of {} zones", zones.empty() ? 0 : TimingAt(zones, kChaseSlowdown, false).size())},
       {"published figure reached by",
        size == Size::kQuick ? "not judged" : fmt::format("{} workloads", winners.names.size()),
        size == Size::kQuick ? "" : Listed(winners.names)}},
      {"A power limit saves energy at any hour. Most carbon can be saved by choosing when a job starts: see the "
       "policies that wait in `heliostat simulate`."}};
  Judge((budget->energy < 0.0 ? 1 : 0) + (winners.names.empty() ? 0 : 1), 2, size, answer);
  return answer;
}

}  // namespace

Result<Finding> ChaseFinding(const ChaseInput& input, Size size) {
  const ChaseWorkload& main = MainOf(input);
  const auto points = FrontierOf(input, size);
  if (!points) return Propagate(points);
  const auto zones = ZonesOf(input, main, size);
  if (!zones) return Propagate(zones);
  const Winners winners = WinnersOf(input, *points);
  auto frontier = FrontierPicture(input, *points);
  if (!frontier) return Propagate(frontier);
  auto timing = ZonePicture(*zones);
  if (!timing) return Propagate(timing);
  Finding finding{"chase",
                  "Chase: power limits that follow carbon intensity",
                  VerdictOf(main, *points, *zones, winners, size),
                  {},
                  JsonOf(input, *points, *zones, winners),
                  AnswerOf(main, *points, *zones, winners, size)};
  finding.passages.push_back(
      {fmt::format("{} on {}", NameOf(main.name, main.batch), input.trace.front().name),
       fmt::format(
           "{:.0f} h of work at the default limit, a decision every 30 min, starts spread over the trace (means); "
           "forecasts by support vector regression on the day before, carbon by the true intensity. {}",
           kChaseHours,
           input.highest ? "MaxCI is 750 g/kWh, as published." : "MaxCI is the highest intensity of the day before."),
       EtaTable(*points, main),
       {*std::move(frontier)}});
  finding.passages.push_back(
      {"Every workload",
       fmt::format(
           "Matched or beaten at some eta or within the slowdown by: {}. Where the limit hardly matters, or a lower "
           "one was "
           "measured to be over 2 % faster than the default, the change of time is mostly noise; not counted: {}.",
           size == Size::kQuick ? "not judged" : Listed(winners.names),
           size == Size::kQuick ? "not judged" : Listed(winners.noisy)),
       BudgetTable(input, *points, size)});
  finding.passages.push_back(
      {"What timing adds",
       "Slowdown of at most 2.5 %, forecasts of the model auto from the six weeks before, starts spread over a year. "
       "The best constant level (a fixed mixture of two) takes the same time and ignores carbon: the difference is "
       "what timing adds, in points. Swing is the standard deviation of the intensity during a run, divided by its "
       "mean.",
       ZoneTable(*zones),
       {*std::move(timing)}});
  finding.passages.push_back({"Timing with more time", "Means over the zones.", SlackTable(*zones)});
  return finding;
}

}  // namespace heliostat::experiments
