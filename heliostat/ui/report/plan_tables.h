#pragma once

#include <string>

#include "heliostat/planning/plan/plan_json.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/plan_figures.h"

namespace heliostat::report {

// A plan and all that is known of it. Points to what its owner keeps.
struct PlanView {
  const scenario::Scenario& scenario;
  const plan::PlanAnswer& answer;  // with a plan
  const PlanFigures& figures;

  const plan::Plan& plan() const { return answer.outcome.plan(); }
  const plan::Score& score() const { return answer.outcome.score(); }
};

// "kg CO2e", "EUR", "reference GPU-hours": what an objective's value is counted in.
std::string UnitOf(plan::Objective objective, const scenario::Scenario& scenario);
// Of performance alone.
std::string PerformanceUnit(const scenario::Scenario& scenario);
// "2 d 4 h", "35 min": two units at most, rounded down.
std::string LengthText(Duration length);
// "4 x 175 W", "2 x 1200 MHz", "1 x default": how many GPUs and how they are set.
std::string SettingText(int gpus, const scenario::GpuSetting& knob);

// Two columns of text: what is proven, and what the plan comes to.
HtmlTable HeadlineTable(const PlanView& view);
HtmlTable GroupTable(const PlanView& view);
HtmlTable ServiceTable(const PlanView& view);
// In the scenario's order, the first `most`.
HtmlTable JobTable(const PlanView& view, std::size_t most);

}  // namespace heliostat::report
