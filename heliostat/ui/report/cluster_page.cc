#include "heliostat/ui/report/cluster_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/line_chart.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::report {
namespace {

using Slot = ClusterPast::Slot;
using Used = ClusterPast::Used;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kAxisRoom = 56;  // of all charts, so that their time axes align
constexpr std::size_t kMostUsers = 30;

double SecondsOf(Instant time) { return static_cast<double>(time.time_since_epoch().count()); }

// One decimal below ten.
std::string Percent(double share) { return fmt::format("{:.{}f}", 100.0 * share, std::abs(share) < 0.0995 ? 1 : 0); }

std::string Kwh(Joules energy) { return NumberText(InKilowattHours(energy), 3); }
std::string Kilograms(Grams carbon) { return NumberText(InKilograms(carbon), 3); }
std::string Count(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// On one line and not too long: a phone would break it at every hyphen.
std::string NameText(const std::string& name) {
  constexpr std::size_t kMost = 28;
  std::string text;
  for (const char c : name.size() > kMost ? name.substr(0, kMost - 1) : name) {
    text += c == ' ' ? "\u00a0" : c == '-' ? "\u2011" : std::string(1, c);
  }
  return name.size() > kMost ? text + "…" : text;
}

// Without seconds: looks at a cluster are some apart.
std::string MinutesText(Duration length) {
  return LengthText(std::max<Duration>(std::chrono::floor<std::chrono::minutes>(length), std::chrono::minutes(1)));
}

// What the saving is measured in: carbon, else money where there is no carbon signal.
struct Measure {
  ClusterPast::Range saved;
  double was = 0.0;
  std::string_view of;
};

Measure MeasureOf(const ClusterPast::Comparison& comparison) {
  if (comparison.was.carbon.value > 0.0) return {comparison.saved_carbon_g, comparison.was.carbon.value, "carbon"};
  return {comparison.saved_cost, comparison.was.cost, "cost"};
}

std::string SavedText(const ClusterPast::Range& saved, double was) {
  if (was <= 0.0) return "–";
  return fmt::format("{} to {} %", Percent(saved.low / was), Percent(saved.high / was));
}

void AddTiles(const ClusterPast& past, const ClusterPast::Comparison& comparison, Answer& answer) {
  if (comparison.was.carbon.value > 0.0) {
    answer.tiles.push_back({"carbon saved", SavedText(comparison.saved_carbon_g, comparison.was.carbon.value),
                            "it was: " + CarbonText(comparison.was.carbon)});
  }
  if (comparison.was.cost > 0.0 && !past.currency.empty()) {
    answer.tiles.push_back({"cost saved", SavedText(comparison.saved_cost, comparison.was.cost),
                            fmt::format("it was: {} {}", NumberText(comparison.was.cost, 3), past.currency)});
  }
  answer.tiles.push_back(
      {"jobs moved", fmt::format("{}", past.jobs_moved), fmt::format("done on the twin: {}", comparison.jobs_done)});
  answer.tiles.push_back({"jobs late", fmt::format("{}", comparison.jobs_late), "later than their users allow"});
}

void AddCaveats(const ClusterPast& past, const ClusterPast::Comparison& comparison, Answer& answer) {
  const bool is_estimated = std::ranges::any_of(past.groups, [](const auto& group) { return group.is_estimated; });
  if (is_estimated) {
    double error = 0.0;
    for (const ClusterPast::Group& group : past.groups) error = std::max(error, group.gpu_busy_error);
    answer.caveats.push_back(fmt::format(
        "No watt is measured: power comes from the built-in library, and single jobs differ from it by {} %. "
        "The range includes that.",
        Percent(error)));
  }
  if (comparison.outstanding.it.value > 0.0) {
    answer.caveats.push_back(fmt::format(
        "The twin still has work of {} to do that the cluster has done already{}. When it would run is not known; the "
        "range spans the cleanest and the dirtiest moment of the forecast.",
        EnergyText(comparison.outstanding.it),
        comparison.jobs_waiting == 0 ? "" : ", and " + Count(comparison.jobs_waiting, "job") + " to start"));
  }
  if (comparison.jobs_late > 0) {
    answer.caveats.push_back(
        fmt::format("{} would have ended later than allowed; see below.", Count(comparison.jobs_late, "job")));
  }
}

Answer AnswerOf(const ClusterPast& past) {
  const std::string time = MinutesText(past.looked - past.begun);
  Answer answer;
  answer.tone = Answer::Tone::kOpen;
  if (!past.comparison) {
    answer.sentence =
        fmt::format("Cluster {} used {} and emitted {} in {}; mode {} compares it with nothing.", past.cluster,
                    EnergyText(past.used.it), CarbonText(past.used.carbon), time, past.mode);
    answer.tiles = {{"energy", EnergyText(past.used.it), "without cooling"},
                    {"carbon", CarbonText(past.used.carbon), ""}};
    return answer;
  }
  const ClusterPast::Comparison& comparison = *past.comparison;
  const Measure measure = MeasureOf(comparison);
  if (measure.was <= 0.0) {
    answer.sentence =
        fmt::format("What {} would have saved on cluster {} is unknown: there is no carbon intensity and no price.",
                    past.policy, past.cluster);
    answer.tiles = {{"energy", EnergyText(past.used.it), "without cooling"},
                    {"jobs moved", fmt::format("{}", past.jobs_moved), ""}};
    return answer;
  }
  answer.sentence = fmt::format("In {} on cluster {}, {} {}.", time, past.cluster, past.policy,
                                SavingClause(measure.saved, measure.was, measure.of));
  if (measure.saved.low > 0.0) answer.tone = Answer::Tone::kGood;
  if (measure.saved.high < 0.0) answer.tone = Answer::Tone::kBad;
  AddTiles(past, comparison, answer);
  AddCaveats(past, comparison, answer);
  return answer;
}

// One value per slot, with a gap where no slot covers the time.
template <typename ValueOf>
Line Steps(std::string label, const ClusterPast& past, Colour colour, Pen pen, ValueOf value_of) {
  Line line{std::move(label), {}, {}, colour, pen};
  for (const Slot& slot : past.slots) {
    const double begin = SecondsOf(slot.span.begin);
    if (!line.x.empty() && begin > line.x.back()) {
      line.x.push_back(line.x.back());
      line.y.push_back(kMissing);
    }
    const std::optional<double> value = value_of(slot);
    line.x.insert(line.x.end(), {begin, std::max(begin, SecondsOf(slot.span.end))});
    line.y.insert(line.y.end(), 2, value.value_or(kMissing));
  }
  return line;
}

double Kilowatts(const Slot& slot, Joules energy) {
  const double seconds = std::max(1.0, Seconds(slot.span.length()).count());
  return energy.value / seconds / 1000.0;
}

LineChart Chart(std::string title, std::string unit, double height) {
  LineChart chart;
  chart.title = std::move(title);
  chart.unit = std::move(unit);
  chart.height = height;
  chart.axis_room = kAxisRoom;
  chart.from_zero = true;
  return chart;
}

template <typename ValueOf>
bool AnySlot(const ClusterPast& past, ValueOf value_of) {
  return std::ranges::any_of(past.slots, [&](const Slot& slot) { return value_of(slot).has_value(); });
}

// "as it was" and, dashed, "as it would have been".
template <typename Was, typename Would>
LineChart Compared(LineChart chart, const ClusterPast& past, Was was, Would would) {
  const bool has_twin = AnySlot(past, would);
  chart.lines.push_back(Steps(has_twin ? "as it was" : "", past, Colour::kGrey, Pen::kSolid, was));
  if (has_twin) chart.lines.push_back(Steps("as it would have been", past, Colour::kBlue, Pen::kSolid, would));
  return chart;
}

std::vector<LineChart> ChartsOf(const ClusterPast& past) {
  std::vector<LineChart> charts;
  const auto carbon = [](const Slot& slot) { return slot.carbon_g_per_kwh; };
  const auto price = [](const Slot& slot) { return slot.price_per_kwh; };
  if (AnySlot(past, carbon)) {
    charts.push_back(Chart("Carbon intensity", "g/kWh", 180));
    charts.back().lines.push_back(Steps("", past, Colour::kVermilion, Pen::kSolid, carbon));
  }
  if (AnySlot(past, price)) {
    charts.push_back(Chart("Price", past.currency.empty() ? "per kWh" : past.currency + "/kWh", 160));
    charts.back().lines.push_back(Steps("", past, Colour::kAmber, Pen::kSolid, price));
  }
  charts.push_back(Compared(
      Chart("Power without cooling, estimated", "kW", 240), past,
      [](const Slot& slot) { return std::optional(Kilowatts(slot, slot.was.it)); },
      [](const Slot& slot) {
        return slot.would_have_been ? std::optional(Kilowatts(slot, slot.would_have_been->it)) : std::nullopt;
      }));
  charts.push_back(Compared(
      Chart("GPUs that run jobs", "", 200), past, [](const Slot& slot) { return std::optional(slot.gpus_was); },
      [](const Slot& slot) { return slot.gpus_would_have_been; }));
  return charts;
}

Status AddCharts(const ClusterPast& past, Page& page) {
  page.Heading("Over time", "time");
  if (past.slots.empty()) {
    page.Paragraph("The controller has not looked long enough for a chart.");
    return {};
  }
  page.Note("Times are UTC. Each value is the mean of its slot; the last slot is not over.");
  for (LineChart& chart : ChartsOf(past)) {
    if (auto bad = page.Figure(AtAnyWidth(std::move(chart))); !bad) return bad;
  }
  return {};
}

void AddMoved(const ClusterPast& past, Page& page) {
  if (!past.comparison) return;
  page.Heading("Jobs that would have moved", "moved");
  if (past.moved.empty()) {
    page.Paragraph("None: no job had slack at a time at which a later start was cleaner.");
    return;
  }
  const bool has_cost = !past.currency.empty();
  HtmlTable table{.header = {"job", "name", "user", "it started", "it would have started", "later by", "kg saved"},
                  .rows = {},
                  .text_columns = 5};
  if (has_cost) table.header.push_back(past.currency + " saved");
  for (const ClusterPast::MovedJob& job : past.moved) {
    table.rows.push_back({job.id, NameText(job.name), job.user, MinuteText(job.from),
                          job.to ? MinuteText(*job.to) : "still waits", job.to ? MinutesText(*job.to - job.from) : "–",
                          job.saved_carbon ? Kilograms(*job.saved_carbon) : "–"});
    if (has_cost) table.rows.back().push_back(job.saved_cost ? NumberText(*job.saved_cost, 3) : "–");
  }
  page.Note(
      fmt::format("{} listed, those that save the most first. A saving is that of the job's GPUs alone, known when "
                  "it is over on both sides.",
                  past.moved.size() == 1 ? "1 job is" : fmt::format("{} jobs are", past.moved.size())));
  page.Add(table);
}

void AddLate(const ClusterPast& past, Page& page) {
  if (!past.comparison) return;
  page.Heading("Late on the twin", "late");
  if (past.late.empty()) {
    page.Paragraph("None: every job ends within what its user allows.");
    return;
  }
  HtmlTable table{.header = {"job", "name", "user", "its user allows", "later by"}, .rows = {}, .text_columns = 4};
  for (const ClusterPast::LateJob& job : past.late) {
    table.rows.push_back({job.id, NameText(job.name), job.user, job.allowed, MinutesText(job.late)});
  }
  page.Add(table);
}

void AddUsers(const ClusterPast& past, Page& page) {
  page.Heading("Energy per user", "users");
  if (past.users.empty()) return page.Paragraph("No job has used a GPU yet.");
  auto users = past.users;
  std::ranges::stable_sort(users, [](const auto& a, const auto& b) { return a.used.it.value > b.used.it.value; });
  const bool has_cost = !past.currency.empty();
  HtmlTable table{.header = {"user", "jobs", "kWh", "kg CO2e"}, .rows = {}};
  if (has_cost) table.header.push_back(past.currency);
  const auto add = [&](std::string name, std::string jobs, const Used& used) {
    table.rows.push_back({std::move(name), std::move(jobs), Kwh(used.it), Kilograms(used.carbon)});
    if (has_cost) table.rows.back().push_back(NumberText(used.cost, 3));
  };
  for (std::size_t u = 0; u < std::min(users.size(), kMostUsers); ++u) {
    add(users[u].name.empty() ? "all others" : users[u].name, fmt::format("{}", users[u].jobs), users[u].used);
  }
  add("no job", "–", past.unused);
  if (users.size() > kMostUsers) page.Note(fmt::format("The {} users with the most energy are listed.", kMostUsers));
  page.Note(
      "As it was. A job pays for its GPUs and for its share of the node around them; what no job pays for is idle.");
  page.Add(table);
}

void AddGroups(const ClusterPast& past, Page& page) {
  page.Heading("Energy per node group, and what it is estimated from", "groups");
  if (past.groups.empty()) return page.Paragraph("No node with GPUs is shown to you.");
  HtmlTable table{
      .header = {"group", "GPU", "watts are", "nodes", "GPUs", "W idle GPU", "W busy GPU", "W of a node", "kWh"},
      .rows = {},
      .text_columns = 3};
  for (const ClusterPast::Group& group : past.groups) {
    const std::string busy = group.gpu_busy_error > 0.0
                                 ? fmt::format("{:.0f} ± {} %", group.gpu_busy.value, Percent(group.gpu_busy_error))
                                 : fmt::format("{:.0f}", group.gpu_busy.value);
    table.rows.push_back({group.name, group.gpu, group.is_estimated ? "estimated" : "from the config",
                          fmt::format("{}", group.nodes), fmt::format("{}", group.gpus),
                          fmt::format("{:.0f}", group.gpu_idle.value), busy,
                          fmt::format("{:.0f}", group.node_base.value), Kwh(group.used)});
  }
  page.Add(table);
}

void AddUnknown(const ClusterPast& past, Page& page) {
  page.Heading("What is not known", "unknown");
  page.Paragraph(
      "Power is the watts of the table above times the time on GPUs. How hard a program works its GPU is not measured, "
      "and neither is cooling.");
  for (const std::string& problem : past.problems) page.Note("The controller reports: " + problem);
  if (!past.comparison) return;
  page.Paragraph(
      "The cluster has run every job as its scheduler decided; the policy has decided beside it and changed nothing. "
      "What would have been comes from a twin: a model that counts GPUs per node group and takes each job's true "
      "length.");
  page.Paragraph(
      "Jobs on nodes of several groups and jobs without GPUs are on neither side of the comparison. The twin never "
      "starts a job "
      "before the cluster did, so a better order of the queue counts for nothing here.");
}

}  // namespace

std::string SavingClause(const ClusterPast::Range& saved, double was, std::string_view of) {
  const double low = saved.low / was;
  const double high = saved.high / was;
  const std::string least = Percent(std::abs(low));
  const std::string most = Percent(std::abs(high));
  if (least == "0.0" && most == "0.0") return fmt::format("would have changed nothing in the {}", of);
  if (low >= 0.0) return fmt::format("would have saved {} to {} % of the {}", least, most, of);
  if (high <= 0.0) return fmt::format("would have added {} to {} % to the {}", most, least, of);
  return fmt::format("would have changed the {} by {} % more to {} % less: too little to tell", of, least, most);
}

Result<std::string> ClusterPage(const ClusterPast& past, const MadeBy& made_by) {
  const std::string subtitle = fmt::format("{} · mode {} · policy {} · {} to {} UTC", past.version, past.mode,
                                           past.policy, MinuteText(past.begun), MinuteText(past.looked));
  Page page({"Cluster " + past.cluster, subtitle, AnswerOf(past)});
  if (const auto bad = AddCharts(past, page); !bad) return Propagate(bad);
  AddMoved(past, page);
  AddLate(past, page);
  AddUsers(past, page);
  AddGroups(past, page);
  AddUnknown(past, page);
  return std::move(page).Finish(made_by);
}

}  // namespace heliostat::report
