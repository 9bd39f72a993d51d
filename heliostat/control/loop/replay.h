#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/control/policy/policy.h"

namespace heliostat::loop {

// What came of asking a policy again.
struct Replayed {
  struct Difference {
    std::size_t step = 0;  // counted from 1
    Instant now;
    std::string recorded;  // the decisions as one line of JSON each
    std::string replayed;
  };
  std::string policy;
  std::size_t steps = 0;                   // compared, the different one included
  std::optional<Difference> difference{};  // the first
};

using PolicyMaker =
    std::function<Result<std::unique_ptr<policy::Policy>>(std::string_view, const policy::PolicyOptions&)>;

// Shows the policy that a decision log names, or the one that `make` gives for it, every observation of the log in turn
// and compares its decisions with those on record, to the letter. Stops at the first that differs.
Result<Replayed> Replay(const std::string& path, const PolicyMaker& make = policy::Make);

}  // namespace heliostat::loop
