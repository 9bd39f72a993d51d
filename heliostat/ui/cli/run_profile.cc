#include "heliostat/ui/cli/run_profile.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/worker_scaling.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/ui/cli/profile_files.h"

namespace heliostat::cli {
namespace {

// As long as a try of a level. The run checks the profile before it relies on it.
constexpr Seconds kSpell{60.0};
// Measurements of noise that a stated error counts as.
constexpr int kLooks = 10;

std::vector<std::string> ModelsOf(const std::vector<profile::Measurement>& rows) {
  std::set<std::string> models;
  for (const profile::Measurement& row : rows) models.insert(row.model);
  return {models.begin(), models.end()};
}

Result<std::string> ModelOf(const std::vector<profile::Measurement>& rows, const std::string& named) {
  const std::vector<std::string> models = ModelsOf(rows);
  if (named.empty() && models.size() == 1) return models.front();
  const auto match = workload::MatchModel(named, models);
  if (!named.empty() && match) return *match;
  return Fail(ErrorCode::kInvalidArgument, "--profile",
              named.empty() ? "the table has several models" : fmt::format("has no model '{}'", Printable(named, 60)),
              fmt::format("FILE:MODEL with one of {}", Printable(fmt::format("{}", fmt::join(models, ", ")), 200)));
}

// Rows by the knob of the run: a limit or a clock.
bool IsBy(Knob knob, const profile::Measurement& row) {
  return knob == Knob::kPowerLimit ? row.knob.power_limit_w.has_value() : row.knob.core_mhz.has_value();
}

level_control::SteadySpell SpellOf(const profile::Measurement& row, Knob knob) {
  level_control::SteadySpell spell;
  spell.level = knob == Knob::kPowerLimit ? *row.knob.power_limit_w : *row.knob.core_mhz;
  spell.duration = kSpell;
  spell.steps = row.per_s / (static_cast<double>(row.batch) * row.workers) * kSpell.count();
  spell.energy = *row.power * kSpell;
  if (row.speed_error > 0.0) {
    // Half the width of a 95 % interval is two standard errors.
    spell.step_noise = row.speed_error / 2.0 * std::sqrt(spell.steps);
    spell.noise_looks = kLooks;
  }
  return spell;
}

Result<std::vector<level_control::SteadySpell>> SpeedsOn(const std::vector<profile::Measurement>& rows,
                                                         const std::string& file, Knob knob,
                                                         const std::string& gpu_name, std::size_t gpus) {
  const std::string gpu = profile::GpuName(gpu_name);
  std::set<std::string> measured;
  std::vector<profile::Measurement> here;
  for (const profile::Measurement& row : rows) {
    measured.insert(row.gpu);
    if (row.gpu == gpu) here.push_back(row);
  }
  if (here.empty()) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("is a profile of {}, but the GPU of this machine is {}",
                            Printable(fmt::format("{}", fmt::join(measured, ", ")), 80), Printable(gpu_name, 60)));
  }
  const std::array counts{static_cast<int>(gpus)};
  std::vector<level_control::SteadySpell> spells;
  for (const profile::Measurement& row : profile::ScaleWorkers(here, counts)) {
    if (row.workers == counts.front()) spells.push_back(SpellOf(row, knob));
  }
  return spells;
}

}  // namespace

bool IsProfileTable(const std::string& text) {
  return text.ends_with(".csv") || text.find(".csv:") != std::string::npos;
}

Result<training_run::KnownSpeeds> ReadProfileTable(const std::string& text, Knob knob) {
  if (!IsProfileTable(text)) return training_run::KnownSpeeds{};
  if (knob == Knob::kPace) {
    return Fail(ErrorCode::kInvalidArgument, "--profile", "a table has limits and clocks, no paces",
                "--knob power-limit or --knob core-clock");
  }
  std::error_code ignored;
  const std::size_t colon = std::filesystem::exists(text, ignored) ? std::string::npos : text.rfind(':');
  const std::string file = text.substr(0, colon);
  auto read = ReadMeasurementFiles({file}, "auto");
  if (!read) return Propagate(read);
  std::erase_if(read->rows,
                [&](const profile::Measurement& row) { return !row.is_training || !row.power || !IsBy(knob, row); });
  if (read->rows.empty()) {
    return Fail(ErrorCode::kInvalidArgument, file, "has no training row for the knob of the run",
                knob == Knob::kPowerLimit ? "rows with power_limit_w" : "rows with core_mhz");
  }
  const auto model = ModelOf(read->rows, colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!model) return Propagate(model);
  std::erase_if(read->rows, [&](const profile::Measurement& row) { return row.model != *model; });
  return training_run::KnownSpeeds{
      [rows = std::move(read->rows), file, knob](const std::string& gpu, std::size_t gpus) {
        return SpeedsOn(rows, file, knob, gpu, gpus);
      }};
}

}  // namespace heliostat::cli
