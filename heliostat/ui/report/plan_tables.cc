#include "heliostat/ui/report/plan_tables.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "heliostat/ui/report/axis.h"

namespace heliostat::report {
namespace {

constexpr int kDigits = 4;  // significant digits

std::string Kwh(Joules energy) { return NumberText(InKilowattHours(energy), kDigits) + " kWh"; }

std::string Percent(double share) {
  const double percent = share * 100;
  return percent > 0.0 && percent < 0.001 ? "0.001 %" : NumberText(percent, 2) + " %";
}

std::string StatusText(const plan::Outcome& outcome) {
  const std::string_view name = NameOf(outcome.status);
  if (outcome.status == plan::Termination::kBestEffort) {
    return fmt::format("{}: misses {} deadline{}, keeps every other limit", name, outcome.missed.size(),
                       outcome.missed.size() == 1 ? "" : "s");
  }
  if (!std::isfinite(outcome.gap()) || !std::isfinite(outcome.bound)) {
    return fmt::format("{}: meets every limit; better plans may exist", name);
  }
  if (outcome.gap() <= 0.0) return fmt::format("{}: proven, no plan is better", name);
  return fmt::format("{}: proven, no plan is better by more than {}", name, Percent(outcome.gap()));
}

std::string ObjectiveText(const PlanView& view) {
  const auto objective = plan::ParseObjective(view.answer.objective);
  if (!objective) return view.answer.objective;
  std::string text =
      fmt::format("{}: {} {}", view.answer.objective, NumberText(ValueOf(*objective, view.score()), kDigits),
                  UnitOf(*objective, view.scenario));
  if (!std::isfinite(view.answer.outcome.bound)) return text;
  return text + fmt::format("; bound {}, gap {}", NumberText(view.answer.outcome.bound, kDigits),
                            Percent(view.answer.outcome.gap()));
}

std::string RenewableText(const PlanView& view) {
  if (view.figures.renewable_kwh <= 0.0) return "none on site";
  const double share = InKilowattHours(view.score().total.renewable_used) / view.figures.renewable_kwh;
  return fmt::format("{} used, {} of the {} kWh that were available", Kwh(view.score().total.renewable_used),
                     Percent(share), NumberText(view.figures.renewable_kwh, kDigits));
}

// On one line, without breaks.
std::string TimeText(const std::optional<Instant>& t) {
  std::string unbroken;
  for (const char c : t ? ShortTime(*t) : std::string("-")) unbroken += c == ' ' ? "\u00a0" : std::string(1, c);
  return unbroken;
}

std::string SearchText(const plan::PlanAnswer& answer) {
  const std::string how = answer.solver == "price"   ? "by prices of energy and GPUs"
                          : answer.solver == "exact" ? "by a mixed-integer programme"
                                                     : answer.solver;
  return fmt::format("{}, {:.2f} s", how, answer.solve_s);
}

std::string SpareText(const scenario::Job& job, const PlanFigures::Job& figures) {
  if (!job.deadline) return figures.finish ? "no deadline" : fmt::format("{} done", Percent(figures.done_share));
  if (figures.is_late(job)) return "late";
  return LengthText(*figures.spare);
}

}  // namespace

std::string PerformanceUnit(const scenario::Scenario& scenario) {
  return scenario.performance == scenario::Performance::kHeadroom ? "of 1, headroom" : "reference GPU-hours";
}

std::string UnitOf(plan::Objective objective, const scenario::Scenario& scenario) {
  switch (objective) {
    case plan::Objective::kMinCarbon:
      return "kg CO2e";
    case plan::Objective::kMaxPerformance:
      return PerformanceUnit(scenario);
    case plan::Objective::kMaxPpc:
      return "per kg CO2e";
    case plan::Objective::kMinCost:
      return std::string(scenario.currency.code());
    case plan::Objective::kMinEnergy:
      return "kWh";
  }
  return "";
}

std::string LengthText(Duration length) {
  struct Unit {
    std::int64_t seconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> kUnits{{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  std::int64_t left = length.count();
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (left < kUnits[i].seconds) continue;
    std::string text = fmt::format("{} {}", left / kUnits[i].seconds, kUnits[i].name);
    left %= kUnits[i].seconds;
    if (i + 1 < kUnits.size() && left >= kUnits[i + 1].seconds) {
      text += fmt::format(" {} {}", left / kUnits[i + 1].seconds, kUnits[i + 1].name);
    }
    return text;
  }
  return "0 s";
}

std::string SettingText(int gpus, const scenario::GpuSetting& knob) {
  std::string text = fmt::format("{} x", gpus);
  if (knob.power_limit_w) text += fmt::format(" {:g} W", *knob.power_limit_w);
  if (knob.core_mhz) text += fmt::format(" {:g} MHz", *knob.core_mhz);
  return knob == scenario::GpuSetting{} ? text + " default" : text;
}

std::string JobsText(const PlanView& view) {
  std::size_t due = 0;
  std::size_t late = 0;
  std::size_t free = 0;
  std::size_t free_done = 0;
  for (std::size_t i = 0; i < view.figures.jobs.size(); ++i) {
    const scenario::Job& job = view.scenario.jobs[i];
    const PlanFigures::Job& figures = view.figures.jobs[i];
    due += job.deadline ? 1 : 0;
    late += figures.is_late(job) ? 1 : 0;
    free += job.deadline ? 0 : 1;
    free_done += !job.deadline && figures.finish ? 1 : 0;
  }
  std::string text = due > 0 ? fmt::format("{} of {} on time", due - late, due) : "";
  if (free > 0) text += fmt::format("{}{} without a deadline, {} done", due > 0 ? "; " : "", free, free_done);
  return text.empty() ? "none" : text;
}

HtmlTable HeadlineTable(const PlanView& view) {
  const account::Balance& total = view.score().total;
  HtmlTable table{.header = {"", ""}, .rows = {}, .text_columns = 2};
  const auto add = [&](std::string label, std::string text) {
    table.rows.push_back({std::move(label), std::move(text)});
  };
  add("status", StatusText(view.answer.outcome));
  add("objective", ObjectiveText(view));
  add("search", SearchText(view.answer));
  // A plan that misses deadlines has its reasons with the jobs.
  const bool has_note = !view.answer.outcome.reason.empty() && view.answer.outcome.missed.empty();
  if (has_note) add("note", view.answer.outcome.reason);
  add("carbon", NumberText(view.score().carbon_kg(), kDigits) + " kg CO2e");
  if (!view.scenario.price_per_kwh.empty()) {
    add("cost", fmt::format("{} {}", NumberText(total.cost, kDigits), view.scenario.currency.code()));
  }
  add("energy", fmt::format("{}, of it {} from the grid", Kwh(total.facility), Kwh(total.grid)));
  add("renewable", RenewableText(view));
  add("performance",
      fmt::format("{} {}", NumberText(view.score().performance, kDigits), PerformanceUnit(view.scenario)));
  add("per carbon",
      fmt::format("{} {} per kg CO2e", NumberText(view.score().ppc(), kDigits),
                  view.scenario.performance == scenario::Performance::kHeadroom ? "of headroom"
                                                                                : PerformanceUnit(view.scenario)));
  return table;
}

HtmlTable GroupTable(const PlanView& view) {
  HtmlTable table{.header = {"group", "GPU", "nodes", "mean on", "most on", "wake-ups"}, .rows = {}, .text_columns = 2};
  for (std::size_t g = 0; g < view.figures.groups.size(); ++g) {
    const scenario::Group& group = view.scenario.groups[g];
    const PlanFigures::Group& figures = view.figures.groups[g];
    table.rows.push_back({Printable(group.name, 40), Printable(group.gpu, 40), fmt::format("{}", group.nodes),
                          fmt::format("{:.1f}", figures.mean_on), fmt::format("{}", figures.most_on),
                          fmt::format("{}", figures.wake_ups)});
  }
  return table;
}

HtmlTable ServiceTable(const PlanView& view) {
  HtmlTable table{.header = {"service", "SLO ms", "worst ms", "of SLO", "at", "mean replicas", "most", "utilisation"},
                  .rows = {},
                  .text_columns = 1};
  for (std::size_t i = 0; i < view.figures.services.size(); ++i) {
    const scenario::Service& service = view.scenario.services[i];
    const PlanFigures::Service& figures = view.figures.services[i];
    table.rows.push_back(
        {Printable(service.id, 40), NumberText(service.latency_slo.count() * 1e3),
         NumberText(figures.worst_latency.count() * 1e3), Percent(figures.worst_latency / service.latency_slo),
         figures.most_replicas > 0 ? ShortTime(figures.worst_at) : "-", NumberText(figures.mean_replicas),
         fmt::format("{}", figures.most_replicas), Percent(figures.mean_utilisation)});
  }
  return table;
}

std::string JobRowId(std::size_t job) { return fmt::format("job-{}", job); }

HtmlTable JobTable(const PlanView& view, std::size_t most) {
  HtmlTable table{
      .header = {"job", "model", "begins, UTC", "finishes, UTC", "spare", "starts", "most workers", "GPU kWh"},
      .rows = {},
      .text_columns = 4};
  for (std::size_t i = 0; i < std::min(most, view.figures.jobs.size()); ++i) {
    const scenario::Job& job = view.scenario.jobs[i];
    const PlanFigures::Job& figures = view.figures.jobs[i];
    table.ids.push_back(JobRowId(i));
    table.rows.push_back({Printable(job.id, 40), Printable(job.model, 60), TimeText(figures.begin),
                          TimeText(figures.finish), SpareText(job, figures), fmt::format("{}", figures.starts),
                          fmt::format("{}", figures.most_workers), NumberText(InKilowattHours(figures.energy))});
  }
  return table;
}

}  // namespace heliostat::report
