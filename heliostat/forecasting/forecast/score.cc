#include "heliostat/forecasting/forecast/score.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heliostat::forecast {
namespace {

double Pinball(double quantile, double forecast, double actual) {
  const double over = actual - forecast;
  return over >= 0 ? quantile * over : (quantile - 1) * over;
}

double Share(double sum, std::size_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

}  // namespace

void ScoreSum::Add(double forecast, double actual, double yesterday, std::span<const Band> bands, std::size_t lead) {
  if (std::isnan(actual)) return;
  const double error = forecast - actual;
  ++count_;
  absolute_ += std::abs(error);
  square_ += error * error;
  signed_ += error;
  if (actual == 0) {
    ++zeros_;
  } else {
    relative_ += std::abs(error / actual);
  }
  if (!std::isnan(yesterday)) {
    ++compared_;
    reference_ += std::abs(yesterday - actual);
    versus_ += std::abs(error);
  }
  if (bands.empty()) return;
  covered_.resize(std::max(covered_.size(), bands.size()));
  double pinball = Pinball(0.5, forecast, actual);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const Band& band = bands[i];
    if (band.lower[lead] <= actual && actual <= band.upper[lead]) covered_[i] += 1;
    const double tail = (1 - band.level) / 2;
    pinball += Pinball(tail, band.lower[lead], actual) + Pinball(1 - tail, band.upper[lead], actual);
  }
  ++banded_;
  pinball_ += pinball / static_cast<double>(2 * bands.size() + 1);
}

void ScoreSum::Add(const ScoreSum& other) {
  relative_ += other.relative_;
  absolute_ += other.absolute_;
  square_ += other.square_;
  signed_ += other.signed_;
  pinball_ += other.pinball_;
  reference_ += other.reference_;
  versus_ += other.versus_;
  covered_.resize(std::max(covered_.size(), other.covered_.size()));
  for (std::size_t i = 0; i < other.covered_.size(); ++i) covered_[i] += other.covered_[i];
  count_ += other.count_;
  zeros_ += other.zeros_;
  banded_ += other.banded_;
  compared_ += other.compared_;
}

ForecastScore ScoreSum::Result() const {
  ForecastScore score;
  score.mape_percent = 100 * Share(relative_, count_ - zeros_);
  score.mae = Share(absolute_, count_);
  score.rmse = std::sqrt(Share(square_, count_));
  score.bias = Share(signed_, count_);
  score.pinball = Share(pinball_, banded_);
  for (const double covered : covered_) score.coverage_percent.push_back(100 * Share(covered, banded_));
  score.skill_percent = reference_ > 0 ? 100 * (1 - versus_ / reference_) : std::numeric_limits<double>::quiet_NaN();
  score.count = count_;
  score.zeros = zeros_;
  return score;
}

}  // namespace heliostat::forecast
