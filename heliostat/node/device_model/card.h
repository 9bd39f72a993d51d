#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/model/profile/library.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::device_model {

// A GPU product as its driver shows it. Simulated GPUs and the test double of NVML are made from it. Their behaviour
// under load follows the curves of the profile library, so that a simulated card and the simulator agree.
struct CardModel {
  std::string_view gpu;   // "H200", a name of the profile library
  std::string_view name;  // "NVIDIA H200", as the driver reports it
  int lowest_limit_w = 0;
  int default_limit_w = 0;
  int highest_limit_w = 0;
  int lowest_core_mhz = 0;
  int highest_core_mhz = 0;
  int core_step_mhz = 15;
  int highest_memory_mhz = 0;
  int lower_memory_mhz = 0;  // the other memory clock; 0: there is none
  double idle_w = 0.0;
  double memory_gib = 0.0;
  bool has_energy_counter = true;
};

std::span<const CardModel> CardModels();
// nullptr for a name that no model has. The result lives as long as the program.
const CardModel* FindCardModel(std::string_view gpu);

// What runs on a card.
struct CardLoad {
  profile::TrainingCurves curves;
  double duty = 1.0;  // share of the time in which it runs, 0 to 1
};

// The load of a model on a card ("resnet50" on an H200), from the profile library. Absent where the library has none.
std::optional<CardLoad> LoadOf(std::string_view model, const CardModel& card);

// The steady state of a card under a load and its settings.
struct OperatingPoint {
  double core_mhz = 0.0;
  double power_w = 0.0;
  double samples_per_s = 0.0;
  bool is_power_capped = false;
};

// `load` absent: idle. A core clock lock bounds the clock from above; on an idle card also from below.
OperatingPoint PointAt(const CardModel& card, const std::optional<CardLoad>& load, const device::Setting& limit,
                       const device::Setting& core_lock);

}  // namespace heliostat::device_model
