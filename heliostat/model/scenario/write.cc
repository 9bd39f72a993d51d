#include "heliostat/model/scenario/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/scenario/csv_table.h"
#include "heliostat/model/scenario/recorded_cells.h"

namespace heliostat::scenario {
namespace {

using namespace std::chrono_literals;

template <typename... Args>
void Append(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

// The shortest number that `to_si` turns back into exactly `si`. Files have other units, and the conversion may miss
// the last digit, so it also tries the neighbouring numbers.
template <typename ToSi>
std::string Exactly(double si, double in_unit, ToSi to_si) {
  for (const int digits : {15, 16, 17}) {
    const std::string text = fmt::format("{:.{}g}", in_unit, digits);
    const auto back = io::ParseNumber(text);
    if (back && to_si(*back) == si) return text;
  }
  double below = in_unit;
  double above = in_unit;
  for (int i = 0; i < 4; ++i) {
    below = std::nextafter(below, -HUGE_VAL);
    above = std::nextafter(above, HUGE_VAL);
    if (to_si(below) == si) return fmt::format("{}", below);
    if (to_si(above) == si) return fmt::format("{}", above);
  }
  return fmt::format("{}", in_unit);
}

std::string Milliseconds(Seconds time) {
  return Exactly(time.count(), time.count() * 1e3, [](double ms) { return ms / 1e3; });
}
std::string Grams(CarbonIntensity carbon) {
  return Exactly(carbon.value, InGramsPerKwh(carbon), [](double g) { return GramsPerKwh(g).value; });
}
std::string InKw(Watts power) {
  return Exactly(power.value, InKilowatts(power), [](double kw) { return Kilowatts(kw).value; });
}
std::string WattHours(Joules energy) {
  return Exactly(energy.value, energy.value / 3600.0, [](double wh) { return wh * 3600.0; });
}

std::string Cell(const std::string& text) { return CsvCell(text); }

std::string Cell(const std::optional<double>& number) { return number ? fmt::format("{}", *number) : std::string(); }

// A basic string of TOML.
std::string TomlText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      Append(quoted, "\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// One value per slot, as a canonical signal. A file of one row has no step, so a horizon of one slot gets a second.
template <typename TextOf>
std::string SignalText(const Scenario& scenario, std::string_view column, TextOf text_of) {
  std::string text = fmt::format("time,{}\n", column);
  const std::size_t rows = std::max<std::size_t>(scenario.slots, 2);
  for (std::size_t row = 0; row < rows; ++row) {
    Append(text, "{},{}\n", FormatInstant(scenario.SlotSpan(row).begin), text_of(std::min(row, scenario.slots - 1)));
  }
  return text;
}

// The optional columns are written only where a job uses them.
std::string JobsText(const Scenario& scenario) {
  const bool has_weights = std::ranges::any_of(scenario.jobs, [](const Job& job) { return job.weight != 1.0; });
  const bool has_owners = std::ranges::any_of(scenario.jobs, [](const Job& job) { return !job.owner.empty(); });
  const bool has_records = std::ranges::any_of(scenario.jobs, [](const Job& job) { return job.recorded.has_value(); });
  std::string text = "id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s";
  text += std::string(has_weights ? ",weight" : "") + (has_owners ? ",owner" : "");
  if (has_records) Append(text, ",{}", kRecordedColumns);
  text += '\n';
  for (const Job& job : scenario.jobs) {
    Append(text, "{},{},{},{},{},{},{},{:d},{}", Cell(job.id), Cell(job.model), FormatInstant(job.submit),
           job.deadline ? FormatInstant(*job.deadline) : "", job.samples, job.min_workers, job.max_workers,
           job.preemptible, job.resume.count());
    if (has_weights) Append(text, ",{}", job.weight);
    if (has_owners) Append(text, ",{}", Cell(job.owner));
    if (has_records) Append(text, ",{}", RecordedCells(job, scenario));
    text += '\n';
  }
  return text;
}

std::string RateFile(std::size_t service) { return fmt::format("rate_{}.csv", service); }

std::string ServicesText(const Scenario& scenario) {
  std::string text = "id,model,latency_slo_ms,percentile,rate_file,rate_column,min_replicas,max_replicas\n";
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    const Service& service = scenario.services[i];
    Append(text, "{},{},{},{},{},requests_per_s,{},{}\n", Cell(service.id), Cell(service.model),
           Milliseconds(service.latency_slo), service.percentile, RateFile(i), service.min_replicas,
           service.max_replicas);
  }
  return text;
}

std::string TrainingText(const Scenario& scenario) {
  std::string text = "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w\n";
  for (const auto& [key, points] : scenario.training.all()) {
    for (const TrainingPoint& point : points) {
      Append(text, "{},{},{},{},{},{},{}\n", Cell(key.first), Cell(key.second), point.workers,
             Cell(point.knob.core_mhz), Cell(point.knob.power_limit_w), point.samples_per_s, point.power.value);
    }
  }
  return text;
}

std::string InferenceText(const Scenario& scenario) {
  std::string text = "model,gpu,core_mhz,power_limit_w,batch,latency_ms,requests_per_s,power_w\n";
  for (const auto& [key, points] : scenario.inference.all()) {
    for (const InferencePoint& point : points) {
      Append(text, "{},{},{},{},{},{},{},{}\n", Cell(key.first), Cell(key.second), Cell(point.knob.core_mhz),
             Cell(point.knob.power_limit_w), point.batch, Milliseconds(point.latency), point.requests_per_s,
             point.power.value);
    }
  }
  return text;
}

void AppendGroup(const Group& group, std::string& text) {
  const double wake_minutes = Seconds(group.wake_time).count() / 60.0;
  Append(text, "\n[[groups]]\nname = {}\ngpu = {}\nnodes = {}\ngpus_per_node = {}\n", TomlText(group.name),
         TomlText(group.gpu), group.nodes, group.gpus_per_node);
  Append(text, "gpu_idle_w = {}\nnode_base_w = {}\nnode_sleep_w = {}\nwake_minutes = {}\nwake_wh = {}\n",
         group.gpu_idle.value, group.node_base.value, group.node_sleep.value, wake_minutes,
         WattHours(group.wake_energy));
}

std::string ScenarioText(const Scenario& scenario) {
  std::string text;
  Append(text, "name = {}\nstart = {}\nstep_minutes = {}\nslots = {}\npue = {}\ncurrency = \"{}\"\n",
         TomlText(scenario.name), FormatInstant(scenario.start), scenario.step / 1min, scenario.slots, scenario.pue,
         scenario.currency.code());
  Append(text, "performance = \"{}\"\n", scenario.performance == Performance::kHeadroom ? "headroom" : "throughput");
  if (!scenario.baseline.empty()) Append(text, "baseline = {}\n", TomlText(scenario.baseline));
  Append(text, "\n[signals]\ncarbon = {{ file = \"carbon.csv\", column = \"carbon_g_per_kwh\" }}\n");
  Append(text, "renewable = {{ file = \"solar.csv\", column = \"renewable_kw\", carbon_g_per_kwh = {} }}\n",
         Grams(scenario.renewable_carbon));
  if (!scenario.price_per_kwh.empty()) {
    Append(text, "price = {{ file = \"price.csv\", column = \"price_per_kwh\" }}\n");
  }
  for (const Group& group : scenario.groups) AppendGroup(group, text);
  Append(text, "\n[profiles]\ntraining = \"training_profiles.csv\"\n");
  if (!scenario.inference.all().empty()) Append(text, "inference = \"inference_profiles.csv\"\n");
  Append(text, "\n[workload]\njobs = \"jobs.csv\"\n");
  if (!scenario.services.empty()) Append(text, "services = \"services.csv\"\n");
  return text;
}

std::vector<File> FilesOf(const Scenario& scenario) {
  std::vector<File> files;
  files.push_back({"carbon.csv", SignalText(scenario, "carbon_g_per_kwh",
                                            [&](std::size_t slot) { return Grams(scenario.carbon[slot]); })});
  files.push_back({"solar.csv", SignalText(scenario, "renewable_kw",
                                           [&](std::size_t slot) { return InKw(scenario.renewable[slot]); })});
  if (!scenario.price_per_kwh.empty()) {
    files.push_back({"price.csv", SignalText(scenario, "price_per_kwh",
                                             [&](std::size_t slot) { return scenario.price_per_kwh[slot]; })});
  }
  files.push_back({"training_profiles.csv", TrainingText(scenario)});
  if (!scenario.inference.all().empty()) files.push_back({"inference_profiles.csv", InferenceText(scenario)});
  files.push_back({"jobs.csv", JobsText(scenario)});
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    const std::vector<double>& rates = scenario.services[i].requests_per_s;
    files.push_back(
        {RateFile(i), SignalText(scenario, "requests_per_s", [&](std::size_t slot) { return rates[slot]; })});
  }
  if (!scenario.services.empty()) files.push_back({"services.csv", ServicesText(scenario)});
  // Last, so that all files that it names exist when it does.
  files.push_back({"scenario.toml", ScenarioText(scenario)});
  return files;
}

}  // namespace

Result<std::vector<File>> ToFiles(const Scenario& scenario) {
  if (const auto bad = Validate(scenario); !bad) return Propagate(bad);
  if (scenario.step % 1min != 0s || Duration{24h} % scenario.step != 0s) {
    return Fail(ErrorCode::kInvalidArgument, "scenario", fmt::format("a slot is {} s long", scenario.step.count()),
                "must be whole minutes that divide a day");
  }
  return FilesOf(scenario);
}

Status WriteFiles(const Scenario& scenario, const std::string& folder) {
  const auto files = ToFiles(scenario);
  if (!files) return Propagate(files);
  if (auto bad = io::MakeDirectories(folder); !bad) return bad;
  for (const File& file : *files) {
    const std::string path = (std::filesystem::path(folder) / file.name).string();
    if (auto bad = io::WriteFileAtomically(path, file.text); !bad) return bad;
  }
  return {};
}

}  // namespace heliostat::scenario
