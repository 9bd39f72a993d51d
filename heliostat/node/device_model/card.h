#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heliostat/model/profile/library.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::device_model {

// A kind of GPU as its driver shows it, and how it behaves under load: what simulated GPUs and the test double of NVML
// are made of. The curves are those of the profile library, so that a simulated card and the simulator agree.
struct CardModel {
  std::string_view gpu;   // "H200", a name of the profile library
  std::string_view name;  // "NVIDIA H200", as the driver says it
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
const CardModel* FindCardModel(std::string_view gpu);

// What runs on a card.
struct CardLoad {
  profile::TrainingCurves curves;
  double duty = 1.0;  // share of the time in which anything runs at all, 0 to 1
};

// The profile library's figures of a model on a card: "resnet50" on an H200. Nothing for one it does not have.
std::optional<CardLoad> LoadOf(std::string_view model, const CardModel& card);

// Where a card comes to stand under a load and its settings.
struct OperatingPoint {
  double core_mhz = 0.0;
  double power_w = 0.0;
  double samples_per_s = 0.0;
  bool is_power_capped = false;
};

// `load` absent: idle. A lock of the core clock bounds it from above, and from below where the limit lets it.
OperatingPoint PointAt(const CardModel& card, const std::optional<CardLoad>& load, const device::Setting& limit,
                       const device::Setting& core_lock);

}  // namespace heliostat::device_model
