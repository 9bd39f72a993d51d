#include "heliostat/base/core/knob.h"

#include "heliostat/base/core/names.h"

namespace heliostat {
namespace {

constexpr auto kNames = NamesOf<Knob>({{Knob::kPowerLimit, "power-limit"},
                                       {Knob::kCoreClock, "core-clock"},
                                       {Knob::kMemoryClock, "memory-clock"},
                                       {Knob::kPace, "pace"}});

}  // namespace

std::string_view NameOf(Knob knob) { return kNames.NameOf(knob); }
std::optional<Knob> KnobNamed(std::string_view name) { return kNames.Find(name); }

}  // namespace heliostat
