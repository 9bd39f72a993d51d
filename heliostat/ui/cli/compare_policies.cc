#include "heliostat/ui/cli/compare_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "heliostat/base/core/split.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/progress_bar.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

// All policies of the catalog that "all" means, and the baseline with sleeping nodes after the baseline.
std::vector<std::string> WholeCatalog() {
  std::vector<std::string> names;
  for (const policy::Info& info : policy::Policies()) {
    if (!info.in_all) continue;
    names.emplace_back(info.name);
    if (names.size() == 1) names.push_back(sim::WithSleep(names.front()));
  }
  return names;
}

// Shows a comparison on stderr. Not thread-safe: a comparison makes one call at a time.
class ComparisonProgress : public sim::ComparisonListener {
 public:
  ComparisonProgress(std::string about, bool is_quiet) : about_(std::move(about)), bar_("simulating", 1, is_quiet) {}
  void Advanced(std::optional<double> share, const std::string& doing) override {
    share_ = share.value_or(share_);
    bar_.Show(share_, about_ + doing + (share ? bar_.TimeLeft(*share) : ""));
  }
  void Finished(const sim::SimulatedRun& run, const sim::Figures& figures) override {
    bar_.Say(fmt::format("{}{}: {} kg CO2e, {} of {} jobs done, {} late, in {:.1f} s", about_, run.policy,
                         report::NumberText(figures.carbon_kg, 4), figures.jobs_completed, figures.jobs_total,
                         figures.deadline_misses, figures.wall_s));
  }

 private:
  std::string about_;
  ProgressBar bar_;
  double share_ = 0.0;  // the last one known
};

}  // namespace

std::vector<std::string> StandardPolicies(const std::string& baseline) {
  const bool sleeps = sim::WithSleep(baseline) == baseline;
  std::vector<std::string> names{baseline};
  if (!sleeps) names.push_back(sim::WithSleep(baseline));
  for (const char* name : {"wait-awhile", "carbon-scaler"}) names.push_back(sleeps ? sim::WithSleep(name) : name);
  names.emplace_back("ca-rm-ppc");
  return names;
}

std::string BaselineFor(const scenario::Scenario& scenario) {
  if (!scenario.baseline.empty()) return scenario.baseline;
  const bool has_record = std::ranges::any_of(scenario.jobs, [](const auto& job) { return job.recorded.has_value(); });
  return has_record ? "as-recorded" : "run-now";
}

Result<std::vector<std::string>> PoliciesOf(const std::string& list) {
  if (list == "standard") return StandardPolicies();
  if (list == "all") return WholeCatalog();
  std::vector<std::string> names = SplitAtCommas(list);
  std::set<std::string> known;
  for (const std::string& name : names) {
    if (name.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "--policies", "has an empty name",
                  "names separated by commas, standard or all");
    }
    if (const auto found = AtFlags(policy::Describe(name), {{"policy", "--policies"}}); !found) return Propagate(found);
    if (known.insert(name).second) continue;
    return Fail(ErrorCode::kInvalidArgument, "--policies", fmt::format("names {} twice", name), "each policy once");
  }
  return names;
}

Result<sim::Comparison> CompareAloud(const scenario::Scenario& scenario, sim::Foresight& foresight,
                                     const sim::CompareOptions& wanted, const Options& options,
                                     const std::string& about) {
  ComparisonProgress progress(about, options.quiet);
  return sim::Compare(scenario, foresight, wanted, &progress);
}

}  // namespace heliostat::cli
