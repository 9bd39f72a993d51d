#include "heliostat/control/sim/verdict.h"

#include <fmt/format.h>

namespace heliostat::sim {

Eligibility EligibilityOf(const Figures& baseline, const Figures& policy) {
  Eligibility one;
  one.jobs_allowed =
      static_cast<double>(baseline.jobs_late_or_undone) + kMoreJobsAllowed * static_cast<double>(baseline.jobs_total);
  one.keeps_jobs = static_cast<double>(policy.jobs_late_or_undone) <= one.jobs_allowed;
  one.keeps_services = policy.services_broken == 0;
  return one;
}

Verdict Judge(const std::vector<Figures>& figures) {
  Verdict verdict;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    verdict.policies.push_back(EligibilityOf(figures.front(), figures[i]));
    if (!verdict.policies.back().is_eligible()) continue;
    if (!verdict.winner || figures[i].carbon_kg < figures[*verdict.winner].carbon_kg) verdict.winner = i;
  }
  return verdict;
}

std::string RuleOf(const std::string& baseline) {
  return fmt::format(
      "least carbon among the policies with at most {:g} % of the jobs more late or undone than {}, and with every "
      "service within its latency percentile",
      100.0 * kMoreJobsAllowed, baseline);
}

std::string WhyNot(const Verdict& verdict, const std::vector<Figures>& figures, std::size_t policy,
                   const std::string& baseline) {
  const Eligibility& one = verdict.policies[policy];
  std::string text;
  if (!one.keeps_jobs) {
    text = fmt::format("{} jobs are late or undone, under {} it is {}", figures[policy].jobs_late_or_undone, baseline,
                       figures.front().jobs_late_or_undone);
  }
  if (!one.keeps_services) {
    const std::size_t broken = figures[policy].services_broken;
    text += fmt::format("{}{} service{} beyond the latency percentile", text.empty() ? "" : "; ", broken,
                        broken == 1 ? " is" : "s are");
  }
  return text;
}

}  // namespace heliostat::sim
