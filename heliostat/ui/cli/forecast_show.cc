#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/forecast_answer.h"
#include "heliostat/ui/cli/forecast_files.h"
#include "heliostat/ui/cli/forecast_history.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  HistoryArguments history;
  std::string model;
  std::string horizon = "48h";
  std::string train;
  std::string at;
  std::size_t scenarios = 0;
  std::uint64_t seed = 1;
  std::string scenarios_csv;
  std::string html;
  std::string out;
  std::string save;
  std::string load;
};

std::string DefaultModel() {
  const auto found = std::ranges::find(forecast::Models(), "auto", &forecast::ModelInfo::name);
  return found == forecast::Models().end() ? "yesterday" : "auto";
}

// The history that is known at the origin, which is --at or else the end of the file.
Result<forecast::History> KnownAt(const Arguments& arguments) {
  auto history = ReadHistory(arguments.history);
  if (!history || arguments.at.empty()) return history;
  const signal::StepSeries& series = history->target.series;
  const auto at = ParseSampleTime(arguments.at, "--at", series.start(), series.step());
  if (!at) return Propagate(at);
  if (*at <= series.start() || *at > series.end()) {
    return Fail(ErrorCode::kInvalidArgument, "--at", FormatInstant(*at) + " is outside the file",
                fmt::format("after {}, at most {}", FormatInstant(series.start()), FormatInstant(series.end())));
  }
  return forecast::Before(*history, *at);
}

Result<forecast::ReadyModel> LoadModel(const Arguments& arguments) {
  const auto text = io::ReadFile(arguments.load);
  if (!text) return Propagate(text);
  const auto saved = io::Json::Parse(*text, arguments.load);
  if (!saved) return Propagate(saved);
  auto ready = forecast::ReadyModel::Load(*saved);
  if (!ready) return ready;
  if (!arguments.model.empty() && arguments.model != ready->info().name) {
    return Fail(ErrorCode::kInvalidArgument, "--model", fmt::format("{} holds {}", arguments.load, ready->info().name),
                "omit --model with --load");
  }
  return ready;
}

Result<forecast::ReadyModel> MakeModel(const Arguments& arguments, const forecast::History& past, std::size_t steps) {
  if (!arguments.load.empty()) return LoadModel(arguments);
  std::optional<Duration> train;
  if (!arguments.train.empty()) {
    const auto parsed = ParseSteps(arguments.train, "--train", past.step());
    if (!parsed) return Propagate(parsed);
    train = *parsed;
  }
  return forecast::ReadyModel::Make(arguments.model.empty() ? DefaultModel() : arguments.model, past, steps, train);
}

struct Made {
  ShownForecast shown;
  std::string saved;  // the fitted model as JSON, with --save
};

Result<Made> Make(const Arguments& arguments) {
  if (!arguments.model.empty()) {
    if (const auto known = forecast::FindModel(arguments.model); !known) return Propagate(known);
  }
  auto past = KnownAt(arguments);
  if (!past) return Propagate(past);
  const auto horizon = ParseHorizon(arguments.horizon, past->step());
  if (!horizon) return Propagate(horizon);
  const auto steps = static_cast<std::size_t>(*horizon / past->step());
  const auto ready = MakeModel(arguments, *past, steps);
  if (!ready) return Propagate(ready);
  auto answer = ready->Ask(*past, steps);
  if (!answer) return Propagate(answer);
  Made made{{arguments.history.file,
             std::move(*past),
             std::string(ready->info().name),
             ready->fitted_until(),
             std::move(*answer),
             {}},
            arguments.save.empty() ? "" : ready->Save().Dump() + "\n"};
  if (arguments.scenarios > 0) {
    const RandomStream random = RandomStream(arguments.seed).Split("scenarios");
    made.shown.scenarios = ready->Scenarios(made.shown.past, made.shown.answer, arguments.scenarios, random);
  }
  return made;
}

Status RefuseUsage(const Arguments& arguments) {
  if (!arguments.scenarios_csv.empty() && arguments.scenarios == 0) {
    return Fail(ErrorCode::kInvalidArgument, "--scenarios-csv", "needs the number of futures", "give --scenarios too");
  }
  if (!arguments.load.empty() && !arguments.train.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--train", "has no effect on the fitted model of --load",
                "omit one of the two");
  }
  return {};
}

// Makes all texts before it writes the first file.
Status FillFiles(const Made& made, const report::MadeBy& made_by, std::vector<OutputFile>& files) {
  const auto fill = [](OutputFile& file, auto make) -> Status {
    if (file.path.empty()) return {};
    auto text = make();
    if (!text) return Propagate(text);
    file.text = std::move(*text);
    return {};
  };
  if (auto bad = fill(files[0], [&] { return PageOf(made.shown, made_by); }); !bad) return bad;
  if (auto bad = fill(files[1], [&] { return CanonicalOf(made.shown); }); !bad) return bad;
  if (auto bad = fill(files[2], [&] { return ScenariosOf(made.shown); }); !bad) return bad;
  files[3].text = made.saved;
  return {};
}

Result<Output> Answer(Arguments arguments, Options& options) {
  arguments.history.file = InputOrTakenByJson(arguments.history.file, options);
  if (const auto named = TakeConfiguredFile(arguments.history); !named) return Propagate(named);
  if (const auto bad = RefuseUsage(arguments); !bad) return Propagate(bad);
  std::vector<OutputFile> files{{"--html", arguments.html, ""},
                                {"--output", arguments.out, ""},
                                {"--scenarios-csv", arguments.scenarios_csv, ""},
                                {"--save", arguments.save, ""}};
  const auto bad = RefuseTargets(files, {arguments.history.file, arguments.history.issued, arguments.load}, options);
  if (!bad) return Propagate(bad);
  const auto made = AtFlags(Make(arguments), {});
  if (!made) return Propagate(made);
  Output output = ReportOf(made->shown);
  if (const auto filled = FillFiles(*made, options.made_by, files); !filled) return Propagate(filled);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  for (const OutputFile& file : files) {
    if (!file.path.empty()) output.text += fmt::format("{}: {}\n", file.option.substr(2), file.path);
  }
  return output;
}

}  // namespace

Command InstallForecastShow(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  AddHistoryArguments(syntax, arguments->history);
  syntax.AddOption("--model NAME", arguments->model,
                   "Forecast model; 'heliostat forecast models' lists them (default: auto)");
  syntax.AddOption("--horizon TIME", arguments->horizon, "Horizon of the forecast, at most 7d").ShowDefault();
  syntax.AddOption("--at DATE", arguments->at,
                   "Forecast from this time on, UTC, with only earlier values (default: the end of the file)");
  syntax.AddOption("--train TIME", arguments->train,
                   "Fit to this much of the latest history (default: depends on the model)");
  const Syntax futures = syntax.Group("Possible futures");
  futures.AddOption("--scenarios N", arguments->scenarios, "Number of possible futures to draw at random")
      .Between(0, 1000);
  futures.AddOption("--seed N", arguments->seed, "Random seed of the possible futures").ShowDefault();
  futures.AddOption("--scenarios-csv FILE", arguments->scenarios_csv,
                    "Write the possible futures to this file, as canonical CSV");
  const Syntax files = syntax.Group("Files");
  files.AddOption("-o,--output FILE", arguments->out, "Write forecast and bands to this file, as canonical CSV");
  files.AddOption("--html FILE", arguments->html, "Write an HTML page with a chart to this file");
  files.AddOption("--save FILE", arguments->save, "Save the fitted model to this JSON file");
  files.AddOption("--load FILE", arguments->load, "Use the model in this file, from --save, instead of fitting one");
  syntax.Footer(
      "Examples:\n"
      "  heliostat forecast show DE_lifecycle_emissions.csv --horizon 48h --html forecast.html\n"
      "  heliostat forecast show prices.csv --column DE-LU --at 2024-06-01 --scenarios 50 --scenarios-csv futures.csv");
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
