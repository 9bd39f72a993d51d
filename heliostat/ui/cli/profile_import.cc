#include <fmt/format.h>

#include <memory>
#include <optional>

#include "heliostat/model/profile/sweep.h"
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
};

constexpr const char* kAbout = R"(Prints the fitted curves and their errors. x is the share of the highest setting:
  by core clock   power = static + dynamic x^theta,  time = a + b / x
  by power limit  the limit determines the power, the power a hidden x, and x the time as above
  by workers      speed = n^kappa, with n workers

A training table has no column for the batch size. Each model gets the fastest batch size that most of its GPUs have,
or --batch.

Examples:
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

Result<Output> Import(const Arguments& arguments, const Options& options) {
  std::vector<OutputFile> files{{"-o", arguments.out, ""}};
  if (const auto bad = RefuseTargets(files, arguments.files, options); !bad) return Propagate(bad);
  if (arguments.batch && *arguments.batch < 1) {
    return Fail(ErrorCode::kInvalidArgument, "--batch", fmt::format("{} is out of range", *arguments.batch),
                "1 or more");
  }
  const auto rows = ReadMeasurementFiles(arguments.files, arguments.format);
  if (!rows) return Propagate(rows);
  Output output;
  const auto sweeps = profile::SweepsOf(*rows);
  AddSweeps(sweeps, output);
  AddScalings(sweeps, output);
  output.json.Set("measurements", rows->size());
  if (arguments.out.empty()) return output;

  auto table =
      AtFlags(profile::ToProfileTable(*rows, arguments.batch), {{"profile table", "-o"}, {"batch", "--batch"}});
  if (!table) return Propagate(table);
  files[0].text = std::move(table->text);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  output.text += fmt::format("\n{}: {} rows of {} profiles, {} measurements left out\n", arguments.out, table->rows,
                             table->is_training ? "training" : "inference", table->left_out);
  output.json.Set("written", table->rows).Set("left_out", table->left_out);
  return output;
}

}  // namespace

Command InstallProfileImport(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax
      .AddOption("FILE", arguments->files, "Tables of measurements from Zeus, Perseus, RTX sweeps, ML.ENERGY or Gavel")
      .Required();
  syntax.AddOption("-o,--out", arguments->out, "Write a profile table for scenarios to this file");
  syntax
      .AddOption("--format", arguments->format, "Format: zeus, perseus, rtx, mlenergy, gavel, or auto (by the header)")
      .ShowDefault();
  syntax.AddOption("--batch", arguments->batch, "Write only measurements with this batch size to the table");
  syntax.Footer(kAbout);
  return [arguments, &options] { return Import(*arguments, options); };
}

}  // namespace heliostat::cli
