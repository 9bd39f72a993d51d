// Uses one part of each kind from the installed package: a template in a header, a function of a library, and a library
// that links to other libraries.
#include <heliostat/base/io/json.h>
#include <heliostat/base/io/time_zone.h>
#include <heliostat/signals/signal/step_series.h>

int main() {
  using namespace std::chrono_literals;
  const auto series = heliostat::signal::StepSeries::Make(heliostat::Instant{}, 1h, {1.0, 3.0});
  const auto zone = heliostat::io::TimeZone::Find("Europe/Berlin");
  const auto document = heliostat::io::Json::Parse("[2]", "here");
  return series && zone && document && *series->Mean(series->span()) == 2.0 ? 0 : 1;
}
