#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/level_control/speed_profile.h"

namespace heliostat::training_run {

// One row of a profile file: a model on one kind of GPU at one setting. The file has the columns of a scenario's
// training profiles, so that scenarios take it too, and more.
struct ProfileRow {
  std::string model;
  std::string gpu;  // a name of the profile library where it has the GPU, else the driver's name
  int workers = 1;
  std::optional<double> core_mhz;
  std::optional<double> power_limit_w;
  double samples_per_s = 0.0;
  Watts power{};  // of all workers together
  // Columns that other profile files need not have.
  int batch = 1;       // samples in one step of the program's progress
  std::string source;  // "measured"
  double error = 0.0;  // half the width of the 95 % interval of the speed, as a share; 0: unknown
  double pace = 1.0;   // below 1: the program was held for a part of the time; scenarios leave such rows out
  Seconds measured{};  // how long; 0: unknown
};

// The text of a profile file.
std::string ProfileTable(std::span<const ProfileRow> rows);
// `file` is for messages. Fails on a file without the columns of training profiles, and on values that no measurement
// has.
Result<std::vector<ProfileRow>> ReadProfileTable(std::string_view text, const std::string& file);

// The rows of a program's model: those of the model `name`, or all rows of a file with one model.
Result<std::vector<ProfileRow>> RowsOfModel(std::vector<ProfileRow> rows, const std::string& name,
                                            const std::string& file);
// The rows as measurements of a program that runs on `workers` GPUs with this name; empty where no row fits.
std::vector<level_control::SteadySpell> SpellsOf(std::span<const ProfileRow> rows, Knob knob, std::string_view gpu,
                                                 int workers);

// "H200" for "NVIDIA H200 (made up)": the name that the profile library has for a driver's GPU; else the driver's name
// without its maker.
std::string GpuInProfiles(std::string_view driver_name);

}  // namespace heliostat::training_run
