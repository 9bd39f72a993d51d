#include "heliostat/ui/report/run_page.h"

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

using ledger::CarbonSoFar;
using ledger::Estimate;
using ledger::Period;
using ledger::Run;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kAxisRoom = 56;  // of all charts, so that their time axes align
constexpr std::size_t kMostDecisions = 1000;
constexpr std::size_t kMostMarks = 20;

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

double SecondsOf(Instant time) { return static_cast<double>(time.time_since_epoch().count()); }

// One value per period, drawn as steps, with a gap where no period covers the time. If the clock was set back, the line
// does not go back.
template <typename ValueOf>
Line Steps(std::string label, const Run& run, Colour colour, Pen pen, ValueOf value_of) {
  Line line{std::move(label), {}, {}, colour, pen};
  double last = SecondsOf(run.begin.start);
  for (const Period& period : run.periods) {
    const double begin = std::max(last, SecondsOf(period.start));
    const double end = std::max(begin, SecondsOf(period.end));
    // Times are whole seconds, so a period may begin one second after the end of the previous one.
    if (begin > last + 1 && !line.x.empty()) {
      line.x.push_back(last);
      line.y.push_back(kMissing);
    }
    line.x.insert(line.x.end(), {begin, end});
    line.y.insert(line.y.end(), 2, value_of(period));
    last = end;
  }
  return line;
}

LineChart Chart(std::string title, std::string unit, const Run& run) {
  LineChart chart;
  chart.title = std::move(title);
  chart.unit = std::move(unit);
  chart.height = 230;
  chart.axis_room = kAxisRoom;
  if (run.notes.size() <= kMostMarks) {
    for (const ledger::Note& note : run.notes) {
      if (note.time >= run.begin.start && note.time <= run.last()) chart.marks.push_back(SecondsOf(note.time));
    }
  }
  return chart;
}

// "Power limit" for "power-limit".
std::string KnobTitle(std::string knob) {
  std::ranges::replace(knob, '-', ' ');
  return knob.empty() ? "Level" : Capitalised(std::move(knob));
}

LineChart LevelChart(const Run& run) {
  LineChart chart = Chart(KnobTitle(run.begin.knob), run.begin.level_unit, run);
  chart.height = 180;
  chart.lines.push_back(Steps("", run, Colour::kBlue, Pen::kSolid, [](const Period& p) { return p.level; }));
  return chart;
}

LineChart IntensityChart(const Run& run) {
  LineChart chart = Chart("Carbon intensity", "g/kWh", run);
  chart.height = 180;
  chart.lines.push_back(Steps("as it was", run, Colour::kVermilion, Pen::kSolid,
                              [](const Period& p) { return p.carbon_g_per_kwh.value_or(kMissing); }));
  chart.lines.push_back(Steps("as forecast", run, Colour::kVermilion, Pen::kDashed,
                              [](const Period& p) { return p.forecast_g_per_kwh.value_or(kMissing); }));
  return chart;
}

bool KnowsIntensity(const Run& run) {
  return std::ranges::any_of(run.periods, [](const Period& p) { return p.carbon_g_per_kwh || p.forecast_g_per_kwh; });
}

LineChart PowerChart(const Run& run) {
  LineChart chart = Chart("Power of the GPUs", "W", run);
  chart.from_zero = true;
  chart.lines.push_back(
      Steps("this run", run, Colour::kBlue, Pen::kSolid, [](const Period& p) { return p.mean_power().value; }));
  chart.lines.push_back(Steps("predicted at the default", run, Colour::kGrey, Pen::kDashed,
                              [](const Period& p) { return p.at_default ? p.at_default->power_w.value : kMissing; }));
  return chart;
}

LineChart SpeedChart(const Run& run) {
  LineChart chart = Chart("Speed", run.begin.step_name + "/s", run);
  chart.from_zero = true;
  chart.lines.push_back(
      Steps("this run", run, Colour::kBlue, Pen::kSolid, [](const Period& p) { return p.mean_steps_per_s(); }));
  chart.lines.push_back(Steps("predicted at the default", run, Colour::kGrey, Pen::kDashed, [](const Period& p) {
    return p.at_default ? p.at_default->steps_per_s.value : kMissing;
  }));
  return chart;
}

// A running total: 0 at the start, then one value per end of a period.
std::vector<double> FromZero(const std::vector<Estimate>& estimates, double bars) {
  std::vector<double> values{0.0};
  for (const Estimate& estimate : estimates) values.push_back(estimate.value + bars * ledger::BarOf(estimate));
  return values;
}

LineChart CarbonChart(const Run& run) {
  const CarbonSoFar so_far = ledger::CarbonSoFarOf(run);
  LineChart chart = Chart("Carbon so far", "g CO2e", run);
  chart.height = 300;
  chart.from_zero = true;
  std::vector<double> x{SecondsOf(run.begin.start)};
  std::vector<double> own{0.0};
  for (std::size_t i = 0; i < run.periods.size(); ++i) {
    x.push_back(std::max(x.back(), SecondsOf(run.periods[i].end)));
    own.push_back(so_far.run[i].value);
  }
  chart.bands.push_back(
      {"95 %", x, FromZero(so_far.at_default_g, -1), FromZero(so_far.at_default_g, 1), Colour::kGrey});
  chart.bands.push_back({"", x, FromZero(so_far.at_optimum_g, -1), FromZero(so_far.at_optimum_g, 1), Colour::kGreen});
  std::vector<double> sooner{SecondsOf(run.begin.start)};
  std::vector<double> from_start{0.0};
  for (const ledger::CarbonAt& point : ledger::DefaultFromStart(run)) {
    sooner.push_back(SecondsOf(run.begin.start) + point.elapsed.count());
    from_start.push_back(point.carbon.value);
  }
  chart.lines.push_back({"default, same start", sooner, from_start, Colour::kVermilion, Pen::kDashed});
  chart.lines.push_back({"default, same moment", x, FromZero(so_far.at_default_g, 0), Colour::kGrey, Pen::kDashed});
  chart.lines.push_back(
      {"energy-optimal, carbon-blind", x, FromZero(so_far.at_optimum_g, 0), Colour::kGreen, Pen::kDashed});
  chart.lines.push_back({"this run", x, own, Colour::kBlue});
  return chart;
}

Status AddCharts(const Run& run, Page& page) {
  page.Heading("Over time", "time");
  if (!run.notes.empty() && run.notes.size() <= kMostMarks) page.Note("Vertical lines mark the notes below.");
  std::vector<LineChart> charts{LevelChart(run)};
  if (KnowsIntensity(run)) charts.push_back(IntensityChart(run));
  for (LineChart& chart : std::vector{PowerChart(run), SpeedChart(run), CarbonChart(run)}) {
    charts.push_back(std::move(chart));
  }
  for (LineChart& chart : charts) {
    if (auto bad = page.Figure(AtAnyWidth(std::move(chart))); !bad) return bad;
  }
  return {};
}

// Prevents line breaks, so that the column of reasons gets the width.
std::string Unbroken(const std::string& text) {
  std::string unbroken;
  for (const char c : text) unbroken += c == ' ' ? "\u00a0" : c == '-' ? "\u2011" : std::string(1, c);
  return unbroken;
}

void AddDecisions(const Run& run, Page& page) {
  page.Heading("Decisions", "decisions");
  HtmlTable table = DecisionTable(run, kMostDecisions, /*probes_as_one=*/true);
  constexpr std::size_t kWhy = 2;
  for (auto& row : table.rows) {
    for (std::size_t column = 0; column < table.text_columns; ++column) {
      if (column != kWhy) row[column] = Unbroken(row[column]);
    }
  }
  if (table.rows.size() == kMostDecisions) page.Note(fmt::format("The last {} are listed.", kMostDecisions));
  page.Add(table);
}

void AddNotes(const Run& run, Page& page) {
  if (run.notes.empty()) return;
  page.Heading("Notes", "notes");
  HtmlTable table{.header = {"UTC", "what"}, .rows = {}, .text_columns = 2};
  for (const ledger::Note& note : run.notes) table.rows.push_back({FormatInstant(note.time), note.text});
  page.Add(table);
}

void AddFacts(const Run& run, Page& page) {
  const ledger::Begin& begin = run.begin;
  page.Heading("How it was run", "facts");
  HtmlTable table{.header = {"", ""}, .rows = {}, .text_columns = 2};
  const auto add = [&](std::string name, std::string text) {
    if (!text.empty()) table.rows.push_back({std::move(name), std::move(text)});
  };
  add("command", fmt::format("{}", fmt::join(begin.command, " ")));
  add("machine", begin.host);
  for (const ledger::GpuName& gpu : begin.gpus) add("GPU", gpu.name + ", " + gpu.uuid);
  add("knob", fmt::format("{}, default {:g} {}", begin.knob, begin.default_level, begin.level_unit));
  add("mode", begin.mode);
  for (const auto& [name, value] : begin.options) add("--" + name, value);
  add("signal", begin.signal_source);
  add("profile", begin.profile_key);
  add("PUE", fmt::format("{:g}", begin.pue));
  if (begin.node_power.value > 0) add("node without its GPUs", fmt::format("{:g} W", begin.node_power.value));
  if (run.end) add("end", fmt::format("{}, exit status {}", run.end->reason, run.end->exit_status));
  page.Add(table);
}

// "12.3 %"; "unknown" without an estimate.
std::string ShareText(const std::optional<Estimate>& estimate) {
  return estimate ? EstimateText(*estimate, "%") : "unknown";
}

Answer AnswerOf(const Run& run, const ledger::Bill& bill) {
  Answer answer;
  answer.tone = Answer::Tone::kOpen;
  if (run.periods.empty()) {
    answer.sentence = "No period has ended yet, so there is no bill.";
    return answer;
  }
  const std::string summary = SummaryText(run, bill);
  answer.sentence =
      summary.empty() ? "What the default setting would have used is unknown: the run has no profile yet." : summary;
  for (const std::string& remark : BillRemarks(run, bill)) answer.caveats.push_back(Capitalised(remark));
  const std::string energy = EnergyText(bill.run.energy);
  const std::string carbon = CarbonText(bill.run.carbon);
  const std::string time = LengthText(Duration(std::llround(bill.run.time.count())));
  if (run.begin.is_shadow || VerdictText(bill).empty()) {
    answer.tiles = {{"energy", energy}, {"carbon", carbon}, {"time", time}};
    return answer;
  }
  const auto& saved = bill.from_start.carbon_saved_percent;
  // Half of the interval must be on the good side for a saving.
  if (saved && saved->value > ledger::BarOf(*saved)) answer.tone = Answer::Tone::kGood;
  if (saved && saved->value < -ledger::BarOf(*saved)) answer.tone = Answer::Tone::kBad;
  answer.tiles = {{"carbon saved", ShareText(saved), "this run: " + carbon},
                  {"energy saved", ShareText(bill.from_start.energy_saved_percent), "this run: " + energy},
                  {"longer by", ShareText(bill.from_start.slowdown_percent), "this run: " + time}};
  if (run.begin.currency) {
    answer.tiles.push_back({"cost saved", ShareText(bill.from_start.cost_saved_percent),
                            fmt::format("this run: {} {}", NumberText(bill.run.cost, 4), run.begin.currency->code())});
  }
  return answer;
}

}  // namespace

Result<std::string> RunPage(const Run& run, std::string_view state, const MadeBy& made_by) {
  const ledger::Bill bill = ledger::BillOf(run);
  auto lines = HeadLines(run, state);
  lines[0].erase(0, fmt::format("run {}: ", run.id).size());  // the title has the ID of the run
  Page page({fmt::format("Run {}", run.id), fmt::format("{}", fmt::join(lines, " · ")), AnswerOf(run, bill)});
  if (!run.periods.empty()) {
    page.Add(BillTable(run, bill));
    if (const auto bad = AddCharts(run, page); !bad) return Propagate(bad);
    AddDecisions(run, page);
  }
  AddNotes(run, page);
  AddFacts(run, page);
  return std::move(page).Finish(made_by);
}

}  // namespace heliostat::report
