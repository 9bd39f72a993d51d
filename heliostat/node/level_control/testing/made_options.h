#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "heliostat/node/level_control/budget_plan.h"

namespace heliostat::level_control::testing {

// ResNet-50 with batches of 128 on an A40, 175 W to 300 W: speed as a share, draw.
inline std::vector<LevelOption> A40Options() {
  return {{175, 0.838, Watts{161}}, {200, 0.937, Watts{179}}, {225, 0.968, Watts{198}},
          {250, 0.983, Watts{216}}, {275, 0.990, Watts{231}}, {300, 1.000, Watts{244}}};
}

// A paced H200: draw by the share of the time in which the program runs.
inline std::vector<LevelOption> PacedOptions() {
  std::vector<LevelOption> options;
  for (const double duty : {0.2, 0.4, 0.6, 0.8, 1.0}) options.push_back({duty, duty, Watts{121.0 + 488.0 * duty}});
  return options;
}

// Random speeds and powers that rise with the level.
inline rc::Gen<std::vector<LevelOption>> AnyOptions() {
  return rc::gen::exec([] {
    const int count = *rc::gen::inRange(1, 9);
    std::vector<LevelOption> options;
    double speed = 0.0;
    double power = 40.0;
    for (int i = 0; i < count; ++i) {
      speed += 0.01 * *rc::gen::inRange(1, 60);
      power += 0.1 * *rc::gen::inRange(1, 600);
      options.push_back({100.0 + 25.0 * i, speed, Watts{power}});
    }
    return options;
  });
}

inline rc::Gen<std::vector<Slot>> AnySlots() {
  return rc::gen::exec([] {
    std::vector<Slot> slots;
    const int count = *rc::gen::inRange(1, 30);
    for (int i = 0; i < count; ++i) slots.push_back({Seconds{1800.0}, 1.0 * *rc::gen::inRange(1, 900)});
    return slots;
  });
}

}  // namespace heliostat::level_control::testing
