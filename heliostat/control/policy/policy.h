#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/policy/planning.h"

namespace heliostat::policy {

// Decides what runs where and how. Called when a slot begins, a job comes or goes, a node gets up or fails, and when
// the policy asked to be. Everything it may know is in the observation and in what it was told before; it has no clock,
// no randomness and no files of its own, so that the same calls give the same decisions in every world.
class Policy {
 public:
  virtual ~Policy() = default;
  // `decision` comes empty.
  virtual void Decide(const Observation& observation, Decision& decision) = 0;
  // Where a policy that plans has its plans made; it outlives the policy's use of it. Until this is called they are
  // made in place.
  virtual void PlanWith(Planning& /*planning*/) {}
  // Whether it puts nodes to sleep itself: "+sleep" adds nothing to it then.
  virtual bool MindsNodes() const { return false; }
};

// What users may set. Every policy takes what concerns it.
struct PolicyOptions {
  double eta = 0.5;                        // chase: weight of carbon against time, 0 to 1
  std::optional<double> carbon_budget_kg;  // ca-rm-carbon: for the whole horizon
  double budget_share = 0.75;              // ca-rm-carbon without a budget: of what running at once would emit
  Duration patience{
      std::chrono::hours{24}};  // how long a job without a deadline may be made to wait, beside its length
};

struct Info {
  std::string_view name;
  std::string_view description;  // one line
  std::unique_ptr<Policy> (*make)(const PolicyOptions& options);
  bool in_all = true;  // one of those that users mean by "all"
};

// All policies, in the order in which tables show them.
std::span<const Info> Policies();
// A name of the catalog, or one with "+sleep" after it: the same policy, with idle nodes put to sleep.
Result<std::unique_ptr<Policy>> Make(std::string_view name, const PolicyOptions& options);
// One line on a name that Make() takes.
Result<std::string> Describe(std::string_view name);

}  // namespace heliostat::policy
