#include <fmt/format.h>

#include <memory>

#include "heliostat/model/profile/leave_one_out.h"
#include "heliostat/model/profile/write_profiles.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/profile_files.h"
#include "heliostat/ui/report/axis.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string format = "auto";
  std::string model;
  std::string gpu;
  std::string out;
  bool knows_other_batches = false;
  profile::ReadOptions reading;
};

constexpr const char* kAbout =
    R"(Predicts a model on a GPU on which it never ran. The prediction uses its measurements on
other GPUs and the ratios of other models between these GPUs; it needs no data about the architecture of the model.

Without --model and --gpu the command measures the error: it leaves out every model on every GPU in turn and predicts
it. 'kept' is the share of points at which the measurement is no worse than the prediction moved by its error bar,
which is the value that plans use.

Examples:
  heliostat profile transfer summary_power_a40.csv summary_power_v100.csv
  heliostat profile transfer summary_power_*.csv --model resnet50-imagenet --gpu V100 -o profiles.csv)";

std::string OrDash(const std::optional<double>& share) { return share ? PercentText(*share) : "-"; }
io::Json PercentJson(const std::optional<double>& share) { return share ? io::Json(100.0 * *share) : io::Json(); }

Output ReportErrors(const std::vector<profile::LeftOut>& left_out) {
  report::HtmlTable table{.header = {"gpu", "model", "points", "speed error", "median", "kept", "power error", "kept"},
                          .rows = {},
                          .text_columns = 2};
  io::Json rows{io::Json::Array{}};
  for (const profile::LeftOut& one : left_out) {
    table.rows.push_back({Printable(one.gpu, 20), one.model.empty() ? "all" : Printable(one.model, 60),
                          fmt::format("{}", one.points), PercentText(one.speed_mape), PercentText(one.speed_median),
                          PercentText(one.speed_kept), OrDash(one.power_mape), OrDash(one.power_kept)});
    io::Json row;
    row.Set("gpu", one.gpu).Set("model", one.model.empty() ? io::Json() : io::Json(one.model));
    row.Set("points", one.points).Set("speed_mape_percent", 100.0 * one.speed_mape);
    row.Set("speed_median_percent", 100.0 * one.speed_median).Set("speed_kept_percent", 100.0 * one.speed_kept);
    row.Set("power_mape_percent", PercentJson(one.power_mape)).Set("power_kept_percent", PercentJson(one.power_kept));
    rows.Append(std::move(row));
  }
  Output output;
  output.text = TextOf(table);
  output.json.Set("left_out", std::move(rows));
  return output;
}

io::Json JsonOf(const profile::Measurement& likely, const profile::Measurement& safe) {
  io::Json row;
  row.Set("workers", likely.workers).Set("batch", likely.batch);
  row.Set("core_mhz", likely.knob.core_mhz ? io::Json(*likely.knob.core_mhz) : io::Json());
  row.Set("power_limit_w", likely.knob.power_limit_w ? io::Json(*likely.knob.power_limit_w) : io::Json());
  row.Set("per_s", likely.per_s).Set("power_w", likely.power ? io::Json(likely.power->value) : io::Json());
  row.Set("cautious_per_s", safe.per_s);
  row.Set("cautious_power_w", safe.power ? io::Json(safe.power->value) : io::Json());
  return row;
}

Output ReportPredictions(const Arguments& arguments, const std::vector<profile::PredictedProfile>& predictions) {
  report::HtmlTable table{
      .header = {"setting", "workers", "batch", "per s", "for plans", "error bar", "W", "for plans", "error bar"},
      .rows = {},
      .text_columns = 1};
  io::Json points{io::Json::Array{}};
  for (const profile::PredictedProfile& prediction : predictions) {
    const auto safe = profile::Cautious(prediction);
    for (std::size_t i = 0; i < safe.size(); ++i) {
      const profile::Measurement& likely = prediction.points[i];
      const auto watts = [](const profile::Measurement& row) {
        return row.power ? report::NumberText(row.power->value, 4) : std::string("-");
      };
      table.rows.push_back({KnobText(likely.knob), fmt::format("{}", likely.workers), fmt::format("{}", likely.batch),
                            report::NumberText(likely.per_s, 4), report::NumberText(safe[i].per_s, 4),
                            PercentText(prediction.bar.speed), watts(likely), watts(safe[i]),
                            likely.power ? PercentText(prediction.bar.power) : "-"});
      io::Json row = JsonOf(likely, safe[i]);
      row.Set("speed_bar_percent", 100.0 * prediction.bar.speed);
      row.Set("power_bar_percent", likely.power ? io::Json(100.0 * prediction.bar.power) : io::Json());
      points.Append(std::move(row));
    }
  }
  Output output;
  output.text = fmt::format("{} on {}, predicted\n{}", Printable(arguments.model, 60), Printable(arguments.gpu, 20),
                            TextOf(table));
  output.json.Set("model", arguments.model).Set("gpu", arguments.gpu).Set("points", std::move(points));
  return output;
}

Status RefuseArguments(const Arguments& arguments) {
  if (arguments.model.empty() != arguments.gpu.empty()) {
    return Fail(ErrorCode::kInvalidArgument, arguments.model.empty() ? "--model" : "--gpu", "is missing",
                "--model and --gpu together, or neither");
  }
  if (arguments.model.empty() && !arguments.out.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "-o", "there is no prediction to write", "give --model and --gpu");
  }
  if (!arguments.model.empty() && arguments.knows_other_batches) {
    return Fail(ErrorCode::kInvalidArgument, "--other-batches-known", "is only for measuring the error",
                "omit --model and --gpu");
  }
  return {};
}

Result<Output> Carry(const Arguments& arguments, const Options& options) {
  std::vector<OutputFile> files{{"-o", arguments.out, ""}};
  if (const auto bad = RefuseTargets(files, arguments.files, options); !bad) return Propagate(bad);
  if (const auto bad = RefuseArguments(arguments); !bad) return Propagate(bad);
  const auto read = ReadMeasurementFiles(arguments.files, arguments.format, arguments.reading);
  if (!read) return Propagate(read);
  const std::vector<profile::Measurement>* const rows = &read->rows;
  if (arguments.model.empty()) {
    const auto left_out = profile::LeaveOneOut(
        *rows, arguments.knows_other_batches ? profile::Knowledge::kOtherBatches : profile::Knowledge::kNothing);
    if (!left_out.empty()) return ReportErrors(left_out);
    return Fail(ErrorCode::kInfeasible, arguments.files.front(), "nothing can be left out and predicted",
                "at least three models on two GPUs");
  }
  const auto predictions = AtFlags(profile::Transfer(*rows).Predict(arguments.model, arguments.gpu),
                                   {{"model", "--model"}, {"gpu", "--gpu"}});
  if (!predictions) return Propagate(predictions);
  Output output = ReportPredictions(arguments, *predictions);
  if (arguments.out.empty()) return output;

  std::vector<profile::Measurement> safe;
  for (const profile::PredictedProfile& prediction : *predictions) {
    const auto points = profile::Cautious(prediction);
    safe.insert(safe.end(), points.begin(), points.end());
  }
  auto table = AtFlags(profile::ToProfileTable(safe, std::nullopt), {{"profile table", "-o"}});
  if (!table) return Propagate(table);
  files[0].text = std::move(table->text);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  output.text += fmt::format("\n{}: {} rows, with error bars applied for plans\n", arguments.out, table->rows);
  return output;
}

}  // namespace

Command InstallProfileTransfer(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("FILE", arguments->files, "Tables of measurements that together cover two GPUs or more").Required();
  syntax
      .AddOption("--format NAME", arguments->format,
                 "Format: zeus, perseus, rtx, mlenergy, gavel, table, or auto (by the header)")
      .ShowDefault();
  syntax.AddOption("--model NAME", arguments->model, "Model to predict; needs --gpu");
  syntax.AddOption("--gpu NAME", arguments->gpu, "GPU to predict the model on; needs --model");
  syntax.AddOption("-o,--out FILE", arguments->out,
                   "Write the prediction, with its error bar applied, as a profile table");
  syntax.AddFlag("--other-batches-known", arguments->knows_other_batches,
                 "Error test: leave out one batch size at a time, not a whole model on a GPU");
  syntax.AddOption("--decimal MARK", arguments->reading.decimal,
                   "Decimal mark of numbers: point or comma (default: found)");
  syntax.AddFlag("--skip-bad-rows", arguments->reading.skips_bad_rows, "Go on without wrong rows, and count them");
  syntax.Footer(kAbout);
  return [arguments, &options] { return Carry(*arguments, options); };
}

}  // namespace heliostat::cli
