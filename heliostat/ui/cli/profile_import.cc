#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/model/profile/worker_scaling.h"
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
  std::string out;
  std::string format = "auto";
  std::optional<int> batch;
  std::string scale_to;
  profile::ReadOptions reading;
};

constexpr int kMostWorkers = 1024;

constexpr const char* kAbout = R"(Prints the fitted curves and their errors. x is the share of the highest setting:
  by core clock   power = static + dynamic x^theta,  time = a + b / x
  by power limit  the limit determines the power, the power a hidden x, and x the time as above
  by workers      speed = n^kappa, with n workers

The command refuses rows that cannot be right: power above the limit or above what the GPU can draw, ten times the
throughput of the next setting, the same setting twice.

A table in any other layout needs the names of its columns. Throughput and power are those of all workers together. A
profile table has one batch size per model: the fastest that most of its GPUs have, or --batch.

--scale-to adds rows for numbers of workers that were not measured, with their errors: in four of five cases the true
speed is within a factor of 1 + error. Measurements with two numbers of workers make it much smaller.

Examples:
  heliostat profile import mine.csv --gpu T4 --workers 1 --model-column net --limit-column cap \
      --throughput-column img_s --power-column watts --scale-to 1,2,4 -o t4.csv
  heliostat profile import summary_power_a40.csv summary_power_v100.csv -o training_profiles.csv
  heliostat profile import mlenergy_v3_inference_H100.csv -o inference_profiles.csv --json fits.json)";

std::string Number(double value, int digits) { return report::NumberText(value, digits); }

// The curves of a sweep as table cells and as JSON.
struct Described {
  std::string power = "-";
  std::string power_error = "-";
  std::string time = "-";
  std::string time_error = "-";
  io::Json json;
};

void Describe(const profile::PowerCurve& power, const profile::TimeCurve& time, Described& described) {
  described.power =
      fmt::format("{} + {} x^{}", Number(power.static_w, 3), Number(power.dynamic_w, 3), Number(power.exponent, 3));
  described.time = fmt::format("{} + {}/x", Number(time.a, 3), Number(time.b, 3));
  described.json.Set("static_w", power.static_w).Set("dynamic_w", power.dynamic_w).Set("exponent", power.exponent);
  described.json.Set("time_a", time.a).Set("time_b", time.b);
}

void SetErrors(double power, double time, Described& described) {
  described.power_error = PercentText(power);
  described.time_error = PercentText(time);
  described.json.Set("power_mape_percent", 100.0 * power).Set("time_mape_percent", 100.0 * time);
}

Described Describe(const profile::SweepFit& fit) {
  Described described;
  if (fit.limit) {
    const auto& [draw, power, time] = fit.limit->curve;
    Describe(power, time, described);
    described.json.Set("draw_offset_w", draw.offset_w).Set("draw_slope", draw.slope);
    described.json.Set("draw_floor_w", draw.floor_w).Set("draw_top_w", draw.top_w);
    SetErrors(fit.limit->draw_mape, fit.limit->time_mape, described);
  } else if (fit.power && fit.time) {
    Describe(fit.power->curve, fit.time->curve, described);
    SetErrors(fit.power->mape, fit.time->mape, described);
  }
  return described;
}

io::Json JsonOf(const profile::Sweep& sweep, io::Json curve) {
  const profile::Measurement& top = sweep.top();
  io::Json row;
  row.Set("model", sweep.workload.model).Set("gpu", sweep.gpu);
  row.Set("use", sweep.workload.is_training ? "training" : "inference");
  row.Set("workers", sweep.workload.workers).Set("batch", sweep.workload.batch);
  row.Set("knob", top.knob.power_limit_w ? "power_limit" : top.knob.core_mhz ? "core_clock" : "none");
  row.Set("settings", sweep.points.size()).Set("top_per_s", top.per_s);
  row.Set("top_power_w", top.power ? io::Json(top.power->value) : io::Json());
  row.Set("curve", std::move(curve));
  return row;
}

void AddSweeps(const std::vector<profile::Sweep>& sweeps, Output& output) {
  report::HtmlTable table{.header = {"model", "gpu", "top setting", "W of a worker", "time", "workers", "batch",
                                     "settings", "per s", "W", "power error", "time error"},
                          .rows = {},
                          .text_columns = 5};
  io::Json rows{io::Json::Array{}};
  for (const profile::Sweep& sweep : sweeps) {
    Described fit = Describe(profile::FitSweep(sweep));
    const profile::Measurement& top = sweep.top();
    table.rows.push_back({Printable(sweep.workload.model, 60), Printable(sweep.gpu, 20), KnobText(top.knob), fit.power,
                          fit.time, fmt::format("{}", sweep.workload.workers), fmt::format("{}", sweep.workload.batch),
                          fmt::format("{}", sweep.points.size()), Number(top.per_s, 4),
                          top.power ? Number(top.power->value, 3) : "-", fit.power_error, fit.time_error});
    rows.Append(JsonOf(sweep, std::move(fit.json)));
  }
  output.text += TextOf(table);
  output.json.Set("sweeps", std::move(rows));
}

void AddScalings(const std::vector<profile::Sweep>& sweeps, Output& output) {
  report::HtmlTable table{.header = {"model", "gpu", "batch", "kappa", "error"}, .rows = {}, .text_columns = 2};
  io::Json rows{io::Json::Array{}};
  for (const profile::ScalingFit& scaling : profile::FitScalings(sweeps)) {
    table.rows.push_back({Printable(scaling.model, 60), Printable(scaling.gpu, 20), fmt::format("{}", scaling.batch),
                          Number(scaling.fit.curve.kappa, 3), PercentText(scaling.fit.mape)});
    io::Json row;
    row.Set("model", scaling.model).Set("gpu", scaling.gpu).Set("batch", scaling.batch);
    row.Set("kappa", scaling.fit.curve.kappa).Set("mape_percent", 100.0 * scaling.fit.mape);
    rows.Append(std::move(row));
  }
  if (!table.rows.empty()) output.text += "\n" + TextOf(table);
  output.json.Set("scaling", std::move(rows));
}

// Parses "1,2,4".
Result<std::vector<int>> ParseCounts(const std::string& text) {
  std::vector<int> counts;
  if (text.empty()) return counts;
  for (const std::string& part : SplitAtCommas(text)) {
    const auto count = io::ParseInteger(part);
    if (!count || *count < 1 || *count > kMostWorkers) {
      return Fail(ErrorCode::kInvalidArgument, "--scale-to",
                  fmt::format("'{}' is not a number of workers", Printable(part, 20)),
                  fmt::format("numbers from 1 to {} with commas between, such as 1,2,4,8", kMostWorkers));
    }
    counts.push_back(*count);
  }
  return counts;
}

// One line for each model: the error of its largest scaled number of workers.
void AddScaled(std::span<const profile::Measurement> rows, Output& output) {
  std::map<std::pair<std::string, std::string>, const profile::Measurement*> widest;
  for (const profile::Measurement& row : rows) {
    const profile::Measurement*& found = widest[{row.model, row.gpu}];
    if (found == nullptr || row.workers > found->workers) found = &row;
  }
  io::Json json{io::Json::Array{}};
  for (const auto& [key, row] : widest) {
    output.text += fmt::format(
        "{}{} on {}: up to {} workers are scaled, not measured; in four of five cases speed is right within a factor "
        "of "
        "{:.2f}; power is at most {:.0f} % more\n",
        &key == &widest.begin()->first ? "\n" : "", Printable(key.first, 60), Printable(key.second, 20), row->workers,
        1.0 + row->speed_error, 100.0 * row->power_error);
    io::Json one;
    one.Set("model", key.first).Set("gpu", key.second).Set("workers", row->workers);
    one.Set("speed_error_percent", 100.0 * row->speed_error).Set("power_error_percent", 100.0 * row->power_error);
    json.Append(std::move(one));
  }
  output.json.Set("scaled", std::move(json));
}

Result<Output> Import(const Arguments& arguments, const Options& options) {
  std::vector<OutputFile> files{{"-o", arguments.out, ""}};
  if (const auto bad = RefuseTargets(files, arguments.files, options); !bad) return Propagate(bad);
  if (arguments.batch && *arguments.batch < 1) {
    return Fail(ErrorCode::kInvalidArgument, "--batch", fmt::format("{} is out of range", *arguments.batch),
                "1 or more");
  }
  const auto counts = ParseCounts(arguments.scale_to);
  if (!counts) return Propagate(counts);
  const auto read = ReadMeasurementFiles(arguments.files, arguments.format, arguments.reading);
  if (!read) return Propagate(read);
  Output output;
  const auto sweeps = profile::SweepsOf(read->rows);
  AddSweeps(sweeps, output);
  AddScalings(sweeps, output);
  output.json.Set("measurements", read->rows.size()).Set("skipped", read->skipped);
  const auto rows = profile::ScaleWorkers(read->rows, *counts);
  AddScaled(std::span(rows).subspan(read->rows.size()), output);
  if (arguments.out.empty()) return output;

  auto table = AtFlags(profile::ToProfileTable(rows, arguments.batch), {{"profile table", "-o"}, {"batch", "--batch"}});
  if (!table) return Propagate(table);
  files[0].text = std::move(table->text);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  output.text += fmt::format("\n{}: {} rows of {} profiles, {} measurements left out\n", arguments.out, table->rows,
                             table->is_training ? "training" : "inference", table->left_out);
  output.json.Set("written", table->rows).Set("left_out", table->left_out);
  return output;
}

void AddReading(const Syntax& syntax, profile::ReadOptions& reading) {
  profile::TableColumns& columns = reading.columns;
  syntax.AddOption("--gpu NAME", reading.gpu, "GPU that was measured, if the file does not say it or says it wrongly");
  syntax.AddOption("--workers N", reading.workers, "GPUs that each row used together, if the file does not say it")
      .Between(1, kMostWorkers);
  syntax.AddOption("--model NAME", reading.model, "Model that was measured, if the file has no column for it");
  const Syntax names = syntax.Group("Columns of any other table");
  names.AddOption("--model-column NAME", columns.model, "Column of the model");
  names.AddOption("--gpu-column NAME", columns.gpu, "Column of the GPU");
  names.AddOption("--workers-column NAME", columns.workers, "Column of the number of workers");
  names.AddOption("--limit-column NAME", columns.limit, "Column of the power limit of a GPU, W");
  names.AddOption("--clock-column NAME", columns.clock, "Column of the core clock, MHz");
  names.AddOption("--throughput-column NAME", columns.throughput, "Column of samples or requests per second");
  names.AddOption("--power-column NAME", columns.power, "Column of the power of all workers, W");
  names.AddOption("--batch-column NAME", columns.batch, "Column of the batch size of one worker");
  names.AddOption("--latency-column NAME", columns.latency,
                  "Column of the latency of a batch, ms; the table is about serving");
  syntax.AddOption("--decimal MARK", reading.decimal, "Decimal mark of numbers: point or comma (default: found)");
  syntax.AddFlag("--skip-bad-rows", reading.skips_bad_rows, "Go on without wrong rows, and count them");
}

}  // namespace

Command InstallProfileImport(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax
      .AddOption(
          "FILE", arguments->files,
          "Tables of measurements: profile tables, files of Zeus, Perseus, RTX sweeps, ML.ENERGY or Gavel, or any "
          "table whose columns are named")
      .Required();
  syntax.AddOption("-o,--out FILE", arguments->out, "Write a profile table for scenarios to this file");
  syntax
      .AddOption("--format NAME", arguments->format,
                 "Format: zeus, perseus, rtx, mlenergy, gavel, table, or auto (by the header)")
      .ShowDefault();
  syntax.AddOption("--batch N", arguments->batch, "Write only measurements with this batch size to the table");
  syntax.AddOption("--scale-to N,...", arguments->scale_to,
                   "Also write these numbers of workers, such as 1,2,4,8; see below");
  AddReading(syntax, arguments->reading);
  syntax.Footer(kAbout);
  return [arguments, &options] { return Import(*arguments, options); };
}

}  // namespace heliostat::cli
