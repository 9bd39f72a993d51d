#include <algorithm>
#include <set>

#include "heliostat/control/policy/calendar_policy.h"

namespace heliostat::policy {
namespace {

// An increase of the workers in one slot, and the samples, power and carbon that it adds.
struct Step {
  double samples_per_gram = 0.0;
  std::size_t slot = 0;
  int from = 0;
  int to = 0;
  double samples_per_s = 0.0;
  double watts = 0.0;
};

// After CarbonScaler (Hanafy et al. 2023): adds workers in the slots where one more gives the most work per carbon,
// until the job would be done. Optimal for a single job with diminishing returns of workers.
class CarbonScaler : public CalendarPolicy {
 public:
  using CalendarPolicy::CalendarPolicy;

 protected:
  Calendar Plan(const CalendarRequest& request) const override {
    const RunSetting most = *request.choices.Default(request.group);
    if (!request.job.asked.preemptible) {
      return CheapestWindow(request, CarbonOf(request), request.choices.At(most).workers);
    }
    std::vector<Step> steps = StepsOf(request);
    // The most samples per gram first. The steps of one slot stay in order, because each gives less than the one before
    // or is merged with it.
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.samples_per_gram > b.samples_per_gram; });
    const double rate = request.choices.At(most).samples_per_s;
    double missing = request.need.count() * rate;
    Calendar calendar(request.slots, 0);
    for (const Step& step : steps) {
      if (missing <= 0.0) break;
      if (calendar[step.slot] != step.from) continue;
      calendar[step.slot] = step.to;
      missing -= step.samples_per_s * (step.slot == 0 ? request.left : request.step).count();
    }
    return calendar;
  }

 private:
  // Merges the last step with the one before it while it gives more samples per gram.
  static void MergeLast(std::vector<Step>& steps) {
    while (steps.size() > 1) {
      const Step last = steps.back();
      Step& before = steps[steps.size() - 2];
      if (before.slot != last.slot || before.samples_per_gram >= last.samples_per_gram) return;
      const double intensity = last.samples_per_s / (last.watts * last.samples_per_gram);
      before.to = last.to;
      before.samples_per_s += last.samples_per_s;
      before.watts += last.watts;
      before.samples_per_gram = before.samples_per_s / (before.watts * intensity);
      steps.pop_back();
    }
  }

  static std::vector<Step> StepsOf(const CalendarRequest& request) {
    std::set<int> counts;
    for (const std::size_t p : request.choices.In(request.group)) {
      counts.insert(request.choices.At({request.group, p}).workers);
    }
    std::vector<Step> steps;
    for (std::size_t slot = 0; slot < request.slots; ++slot) {
      const double intensity = std::max(1e-12, request.forecast.carbon[slot].value);
      int from = 0;
      double speed = 0.0;
      double watts = 0.0;
      for (const int to : counts) {
        const scenario::TrainingPoint& point = request.choices.At(*request.choices.Default(request.group, to));
        const double faster = point.samples_per_s - speed;
        const double more = std::max(1e-9, point.power.value - watts);
        if (faster <= 0.0) continue;
        steps.push_back({faster / (more * intensity), slot, from, to, faster, more});
        MergeLast(steps);
        from = to;
        speed = point.samples_per_s;
        watts = point.power.value;
      }
    }
    return steps;
  }
};

}  // namespace

Info CarbonScalerPolicy() {
  return {
      "carbon-scaler", "each job's workers in the slots where one more gives the most work per carbon",
      [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<CarbonScaler>(options); }};
}

}  // namespace heliostat::policy
