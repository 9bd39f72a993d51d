#pragma once

#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/signal/meaning.h"

namespace heliostat::auto_parts {

// The scale on which a signal is forecast, so that a linear model fits it: a
// carbon intensity varies by factors, a price by spikes in both directions, a
// plant's power between nothing and full.
class ValueSpace {
 public:
  enum class Scale { kLogarithm, kSquareRoot, kArcSinh };

  // By what is measured and what values it takes (NaN ignored).
  static ValueSpace Of(const signal::Meaning& meaning, const std::vector<double>& values);

  double To(double value) const;
  double From(double scaled) const;
  // What a user feels of an error between two scaled values: relative where
  // signals vary by factors, absolute elsewhere.
  double Error(double forecast, double actual) const;

  Scale scale() const { return scale_; }

  io::Json Save() const;
  static Result<ValueSpace> Load(const io::Json& saved);

 private:
  ValueSpace(Scale scale, double centre, double width) : scale_(scale), centre_(centre), width_(width) {}

  Scale scale_;
  double centre_;  // of the logarithm: the least value told apart, so that a later zero stays finite
  double width_;
};

}  // namespace heliostat::auto_parts
