#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/split.h"
#include "heliostat/ui/cli/backtest_report.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/forecast_files.h"
#include "heliostat/ui/cli/forecast_history.h"
#include "heliostat/ui/cli/progress_bar.h"

namespace heliostat::cli {
namespace {

using std::chrono::days;

constexpr std::size_t kLeakTries = 2;  // origins per model at which noise replaces the future

struct Arguments {
  HistoryArguments history;
  std::vector<std::string> models;
  std::string train;
  std::string refit;
  std::string horizon = "24h";
  std::string every = "24h";
  std::string start;
  std::string end;
  std::string html;
  bool skips_leak_check = false;
};

// The models to test without --models: the references and auto; if forecasts of a provider are known, also those and
// their combination with auto.
std::vector<std::string> DefaultModels(bool has_issued) {
  std::vector<std::string> wanted{"persistence", "yesterday", "last-week", "climatology", "auto"};
  if (has_issued) wanted.insert(wanted.end(), {"provider", "merged"});
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    if (std::ranges::find(forecast::Models(), name, &forecast::ModelInfo::name) != forecast::Models().end()) {
      names.push_back(name);
    }
  }
  return names;
}

// The parser would drop empty names of a list, so the list is split here.
Result<std::vector<std::string>> ModelNames(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (std::string& name : SplitAtCommas(list)) {
      if (name.empty()) {
        return Fail(ErrorCode::kInvalidArgument, "--models", fmt::format("'{}' has an empty name", Printable(list, 60)),
                    "names with one comma between, such as auto,svr");
      }
      names.push_back(std::move(name));
    }
  }
  return names;
}

Result<std::vector<forecast::Candidate>> Candidates(const std::vector<std::string>& names) {
  std::vector<forecast::Candidate> candidates;
  for (const std::string& name : names) {
    auto candidate = forecast::CandidateOf(name);
    if (!candidate) return Propagate(candidate);
    const auto is_same = [&](const forecast::Candidate& other) { return other.info.name == candidate->info.name; };
    if (std::ranges::none_of(candidates, is_same)) candidates.push_back(std::move(*candidate));
  }
  return candidates;
}

// The length of history before the first origin that every model needs.
Duration NeededBefore(const std::vector<forecast::Candidate>& models, const std::optional<Duration>& train,
                      Duration length) {
  Duration needed = days{1};
  for (const auto& [info, make] : models) {
    needed = std::max(needed, train.value_or(info.train.value_or(days{1})));
    if (info.name == "last-week") needed = std::max<Duration>(needed, days{7});
    // These models learn seasons: they get up to a year, but at least half of the file remains to test on.
    const bool learns_seasons = info.name == "auto" || info.name == "merged" || info.name == "climatology";
    if (learns_seasons && length > days{60}) {
      needed = std::max({needed, Duration{days{30}}, std::min(length / 2, Duration{days{365}})});
    }
  }
  return needed;
}

// The first origin without --start: after the history that models need; at midnight UTC if origins are whole days
// apart.
Instant FirstOrigin(const signal::StepSeries& series, Duration needed, Duration every) {
  Instant first = series.start() + needed;
  if (every % days{1} == Duration{0}) first = std::chrono::ceil<days>(first);
  const Duration past_sample = (first - series.start()) % series.step();
  return past_sample == Duration{0} ? first : first + series.step() - past_sample;
}

Result<std::optional<Duration>> ParseRefit(const std::string& text) {
  if (text.empty()) return std::optional<Duration>();
  if (text == "never") return std::optional<Duration>(kNeverRefit);
  const auto refit = ParseDuration(text, "--refit");
  if (!refit) return Propagate(refit);
  return std::optional<Duration>(*refit);
}

Result<forecast::BacktestSchedule> MakeSchedule(const Arguments& arguments, const signal::StepSeries& series,
                                                const std::vector<forecast::Candidate>& models) {
  const auto horizon = ParseHorizon(arguments.horizon, series.step());
  if (!horizon) return Propagate(horizon);
  const auto every = ParseSteps(arguments.every, "--origins", series.step());
  if (!every) return Propagate(every);
  const auto refit = ParseRefit(arguments.refit);
  if (!refit) return Propagate(refit);
  forecast::BacktestSchedule schedule{{}, series.end() - *horizon, *every, *horizon, std::nullopt, *refit};
  if (!arguments.train.empty()) {
    const auto train = ParseSteps(arguments.train, "--train", series.step());
    if (!train) return Propagate(train);
    schedule.train = *train;
  }
  const Duration needed = NeededBefore(models, schedule.train, series.span().length());
  schedule.first = FirstOrigin(series, needed, *every);
  if (!arguments.start.empty()) {
    const auto start = ParseSampleTime(arguments.start, "--start", series.start(), series.step());
    if (!start) return Propagate(start);
    if (*start <= series.start()) {
      return Fail(ErrorCode::kInvalidArgument, "--start", FormatInstant(*start) + " has no history before it",
                  "a time later than " + FormatInstant(series.start()));
    }
    schedule.first = *start;
  }
  if (!arguments.end.empty()) {
    const auto end = ParseInstant(arguments.end, "--end");
    if (!end) return Propagate(end);
    schedule.last = std::min(*end, schedule.last);
  }
  return schedule;
}

// Fails if the schedule has no origin.
Status RefuseNoOrigin(const forecast::BacktestSchedule& schedule, const forecast::History& history,
                      const Arguments& arguments) {
  if (!forecast::OriginsOf(schedule, history).empty()) return {};
  const Interval known = history.target.series.span();
  return Fail(
      ErrorCode::kInvalidArgument, arguments.history.file,
      fmt::format("no origin lies between {} ({}) and {} ({})", FormatInstant(schedule.first),
                  arguments.start.empty() ? "the first with enough history" : "--start", FormatInstant(schedule.last),
                  schedule.last < known.end - schedule.horizon
                      ? "--end"
                      : "the last with " + FormatDuration(schedule.horizon) + " of values after it"),
      "use a longer file, another --start or --end, a shorter --train or --horizon, or other --models");
}

// A progress bar in percent. Used from one thread.
class ShareBar {
 public:
  ShareBar(std::string label, bool is_quiet) : progress_(std::move(label), 100, is_quiet) {}
  void Reach(double share) {
    for (; shown_ < static_cast<int>(share * 100) && shown_ < 100; ++shown_) progress_.Advance();
  }

 private:
  ProgressBar progress_;
  int shown_ = 0;
};

Status CheckLeaks(const std::vector<forecast::Candidate>& models, bool is_quiet, BacktestRun& run) {
  ProgressBar progress("leak check", models.size(), is_quiet);
  for (const forecast::Candidate& model : models) {
    const auto leak = forecast::FindLeak(run.history, run.schedule, model, kLeakTries);
    if (!leak) return Propagate(leak);
    if (*leak)
      Log(LogLevel::kWarning, "{} used values from after its origin {}", model.info.name, FormatInstant(**leak));
    run.leaks.push_back(*leak);
    progress.Advance();
  }
  run.is_leak_checked = true;
  return {};
}

Result<BacktestRun> RunBacktest(const Arguments& arguments, bool is_quiet) {
  const auto names = ModelNames(arguments.models);
  if (!names) return Propagate(names);
  auto models = AtFlags(Candidates(*names), {{"model", "--models"}});
  if (!models) return Propagate(models);
  auto history = ReadHistory(arguments.history);
  if (!history) return Propagate(history);
  if (models->empty()) models = Candidates(DefaultModels(!history->issued.empty()));
  if (!models) return Propagate(models);
  const auto schedule = MakeSchedule(arguments, history->target.series, *models);
  if (!schedule) return Propagate(schedule);
  if (const auto bad = RefuseNoOrigin(*schedule, *history, arguments); !bad) return Propagate(bad);
  BacktestRun run{arguments.history.file, std::move(*history), *schedule, {}, false, {}};
  {
    ShareBar bar("backtest", is_quiet);
    auto result = forecast::Backtest(run.history, *schedule, *models, [&](double share) { bar.Reach(share); });
    if (!result) return Propagate(result);
    run.result = std::move(*result);
  }
  if (!arguments.skips_leak_check) {
    if (const auto bad = CheckLeaks(*models, is_quiet, run); !bad) return Propagate(bad);
  }
  return run;
}

Result<Output> Answer(Arguments arguments, Options& options) {
  arguments.history.file = InputOrTakenByJson(arguments.history.file, options);
  if (const auto named = TakeConfiguredFile(arguments.history); !named) return Propagate(named);
  std::vector<OutputFile> files{{"--html", arguments.html, ""}};
  const auto bad = RefuseTargets(files, {arguments.history.file, arguments.history.issued}, options);
  if (!bad) return Propagate(bad);
  const auto run = AtFlags(RunBacktest(arguments, options.quiet), {});
  if (!run) return Propagate(run);
  Output output = ReportOf(*run);
  if (!arguments.html.empty()) {
    auto page = PageOf(*run, options.made_by);
    if (!page) return Propagate(page);
    files[0].text = std::move(*page);
    if (const auto written = WriteAll(files); !written) return Propagate(written);
    output.text += "page: " + arguments.html + "\n";
    output.json.Set("html", arguments.html);
  }
  return output;
}

}  // namespace

Command InstallForecastBacktest(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  AddHistoryArguments(syntax, arguments->history);
  syntax.AddOption("--models NAME,...", arguments->models,
                   "Models to test; 'heliostat forecast models' lists them (default: the references and auto; if a "
                   "provider's forecasts are known, also provider and merged)");
  syntax.AddOption("--train TIME", arguments->train,
                   "Fit to this much history before each origin (default: depends on the model)");
  syntax.AddOption("--refit TIME", arguments->refit,
                   "Time between two fits, or 'never' (default: depends on the model)");
  syntax.AddOption("--horizon TIME", arguments->horizon, "Horizon of each forecast, at most 7d").ShowDefault();
  syntax.AddOption("--origins TIME", arguments->every, "Time from one origin (start of a forecast) to the next")
      .ShowDefault();
  syntax.AddOption("--start DATE", arguments->start, "First origin, UTC (default: the first with enough history)");
  syntax.AddOption("--end DATE", arguments->end,
                   "Last origin, UTC, inclusive (default: the last whose horizon the file covers)");
  syntax.AddOption("--html FILE", arguments->html, "Write an HTML page with charts to this file");
  syntax.AddFlag("--no-leak-check", arguments->skips_leak_check,
                 "Do not check that forecasts are independent of the future");
  syntax.Footer(
      "Examples:\n"
      "  heliostat forecast backtest CISO_lifecycle_emissions.csv --horizon 96h --start 2021-07-01\n"
      "  heliostat forecast backtest prices.csv --column DE-LU --models yesterday,last-week,auto --html prices.html");
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
