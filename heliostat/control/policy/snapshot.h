#pragma once

#include <memory>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// A forecast that owns its values.
struct KeptForecast {
  KeptForecast() = default;
  explicit KeptForecast(const Forecast& forecast);
  // Holds as long as this.
  Forecast Show() const;

  std::vector<CarbonIntensity> carbon;
  std::vector<Watts> renewable;
  std::vector<double> price_per_kwh;
  std::vector<std::vector<double>> requests_per_s;
  std::vector<scenario::Job> jobs;
  Instant issued{};
  signal::Freshness freshness = signal::Freshness::kMeasured;
};

// An observation that stays as it is while the world goes on: all that it refers to is its own. News (what has arrived,
// ended, was interrupted, and receipts) is left out: it belongs to one call. May be read from several threads.
class Snapshot : private Outlook {
 public:
  explicit Snapshot(const Observation& observation);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const Observation& observation() const { return observation_; }

 private:
  Forecast Ahead() override { return forecast_.Show(); }
  CarbonIntensity CarbonNow() const override { return carbon_; }
  Watts RenewableNow() const override { return renewable_; }
  std::optional<double> PriceNow() const override { return price_; }
  CarbonIntensity DirtiestOfDay() const override { return dirtiest_; }

  JobTable jobs_;
  std::vector<ServiceState> services_;
  std::vector<GroupState> groups_;
  KeptForecast forecast_;
  CarbonIntensity carbon_;
  Watts renewable_;
  std::optional<double> price_;
  CarbonIntensity dirtiest_;
  Observation observation_;
};

}  // namespace heliostat::policy
