#include "heliostat/ui/experiments/case.h"

#include <fmt/format.h>

namespace heliostat::experiments {

std::string NameOf(const Sight& sight) {
  switch (sight.kind) {
    case Sight::Kind::kForecast:
      return "forecast";
    case Sight::Kind::kSignals:
      return "signals";
    case Sight::Kind::kPerfect:
      return "perfect";
    case Sight::Kind::kDisturbed:
      return fmt::format("error {}", sight.error);
  }
  return "";
}

std::string Describe(const Case& one) {
  const workload::ScenarioRecipe& recipe = one.recipe;
  const Labels& labels = one.labels;
  std::string text = fmt::format("{}|{}|{}|{}|{}|{}|{}", labels.study, labels.place, labels.season, labels.supply,
                                 labels.slack, labels.load, labels.variant);
  text += fmt::format("|start {} step {} slots {} seed {} pue {} performance {}", FormatInstant(recipe.start),
                      recipe.step.count(), recipe.slots, recipe.seed, recipe.pue, static_cast<int>(recipe.performance));
  for (const workload::Hardware& group : recipe.hardware) {
    text += fmt::format("|{}:{}x{}", group.gpu, group.nodes, group.gpus_per_node);
  }
  text += fmt::format("|prices {} on-site {} share {} g {}", recipe.has_prices, NameOf(recipe.on_site),
                      recipe.renewable_share, recipe.renewable_carbon_g_per_kwh);
  text += fmt::format("|load {} jobs {} slack {} best effort {} one piece {} elasticity {} resume {} feasible {}",
                      recipe.load.value_or(-1.0), recipe.jobs.value_or(0), recipe.slack, recipe.best_effort,
                      recipe.in_one_piece, recipe.elasticity, recipe.resume.count(), recipe.has_feasible_deadlines);
  text += fmt::format("|knobs {} margin {} services {} serving {} wake {} bound {}", recipe.knob_steps,
                      static_cast<int>(recipe.margin), recipe.services, recipe.serving_share, one.wake_cost,
                      one.with_bound);
  for (const Entrant& entry : one.entries) text += fmt::format("|{} by {}", entry.policy, NameOf(entry.sight));
  return text;
}

}  // namespace heliostat::experiments
