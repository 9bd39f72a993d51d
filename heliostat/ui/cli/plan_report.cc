#include "heliostat/ui/cli/plan_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/cli/plan_explain.h"
#include "heliostat/ui/cli/plan_frontier.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/plan_page.h"
#include "heliostat/ui/report/terminal_plot.h"

namespace heliostat::cli {
namespace {

using report::NumberText;
using report::PlanFigures;
using report::PlanView;

constexpr std::size_t kMostLines = 6;  // of groups or services
constexpr std::size_t kTightest = 3;

std::string Line(std::string_view label, std::string_view text) { return fmt::format("{:<12} {}\n", label, text); }

std::string CountText(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string SizeText(const scenario::Scenario& scenario) {
  int nodes = 0;
  for (const scenario::Group& group : scenario.groups) nodes += group.nodes;
  return fmt::format("{}, {}, {}, {} of {} from {} UTC", CountText(scenario.jobs.size(), "job"),
                     CountText(scenario.services.size(), "service"), CountText(static_cast<std::size_t>(nodes), "node"),
                     CountText(scenario.slots, "slot"), FormatDuration(scenario.step),
                     report::MinuteText(scenario.start));
}

std::string GroupLines(const PlanView& view) {
  std::string text;
  const std::size_t count = view.figures.groups.size();
  for (std::size_t g = 0; g < std::min(count, kMostLines); ++g) {
    const PlanFigures::Group& figures = view.figures.groups[g];
    text += Line(g == 0 ? "nodes" : "", fmt::format("{}: on average {:.1f} of {} on, {} at most, {}",
                                                    Printable(view.scenario.groups[g].name, 40), figures.mean_on,
                                                    view.scenario.groups[g].nodes, figures.most_on,
                                                    CountText(static_cast<std::size_t>(figures.wake_ups), "wake-up")));
  }
  if (count > kMostLines) text += Line("", fmt::format("and {} more", CountText(count - kMostLines, "group")));
  return text;
}

// "118 of 118 on time; 2 without a deadline, 1 done (--finish-best-effort requires all)".
std::string JobsLine(const PlanView& view) {
  bool is_all_done = true;
  for (std::size_t i = 0; i < view.figures.jobs.size(); ++i) {
    is_all_done = is_all_done && (view.scenario.jobs[i].deadline || view.figures.jobs[i].finish);
  }
  return JobsText(view) + (is_all_done ? "" : " (--finish-best-effort requires all)");
}

std::string LateText(const plan::Miss& miss) {
  return miss.late ? report::LengthText(*miss.late) + " late" : "not done";
}

// One line per job that misses its deadline, the latest first.
std::string MissedLines(const PlanView& view) {
  std::vector<plan::Miss> missed = view.answer.outcome.missed;
  std::ranges::stable_sort(missed, std::greater<>{},
                           [](const plan::Miss& miss) { return miss.late.value_or(Duration::max()); });
  std::string text;
  for (std::size_t i = 0; i < std::min(missed.size(), kMostLines); ++i) {
    const scenario::Job& job = view.scenario.jobs[missed[i].job];
    text += Line(i == 0 ? "missed" : "",
                 fmt::format("{}: {}; {}", Printable(job.id, 40), LateText(missed[i]), missed[i].reason));
  }
  if (missed.size() > kMostLines) text += Line("", fmt::format("and {} more", missed.size() - kMostLines));
  return text;
}

std::string TightestText(const PlanView& view) {
  const auto& jobs = view.figures.jobs;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].spare && !jobs[i].is_late(view.scenario.jobs[i])) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return *jobs[a].spare < *jobs[b].spare; });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kTightest); ++i) {
    text += fmt::format("{}{} with {} to spare", i == 0 ? "" : ", ", Printable(view.scenario.jobs[order[i]].id, 40),
                        report::LengthText(*jobs[order[i]].spare));
  }
  return text;
}

// One line per service, the nearest to its latency objective first.
std::string ServiceLines(const PlanView& view) {
  const std::size_t count = view.figures.services.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto share = [&](std::size_t i) {
    return view.figures.services[i].worst_latency / view.scenario.services[i].latency_slo;
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(count, kMostLines); ++i) {
    const scenario::Service& service = view.scenario.services[order[i]];
    const PlanFigures::Service& figures = view.figures.services[order[i]];
    text += Line(i == 0 ? "services" : "",
                 fmt::format("{}: latency {} of {} ms at worst ({:.0f} %), {} replicas on average, {} at most",
                             Printable(service.id, 40), NumberText(figures.worst_latency.count() * 1e3),
                             NumberText(service.latency_slo.count() * 1e3), 100 * share(order[i]),
                             NumberText(figures.mean_replicas, 2), figures.most_replicas));
  }
  if (count > kMostLines) text += Line("", fmt::format("and {} more", CountText(count - kMostLines, "service")));
  return text;
}

std::string RangeText(std::string_view name, const std::vector<double>& values, std::string_view unit) {
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{} {} .. {} {}", name, NumberText(low), NumberText(high), unit);
}

std::string Drawing(const PlanView& view) {
  const report::TerminalStyle style = report::ThisTerminal();
  report::TerminalPlot plot;
  plot.start = view.scenario.start;
  plot.step = view.scenario.step;
  plot.values = view.figures.facility_kw;
  plot.rows = 10;
  plot.unit = "kW";
  std::string legend = fmt::format("facility power {}", style.is_utf8 ? "━" : "*");
  if (view.figures.renewable_kwh > 0.0) {
    report::Fan renewable{std::vector<double>(view.scenario.slots, 0.0), view.figures.renewable_kw};
    // Slots without on-site power show no band.
    std::ranges::replace(renewable.high, 0.0, signal::Missing());
    plot.bands.push_back(std::move(renewable));
    legend += fmt::format(", renewable on site {}", style.is_utf8 ? "░" : ".");
  }
  std::vector<double> carbon;
  for (const CarbonIntensity intensity : view.scenario.carbon) carbon.push_back(InGramsPerKwh(intensity));
  legend += "; below " + RangeText("carbon", carbon, "g CO2e/kWh");
  plot.strips.push_back(std::move(carbon));
  if (!view.scenario.price_per_kwh.empty()) {
    plot.strips.push_back(view.scenario.price_per_kwh);
    legend += RangeText(", price", view.scenario.price_per_kwh, fmt::format("{}/kWh", view.scenario.currency.code()));
  }
  const auto drawn = Render(plot, style);
  return drawn ? *drawn + legend + "\n" : "";
}

std::string SummaryOf(const PlanView& view) {
  std::string text;
  for (const auto& row : HeadlineTable(view).rows) text += Line(row[0], row[1]);
  text += GroupLines(view) + Line("jobs", JobsLine(view)) + MissedLines(view);
  if (const std::string tightest = TightestText(view); !tightest.empty()) text += Line("tightest", tightest);
  return text + ServiceLines(view) + "\n" + Drawing(view);
}

std::string RiskText(const planner::Risk& risk) {
  return fmt::format(
      "all limits met in {:.4g} % of {} (asked: {:.4g} %); {} kg CO2e expected, at most {} kg in {:.4g} % of them",
      100 * risk.share_kept, CountText(risk.paths, "path"), 100 * risk.share_asked, NumberText(risk.expected_carbon_kg),
      NumberText(risk.carbon_kg_at_share), 100 * risk.share_asked);
}

io::Json RiskJson(const planner::Risk& risk) {
  io::Json json;
  json.Set("share_asked", risk.share_asked).Set("share_kept", risk.share_kept);
  json.Set("paths", risk.paths).Set("expected_carbon_kg", risk.expected_carbon_kg);
  return json.Set("carbon_kg_at_share", risk.carbon_kg_at_share);
}

Error VerdictOf(const PlanFindings& planned, const plan::Outcome& outcome) {
  if (outcome.status == plan::Termination::kInfeasible || outcome.status == plan::Termination::kBestEffort) {
    return {ErrorCode::kInfeasible, planned.file, outcome.reason, ""};
  }
  const bool is_said = !outcome.reason.empty();
  return {ErrorCode::kUnavailable, planned.file, is_said ? outcome.reason : "no plan was found within the time limit",
          is_said ? "" : "raise --time-limit"};
}

// The answer that explains why there is no plan; nullptr if there is one.
const plan::PlanAnswer* Failed(const PlanFindings& planned) {
  if (planned.answer) return planned.answer->outcome.has_plan() ? nullptr : &*planned.answer;
  const auto& answers = planned.frontier->answers;
  const auto has_plan = [](const plan::PlanAnswer& answer) { return answer.outcome.has_plan(); };
  return answers.empty() || std::ranges::any_of(answers, has_plan) ? nullptr : &answers.front();
}

// The answer whose plan misses deadlines; nullptr if there is none.
const plan::PlanAnswer* Missing(const PlanFindings& planned) {
  const auto misses = [](const plan::PlanAnswer& answer) {
    return answer.outcome.status == plan::Termination::kBestEffort;
  };
  if (planned.answer) return misses(*planned.answer) ? &*planned.answer : nullptr;
  const auto& answers = planned.frontier->answers;
  const auto found = std::ranges::find_if(answers, misses);
  return found == answers.end() ? nullptr : &*found;
}

io::Json DocumentOf(const PlanFindings& planned) {
  io::Json json;
  if (planned.answer) {
    json = plan::ToJson(planned.scenario, *planned.answer);
  } else {
    const plan::PlanAnswer* failed = Failed(planned);
    json.Set("scenario", planned.scenario.name).Set("currency", planned.scenario.currency.code());
    if (failed != nullptr) {
      json.Set("status", NameOf(failed->outcome.status)).Set("reason", failed->outcome.reason);
    }
  }
  if (!planned.baselines.empty()) json.Set("baselines", JsonOf(planned.baselines));
  if (planned.risk) json.Set("risk", RiskJson(*planned.risk));
  if (planned.explanation) json.Set("explain", JsonOf(*planned.explanation));
  if (planned.frontier) json.Set("pareto", JsonOf(*planned.frontier));
  return json;
}

}  // namespace

bool HasPlan(const PlanFindings& planned) { return Failed(planned) == nullptr; }

Output ReportOf(const PlanFindings& planned) {
  Output output{.text = "", .json = DocumentOf(planned)};
  if (const plan::PlanAnswer* failed = Failed(planned)) {
    output.verdict = VerdictOf(planned, failed->outcome);
    return output;
  }
  if (const plan::PlanAnswer* missing = Missing(planned)) output.verdict = VerdictOf(planned, missing->outcome);
  output.text = Printable(planned.scenario.name, 80) + ": " + SizeText(planned.scenario) + "\n\n";
  if (planned.answer) {
    const plan::PlanAnswer& answer = *planned.answer;
    const PlanFigures figures = report::FiguresOf(planned.scenario, answer.outcome.plan(), answer.outcome.score());
    const PlanView view{planned.scenario, answer, figures};
    const report::Answer short_answer = AnswerOf(view, planned.baselines);
    output.text += short_answer.sentence + "\n";
    for (const std::string& caveat : short_answer.caveats) output.text += caveat + "\n";
    output.text += "\n";
    if (planned.risk) output.text += Line("risk", RiskText(*planned.risk));
    output.text += SummaryOf(view);
  }
  if (planned.explanation) output.text += "\n" + TextOf(*planned.explanation, planned.scenario);
  if (planned.frontier) output.text += (planned.answer ? "\n" : "") + TextOf(*planned.frontier, planned.scenario);
  return output;
}

namespace {

// Of a page that has only a trade-off.
report::Answer AnswerOf(const planner::Frontier& frontier, const scenario::Scenario& scenario) {
  const report::FrontierChart chart = ChartOf(frontier, scenario);
  if (chart.x.empty()) return {"There is no plan.", {}, {}, report::Answer::Tone::kBad};
  if (chart.x.size() == 1) {
    const std::string x = NumberText(chart.x.front());
    const std::string y = NumberText(chart.y.front());
    return {fmt::format("One plan was found: {} {} for {} {}.", x, chart.x_unit, y, chart.y_unit),
            {{chart.x_name, x, chart.x_unit}, {chart.y_name, y, chart.y_unit}},
            {fmt::format("No plan was found that has a better {} or a better {}.", chart.x_name, chart.y_name)},
            report::Answer::Tone::kOpen};
  }
  const auto range = [](const std::vector<double>& values) {
    const auto [low, high] = std::ranges::minmax(values);
    return fmt::format("{} to {}", NumberText(low), NumberText(high));
  };
  return {fmt::format("Between {} and {} there is a choice of {}: {} {} for {} {}.", chart.x_name, chart.y_name,
                      CountText(chart.x.size(), "plan"), range(chart.x), chart.x_unit, range(chart.y), chart.y_unit),
          {{chart.x_name, range(chart.x), chart.x_unit},
           {chart.y_name, range(chart.y), chart.y_unit},
           {"plans", fmt::format("{}", chart.x.size()), "none is better than another in both"}}};
}

report::PageSection MissedSection(const PlanView& view) {
  report::HtmlTable table{.header = {"job", "owner", "late", "why", "weight"}, .rows = {}, .text_columns = 4};
  for (const plan::Miss& miss : view.answer.outcome.missed) {
    const scenario::Job& job = view.scenario.jobs[miss.job];
    table.rows.push_back({job.id, job.owner, LateText(miss), miss.reason, NumberText(job.weight)});
  }
  return {.heading = "Deadlines that are missed",
          .id = "missed",
          .paragraphs = {LeastMissesText(view.answer.outcome)},
          .tables = {std::move(table)}};
}

}  // namespace

Result<std::string> PageOf(const PlanFindings& planned, const report::MadeBy& made_by) {
  report::PlanPage page;
  page.title = "Plan: " + planned.scenario.name;
  page.subtitle = SizeText(planned.scenario);
  page.made_by = made_by;
  if (planned.frontier) {
    if (auto chart = ChartOf(*planned.frontier, planned.scenario); chart.x.size() > 1) page.frontier = std::move(chart);
    page.sections.push_back(SectionOf(*planned.frontier, planned.scenario));
  }
  if (planned.explanation) page.sections.push_back(SectionOf(*planned.explanation, planned.scenario));
  if (!planned.answer) {
    page.answer = AnswerOf(*planned.frontier, planned.scenario);
    return Render(page);
  }
  const plan::PlanAnswer& answer = *planned.answer;
  const PlanFigures figures = report::FiguresOf(planned.scenario, answer.outcome.plan(), answer.outcome.score());
  const PlanView view{planned.scenario, answer, figures};
  page.answer = AnswerOf(view, planned.baselines);
  if (planned.risk) page.answer.caveats.push_back("Risk: " + RiskText(*planned.risk) + ".");
  if (!answer.outcome.missed.empty()) page.sections.push_back(MissedSection(view));
  page.plan = &view;
  return Render(page);
}

}  // namespace heliostat::cli
