#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "heliostat/control/policy/policy.h"

namespace heliostat::loop {

// The result of a replay.
struct Replayed {
  struct Difference {
    std::size_t step = 0;  // counted from 1
    Instant now;
    std::string recorded;  // both decisions as one line of JSON
    std::string replayed;
  };
  std::string policy;
  std::size_t steps = 0;                   // compared, including the one that differs
  std::optional<Difference> difference{};  // the first, if any
};

// Makes a policy by its name and options.
using PolicyMaker =
    std::function<Result<std::unique_ptr<policy::Policy>>(std::string_view, const policy::PolicyOptions&)>;

// Runs a policy on every observation of a decision log in turn and compares its decisions with the recorded ones, text
// by text. `make` makes the policy from the name and options in the log. Stops at the first difference. Fails when the
// log cannot be read.
Result<Replayed> Replay(const std::string& path, const PolicyMaker& make = policy::Make);

}  // namespace heliostat::loop
