#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// A policy may win although it leaves this share of all jobs late or undone in addition to those of the baseline.
inline constexpr double kMoreJobsAllowed = 0.005;

// Whether one policy may win a comparison.
struct Eligibility {
  double jobs_allowed = 0.0;  // late or undone: as many as under the baseline, and kMoreJobsAllowed of all jobs
  bool keeps_jobs = true;
  bool keeps_services = true;  // each service has at most the share of late requests that its percentile allows

  bool is_eligible() const { return keeps_jobs && keeps_services; }
};

// `baseline` is the first policy of the comparison; it always keeps its own jobs.
Eligibility EligibilityOf(const Figures& baseline, const Figures& policy);

// The winner of a comparison: the eligible policy with the least carbon.
struct Verdict {
  std::vector<Eligibility> policies;  // one per policy
  std::optional<std::size_t> winner;  // the earliest among equals; nothing when no policy is eligible

  // The policy to present: the winner or, without one, the baseline.
  std::size_t shown() const { return winner.value_or(0); }
};
// All pages, tables and documents take the winner from here. `figures` must not be empty.
Verdict Judge(const std::vector<Figures>& figures);

// The rule in one sentence without a full stop, for this baseline.
std::string RuleOf(const std::string& baseline);
// Why a policy is not eligible, such as "12 jobs are late or undone, under run-now it is 3"; empty when it is eligible.
std::string WhyNot(const Verdict& verdict, const std::vector<Figures>& figures, std::size_t policy,
                   const std::string& baseline);

}  // namespace heliostat::sim
