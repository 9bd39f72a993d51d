#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heliostat::nvml_double {

// How training programs tell how far they are.
enum class Style {
  kPlain,  // a line now and then: "step 100/5000 123.4 it/s"
  kTqdm,   // a bar that is drawn over itself
  kKeras,  // likewise, as Keras draws it
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double elapsed_s = 0.0;
  double steps_per_s = 0.0;
};

// What to print, the end of line (or the carriage return before it) included.
std::string ProgressText(Style style, const Progress& progress);

}  // namespace heliostat::nvml_double
