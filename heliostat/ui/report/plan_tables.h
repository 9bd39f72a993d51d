#pragma once

#include <string>

#include "heliostat/planning/plan/plan_json.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/plan_figures.h"

namespace heliostat::report {

// A plan with its scenario and figures. Holds references; their owners must outlive it.
struct PlanView {
  const scenario::Scenario& scenario;
  const plan::PlanAnswer& answer;  // must have a plan
  const PlanFigures& figures;

  const plan::Plan& plan() const { return answer.outcome.plan(); }
  const plan::Score& score() const { return answer.outcome.score(); }
};

// The unit of an objective's value: "kg CO2e", "EUR", "reference GPU-hours".
std::string UnitOf(plan::Objective objective, const scenario::Scenario& scenario);
// The unit of performance.
std::string PerformanceUnit(const scenario::Scenario& scenario);
// "2 d 4 h", "35 min": two units at most, rounded down.
std::string LengthText(Duration length);
// "4 x 175 W", "2 x 1200 MHz", "1 x default": the number of GPUs and their setting.
std::string SettingText(int gpus, const scenario::GpuSetting& knob);

// "118 of 118 on time; 2 without a deadline, 1 done"; "none" without jobs.
std::string JobsText(const PlanView& view);

// Two columns of text: status, objective, search and totals of the plan.
HtmlTable HeadlineTable(const PlanView& view);
HtmlTable GroupTable(const PlanView& view);
HtmlTable ServiceTable(const PlanView& view);
// The id of a job's row in JobTable().
std::string JobRowId(std::size_t job);
// The first `most` jobs, in the order of the scenario.
HtmlTable JobTable(const PlanView& view, std::size_t most);

}  // namespace heliostat::report
