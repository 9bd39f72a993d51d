// Any bytes are a model or one error. A loaded model answers or returns an error, and its answers are finite and inside
// their bands.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/forecast/ready_model.h"

namespace {

using heliostat::Check;
using heliostat::forecast::History;

// Six weeks of hourly values, on which the models of the seeds were fitted.
const History& Weeks() {
  static const History kWeeks = [] {
    std::vector<double> values;
    for (int hour = 0; hour < 42 * 24; ++hour) values.push_back(300 + 80 * std::sin(hour * 0.2618) + hour % 7);
    const heliostat::Instant start{std::chrono::sys_days{std::chrono::year{2024} / 2 / 1}};
    heliostat::signal::Signal target{
        "carbon", {}, *heliostat::signal::StepSeries::Make(start, std::chrono::hours{1}, std::move(values))};
    target.meaning.kind = heliostat::signal::Kind::kCarbonIntensity;
    return History{std::move(target), {}, {}};
  }();
  return kWeeks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = heliostat::io::Json::Parse(text, "fuzz");
  if (!json) return 0;
  const auto model = heliostat::forecast::ReadyModel::Load(*json);
  if (!model) {
    Check(!model.error().Line().empty(), "an error has no text");
    return 0;
  }
  const auto answer = model->Ask(Weeks(), 3);
  if (!answer) return 0;
  const auto& values = answer->prediction.values;
  Check(values.size() == 3, "an answer has another length");
  for (std::size_t i = 0; i < values.size(); ++i) {
    Check(std::isfinite(values[i]), "an answer is not a number");
    for (const auto& band : answer->bands) {
      Check(band.lower[i] <= values[i] && values[i] <= band.upper[i], "an answer is outside its band");
    }
  }
  return 0;
}
