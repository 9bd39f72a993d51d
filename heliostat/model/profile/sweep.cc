#include "heliostat/model/profile/sweep.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heliostat::profile {

Workload WorkloadOf(const Measurement& row) { return {row.model, row.is_training, row.workers, row.batch}; }

double SettingOf(const scenario::GpuSetting& knob) {
  return knob.power_limit_w ? *knob.power_limit_w : knob.core_mhz.value_or(0.0);
}

std::vector<Sweep> SweepsOf(std::span<const Measurement> rows) {
  // A workload measured by limit and by clock gives two sweeps.
  std::map<std::tuple<std::string, bool, int, int, std::string, bool>, Sweep> found;
  for (const Measurement& row : rows) {
    Sweep& sweep =
        found[{row.model, row.is_training, row.batch, row.workers, row.gpu, row.knob.power_limit_w.has_value()}];
    sweep.workload = WorkloadOf(row);
    sweep.gpu = row.gpu;
    sweep.points.push_back(row);
  }
  std::vector<Sweep> sweeps;
  for (auto& [key, sweep] : found) {
    std::ranges::stable_sort(sweep.points, {}, [](const Measurement& row) { return SettingOf(row.knob); });
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

SweepFit FitSweep(const Sweep& sweep) {
  std::vector<double> settings;
  std::vector<double> watts;
  std::vector<double> seconds;
  for (const Measurement& row : sweep.points) {
    if (!row.power || SettingOf(row.knob) <= 0.0) return {};
    settings.push_back(SettingOf(row.knob));
    watts.push_back(row.power->value / row.workers);
    seconds.push_back(1.0 / row.per_s);
  }
  SweepFit fit;
  if (sweep.top().knob.power_limit_w) {
    fit.limit = FitLimit(settings, watts, seconds);
  } else {
    for (double& setting : settings) setting /= SettingOf(sweep.top().knob);
    fit.power = FitPower(settings, watts);
    fit.time = FitTime(settings, seconds);
  }
  return fit;
}

std::vector<ScalingFit> FitScalings(std::span<const Sweep> sweeps) {
  struct Runs {
    std::vector<int> workers;
    std::vector<double> speeds;
  };
  std::map<std::tuple<std::string, std::string, int>, Runs> found;
  for (const Sweep& sweep : sweeps) {
    Runs& runs = found[{sweep.workload.model, sweep.gpu, sweep.workload.batch}];
    runs.workers.push_back(sweep.workload.workers);
    runs.speeds.push_back(sweep.top().per_s);
  }
  std::vector<ScalingFit> fits;
  for (const auto& [key, runs] : found) {
    const auto fit = FitScaling(runs.workers, runs.speeds);
    if (fit) fits.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), *fit});
  }
  return fits;
}

}  // namespace heliostat::profile
