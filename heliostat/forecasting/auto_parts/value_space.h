#pragma once

#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/signal/meaning.h"

namespace heliostat::auto_parts {

// The scale on which a linear model fits a signal: a carbon intensity varies by factors, a price has spikes in both
// directions, the power of a plant varies between zero and full. Immutable.
class ValueSpace {
 public:
  enum class Scale { kLogarithm, kSquareRoot, kArcSinh };

  // Chooses the scale from the kind of signal and its values; ignores NaN.
  static ValueSpace Of(const signal::Meaning& meaning, const std::vector<double>& values);

  // To the scale; values that it cannot represent become the nearest one that it can.
  double To(double value) const;
  // Back to the unit of the signal.
  double From(double scaled) const;
  // The size of the error between two scaled values: relative on the logarithmic scale, absolute in the unit of the
  // signal on the others.
  double Error(double forecast, double actual) const;

  Scale scale() const { return scale_; }

  io::Json Save() const;
  static Result<ValueSpace> Load(const io::Json& saved);

 private:
  ValueSpace(Scale scale, double centre, double width) : scale_(scale), centre_(centre), width_(width) {}

  Scale scale_;
  double centre_;  // for the logarithm: the smallest value, so that a later zero stays finite
  double width_;
};

}  // namespace heliostat::auto_parts
