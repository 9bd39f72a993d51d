#include "heliostat/node/training_run/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>

#include "heliostat/base/core/made_up.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/scenario/csv_table.h"

namespace heliostat::training_run {
namespace {

using level_control::SteadySpell;

constexpr std::array<std::string_view, 7> kColumns{"model",         "gpu",           "workers", "core_mhz",
                                                   "power_limit_w", "samples_per_s", "power_w"};
// What a row without these columns counts as: a measurement like that of a first try.
constexpr double kUsualError = 0.01;
constexpr Seconds kUsualTime{60.0};
constexpr double kBar = 2.0;  // standard errors in `error`
constexpr int kLooks = 10;    // measurements of noise behind a row

std::string Cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string Cell(const std::optional<double>& number) { return number ? fmt::format("{:g}", *number) : std::string(); }

Status Refuse(const scenario::CsvTable& table, std::string_view column, double value, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, table.where(), fmt::format("{} is {:g}", column, value), std::move(allowed));
}

// A number in a column that the file need not have.
double NumberOr(scenario::CsvTable& table, std::string_view column, double fallback) {
  if (table.TextOrNone(column).empty()) return fallback;
  return table.OptionalNumber(column).value_or(fallback);
}

Status CheckRow(const ProfileRow& row, const scenario::CsvTable& table) {
  const auto is_positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  const auto is_not_negative = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (row.workers < 1) return Refuse(table, "workers", row.workers, "must be 1 or more");
  if (!is_positive(row.samples_per_s)) return Refuse(table, "samples_per_s", row.samples_per_s, "must be more than 0");
  if (!is_not_negative(row.power.value)) return Refuse(table, "power_w", row.power.value, "must be 0 or more");
  if (!is_not_negative(row.error)) return Refuse(table, "speed_error_percent", 100.0 * row.error, "must be 0 or more");
  if (!(row.pace > 0.0 && row.pace <= 1.0)) return Refuse(table, "pace", row.pace, "must be above 0 and at most 1");
  if (row.batch < 1) return Refuse(table, "batch", row.batch, "must be 1 or more");
  if (!is_not_negative(row.measured.count()))
    return Refuse(table, "measured_s", row.measured.count(), "must be 0 or more");
  return {};
}

// The level of a row for a knob; absent where another knob was turned.
std::optional<double> LevelOf(const ProfileRow& row, Knob knob) {
  if (knob == Knob::kPace) {
    return row.core_mhz || row.power_limit_w ? std::nullopt : std::optional(row.pace);
  }
  if (row.pace < 1.0) return std::nullopt;
  const auto& own = knob == Knob::kPowerLimit ? row.power_limit_w : row.core_mhz;
  const auto& other = knob == Knob::kPowerLimit ? row.core_mhz : row.power_limit_w;
  return other ? std::nullopt : own;
}

// Words of letters and digits.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::string ProfileTable(std::span<const ProfileRow> rows) {
  std::string text =
      "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,batch,source,speed_error_percent,pace,measured_"
      "s\n";
  for (const ProfileRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:.6g},{:.6g},{},{},{:.3g},{:g},{:.1f}\n", Cell(row.model),
                   Cell(row.gpu), row.workers, Cell(row.core_mhz), Cell(row.power_limit_w), row.samples_per_s,
                   row.power.value, row.batch, Cell(row.source), 100.0 * row.error, row.pace, row.measured.count());
  }
  return text;
}

Result<std::vector<ProfileRow>> ReadProfileTable(std::string_view text, const std::string& file) {
  scenario::CsvTable table(text, file, kColumns);
  std::vector<ProfileRow> rows;
  while (table.NextRow()) {
    ProfileRow row;
    row.model = table.Text("model");
    row.gpu = table.Text("gpu");
    row.workers = table.Whole("workers");
    row.core_mhz = table.OptionalNumber("core_mhz");
    row.power_limit_w = table.OptionalNumber("power_limit_w");
    row.samples_per_s = table.Number("samples_per_s");
    row.power = Watts{table.Number("power_w")};
    row.source = table.TextOrNone("source");
    row.error = NumberOr(table, "speed_error_percent", 0.0) / 100.0;
    row.pace = NumberOr(table, "pace", 1.0);
    row.batch = table.TextOrNone("batch").empty() ? 1 : table.Whole("batch");
    row.measured = Seconds(NumberOr(table, "measured_s", 0.0));
    if (table.status()) table.Stop(CheckRow(row, table));
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  if (rows.empty()) return Fail(ErrorCode::kInvalidArgument, file, "has no rows", "a profile with one row at least");
  return rows;
}

Result<std::vector<ProfileRow>> RowsOfModel(std::vector<ProfileRow> rows, const std::string& name,
                                            const std::string& file) {
  std::set<std::string> models;
  for (const ProfileRow& row : rows) models.insert(row.model);
  if (models.size() == 1) return rows;
  if (models.count(name) == 0) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("has {} models and none is '{}'", models.size(), Printable(name, 40)),
                "a file with one model, or with one of the program's name");
  }
  std::erase_if(rows, [&](const ProfileRow& row) { return row.model != name; });
  return rows;
}

std::vector<SteadySpell> SpellsOf(std::span<const ProfileRow> rows, Knob knob, std::string_view gpu, int workers) {
  const std::string name = GpuInProfiles(gpu);
  std::vector<SteadySpell> spells;
  for (const ProfileRow& row : rows) {
    const auto level = LevelOf(row, knob);
    if (!level || row.workers != workers || (row.gpu != name && row.gpu != gpu)) continue;
    SteadySpell spell;
    spell.level = *level;
    spell.duration = row.measured > Seconds(0) ? row.measured : kUsualTime;
    spell.steps = row.samples_per_s / row.batch * spell.duration.count();
    spell.energy = row.power * spell.duration;
    const double standard_error = (row.error > 0.0 ? row.error : kUsualError) / kBar;
    spell.step_noise = standard_error * std::sqrt(spell.steps);
    spell.noise_looks = kLooks;
    spells.push_back(spell);
  }
  return spells;
}

std::string GpuInProfiles(std::string_view driver_name) {
  if (IsMadeUp(driver_name)) driver_name.remove_suffix(kMadeUpMark.size());
  const auto known = profile::LibraryGpus();
  const auto words = WordsOf(driver_name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    // "RTX 4090" is RTX4090. A card for laptops is another one.
    const std::string both = i + 1 < words.size() ? words[i] + words[i + 1] : words[i];
    const bool is_known =
        std::ranges::find(known, words[i]) != known.end() || std::ranges::find(known, both) != known.end();
    if (!is_known || std::ranges::find(words, "Laptop") != words.end()) continue;
    return std::ranges::find(known, words[i]) != known.end() ? words[i] : both;
  }
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "GeForce "}) {
    if (driver_name.starts_with(maker)) driver_name.remove_prefix(maker.size());
  }
  return std::string(driver_name);
}

}  // namespace heliostat::training_run
