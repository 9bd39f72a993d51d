#include "heliostat/forecasting/auto_parts/value_space.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/forecasting/regression/saved.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::auto_parts {
namespace {

constexpr std::array<std::string_view, 3> kNames{"logarithm", "square-root", "arc-sinh"};

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> Known(const std::vector<double>& values) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return !signal::IsMissing(v); });
  return known;
}

}  // namespace

ValueSpace ValueSpace::Of(const signal::Meaning& meaning, const std::vector<double>& values) {
  std::vector<double> known = Known(values);
  if (known.empty()) return {Scale::kArcSinh, 0, 1};
  const double least = *std::ranges::min_element(known);
  // A single value near zero among large ones would dominate the logarithm.
  const double median = Median(known);
  const double negligible = 0.01 * median;
  const bool varies_by_factors = meaning.kind == signal::Kind::kCarbonIntensity && least > negligible && least > 0;
  if (varies_by_factors) return {Scale::kLogarithm, negligible, 1};
  if (least >= 0 && meaning.kind != signal::Kind::kPrice) return {Scale::kSquareRoot, 0, 1};
  for (double& value : known) value = std::abs(value - median);
  const double spread = Median(std::move(known));
  return {Scale::kArcSinh, median, spread > 0 ? 2 * spread : 1};
}

double ValueSpace::To(double value) const {
  switch (scale_) {
    case Scale::kLogarithm:
      return std::log(std::max(value, centre_));
    case Scale::kSquareRoot:
      return std::sqrt(std::max(value, 0.0));
    case Scale::kArcSinh:
      break;
  }
  return std::asinh((value - centre_) / width_);
}

double ValueSpace::From(double scaled) const {
  switch (scale_) {
    case Scale::kLogarithm:
      return std::exp(scaled);
    case Scale::kSquareRoot:
      return scaled > 0 ? scaled * scaled : 0;
    case Scale::kArcSinh:
      break;
  }
  return centre_ + width_ * std::sinh(scaled);
}

double ValueSpace::Error(double forecast, double actual) const {
  if (scale_ == Scale::kLogarithm) return std::abs(std::exp(forecast - actual) - 1);
  return std::abs(From(forecast) - From(actual));
}

io::Json ValueSpace::Save() const {
  io::Json saved;
  saved.Set("scale", kNames[static_cast<std::size_t>(scale_)]).Set("centre", centre_).Set("width", width_);
  return saved;
}

Result<ValueSpace> ValueSpace::Load(const io::Json& saved) {
  const auto name = regression::LoadText(saved, "scale");
  if (!name) return Propagate(name);
  const auto centre = regression::LoadNumber(saved, "centre");
  if (!centre) return Propagate(centre);
  const auto width = regression::LoadNumber(saved, "width");
  if (!width) return Propagate(width);
  const auto found = std::ranges::find(kNames, *name);
  const auto scale = static_cast<Scale>(found - kNames.begin());
  if (found == kNames.end() || !(*width > 0) || (scale == Scale::kLogarithm && !(*centre > 0))) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "is not a value space",
                "must be one that this program saved");
  }
  return ValueSpace(scale, *centre, *width);
}

}  // namespace heliostat::auto_parts
