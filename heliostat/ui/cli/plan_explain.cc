#include "heliostat/ui/cli/plan_explain.h"

#include <fmt/format.h>

#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using planner::Explanation;
using report::NumberText;

constexpr std::string_view kCarbonUnit = "kg CO2e";

// Consecutive slots with the same state, and their mean carbon intensity and prices.
struct Stretch {
  Interval span;
  std::string state;
  double carbon = 0.0;
  double price = 0.0;
  double rent = 0.0;
};

std::vector<Stretch> StretchesOf(const Explanation& explanation, Duration step) {
  std::vector<Stretch> stretches;
  const auto& slots = explanation.slots;
  for (std::size_t i = 0; i < slots.size();) {
    Stretch stretch{{slots[i].time, slots[i].time}, slots[i].state};
    const std::size_t first = i;
    for (; i < slots.size() && slots[i].state == stretch.state; ++i) {
      stretch.span.end = slots[i].time + step;
      stretch.carbon += slots[i].carbon_g_per_kwh;
      stretch.price += slots[i].energy_price;
      stretch.rent += slots[i].gpu_rent;
    }
    const auto count = static_cast<double>(i - first);
    stretch.carbon /= count;
    stretch.price /= count;
    stretch.rent /= count;
    stretches.push_back(std::move(stretch));
  }
  return stretches;
}

report::HtmlTable SlotTable(const Explanation& explanation, Duration step) {
  report::HtmlTable table{
      .header = {"from", "to", "the job", "g CO2e/kWh", explanation.unit + "/kWh", explanation.unit + "/GPU-h"},
      .rows = {},
      .text_columns = 3};
  for (const Stretch& stretch : StretchesOf(explanation, step)) {
    table.rows.push_back({FormatInstant(stretch.span.begin), FormatInstant(stretch.span.end),
                          Printable(stretch.state, 80), NumberText(stretch.carbon), NumberText(stretch.price),
                          NumberText(stretch.rent)});
  }
  return table;
}

std::string Signed(double value) { return (value > 0.0 ? "+" : "") + NumberText(value); }

report::HtmlTable AlternativeTable(const Explanation& explanation) {
  report::HtmlTable table{.header = {"instead", "possible", explanation.unit}, .rows = {}, .text_columns = 2};
  const bool is_carbon_apart = explanation.unit != kCarbonUnit;
  if (is_carbon_apart) table.header.emplace_back(kCarbonUnit);
  for (const Explanation::Alternative& other : explanation.alternatives) {
    const std::string possible = other.feasible ? "yes" : "no: " + Printable(other.note, 160);
    std::vector<std::string> row{Printable(other.what, 80), possible, other.feasible ? Signed(other.extra) : "-"};
    if (is_carbon_apart) row.push_back(other.feasible ? Signed(other.extra_carbon_kg) : "-");
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr std::string_view kWhatSlotsMean =
    "Means over each stretch of time: the carbon intensity of one more watt, and the plan's own prices of a kWh of "
    "energy and of a GPU-hour.";
constexpr std::string_view kWhatAlternativesMean = "Alternatives for the job, and what each of them adds:";

}  // namespace

std::string TextOf(const Explanation& explanation, const scenario::Scenario& scenario) {
  std::string text = fmt::format("Why {} runs when it does\n{}\n", Printable(explanation.job, 80),
                                 report::Wrapped(Printable(explanation.summary, 1000), report::TerminalWidth()));
  if (!explanation.slots.empty()) {
    text += fmt::format("\n{}\n\n{}", report::Wrapped(kWhatSlotsMean, report::TerminalWidth()),
                        TextOf(SlotTable(explanation, scenario.step)));
  }
  if (!explanation.alternatives.empty()) {
    text += fmt::format("\n{}\n\n{}", kWhatAlternativesMean, TextOf(AlternativeTable(explanation)));
  }
  return text;
}

io::Json JsonOf(const Explanation& explanation) {
  io::Json json;
  json.Set("job", explanation.job).Set("summary", explanation.summary).Set("unit", explanation.unit);
  io::Json slots{io::Json::Array{}};
  for (const Explanation::Slot& slot : explanation.slots) {
    io::Json row;
    row.Set("time", FormatInstant(slot.time)).Set("state", slot.state);
    row.Set("carbon_g_per_kwh", slot.carbon_g_per_kwh).Set("energy_price", slot.energy_price);
    slots.Append(std::move(row.Set("gpu_rent", slot.gpu_rent)));
  }
  io::Json alternatives{io::Json::Array{}};
  for (const Explanation::Alternative& other : explanation.alternatives) {
    io::Json row;
    row.Set("what", other.what).Set("feasible", other.feasible);
    row.Set("extra", other.feasible ? io::Json(other.extra) : io::Json());
    row.Set("extra_carbon_kg", other.feasible ? io::Json(other.extra_carbon_kg) : io::Json());
    alternatives.Append(std::move(row.Set("note", other.note)));
  }
  return json.Set("slots", std::move(slots)).Set("alternatives", std::move(alternatives));
}

report::PageSection SectionOf(const Explanation& explanation, const scenario::Scenario& scenario) {
  report::PageSection section{.heading = "Why " + explanation.job + " runs when it does",
                              .id = "explain",
                              .paragraphs = {explanation.summary, std::string(kWhatSlotsMean)},
                              .tables = {}};
  if (!explanation.slots.empty()) section.tables.push_back(SlotTable(explanation, scenario.step));
  if (!explanation.alternatives.empty()) section.tables.push_back(AlternativeTable(explanation));
  return section;
}

}  // namespace heliostat::cli
