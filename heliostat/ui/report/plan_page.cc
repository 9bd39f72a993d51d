#include "heliostat/ui/report/plan_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heliostat/ui/report/plan_charts.h"

namespace heliostat::report {
namespace {

constexpr std::size_t kMostJobsDrawn = 200;
constexpr std::size_t kMostJobsListed = 500;
constexpr std::size_t kMostServicesDrawn = 8;

Status AddPower(const PlanView& view, Page& page) {
  page.Heading("Power", "power");
  if (auto bad = page.Figure(AtAnyWidth(PowerChart(view))); !bad) return bad;
  for (const LineChart& chart : SignalCharts(view)) {
    if (auto bad = page.Figure(AtAnyWidth(chart)); !bad) return bad;
  }
  return {};
}

Status AddNodes(const PlanView& view, Page& page) {
  page.Heading("Nodes", "nodes");
  if (auto bad = page.Figure(AtAnyWidth(NodesChart(view))); !bad) return bad;
  page.Add(GroupTable(view));
  return {};
}

Status AddJobs(const PlanView& view, Page& page) {
  const std::size_t count = view.scenario.jobs.size();
  if (count == 0) return {};
  page.Heading("Jobs", "jobs");
  page.Paragraph(
      "A bar shows when a job runs, in a stronger colour with more workers. The thin line is its window, from "
      "submission to deadline. A bar is a link to the row of its job.");
  if (count > kMostJobsDrawn) {
    page.Note(fmt::format("Of {} jobs, the {} that need the most energy are drawn.", count, kMostJobsDrawn));
  }
  if (auto bad = page.Figure(AtAnyWidth(JobsChart(view, kMostJobsDrawn, kMostJobsListed))); !bad) return bad;
  if (count > kMostJobsListed) page.Note(fmt::format("The first {} of {} jobs.", kMostJobsListed, count));
  page.Fold(fmt::format("All jobs: {}", JobsText(view)), JobTable(view, kMostJobsListed));
  return {};
}

// The services that need the most energy, in the order of the scenario.
std::vector<std::size_t> ServicesToDraw(const PlanView& view) {
  const auto& services = view.figures.services;
  std::vector<std::size_t> order(services.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return services[a].energy > services[b].energy; });
  order.resize(std::min(order.size(), kMostServicesDrawn));
  std::ranges::sort(order);
  return order;
}

Status AddServices(const PlanView& view, Page& page) {
  const std::size_t count = view.scenario.services.size();
  if (count == 0) return {};
  page.Heading("Services", "services");
  page.Add(ServiceTable(view));
  if (count > kMostServicesDrawn) {
    page.Note(fmt::format("Of {} services, the {} that need the most energy are drawn.", count, kMostServicesDrawn));
  }
  for (const std::size_t service : ServicesToDraw(view)) {
    page.SubHeading(view.scenario.services[service].id);
    for (const LineChart& chart : ServiceCharts(view, service)) {
      if (auto bad = page.Figure(AtAnyWidth(chart)); !bad) return bad;
    }
  }
  return {};
}

void AddContents(const PlanPage& data, Page& page) {
  std::vector<Link> links;
  if (data.plan != nullptr) {
    links = {{"Power", "power"}, {"Nodes", "nodes"}};
    if (!data.plan->scenario.jobs.empty()) links.push_back({"Jobs", "jobs"});
    if (!data.plan->scenario.services.empty()) links.push_back({"Services", "services"});
  }
  if (data.frontier) links.push_back({"Trade-off", "frontier"});
  for (const PageSection& section : data.sections) links.push_back({section.heading, section.id});
  if (links.size() > 1) page.Contents(links);
}

Status AddPlan(const PlanView& view, Page& page) {
  for (const auto add : {AddPower, AddNodes, AddJobs, AddServices}) {
    if (auto bad = add(view, page); !bad) return bad;
  }
  return {};
}

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

Result<std::string> Render(const FrontierChart& frontier) {
  LineChart chart;
  chart.title = Capitalised(fmt::format("{} against {}", frontier.y_name, frontier.x_name));
  chart.unit = frontier.y_unit;
  chart.x_label = fmt::format("{}, {}", frontier.x_name, frontier.x_unit);
  chart.x = LineChart::X::kNumber;
  chart.width = frontier.width;
  chart.height = 340;
  chart.lines.push_back({"", frontier.x, frontier.y, Colour::kBlue, Pen::kThin});
  // A line of a single point is drawn as a dot.
  for (std::size_t i = 0; i < std::min(frontier.x.size(), frontier.y.size()); ++i) {
    chart.lines.push_back({"", {frontier.x[i]}, {frontier.y[i]}, Colour::kBlue});
  }
  return Render(chart);
}

Result<std::string> Render(const PlanPage& data) {
  Page page({data.title, data.subtitle, data.answer});
  AddContents(data, page);
  if (data.plan != nullptr) {
    page.Add(HeadlineTable(*data.plan));
    if (const auto bad = AddPlan(*data.plan, page); !bad) return Propagate(bad);
  }
  if (data.frontier) {
    page.Heading("Trade-off", "frontier");
    if (const auto bad = page.Figure(AtAnyWidth(*data.frontier)); !bad) return Propagate(bad);
  }
  for (const PageSection& section : data.sections) {
    page.Heading(section.heading, section.id);
    for (const std::string& paragraph : section.paragraphs) page.Paragraph(paragraph);
    for (const HtmlTable& table : section.tables) page.Add(table);
  }
  return std::move(page).Finish(data.made_by);
}

}  // namespace heliostat::report
