#include "heliostat/model/profile/leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heliostat::profile {
namespace {

struct Errors {
  std::vector<double> speed;
  std::vector<double> power;
  std::size_t speed_kept = 0;
  std::size_t power_kept = 0;

  void Add(const Measurement& predicted, const Measurement& cautious, const Measurement& truth) {
    speed.push_back(std::abs(predicted.per_s / truth.per_s - 1.0));
    speed_kept += truth.per_s >= cautious.per_s ? 1 : 0;
    if (!predicted.power || !truth.power) return;
    power.push_back(std::abs(*predicted.power / *truth.power - 1.0));
    power_kept += *truth.power <= *cautious.power ? 1 : 0;
  }
};

double MeanOf(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double ShareOf(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

LeftOut Summarise(const std::string& gpu, const std::string& model, const Errors& errors) {
  LeftOut row{.gpu = gpu, .model = model, .points = errors.speed.size()};
  row.speed_mape = MeanOf(errors.speed);
  row.speed_median = MedianOf(errors.speed);
  row.speed_kept = ShareOf(errors.speed_kept, errors.speed.size());
  if (!errors.power.empty()) {
    row.power_mape = MeanOf(errors.power);
    row.power_kept = ShareOf(errors.power_kept, errors.power.size());
  }
  return row;
}

}  // namespace

std::vector<LeftOut> LeaveOneOut(std::span<const Measurement> rows, Knowledge knowledge) {
  const Transfer transfer(rows);
  // The empty name, all models, comes first.
  std::map<std::string, std::map<std::string, Errors>> errors;
  for (const Sweep& sweep : transfer.sweeps()) {
    const auto prediction = transfer.PredictWorkload(sweep.workload, sweep.gpu, knowledge);
    if (!prediction) continue;
    const std::vector<Measurement> cautious = Cautious(*prediction);
    for (std::size_t i = 0; i < cautious.size(); ++i) {
      const auto truth = std::ranges::find(sweep.points, cautious[i].knob, &Measurement::knob);
      if (truth == sweep.points.end()) continue;
      for (const std::string& model : {std::string(), sweep.workload.model}) {
        errors[sweep.gpu][model].Add(prediction->points[i], cautious[i], *truth);
      }
    }
  }
  std::vector<LeftOut> table;
  for (const auto& [gpu, models] : errors) {
    for (const auto& [model, found] : models) table.push_back(Summarise(gpu, model, found));
  }
  return table;
}

}  // namespace heliostat::profile
