#include "heliostat/ui/cli/backtest_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heliostat/signals/signal/summary.h"
#include "heliostat/ui/cli/backtest_examples.h"
#include "heliostat/ui/cli/forecast_files.h"
#include "heliostat/ui/cli/forecast_history.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/forecast_page.h"

namespace heliostat::cli {
namespace {

using forecast::ForecastScore;
using forecast::ModelResult;

constexpr std::size_t k50 = 0;
constexpr std::size_t k80 = 1;
constexpr std::size_t k90 = 2;  // of forecast::kBandLevels

double CoverageOf(const ForecastScore& score, std::size_t level) {
  return level < score.coverage_percent.size() ? score.coverage_percent[level] : signal::Missing();
}

// Whether relative errors are meaningful: not for prices, and not for values near or below zero.
bool IsRelativeFair(const signal::Signal& target) {
  constexpr double kNearZero = 0.02;  // of the mean
  const auto summary = signal::Summarize(target.series.values());
  return target.meaning.kind != signal::Kind::kPrice && summary.min > kNearZero * summary.mean;
}

// `value`, or missing if the score is over no values: its sums are 0 then.
double Known(const ForecastScore& score, double value) { return score.count == 0 ? signal::Missing() : value; }

double ErrorOf(const ForecastScore& score, bool is_relative) {
  const bool has_relative = score.count > score.zeros;
  if (is_relative) return has_relative ? score.mape_percent : signal::Missing();
  return Known(score, score.mae);
}

Duration TrainOf(const ModelResult& model, const BacktestRun& run) {
  const Duration all = run.result.origins.front() - run.history.target.series.start();
  return model.train == Duration{0} ? all : std::min(all, model.train);
}

std::string RefitText(Duration refit) {
  if (refit == Duration{0}) return "at every origin";
  return refit >= kNeverRefit ? "once, before the first origin" : "every " + FormatDuration(refit);
}

std::string TrainText(const ModelResult& model) {
  return model.train == Duration{0} ? "all earlier values" : "the last " + FormatDuration(model.train);
}

// One column of scores, how to print them, and whether the lowest or the highest is the best.
struct ScoreColumn {
  std::string header;
  int decimals;  // -1: three significant digits
  enum class Best { kNone, kLowest, kHighest } best;
  std::vector<double> values;  // one per model, in the order of the rows
};

std::vector<std::string> Cells(const ScoreColumn& column) {
  double best = signal::Missing();
  for (const double value : column.values) {
    const bool is_better = column.best == ScoreColumn::Best::kLowest ? value < best : value > best;
    if (std::isnan(best) || is_better) best = std::isnan(value) ? best : value;
  }
  const bool marks = column.best != ScoreColumn::Best::kNone;
  std::vector<std::string> cells;
  for (const double value : column.values) {
    std::string cell = std::isnan(value)     ? "-"
                       : column.decimals < 0 ? report::NumberText(value)
                                             : fmt::format("{:.{}f}", value, column.decimals);
    if (marks) cell += column.values.size() > 1 && value == best ? '*' : ' ';
    cells.push_back(std::move(cell));
  }
  return cells;
}

// The models, best first: by MAPE if relative errors are meaningful, else by MAE.
std::vector<const ModelResult*> Ranked(const BacktestRun& run, bool is_relative) {
  std::vector<const ModelResult*> models;
  for (const ModelResult& model : run.result.models) models.push_back(&model);
  std::ranges::stable_sort(models, [&](const ModelResult* a, const ModelResult* b) {
    const double error_a = ErrorOf(a->score, is_relative);
    const double error_b = ErrorOf(b->score, is_relative);
    return !std::isnan(error_a) && (std::isnan(error_b) || error_a < error_b);
  });
  return models;
}

std::vector<ScoreColumn> Columns(const std::vector<const ModelResult*>& models, const std::string& unit,
                                 bool is_relative) {
  using Best = ScoreColumn::Best;
  const auto column = [&](std::string header, int decimals, Best best, auto value) {
    ScoreColumn made{std::move(header), decimals, best, {}};
    for (const ModelResult* model : models) made.values.push_back(value(*model));
    return made;
  };
  std::vector<ScoreColumn> columns{
      column("MAPE %", 2, is_relative ? Best::kLowest : Best::kNone,
             [](const ModelResult& m) { return ErrorOf(m.score, true); }),
      column("MAE, " + unit, -1, Best::kLowest, [](const ModelResult& m) { return ErrorOf(m.score, false); })};
  if (!is_relative) std::swap(columns[0], columns[1]);
  columns.push_back(
      column("RMSE", -1, Best::kLowest, [](const ModelResult& m) { return Known(m.score, m.score.rmse); }));
  columns.push_back(
      column("90 % cover", 1, Best::kNone, [](const ModelResult& m) { return CoverageOf(m.score, k90); }));
  columns.push_back(
      column("skill %", 1, Best::kHighest, [](const ModelResult& m) { return Known(m.score, m.score.skill_percent); }));
  const std::size_t days = models.front()->by_day.size();
  for (std::size_t day = 0; day < days && days > 1; ++day) {
    const auto by_day = [&](const ModelResult& m) { return ErrorOf(m.by_day[day], is_relative); };
    columns.push_back(column(fmt::format("day {}", day + 1), is_relative ? 2 : -1, Best::kLowest, by_day));
  }
  columns.push_back(column("fit s", 2, Best::kNone, [](const ModelResult& m) { return m.fit_s; }));
  columns.push_back(column("predict s", 2, Best::kNone, [](const ModelResult& m) { return m.predict_s; }));
  return columns;
}

report::HtmlTable ScoreTable(const BacktestRun& run, bool is_relative) {
  const auto models = Ranked(run, is_relative);
  report::HtmlTable table{.header = {"model"}, .rows = {}, .text_columns = 1};
  for (const ModelResult* model : models) table.rows.push_back({model->name});
  for (const ScoreColumn& column : Columns(models, UnitText(run.history.target.meaning), is_relative)) {
    table.header.push_back(column.header + (column.best == ScoreColumn::Best::kNone ? "" : " "));
    const auto cells = Cells(column);
    for (std::size_t row = 0; row < cells.size(); ++row) table.rows[row].push_back(cells[row]);
  }
  return table;
}

// How each model was fitted, and which models answered for it. Models with the same note share a line.
std::vector<std::string> FitNotes(const std::vector<ModelResult>& models) {
  std::vector<std::pair<std::string, std::string>> notes;  // names of models, and their note
  for (const ModelResult& model : models) {
    std::string said = fmt::format("fitted {} on {}", RefitText(model.refit), TrainText(model));
    // Names what answered only if it was not the model itself.
    const bool is_plain = model.answered.size() == 1 && model.answered.front().starts_with(model.name + ":");
    for (std::size_t i = 0; i < model.answered.size() && !is_plain; ++i) {
      said += (i == 0 ? "; answered by " : ", ") + model.answered[i];
    }
    const auto same = std::ranges::find(notes, said, &std::pair<std::string, std::string>::second);
    if (same == notes.end()) {
      notes.emplace_back(model.name, std::move(said));
    } else {
      same->first += ", " + model.name;
    }
  }
  std::vector<std::string> lines;
  lines.reserve(notes.size());
  for (const auto& [names, said] : notes) lines.push_back(fmt::format("{}: {}", names, said));
  return lines;
}

std::string LeakNote(const BacktestRun& run) {
  if (!run.is_leak_checked) return "Leak check: not run.";
  std::string leaking;
  for (std::size_t m = 0; m < run.leaks.size(); ++m) {
    if (run.leaks[m]) leaking += fmt::format(" {} at {}", run.result.models[m].name, FormatInstant(*run.leaks[m]));
  }
  return leaking.empty() ? "Leak check: passed; forecasts stay the same when noise replaces the future."
                         : "Leak check: FAILED, forecasts depend on the future:" + leaking;
}

// The notes below the table.
std::vector<std::string> NotesOf(const BacktestRun& run, bool is_relative) {
  std::string about = run.result.models.size() > 1 ? "* best. " : "";
  about += "Skill: how much smaller the MAE is than the MAE of repeating yesterday.";
  if (run.schedule.horizon > std::chrono::days{1}) {
    about += fmt::format(" Columns 'day': {} by day of the horizon.", is_relative ? "MAPE" : "MAE");
  }
  std::vector<std::string> notes{std::move(about)};
  if (!is_relative) {
    notes.emplace_back("Values come near zero or cross it: MAPE means little here, so models are ranked by MAE.");
  }
  for (std::string& note : FitNotes(run.result.models)) notes.push_back(std::move(note));
  notes.push_back(LeakNote(run));
  return notes;
}

std::string Subtitle(const BacktestRun& run) {
  const auto& origins = run.result.origins;
  return fmt::format("{} origin{} from {} to {} UTC, every {}; each forecast reaches {} ahead in steps of {}",
                     origins.size(), origins.size() == 1 ? "" : "s", report::MinuteText(origins.front()),
                     report::MinuteText(origins.back()), FormatDuration(run.schedule.every),
                     FormatDuration(run.schedule.horizon), FormatDuration(run.history.step()));
}

io::Json ByLead(const ModelResult& model, Duration step) {
  io::Json rows{io::Json::Array{}};
  for (std::size_t i = 0; i < model.by_lead.size(); ++i) {
    const ForecastScore& score = model.by_lead[i];
    io::Json row;
    row.Set("lead_s", step.count() * static_cast<std::int64_t>(i + 1)).Set("mape_percent", ErrorOf(score, true));
    row.Set("mae", ErrorOf(score, false)).Set("coverage90_percent", CoverageOf(score, k90));
    rows.Append(std::move(row));
  }
  return rows;
}

io::Json ByDay(const ModelResult& model) {
  io::Json rows{io::Json::Array{}};
  for (std::size_t i = 0; i < model.by_day.size(); ++i) {
    const ForecastScore& score = model.by_day[i];
    io::Json row;
    row.Set("day", i + 1).Set("mape_percent", ErrorOf(score, true)).Set("mae", ErrorOf(score, false));
    row.Set("coverage90_percent", CoverageOf(score, k90));
    rows.Append(std::move(row));
  }
  return rows;
}

io::Json JsonOf(const ModelResult& model, const BacktestRun& run, const std::string& leak_check) {
  const ForecastScore& score = model.score;
  io::Json json;
  json.Set("name", model.name).Set("mape_percent", ErrorOf(score, true)).Set("mae", ErrorOf(score, false));
  json.Set("rmse", Known(score, score.rmse)).Set("bias", Known(score, score.bias));
  json.Set("pinball", Known(score, score.pinball)).Set("skill_percent", Known(score, score.skill_percent));
  json.Set("coverage50_percent", CoverageOf(score, k50)).Set("coverage80_percent", CoverageOf(score, k80));
  json.Set("coverage90_percent", CoverageOf(score, k90)).Set("values", score.count).Set("zeros", score.zeros);
  json.Set("train_s", TrainOf(model, run).count());
  json.Set("refit_s", model.refit >= kNeverRefit ? io::Json() : io::Json(model.refit.count()));
  json.Set("fit_s", model.fit_s).Set("predict_s", model.predict_s).Set("leak_check", leak_check);
  io::Json answered{io::Json::Array{}};
  for (const std::string& by : model.answered) answered.Append(by);
  json.Set("answered_by", std::move(answered));
  return json.Set("by_lead", ByLead(model, run.history.step())).Set("by_day", ByDay(model));
}

std::string LeakText(const BacktestRun& run, std::size_t model) {
  if (!run.is_leak_checked) return "not run";
  return run.leaks[model] ? FormatInstant(*run.leaks[model]) : "passed";
}

io::Json JsonOf(const BacktestRun& run) {
  const auto& target = run.history.target;
  Duration train{0};
  for (const ModelResult& model : run.result.models) train = std::max(train, TrainOf(model, run));
  io::Json json;
  json.Set("file", run.file).Set("column", target.name).Set("unit", UnitText(target.meaning));
  json.Set("zone", target.meaning.zone).Set("train_s", train.count());
  json.Set("horizon_s", run.schedule.horizon.count()).Set("step_s", run.history.step().count());
  json.Set("origins", run.result.origins.size()).Set("origins_every_s", run.schedule.every.count());
  json.Set("first_origin", FormatInstant(run.result.origins.front()));
  json.Set("last_origin", FormatInstant(run.result.origins.back()));
  json.Set("beside", BesideOf(run.history));
  io::Json models{io::Json::Array{}};
  for (std::size_t m = 0; m < run.result.models.size(); ++m) {
    models.Append(JsonOf(run.result.models[m], run, LeakText(run, m)));
  }
  return json.Set("models", std::move(models));
}

// The model whose forecasts the page shows: auto, or else the last one.
const ModelResult& Shown(const BacktestRun& run) {
  const auto found = std::ranges::find(run.result.models, "auto", &ModelResult::name);
  return found == run.result.models.end() ? run.result.models.back() : *found;
}

// "7.9 %", "12.3 EUR/MWh": the mean error by which models are ranked.
std::string ErrorText(const BacktestRun& run, const ModelResult& model, bool is_relative) {
  const double error = ErrorOf(model.score, is_relative);
  return is_relative ? fmt::format("{:.1f} %", error)
                     : fmt::format("{} {}", report::NumberText(error), UnitText(run.history.target.meaning));
}

std::string VersusYesterday(double skill_percent) {
  if (std::isnan(skill_percent)) return "";
  return fmt::format(", {:.0f} % {} than that of repeating yesterday", std::abs(skill_percent),
                     skill_percent >= 0 ? "smaller" : "larger");
}

// The best model, and how much better it is than repeating yesterday.
report::Answer AnswerOf(const BacktestRun& run, bool is_relative) {
  const auto models = Ranked(run, is_relative);
  const ModelResult& best = *models.front();
  const double skill = Known(best.score, best.score.skill_percent);
  report::Answer answer;
  if (best.score.count == 0) {
    answer.sentence = "No forecast could be compared with a true value.";
    answer.tone = report::Answer::Tone::kBad;
    return answer;
  }
  const std::string error = ErrorText(run, best, is_relative);
  const std::string versus = best.name == "yesterday" ? "" : VersusYesterday(skill);
  answer.sentence = models.size() == 1 ? fmt::format("{} errs by {} on average{}.", best.name, error, versus)
                                       : fmt::format("{} is the best of {} models: it errs by {} on average{}.",
                                                     best.name, models.size(), error, versus);
  answer.tiles = {{is_relative ? "mean error (MAPE)" : "mean error (MAE)", error, best.name}};
  if (!std::isnan(skill) && best.name != "yesterday") {
    answer.tiles.push_back({"against yesterday", fmt::format("{}{:.0f} %", skill >= 0 ? "−" : "+", std::abs(skill)),
                            "mean absolute error"});
  }
  if (const double cover = CoverageOf(best.score, k90); !std::isnan(cover)) {
    answer.tiles.push_back({"inside the 90 % band", fmt::format("{:.1f} %", cover), "of the true values"});
  }
  answer.tiles.push_back({"forecasts", fmt::format("{}", run.result.origins.size()),
                          "each " + report::HoursText(run.schedule.horizon) + " ahead"});
  if (!(skill > 0)) answer.tone = report::Answer::Tone::kOpen;
  if (std::ranges::any_of(run.leaks, [](const auto& leak) { return leak.has_value(); })) {
    answer.tone = report::Answer::Tone::kBad;
    answer.caveats.push_back(LeakNote(run));
  }
  return answer;
}

}  // namespace

Output ReportOf(const BacktestRun& run) {
  const bool is_relative = IsRelativeFair(run.history.target);
  Output output;
  output.text = fmt::format("{}\n\n{}: {}\n{}\n\n", AnswerOf(run, is_relative).sentence, run.file,
                            SeriesText(run.history.target), Subtitle(run));
  output.text += TextOf(ScoreTable(run, is_relative)) + "\n";
  for (const std::string& note : NotesOf(run, is_relative)) output.text += note + "\n";
  output.json = JsonOf(run);
  return output;
}

Result<std::string> PageOf(const BacktestRun& run, const report::MadeBy& made_by) {
  const bool is_relative = IsRelativeFair(run.history.target);
  const std::string unit = UnitText(run.history.target.meaning);
  report::BacktestPage page{.title = "Backtest: " + SeriesTitle(run.history.target),
                            .subtitle = run.file + ": " + Subtitle(run),
                            .answer = AnswerOf(run, is_relative),
                            .made_by = made_by,
                            .unit = unit,
                            .error_name = is_relative ? "MAPE" : "MAE",
                            .error_unit = is_relative ? "%" : unit,
                            .step = run.history.step(),
                            .models = {},
                            .scores = ScoreTable(run, is_relative),
                            .notes = NotesOf(run, is_relative),
                            .example = MedianForecast(Shown(run), run.history.target.series),
                            .week = MedianWeek(Shown(run), run.history.target.series, run.schedule.every)};
  for (const ModelResult& model : run.result.models) {
    report::LeadErrors errors{model.name, {}, {}};
    for (const ForecastScore& score : model.by_lead) {
      errors.error.push_back(ErrorOf(score, is_relative));
      errors.coverage90.push_back(CoverageOf(score, k90));
    }
    page.models.push_back(std::move(errors));
  }
  return Render(page);
}

}  // namespace heliostat::cli
