#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// The policies that `simulate` and `demo` compare unless others are asked for: the baseline, the baseline with sleeping
// nodes, and one policy of each kind. Where nodes sleep under the baseline, they sleep under all.
std::vector<std::string> StandardPolicies(const std::string& baseline = "run-now");
// The baseline for a scenario: the policy that it names, as-recorded if its jobs have a record, else run-now.
std::string BaselineFor(const scenario::Scenario& scenario);

// The policies of a list such as "run-now,edf+sleep"; "standard" and "all" are lists, too. Fails for unknown, empty and
// repeated names, with an error at --policies.
Result<std::vector<std::string>> PoliciesOf(const std::string& list);

// Compares the policies and shows the progress on stderr: a line when a policy is done, and a bar. Lines begin with
// `about`, if there is some.
Result<sim::Comparison> CompareAloud(const scenario::Scenario& scenario, sim::Foresight& foresight,
                                     const sim::CompareOptions& wanted, const Options& options,
                                     const std::string& about = {});

}  // namespace heliostat::cli
