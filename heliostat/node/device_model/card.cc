#include "heliostat/node/device_model/card.h"

#include <algorithm>
#include <array>

namespace heliostat::device_model {
namespace {

using device::Setting;

// Limits, clocks and memory come from data sheets, those of the H200 from its driver; idle power from the profile
// library. GPU boost above the library's highest clock is left out, because there are no measurements of it.
constexpr std::array<CardModel, 6> kCards{{
    {"A40", "NVIDIA A40", 100, 300, 300, 210, 1740, 15, 7251, 405, 30, 45, true},
    {"V100", "Tesla V100-PCIE-32GB", 100, 250, 250, 135, 1380, 15, 877, 0, 26, 32, true},
    {"A100", "NVIDIA A100-SXM4-80GB", 100, 400, 400, 210, 1410, 15, 1593, 0, 55, 80, true},
    {"H100", "NVIDIA H100 80GB HBM3", 200, 700, 700, 345, 1980, 15, 2619, 1593, 70, 80, true},
    {"H200", "NVIDIA H200", 200, 700, 700, 345, 1980, 15, 3201, 2201, 76, 140, true},
    {"RTX4090", "NVIDIA GeForce RTX 4090", 150, 450, 600, 210, 2520, 15, 10501, 810, 22, 24, true},
}};

// Between steps the clocks stay up and the card draws more than when idle: 120 W of 609 W on an H200 that idles at 76
// W.
constexpr double kBetweenSteps = 0.08;

double Milliwatts(int watts) { return 1e3 * watts; }

}  // namespace

std::span<const CardModel> CardModels() { return kCards; }

const CardModel* FindCardModel(std::string_view gpu) {
  const auto found = std::ranges::find(kCards, gpu, &CardModel::gpu);
  return found == kCards.end() ? nullptr : &*found;
}

std::optional<CardLoad> LoadOf(std::string_view model, const CardModel& card) {
  const auto curves = profile::CurvesOf(model, card.gpu);
  if (!curves) return std::nullopt;
  return CardLoad{*curves, 1.0};
}

OperatingPoint PointAt(const CardModel& card, const std::optional<CardLoad>& load, const Setting& limit,
                       const Setting& core_lock) {
  const double top = card.highest_core_mhz;
  const double locked = core_lock.is_default ? top : std::min(static_cast<double>(core_lock.high), top);
  if (!load || load->duty <= 0.0) {
    const double floor = core_lock.is_default ? card.lowest_core_mhz : static_cast<double>(core_lock.low);
    return {
        .core_mhz = std::min(floor, locked), .power_w = card.idle_w, .samples_per_s = 0.0, .is_power_capped = false};
  }
  const profile::TrainingCurves& curves = load->curves;
  const double limit_w = (limit.is_default ? Milliwatts(card.default_limit_w) : static_cast<double>(limit.high)) / 1e3;
  const double x = std::max(locked / top, profile::kLowestSetting);
  const double slow_by_clock = curves.time.At(x);
  const double slow_by_limit = curves.limit.TimeAt(limit_w);
  const double busy_w = std::min(curves.clock.At(x), curves.limit.WattsAt(limit_w));
  const double between_w = card.idle_w + kBetweenSteps * std::max(busy_w - card.idle_w, 0.0);
  OperatingPoint point;
  point.is_power_capped = curves.limit.WattsAt(limit_w) < curves.clock.At(x) - 1e-6;
  point.core_mhz = point.is_power_capped ? top * std::min(curves.clock.SettingAt(busy_w), x) : top * x;
  point.core_mhz = std::max(point.core_mhz, static_cast<double>(card.lowest_core_mhz));
  point.power_w = between_w + load->duty * (busy_w - between_w);
  point.samples_per_s = load->duty * curves.samples_per_s / std::max(slow_by_clock, slow_by_limit);
  return point;
}

}  // namespace heliostat::device_model
