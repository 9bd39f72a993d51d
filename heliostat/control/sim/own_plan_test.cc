// In a world that places jobs where a plan says, and where nothing can surprise, a plan is followed to the letter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

scenario::Shape AnyShape() {
  scenario::Shape shape;
  shape.seed = *rc::gen::inRange<std::uint64_t>(1, 100000);
  shape.jobs = *rc::gen::inRange<std::size_t>(1, 10);
  shape.slots = *rc::gen::inRange<std::size_t>(24, 40);
  shape.gpus = *rc::gen::element(16, 32);
  shape.groups = *rc::gen::inRange<std::size_t>(1, 3);
  shape.services = *rc::gen::inRange<std::size_t>(0, 2);
  shape.load = *rc::gen::element(0.1, 0.3);
  shape.points_per_worker_count = 4;
  return shape;
}

RC_GTEST_PROP(OwnPlan, IsFollowedToTheLetterWhenAllIsKnown, ()) {
  const scenario::Scenario scenario = scenario::Generate(AnyShape());
  const std::string name = *rc::gen::element<std::string>("ca-rm-performance", "ca-rm-ppc", "ce-dla-drs");
  const auto policy = policy::Make(name, {});
  const auto foresight = PerfectForesight(scenario);
  const SimulatedRun run = Simulate(scenario, **policy, *foresight, {});
  // A plan that gives up deadlines is followed, too, but it does not keep them.
  RC_PRE(!(*policy)->Plans().does_first_miss);
  // A job whose last second is rounded may need another plan; that is rare.
  RC_ASSERT(run.plans <= 2);
  const auto value = [&](const account::Balance& balance) {
    return name == "ce-dla-drs" ? balance.cost : InKilograms(balance.carbon);
  };
  RC_ASSERT(value(run.total) <= value(*run.own_plan) + 0.01 * std::abs(value(*run.own_plan)) + 1e-6);
  RC_ASSERT(FiguresOf(scenario, run).deadline_misses == 0U);
}

}  // namespace
}  // namespace heliostat::sim
