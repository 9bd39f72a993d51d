// Any bytes are the profile of an earlier run or one error. A loaded profile answers with finite numbers, and its
// requests for trials end.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/node/level_control/speed_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = io::Json::Parse(text, "fuzz");
  if (!json) return 0;
  for (const level_control::Knob knob : {level_control::Knob::kPowerLimit, level_control::Knob::kPace}) {
    level_control::SpeedProfile profile("seed", knob, {200, 300, 400, 500, 600, 700});
    if (const auto loaded = profile.Load(*json); !loaded) {
      Check(!loaded.error().Line().empty(), "an error has no text");
      continue;
    }
    for (const level_control::LevelOption& option : profile.Options()) {
      Check(std::isfinite(option.speed) && option.speed > 0.0, "a speed is not positive and finite");
      Check(std::isfinite(option.power.value), "a power is not finite");
    }
    const level_control::Merit merit{[](double speed, Watts power) { return power.value / speed; }, 0.0};
    int tries = 0;
    while (const auto level = profile.Next(merit)) {
      profile.AddStretch({*level, Seconds{60}, 600.0, Joules{60.0 * *level}});
      Check(++tries < 1000, "requests for trials do not end");
    }
  }
  return 0;
}
