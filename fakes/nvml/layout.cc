#include "fakes/nvml/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/hash.h"

namespace heliostat::nvml_double {
namespace {

constexpr std::array<std::string_view, kFunctions + 1> kNames{
#define HELIOSTAT_DOUBLE_NAME(name, type) #name,
    HELIOSTAT_NVML_REQUIRED(HELIOSTAT_DOUBLE_NAME) HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_DOUBLE_NAME)
#undef HELIOSTAT_DOUBLE_NAME
        "somebody else"};

template <std::size_t N>
void Put(std::array<char, N>& where, std::string_view text) {
  where.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), N - 1), where.begin());
}

// The same card has the same UUID in every file and on every machine.
std::uint64_t Hash(std::string_view text, std::uint64_t seed) {
  const std::uint64_t hash = Hash64(text, kHashOfNothing ^ seed);
  return hash ^ (hash >> 31U);
}

std::string UuidOf(const device_model::CardModel& card, int index) {
  const std::string text = fmt::format("{} {}", card.gpu, index);
  const std::uint64_t a = Hash(text, 1);
  const std::uint64_t b = Hash(text, 2);
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32U, (a >> 16U) & 0xffffU, a & 0xffffU, b >> 48U,
                     b & 0xffffffffffffULL);
}

}  // namespace

const device_model::CardModel& GpuState::card() const {
  const device_model::CardModel* const found = device_model::FindCardModel(gpu.data());
  Check(found != nullptr, "a card model that was there when the state was made");
  return *found;
}

GpuState NewGpu(const device_model::CardModel& card, int index) {
  GpuState gpu;
  Put(gpu.gpu, card.gpu);
  Put(gpu.uuid, UuidOf(card, index));
  gpu.power_w = card.idle_w;
  gpu.temperature_c = 30.0;
  Reset(gpu);
  return gpu;
}

void Reset(GpuState& gpu) {
  for (const device::Knob knob : device::kKnobs) gpu.At(knob) = device::Setting::Default(knob);
  gpu.At(device::Knob::kPowerLimit) =
      device::Setting::PowerLimit(Watts{static_cast<double>(gpu.card().default_limit_w)});
  gpu.energy_j = 0.0;
}

std::int64_t EnforcedMilliwatts(const GpuState& gpu) {
  const std::int64_t limit = gpu.At(device::Knob::kPowerLimit).high;
  return gpu.faults.out_of_band_mw == 0 ? limit : std::min(limit, gpu.faults.out_of_band_mw);
}

void Record(GpuState& gpu, const Write& write) { gpu.record[gpu.recorded++ % gpu.record.size()] = write; }

std::string_view NameOf(Function function) { return kNames[static_cast<std::size_t>(function)]; }

}  // namespace heliostat::nvml_double
