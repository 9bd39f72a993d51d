#include "heliostat/ui/experiments/chase_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {
namespace {

constexpr std::array kEtas{0.0, 0.1, 0.2, 0.24, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
constexpr std::array kSlowdowns{kChaseSlowdown, 0.05, 0.1, 0.2};
constexpr double kZoneEta = 0.3;
constexpr std::size_t kPeriods = 64;     // a run that takes a third longer still ends inside
constexpr std::size_t kStartsEvery = 5;  // periods of the trace
constexpr Duration kDay = std::chrono::days{1};
constexpr Duration kLearning = std::chrono::days{42};
constexpr int kZoneStarts = 24;

level_control::Settings SettingsOf(const ChaseWorkload& workload, double highest, std::optional<double> eta,
                                   double slowdown) {
  level_control::Settings settings;
  settings.mode = eta ? level_control::Mode::kEta : level_control::Mode::kBudget;
  settings.eta = eta.value_or(0.0);
  if (!eta) settings.max_slowdown = slowdown;
  settings.most_power = Watts{workload.options.back().level};
  settings.highest_cost = GramsPerKwh(highest).value;
  settings.period = kChasePeriod;
  return settings;
}

double WorkOf(const ChaseWorkload& workload) { return kChaseHours * 3600.0 * workload.options.back().speed; }

ChaseRun DefaultRun(const ChaseWindow& window, const ChaseWorkload& workload) {
  const level_control::LevelOption& usual = workload.options.back();
  return RunConstant(window, usual.speed, usual.power, WorkOf(workload));
}

// Means over windows.
struct Changes {
  double carbon = 0.0;
  double time = 0.0;
  double energy = 0.0;

  void Add(const ChaseRun& run, const ChaseRun& usual, double weight) {
    carbon += weight * (run.carbon_g / usual.carbon_g - 1.0);
    time += weight * (run.seconds / usual.seconds - 1.0);
    energy += weight * (run.joules / usual.joules - 1.0);
  }
};

Result<std::vector<ChaseWindow>> TraceWindows(const signal::Signal& trace, std::optional<double> highest, Size size) {
  std::vector<ChaseWindow> windows;
  const auto day = static_cast<std::size_t>(kDay / kChasePeriod);
  const std::size_t every = size == Size::kQuick ? 6 * kStartsEvery : kStartsEvery;
  for (std::size_t first = day; first + kPeriods <= trace.series.size(); first += every) {
    auto window = LookAt(trace, trace.series.TimeOf(first), kPeriods, "svr", kDay);
    if (!window) return Propagate(window);
    if (highest) window->highest = *highest;
    windows.push_back(*std::move(window));
  }
  if (windows.empty()) {
    return Fail(ErrorCode::kInvalidArgument, trace.name, "is too short for a run", "two and a half days at least");
  }
  return windows;
}

Result<FrontierPoint> PointOf(const ChaseWorkload& workload, const std::vector<ChaseWindow>& windows,
                              std::optional<double> eta) {
  Changes changes;
  for (const ChaseWindow& window : windows) {
    const auto run =
        Replay(window, workload.options, SettingsOf(workload, window.highest, eta, kChaseSlowdown), WorkOf(workload));
    if (!run) return Propagate(run);
    changes.Add(*run, DefaultRun(window, workload), 1.0 / static_cast<double>(windows.size()));
  }
  return FrontierPoint{workload.name, workload.batch, eta, changes.carbon, changes.time, changes.energy};
}

// Starts of a zone's last year, two weeks apart, at all times of the day.
std::vector<Instant> StartsOf(const signal::StepSeries& series, Size size) {
  const Instant last = series.end() - kChasePeriod * static_cast<std::int64_t>(kPeriods);
  const int count = size == Size::kQuick ? 2 : kZoneStarts;
  std::vector<Instant> starts;
  for (int i = 0; i < count; ++i) {
    const auto back = std::chrono::hours{24 * 15 * (kZoneStarts - 1 - i) + (7 * i) % 24};
    const Instant start = last - back;
    if (start - kLearning >= series.start()) starts.push_back(start);
  }
  return starts;
}

double SwingOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

// The same stretch of time as seen by our forecasts, Chase's and one that knows.
struct Views {
  ChaseWindow ours;
  ChaseWindow chases;
  ChaseWindow perfect;
};
Result<std::vector<Views>> ViewsOf(const signal::Signal& zone, Size size) {
  std::vector<Views> all;
  for (const Instant start : StartsOf(zone.series, size)) {
    auto ours = LookAt(zone, start, kPeriods, "auto", kLearning);
    if (!ours) return Propagate(ours);
    auto chases = LookAt(zone, start, kPeriods, "svr", kDay);
    if (!chases) return Propagate(chases);
    auto perfect = LookAt(zone, start, kPeriods, "perfect", kDay);
    if (!perfect) return Propagate(perfect);
    all.push_back({*std::move(ours), *std::move(chases), *std::move(perfect)});
  }
  return all;
}

Result<ZonePoint> PointOf(const std::string& zone, const std::vector<Views>& views, const ChaseWorkload& workload,
                          double slowdown) {
  ZonePoint point;
  point.zone = zone;
  point.slowdown = slowdown;
  const double work = WorkOf(workload);
  for (const Views& view : views) {
    const double weight = 1.0 / static_cast<double>(views.size());
    const auto budget = SettingsOf(workload, view.ours.highest, std::nullopt, slowdown);
    const auto ours = Replay(view.ours, workload.options, budget, work);
    if (!ours) return Propagate(ours);
    const auto perfect = Replay(view.perfect, workload.options, budget, work);
    if (!perfect) return Propagate(perfect);
    const auto eta =
        Replay(view.chases, workload.options, SettingsOf(workload, view.chases.highest, kZoneEta, 0.0), work);
    if (!eta) return Propagate(eta);
    const ChaseRun usual = DefaultRun(view.ours, workload);
    const ChaseRun constant = BestConstant(view.ours, workload.options, work, ours->seconds);
    const ChaseRun eta_constant = BestConstant(view.ours, workload.options, work, eta->seconds);
    const auto change = [&usual](const ChaseRun& run) { return run.carbon_g / usual.carbon_g - 1.0; };
    point.carbon += weight * change(*ours);
    point.time += weight * (ours->seconds / usual.seconds - 1.0);
    point.constant_carbon += weight * change(constant);
    point.perfect_carbon += weight * change(*perfect);
    point.eta_carbon += weight * change(*eta);
    point.eta_time += weight * (eta->seconds / usual.seconds - 1.0);
    point.eta_constant_carbon += weight * change(eta_constant);
    point.swing += weight * SwingOf(view.ours.truth);
    point.timing.push_back(change(*ours) - change(constant));
  }
  return point;
}

}  // namespace

Result<std::vector<FrontierPoint>> FrontierOf(const ChaseInput& input, Size size) {
  const auto windows = TraceWindows(input.trace.front(), input.highest, size);
  if (!windows) return Propagate(windows);
  std::vector<FrontierPoint> points;
  for (const ChaseWorkload& workload : input.workloads) {
    std::vector<std::optional<double>> etas(kEtas.begin(), kEtas.end());
    etas.emplace_back(std::nullopt);
    for (const std::optional<double>& eta : etas) {
      auto point = PointOf(workload, *windows, eta);
      if (!point) return Propagate(point);
      points.push_back(*std::move(point));
    }
  }
  return points;
}

Result<std::vector<ZonePoint>> ZonesOf(const ChaseInput& input, const ChaseWorkload& workload, Size size) {
  std::vector<ZonePoint> points;
  for (const signal::Signal& zone : input.zones) {
    const auto views = ViewsOf(zone, size);
    if (!views) return Propagate(views);
    if (views->empty()) continue;
    for (const double slowdown : kSlowdowns) {
      auto point = PointOf(zone.name, *views, workload, slowdown);
      if (!point) return Propagate(point);
      points.push_back(*std::move(point));
    }
  }
  return points;
}

}  // namespace heliostat::experiments
