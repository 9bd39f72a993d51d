#include "heliostat/ui/cli/forecast_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/ui/cli/forecast_files.h"
#include "heliostat/ui/cli/forecast_history.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/forecast_page.h"
#include "heliostat/ui/report/terminal_plot.h"

namespace heliostat::cli {
namespace {

using std::chrono::days;

const std::vector<double>& ValuesOf(const ShownForecast& shown) { return shown.answer.prediction.values; }

Instant TimeOf(const ShownForecast& shown, std::size_t i) {
  return shown.answer.issued + shown.answer.step * static_cast<std::int64_t>(i);
}

Duration HorizonOf(const ShownForecast& shown) {
  return shown.answer.step * static_cast<std::int64_t>(ValuesOf(shown).size());
}

// "90" for 0.9.
std::string PercentText(const forecast::Band& band) { return fmt::format("{}", std::lround(band.level * 100)); }

const forecast::Band* WidestBand(const ShownForecast& shown) {
  const auto& bands = shown.answer.bands;
  const auto widest = std::ranges::max_element(bands, {}, &forecast::Band::level);
  return widest == bands.end() ? nullptr : &*widest;
}

// The last `length` of a series, at least one step.
signal::StepSeries Newest(const signal::StepSeries& series, Duration length) {
  const Duration whole = std::max(series.step(), length / series.step() * series.step());
  const auto part = series.Slice({std::max(series.start(), series.end() - whole), series.end()});
  return part ? *part : series;
}

std::string Who(const ShownForecast& shown) {
  const auto& prediction = shown.answer.prediction;
  if (prediction.answered_by.empty() || prediction.answered_by == shown.model) return shown.model;
  return fmt::format("{}, answered by {}", shown.model, prediction.answered_by);
}

// What is best in a signal, and whether it is the lowest value.
struct Best {
  const char* name;
  bool is_lowest;
};
Best BestOf(const signal::Meaning& meaning) {
  switch (meaning.kind) {
    case signal::Kind::kCarbonIntensity:
      return {"Cleanest", true};
    case signal::Kind::kPrice:
      return {"Cheapest", true};
    case signal::Kind::kPower:
    case signal::Kind::kCapacityFactor:
    case signal::Kind::kShare:
      return {"Highest", false};
    case signal::Kind::kOther:
      break;
  }
  return {"Lowest", true};
}

report::ForecastCurve CurveOf(const ShownForecast& shown) {
  report::ForecastCurve curve{Who(shown), shown.answer.issued, shown.answer.step, ValuesOf(shown), {}};
  for (auto band = shown.answer.bands.rbegin(); band != shown.answer.bands.rend(); ++band) {
    curve.ranges.push_back({band->level * 100, band->lower, band->upper});
  }
  return curve;
}

std::optional<report::BestWindow> WindowOf(const ShownForecast& shown) {
  return BestWindowOf(CurveOf(shown), BestOf(shown.past.target.meaning).is_lowest);
}

std::string AnswerText(const ShownForecast& shown) {
  const auto window = WindowOf(shown);
  if (!window) return "";
  return fmt::format("{} {}: {}\n\n", BestOf(shown.past.target.meaning).name, report::HoursText(window->span.length()),
                     WindowText(CurveOf(shown), *window, UnitText(shown.past.target.meaning)));
}

report::HtmlTable FactsOf(const ShownForecast& shown) {
  const auto& target = shown.past.target;
  report::HtmlTable facts{.header = {"", ""}, .rows = {}, .text_columns = 2};
  facts.rows.push_back({"series", fmt::format("{}: {}", shown.file, SeriesText(target))});
  facts.rows.push_back({"model", Who(shown)});
  if (!shown.answer.prediction.reason.empty()) facts.rows.push_back({"why", shown.answer.prediction.reason});
  facts.rows.push_back({"fitted until", report::MinuteText(shown.fitted_until) + " UTC"});
  facts.rows.push_back(
      {"forecast", fmt::format("from {} UTC, {} ahead in steps of {}", report::MinuteText(shown.answer.issued),
                               FormatDuration(HorizonOf(shown)), FormatDuration(shown.answer.step))});
  return facts;
}

// Steps between two rows of the table, a round length of time, so that there are about `most` rows or fewer.
std::size_t StepsBetweenRows(const ShownForecast& shown, std::size_t most) {
  using namespace std::chrono_literals;
  const auto count = ValuesOf(shown).size();
  for (const Duration every : {5min, 15min, 30min, 60min, 120min, 180min, 360min, 720min}) {
    if (every % shown.answer.step != 0s) continue;
    const auto steps = static_cast<std::size_t>(every / shown.answer.step);
    if (steps > 0 && count / steps <= most) return steps;
  }
  return std::max<std::size_t>(1, count / most);
}

report::HtmlTable ValueTable(const ShownForecast& shown, std::size_t most, std::string (*time_text)(Instant)) {
  report::HtmlTable table{.header = {"time", "forecast"}, .rows = {}, .text_columns = 1};
  const forecast::Band* band = WidestBand(shown);
  if (band != nullptr) {
    table.header.push_back(PercentText(*band) + " % low");
    table.header.push_back(PercentText(*band) + " % high");
  }
  for (std::size_t i = 0; i < ValuesOf(shown).size(); i += StepsBetweenRows(shown, most)) {
    std::vector<std::string> row{time_text(TimeOf(shown, i)), report::NumberText(ValuesOf(shown)[i])};
    if (band != nullptr) {
      row.push_back(report::NumberText(band->lower[i]));
      row.push_back(report::NumberText(band->upper[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string Drawing(const ShownForecast& shown) {
  const report::TerminalStyle style = report::ThisTerminal();
  const Duration past = std::clamp<Duration>(HorizonOf(shown) / 3, shown.answer.step, days{1});
  report::TerminalPlot plot;
  plot.start = shown.answer.issued;
  plot.step = shown.answer.step;
  plot.before = Newest(shown.past.target.series, past).values();
  plot.values = ValuesOf(shown);
  plot.unit = UnitText(shown.past.target.meaning);
  std::string levels;
  for (auto band = shown.answer.bands.rbegin(); band != shown.answer.bands.rend(); ++band) {
    plot.bands.push_back({band->lower, band->upper});
    levels += (levels.empty() ? "" : ", ") + PercentText(*band) + " %";
  }
  const auto text = Render(plot, style);
  if (!text) return "";  // nothing is known
  if (levels.empty()) return *text + "no bands: the model has no past errors to make them from\n";
  return *text + fmt::format("bands, outer to inner ({}): {}\n", style.is_utf8 ? "░▒▓" : ".:=", levels);
}

io::Json JsonOf(const ShownForecast& shown) {
  const auto& target = shown.past.target;
  const auto& prediction = shown.answer.prediction;
  io::Json json;
  json.Set("file", shown.file).Set("column", target.name).Set("unit", UnitText(target.meaning));
  json.Set("zone", target.meaning.zone).Set("model", shown.model);
  json.Set("answered_by", prediction.answered_by.empty() ? shown.model : prediction.answered_by);
  json.Set("reason", prediction.reason).Set("issued", FormatInstant(shown.answer.issued));
  json.Set("step_s", shown.answer.step.count()).Set("horizon_s", HorizonOf(shown).count());
  json.Set("fitted_until", FormatInstant(shown.fitted_until)).Set("beside", BesideOf(shown.past));
  io::Json values{io::Json::Array{}};
  for (std::size_t i = 0; i < prediction.values.size(); ++i) {
    io::Json row;
    row.Set("time", FormatInstant(TimeOf(shown, i))).Set("value", prediction.values[i]);
    for (const forecast::Band& band : shown.answer.bands) {
      row.Set("lower" + PercentText(band), band.lower[i]).Set("upper" + PercentText(band), band.upper[i]);
    }
    values.Append(std::move(row));
  }
  if (const auto window = WindowOf(shown)) {
    io::Json best;
    best.Set("from", FormatInstant(window->span.begin)).Set("to", FormatInstant(window->span.end));
    best.Set("seeks", BestOf(target.meaning).is_lowest ? "lowest" : "highest").Set("mean", window->mean);
    json.Set("best_window", std::move(best.Set("mean_of_horizon", window->whole_mean)));
  }
  io::Json scenarios{io::Json::Array{}};
  for (const auto& scenario : shown.scenarios) {
    io::Json path{io::Json::Array{}};
    for (const double value : scenario) path.Append(value);
    scenarios.Append(std::move(path));
  }
  return json.Set("values", std::move(values)).Set("scenarios", std::move(scenarios));
}

// A signal on the times of the forecast.
Result<signal::Signal> ColumnOf(const ShownForecast& shown, std::string name, const std::vector<double>& values) {
  auto series = signal::StepSeries::Make(shown.answer.issued, shown.answer.step, values);
  if (!series) return Propagate(series);
  signal::Signal column{std::move(name), shown.past.target.meaning, std::move(*series)};
  column.meaning.nature = signal::Nature::kForecast;
  return column;
}

Result<std::string> WriteColumns(const ShownForecast& shown,
                                 const std::vector<std::pair<std::string, const std::vector<double>*>>& columns) {
  std::vector<signal::Signal> signals;
  for (const auto& [name, values] : columns) {
    auto column = ColumnOf(shown, name, *values);
    if (!column) return Propagate(column);
    signals.push_back(std::move(*column));
  }
  return signal_files::WriteCanonical(signals);
}

}  // namespace

Output ReportOf(const ShownForecast& shown) {
  Output output;
  output.text = AnswerText(shown);
  for (const auto& row : FactsOf(shown).rows) output.text += fmt::format("{:<13} {}\n", row[0], row[1]);
  output.text += "\n" + Drawing(shown) + "\n" + TextOf(ValueTable(shown, 16, FormatInstant));
  output.json = JsonOf(shown);
  return output;
}

Result<std::string> PageOf(const ShownForecast& shown, const report::MadeBy& made_by) {
  const auto& target = shown.past.target;
  const Best best = BestOf(target.meaning);
  return Render(report::ForecastPage{
      .title = "Forecast: " + SeriesTitle(target),
      .subtitle = fmt::format("{} from {} UTC", Who(shown), report::MinuteText(shown.answer.issued)),
      .unit = UnitText(target.meaning),
      .before = Newest(target.series, days{3}),
      .forecast = CurveOf(shown),
      .scenarios = shown.scenarios,
      .facts = FactsOf(shown),
      .values = ValueTable(shown, 60, report::ShortTime),
      .best_name = best.name,
      .seeks_lowest = best.is_lowest,
      .made_by = made_by});
}

Result<std::string> CanonicalOf(const ShownForecast& shown) {
  const std::string name = signal_files::CanonicalName(shown.past.target, true);
  std::vector<std::pair<std::string, const std::vector<double>*>> columns{{name, &ValuesOf(shown)}};
  for (auto band = shown.answer.bands.rbegin(); band != shown.answer.bands.rend(); ++band) {
    columns.emplace_back("lower" + PercentText(*band), &band->lower);
    columns.emplace_back("upper" + PercentText(*band), &band->upper);
  }
  return WriteColumns(shown, columns);
}

Result<std::string> ScenariosOf(const ShownForecast& shown) {
  std::vector<std::pair<std::string, const std::vector<double>*>> columns;
  for (std::size_t i = 0; i < shown.scenarios.size(); ++i) {
    columns.emplace_back(fmt::format("scenario_{}", i + 1), &shown.scenarios[i]);
  }
  return WriteColumns(shown, columns);
}

}  // namespace heliostat::cli
