#include "heliostat/ui/simulation_page/simulation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "heliostat/control/policy/policy.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/bar_chart.h"
#include "heliostat/ui/report/escape.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/simulation_page/figures.h"
#include "heliostat/ui/simulation_page/json_text.h"
#include "heliostat/ui/simulation_page/page_assets.h"
#include "heliostat/ui/simulation_page/sections.h"
#include "heliostat/ui/simulation_page/shown_schedule.h"

namespace heliostat::simulation_page {
namespace {

using report::Escape;

constexpr std::size_t kMostServices = 4;
constexpr std::size_t kMostJobsInPicture = 60;

std::string Plural(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// A figure in two widths; the page's script finds its data by `key`.
std::string Figure(const std::string& key, const report::ChartMaker& render) {
  const std::string data = key.empty() ? "" : fmt::format(" class=\"readable\" data-figure=\"{}\"", Escape(key));
  return report::FigureMarkup(render, data).value_or("");
}

// One part per policy. The script shows one at a time; without scripts each can be opened.
std::string ByPolicy(const sim::Comparison& comparison, std::size_t best,
                     const std::function<std::string(std::size_t)>& markup) {
  std::string all;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    all += fmt::format("<details class=\"by-policy\" data-policy=\"{}\"{}><summary>{}</summary>\n{}</details>\n", i,
                       i == best ? " open=\"open\"" : "", Escape(comparison.runs[i].policy), markup(i));
  }
  return "<div class=\"switched\">\n" + all + "</div>\n";
}

std::string SubtitleOf(const SimulationPage& page) {
  const scenario::Scenario& scenario = page.scenario;
  int nodes = 0;
  int gpus = 0;
  for (const scenario::Group& group : scenario.groups) {
    nodes += group.nodes;
    gpus += group.gpus();
  }
  return fmt::format("{} in {}, {} and {}, from {} to {} UTC. {}", Plural(static_cast<std::size_t>(gpus), "GPU"),
                     Plural(static_cast<std::size_t>(nodes), "node"), Plural(scenario.jobs.size(), "job"),
                     Plural(scenario.services.size(), "service"), report::MinuteText(scenario.start),
                     report::MinuteText(scenario.end()), page.knowledge);
}

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Collects the data that the page's script reads. Not thread-safe.
class PageData {
 public:
  void Add(const std::string& key, const std::string& figure) {
    figures_ += fmt::format("{}{}:{}", figures_.empty() ? "" : ",", JsonText(key), figure);
  }
  std::string Markup(const sim::Comparison& comparison, std::size_t best, const std::string& schedule) const {
    std::string names;
    for (const sim::SimulatedRun& run : comparison.runs) names += (names.empty() ? "" : ",") + JsonText(run.policy);
    return fmt::format(
        "<script type=\"application/json\" "
        "id=\"data\">{{\"policies\":[{}],\"best\":{},\"figures\":{{{}}},\"schedule\":{}}}"
        "</script>\n",
        names, best, figures_, schedule);
  }

 private:
  std::string figures_;
};

void AddSavings(const SimulationPage& page, report::Page& html) {
  const double base = page.comparison.figures.front().carbon_kg;
  if (page.comparison.runs.size() < 2 || !(base > 0.0)) return;
  report::BarChart chart{fmt::format("Carbon saved against {}", page.comparison.runs.front().policy), "%", {}};
  for (std::size_t i = 1; i < page.comparison.runs.size(); ++i) {
    chart.bars.push_back({page.comparison.runs[i].policy, 100.0 * (1.0 - page.comparison.figures[i].carbon_kg / base),
                          report::Colour::kGreen});
  }
  if (page.comparison.bound.carbon_kg > 0.0) {
    chart.bars.push_back(
        {"no policy can save more", 100.0 * (1.0 - page.comparison.bound.carbon_kg / base), report::Colour::kGrey});
  }
  html.Raw(Figure("", [&](double width) {
    chart.width = width;
    return Render(chart);
  }));
}

// Where the saving of the winner comes from, and how that was found.
void AddSplit(const SimulationPage& page, report::Page& html) {
  const auto& stages = page.comparison.split.stages;
  if (stages.empty()) return;
  html.Heading("Where the saving comes from", "parts");
  html.Paragraph(SplitSentence(page.comparison.split) + ".");
  html.Paragraph(fmt::format(
      "The parts are differences of four simulations in a fixed order: {}; sleep: {}; timing: {}, so that only when, "
      "where and with how many workers jobs run can differ; speed: {} itself, with power limits and clocks. They add "
      "up "
      "to the whole. In another order the parts would be others.",
      stages[0].how, stages[1].how, stages[2].how, stages[3].how));
  report::BarChart chart{"Carbon saved by part", "kg", {}};
  for (std::size_t i = 1; i < stages.size(); ++i) {
    chart.bars.push_back({stages[i].part, stages[i - 1].carbon_kg - stages[i].carbon_kg, report::Colour::kGreen});
  }
  html.Raw(Figure("", [&](double width) {
    chart.width = width;
    return Render(chart).value_or("");
  }));
}

// What only a reader with a screen can do.
std::string OnScreen(std::string_view text) { return fmt::format("<p class=\"on-screen\">{}</p>\n", Escape(text)); }

void AddPower(const PageView& view, std::size_t best, PageData& data, report::Page& html) {
  html.Heading("Power over time", "power");
  html.Paragraph("Power by consumer and by source, on-site power, and carbon intensity and price of the grid.");
  html.Raw(OnScreen("Point at a chart, or move along it with the arrow keys, to read its numbers."));
  html.Raw(ByPolicy(view.comparison, best, [&](std::size_t run) {
    const TimeFigure figure = PowerFigure(view, run);
    data.Add(figure.key, DataOf(figure));
    return Figure(figure.key, [&](double width) { return Render(figure, width); });
  }));
  if (view.bucket > 1) {
    html.Note(fmt::format("Each step of the charts is the mean of {} slots.", view.bucket));
  }
}

void AddWork(const PageView& view, PageData& data, report::Page& html) {
  html.Heading("When each policy ran its work", "work");
  html.Paragraph(
      "Training power of each policy, below the carbon intensity of the grid. Policies that wait move work into hours "
      "with a low intensity. The number next to a policy is its mean carbon per kWh of the site.");
  const StripFigure figure = WorkFigure(view);
  data.Add(figure.key, DataOf(figure));
  html.Raw(Figure(figure.key, [&](double width) { return Render(figure, width); }));
}

constexpr std::string_view kGanttMarkup = R"(<div class="gantt" id="gantt" hidden="hidden">
<div class="tools" role="group" aria-label="Zoom">
<button type="button" data-act="in" aria-label="Zoom in">+</button>
<button type="button" data-act="out" aria-label="Zoom out">−</button>
<button type="button" data-act="left" aria-label="Earlier">◀</button>
<button type="button" data-act="right" aria-label="Later">▶</button>
<button type="button" data-act="all">All</button>
<output class="range" aria-live="polite"></output>
</div>
<div class="canvas" tabindex="0" role="application" aria-label="Jobs and nodes over time. Plus and minus zoom, arrow keys move, 0 shows all."></div>
<ul class="key"></ul>
</div>
)";

void AddSchedule(const SimulationPage& page, const ShownSchedule& schedule, std::size_t best, report::Page& html) {
  html.Heading("Jobs and nodes", "schedule");
  if (page.scenario.jobs.empty()) html.Paragraph("There are no jobs.");
  html.Paragraph(
      "One row per job, in the order of submission: a thin line from submission to deadline, a bar where the job "
      "ran, darker with more workers (lighter on a dark page), and a cross where it was late. Below are the nodes "
      "that were asleep, waking or failed. Only jobs that are under way in the chosen time are shown.");
  html.Raw(OnScreen("To zoom and move, use the wheel, drag, or use the buttons or the keys + − ← → 0."));
  html.Raw(kGanttMarkup);
  if (const std::string picture = schedule.Picture(best, kMostJobsInPicture); !picture.empty()) {
    html.Raw("<noscript><figure>\n" + picture + "</figure></noscript>\n");
  }
  if (schedule.jobs().size() < page.scenario.jobs.size()) {
    html.Note(fmt::format("Of {} jobs, the {} that need the most energy are drawn.", page.scenario.jobs.size(),
                          schedule.jobs().size()));
  }
  int nodes = 0;
  for (const scenario::Group& group : page.scenario.groups) nodes += group.nodes;
  if (schedule.nodes_shown() < static_cast<std::size_t>(nodes)) {
    html.Note(fmt::format("Of {} nodes, the first {} are drawn.", nodes, schedule.nodes_shown()));
  }
}

void AddTradeOffs(const PageView& view, report::Page& html) {
  if (view.comparison.runs.size() < 2) return;
  html.Heading("Carbon against performance and waiting", "trade-offs");
  html.Paragraph("No other policy is better in both figures than a policy on the dashed line.");
  for (const Scatter& scatter : TradeOffs(view)) {
    html.Raw(Figure("", [&](double width) { return Render(scatter, width); }));
  }
}

void AddLatency(const SimulationPage& page, const PageView& view, std::size_t best, PageData& data,
                report::Page& html) {
  const auto services = ServicesShown(page.scenario, kMostServices);
  if (services.empty()) return;
  html.Heading("Latency", "latency");
  html.Paragraph(
      "Median and percentile of the latency in each slot, against the latency objective (SLO). Values above the axis "
      "are drawn at its end.");
  html.Raw(ByPolicy(view.comparison, best, [&](std::size_t run) {
    const TimeFigure figure = LatencyFigure(view, run, services);
    data.Add(figure.key, DataOf(figure));
    return Figure(figure.key, [&](double width) { return Render(figure, width); });
  }));
  html.Raw(LatencyTableMarkup(page, services));
  if (services.size() < page.scenario.services.size()) {
    html.Note(fmt::format("Of {} services, the {} with the most requests are shown.", page.scenario.services.size(),
                          services.size()));
  }
}

// Bars for the best policy of each zone, and a table of all.
void AddZones(const SimulationPage& page, report::Page& html) {
  if (page.zones.empty()) return;
  html.Heading("Savings by zone", "zones");
  html.Paragraph("The same cluster and work in other zones: the carbon that the best policy of each zone saves.");
  report::BarChart chart{"Carbon saved by zone", "%", {}};
  std::vector<std::string> labels;
  for (const ZoneSaving& row : page.zones) {
    const auto found = std::ranges::find(labels, row.zone);
    const auto at = static_cast<std::size_t>(found - labels.begin());
    if (found == labels.end()) {
      labels.push_back(row.zone);
      chart.bars.push_back({row.zone, row.saving_percent, report::Colour::kGreen});
    } else {
      chart.bars[at].value = std::max(chart.bars[at].value, row.saving_percent);
    }
  }
  html.Raw(Figure("", [&](double width) {
    chart.width = width;
    return Render(chart);
  }));
  html.Raw(ZoneTableMarkup(page.zones));
}

// A path as a relative address: a name with a colon or a percent sign stays a name.
std::string AddressOf(const std::string& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string address = "./";
  for (const char c : path) {
    address += kPlain.find(c) != std::string_view::npos ? std::string(1, c)
                                                        : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

void AddMethod(const SimulationPage& page, report::Page& html) {
  html.Heading("How this was computed", "method");
  html.Paragraph(fmt::format(
      "Every policy got the same jobs, requests, on-site power and grid, event by event. The energy of a slot is the "
      "energy of nodes, GPUs and wake-ups, times a PUE of {:g}. On-site power is used first; the grid supplies the "
      "rest, with its carbon. A job counts as late if it was not done by a deadline within the time shown.",
      page.scenario.pue));
  std::string list;
  for (const sim::SimulatedRun& run : page.comparison.runs) {
    const auto about = policy::Describe(run.policy);
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", Escape(run.policy), Escape(about.value_or("")));
  }
  html.Raw("<dl class=\"names\">\n" + list + "</dl>\n");
  if (page.tables.empty()) return;
  std::string links;
  for (const std::string& path : page.tables) {
    links += fmt::format("{}<a href=\"{}\">{}</a>", links.empty() ? "" : ", ", AddressOf(path),
                         Escape(path.substr(path.rfind('/') + 1)));
  }
  html.Raw(fmt::format("<p>The numbers of this page as tables: {}.</p>\n", links));
}

}  // namespace

Result<std::string> Render(const SimulationPage& page) {
  if (page.comparison.runs.empty() || page.comparison.figures.size() != page.comparison.runs.size()) {
    return Fail(ErrorCode::kInvalidArgument, "simulation page", "has no policies",
                "at least one policy, with its figures");
  }
  const Headline headline = HeadlineOf(page.scenario, page.comparison);
  const PageView view = ViewOf(page.scenario, page.comparison);
  const ShownSchedule schedule(page.scenario, page.comparison, {});
  PageData data;
  report::Page html(
      {page.scenario.name, SubtitleOf(page), AnswerOf(page, headline), std::string(PageStyle()), /*has_script=*/true});
  html.Raw(PatternDefinitions());
  html.Raw(TableMarkup(page));
  if (const std::string bound = BoundSentence(page.scenario, page.comparison.bound); !bound.empty()) {
    html.Paragraph(Capitalised(bound) + ".");
  }
  html.Raw(LegendMarkup(page));
  AddSavings(page, html);
  AddSplit(page, html);
  AddPower(view, headline.best, data, html);
  AddWork(view, data, html);
  AddSchedule(page, schedule, headline.best, html);
  AddTradeOffs(view, html);
  AddLatency(page, view, headline.best, data, html);
  AddZones(page, html);
  AddMethod(page, html);
  html.Raw(data.Markup(page.comparison, headline.best, schedule.Data()));
  html.Raw(fmt::format("<script>\n{}</script>\n", PageScript()));
  return std::move(html).Finish(page.made_by);
}

}  // namespace heliostat::simulation_page
