#pragma once

#include <memory>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// A forecast that owns its values: a copy that stays valid.
struct KeptForecast {
  KeptForecast() = default;
  explicit KeptForecast(const Forecast& forecast);
  // A view of the values; valid as long as this object.
  Forecast Show() const;

  std::vector<CarbonIntensity> carbon;
  std::vector<Watts> renewable;
  std::vector<double> price_per_kwh;
  std::vector<std::vector<double>> requests_per_s;
  std::vector<scenario::Job> jobs;
  Instant issued{};
  signal::Freshness freshness = signal::Freshness::kMeasured;
  bool is_certain = false;
};

// A copy of an observation that stays the same while the world goes on. It owns all that the copy refers to. It leaves
// out news (arrived, ended and interrupted jobs, and receipts), because news belongs to one call. Thread-safe for
// reading.
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
