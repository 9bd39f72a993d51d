#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/policy/planning.h"
#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::policy {

// Decides which jobs and services run, where and how. The loop calls it when a slot begins, a job arrives or ends, a
// node comes up or fails, and at Decision::call_again. Its only inputs are the observations so far. It uses no clock,
// no randomness and no files, so the same calls give the same decisions in every world. Not thread-safe.
class Policy {
 public:
  virtual ~Policy() = default;
  // Adds orders to `decision`, which is empty at the call.
  virtual void Decide(const Observation& observation, Decision& decision) = 0;
  // Sets where a policy makes its plans. The caller owns `planning`, which must outlive the policy. Without this call
  // the policy makes plans in place.
  virtual void PlanWith(Planning& /*planning*/) {}
  // Whether the policy itself puts nodes to sleep. "+sleep" has no effect then.
  virtual bool MindsNodes() const { return false; }
  // Whether it plans all work again and again, which takes most of the time of a simulation.
  virtual bool Replans() const { return false; }
  // What a policy that plans has planned so far.
  struct PlanRecord {
    int plans = 0;                            // that it has taken up
    std::optional<account::Balance> first{};  // what the first of them expects, from its slot on
    bool does_first_miss = false;             // whether the first gives up deadlines
  };
  virtual PlanRecord Plans() const { return {}; }
  // When a job that waits is to start, as far as the policy has decided that already.
  virtual std::optional<Instant> PlannedStart(JobId /*job*/) const { return std::nullopt; }
};

// What users may set. Each policy uses the options that concern it.
struct PolicyOptions {
  double eta = 0.5;                        // chase: weight of carbon against time, 0 to 1
  std::optional<double> carbon_budget_kg;  // ca-rm-carbon: for the whole horizon
  double budget_share = 0.75;              // ca-rm-carbon without a budget: share of the carbon without a carbon price
  Duration patience{std::chrono::hours{24}};  // how long a job without a deadline may wait
  // Policies that plan: a new plan after every arrival, each from a long search of its own. It takes many times as long
  // and shows what the search itself costs.
  bool plans_afresh = false;
};

// An entry of the catalog.
struct Info {
  std::string_view name;
  std::string_view description;  // one line for users
  std::unique_ptr<Policy> (*make)(const PolicyOptions& options);
  bool in_all = true;  // included when users ask for "all"
};

// All policies, in the order in which tables show them.
std::span<const Info> Policies();
// Makes a policy by its name in the catalog. With "+sleep" after the name, idle nodes sleep; with "+afresh", a policy
// that plans has PolicyOptions::plans_afresh. Fails with the allowed names when there is no such policy.
Result<std::unique_ptr<Policy>> Make(std::string_view name, const PolicyOptions& options);
// The description of a policy, by a name that Make() accepts.
Result<std::string> Describe(std::string_view name);

}  // namespace heliostat::policy
