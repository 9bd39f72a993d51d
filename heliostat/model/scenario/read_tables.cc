#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "heliostat/model/scenario/csv_table.h"
#include "heliostat/model/scenario/read_parts.h"
#include "heliostat/model/scenario/recorded_cells.h"
#include "heliostat/model/scenario/validate.h"

namespace heliostat::scenario {
namespace {

constexpr std::array<std::string_view, 7> kTrainingColumns{"model",         "gpu",           "workers", "core_mhz",
                                                           "power_limit_w", "samples_per_s", "power_w"};
constexpr std::array<std::string_view, 8> kInferenceColumns{"model", "gpu",        "core_mhz",       "power_limit_w",
                                                            "batch", "latency_ms", "requests_per_s", "power_w"};
constexpr std::array<std::string_view, 9> kJobColumns{
    "id", "model", "submit", "deadline", "samples", "min_workers", "max_workers", "preemptible", "resume_s"};
constexpr std::array<std::string_view, 8> kServiceColumns{"id",        "model",       "latency_slo_ms", "percentile",
                                                          "rate_file", "rate_column", "min_replicas",   "max_replicas"};
// The longest time accepted; a larger number does not fit a Duration.
constexpr double kMostResumeSeconds = 1e9;

// Refuses an id that an earlier row has.
class Ids {
 public:
  Status Add(const std::string& id, const CsvTable& table) {
    const auto [at, is_new] = line_of_.emplace(id, table.line());
    if (is_new) return {};
    return Fail(ErrorCode::kInvalidArgument, table.where(),
                fmt::format("id '{}' is also in row {}", Printable(id, 60), at->second), "ids must differ");
  }

 private:
  std::map<std::string, std::int64_t> line_of_;
};

GpuSetting ReadKnob(CsvTable& table) {
  return {.core_mhz = table.OptionalNumber("core_mhz"), .power_limit_w = table.OptionalNumber("power_limit_w")};
}

// Rounded up to whole seconds, so that no lost time is left out.
Duration ReadResume(CsvTable& table) {
  const double seconds = table.Number("resume_s");
  if (!(seconds <= kMostResumeSeconds && seconds >= -kMostResumeSeconds)) {
    table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("resume_s is {}", seconds),
                    "must be from 0 to 1e9"));
    return {};
  }
  return Duration{static_cast<std::int64_t>(std::ceil(seconds))};
}

// Optional; an empty cell has the default, too.
double ReadWeight(CsvTable& table) {
  return table.HasColumn("weight") ? table.OptionalNumber("weight").value_or(1.0) : 1.0;
}

Job ReadJob(CsvTable& table, const Scenario& scenario) {
  return {.id = table.Text("id"),
          .model = table.Text("model"),
          .submit = table.Time("submit"),
          .deadline = table.OptionalTime("deadline"),
          .samples = table.Number("samples"),
          .min_workers = table.Whole("min_workers"),
          .max_workers = table.Whole("max_workers"),
          .preemptible = table.Flag("preemptible"),
          .resume = ReadResume(table),
          .weight = ReadWeight(table),
          .owner = table.TextOrNone("owner"),
          .recorded = ReadRecorded(table, scenario)};
}

Service ReadService(CsvTable& table) {
  return {.id = table.Text("id"),
          .model = table.Text("model"),
          .latency_slo = Seconds{table.Number("latency_slo_ms") / 1e3},
          .percentile = table.Number("percentile"),
          .requests_per_s = {},
          .min_replicas = table.Whole("min_replicas"),
          .max_replicas = table.Whole("max_replicas")};
}

// Rows of a measured profile with a pace below 1: the program was held for a part of the time. They are for runs; a
// plan has settings of GPUs only.
bool IsPaced(CsvTable& table) { return table.HasColumn("pace") && table.OptionalNumber("pace").value_or(1.0) < 1.0; }

}  // namespace

Status ReadTraining(std::string_view text, const std::string& file, Scenario& scenario) {
  CsvTable table(text, file, kTrainingColumns);
  while (table.NextRow()) {
    const std::string model = table.Text("model");
    const std::string gpu = table.Text("gpu");
    const TrainingPoint point{.knob = ReadKnob(table),
                              .workers = table.Whole("workers"),
                              .samples_per_s = table.Number("samples_per_s"),
                              .power = Watts{table.Number("power_w")}};
    if (table.status()) table.Stop(ValidatePoint(point, table.where()));
    if (IsPaced(table)) continue;
    scenario.training.Add(model, gpu, point);
  }
  return table.status();
}

Status ReadInference(std::string_view text, const std::string& file, Scenario& scenario) {
  CsvTable table(text, file, kInferenceColumns);
  while (table.NextRow()) {
    const std::string model = table.Text("model");
    const std::string gpu = table.Text("gpu");
    const InferencePoint point{.knob = ReadKnob(table),
                               .batch = table.Whole("batch"),
                               .latency = Seconds{table.Number("latency_ms") / 1e3},
                               .requests_per_s = table.Number("requests_per_s"),
                               .power = Watts{table.Number("power_w")}};
    if (table.status()) table.Stop(ValidatePoint(point, table.where()));
    scenario.inference.Add(model, gpu, point);
  }
  return table.status();
}

Status ReadJobs(std::string_view text, const std::string& file, Scenario& scenario) {
  CsvTable table(text, file, kJobColumns);
  Ids ids;
  while (table.NextRow()) {
    Job job = ReadJob(table, scenario);
    if (table.status()) table.Stop(ValidateJob(scenario, job, table.where()));
    if (table.status()) table.Stop(ids.Add(job.id, table));
    scenario.jobs.push_back(std::move(job));
  }
  return table.status();
}

Result<std::vector<RateSource>> ReadServices(std::string_view text, const std::string& file, Scenario& scenario) {
  CsvTable table(text, file, kServiceColumns);
  Ids ids;
  std::vector<RateSource> sources;
  while (table.NextRow()) {
    Service service = ReadService(table);
    sources.push_back(
        {table.Text("rate_file"), table.Text("rate_column"), table.TextOrNone("rate_scenarios_file"), table.where()});
    if (table.status()) table.Stop(ValidateService(scenario, service, table.where()));
    if (table.status()) table.Stop(ids.Add(service.id, table));
    scenario.services.push_back(std::move(service));
  }
  if (!table.status()) return Propagate(table.status());
  return sources;
}

}  // namespace heliostat::scenario
