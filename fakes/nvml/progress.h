#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heliostat::nvml_double {

// How training programs print their progress.
enum class Style {
  kPlain,  // a line now and then: "step 100/5000 123.4 it/s"
  kTqdm,   // a bar that overwrites itself
  kKeras,  // likewise, as Keras draws it
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double elapsed_s = 0.0;
  double steps_per_s = 0.0;
};

// The text to print, including the end of line, or the carriage return that precedes a bar.
std::string ProgressText(Style style, const Progress& progress);

}  // namespace heliostat::nvml_double
