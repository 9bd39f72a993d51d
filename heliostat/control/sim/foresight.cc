#include "heliostat/control/sim/foresight.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "heliostat/base/core/random.h"
#include "heliostat/control/policy/snapshot.h"
#include "heliostat/control/sim/slot_forecast.h"

namespace heliostat::sim {
namespace {

using scenario::Scenario;

// Forecasts end after a week.
std::size_t SlotsAhead(const Scenario& scenario, std::size_t slot) {
  const auto week = static_cast<std::size_t>(std::max<std::int64_t>(1, std::chrono::days{7} / scenario.step));
  return std::min(scenario.slots - slot, week);
}

template <typename T>
std::span<const T> Part(const std::vector<T>& all, std::size_t first, std::size_t count) {
  if (all.empty()) return {};
  return std::span<const T>(all).subspan(first, count);
}

// The true values. Immutable, so thread-safe.
class Perfect : public Foresight {
 public:
  Perfect(const Scenario& scenario, bool with_jobs) : scenario_(scenario), knows_jobs_(with_jobs) {
    if (!with_jobs) return;
    for (const scenario::Job& job : scenario.jobs) jobs_.push_back(&job);
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](const scenario::Job* a, const scenario::Job* b) { return a->submit < b->submit; });
  }

  bool KnowsAll() const override { return knows_jobs_ && SlotsAhead(scenario_, 0) == scenario_.slots; }

  policy::Forecast At(std::size_t slot) override {
    const std::size_t count = SlotsAhead(scenario_, slot);
    policy::Forecast forecast;
    forecast.carbon = Part(scenario_.carbon, slot, count);
    forecast.renewable = Part(scenario_.renewable, slot, count);
    forecast.price_per_kwh = Part(scenario_.price_per_kwh, slot, count);
    for (const scenario::Service& service : scenario_.services) {
      forecast.requests_per_s.push_back(Part(service.requests_per_s, slot, count));
    }
    const Instant now = scenario_.SlotSpan(slot).begin;
    const auto later = std::upper_bound(jobs_.begin(), jobs_.end(), now,
                                        [](Instant t, const scenario::Job* job) { return t < job->submit; });
    forecast.issued = now;
    const Instant until = scenario_.SlotSpan(slot + count - 1).end;
    for (auto job = later; job != jobs_.end() && (*job)->submit < until; ++job) forecast.jobs.push_back(*job);
    return forecast;
  }

 private:
  const Scenario& scenario_;
  bool knows_jobs_;
  std::vector<const scenario::Job*> jobs_;  // soonest first
};

// Base of the foresights that make the forecast of each slot once and keep it. Thread-safe.
class Remembering : public Foresight {
 public:
  policy::Forecast At(std::size_t slot) final {
    const std::lock_guard lock(mutex_);
    auto found = made_.find(slot);
    if (found == made_.end()) found = made_.emplace(slot, std::make_unique<policy::KeptForecast>(Make(slot))).first;
    return found->second->Show();
  }

 protected:
  virtual policy::KeptForecast Make(std::size_t slot) = 0;

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::unique_ptr<policy::KeptForecast>> made_;
};

std::vector<double> InGramsPerKwh(const std::vector<CarbonIntensity>& values) {
  std::vector<double> plain;
  plain.reserve(values.size());
  for (const CarbonIntensity value : values) plain.push_back(heliostat::InGramsPerKwh(value));
  return plain;
}

std::vector<double> InKilowatts(const std::vector<Watts>& values) {
  std::vector<double> plain;
  plain.reserve(values.size());
  for (const Watts value : values) plain.push_back(heliostat::InKilowatts(value));
  return plain;
}

// Forecasts by a model of the forecast layer.
class Forecasting : public Remembering {
 public:
  Forecasting(const Scenario& scenario, const scenario::Past& past, const std::string& model)
      : scenario_(scenario),
        carbon_(
            SlotForecast(scenario, past.carbon, InGramsPerKwh(scenario.carbon), signal::Kind::kCarbonIntensity, model)),
        renewable_(
            SlotForecast(scenario, past.renewable, InKilowatts(scenario.renewable), signal::Kind::kPower, model)) {
    if (!scenario.price_per_kwh.empty()) {
      price_ = SlotForecast(scenario, past.price, scenario.price_per_kwh, signal::Kind::kPrice, model);
    }
    for (std::size_t s = 0; s < scenario.services.size(); ++s) {
      const auto before = s < past.requests.size() ? past.requests[s] : std::nullopt;
      requests_.push_back(
          SlotForecast(scenario, before, scenario.services[s].requests_per_s, signal::Kind::kPower, model));
    }
  }

 protected:
  policy::KeptForecast Make(std::size_t slot) override {
    const std::size_t count = SlotsAhead(scenario_, slot);
    policy::KeptForecast kept;
    const Instant now = scenario_.SlotSpan(slot).begin;
    const forecast::Latest carbon = carbon_.From(now, count);
    for (const double value : carbon.values) kept.carbon.push_back(GramsPerKwh(value));
    kept.issued = carbon.issued;
    kept.freshness = carbon.freshness;
    for (const double value : renewable_.From(now, count).values) kept.renewable.push_back(Kilowatts(value));
    if (price_) kept.price_per_kwh = price_->From(now, count).values;
    for (auto& rates : requests_) kept.requests_per_s.push_back(rates.From(now, count).values);
    return kept;
  }

 private:
  const Scenario& scenario_;
  forecast::RollingForecast carbon_;
  forecast::RollingForecast renewable_;
  std::optional<forecast::RollingForecast> price_;
  std::vector<forecast::RollingForecast> requests_;
};

// The true values with random errors.
class Disturbed : public Remembering {
 public:
  Disturbed(const Scenario& scenario, double error, std::uint64_t seed)
      : scenario_(scenario), error_(error), stream_(RandomStream(seed).Split("forecast error")) {}

 protected:
  policy::KeptForecast Make(std::size_t slot) override {
    const std::size_t count = SlotsAhead(scenario_, slot);
    policy::KeptForecast kept;
    kept.issued = scenario_.SlotSpan(slot).begin;
    std::vector<double> factors = Factors("carbon", slot, count);
    for (std::size_t i = 0; i < count; ++i) kept.carbon.push_back(scenario_.carbon[slot + i] * factors[i]);
    factors = Factors("renewable", slot, count);
    for (std::size_t i = 0; i < count; ++i) kept.renewable.push_back(scenario_.renewable[slot + i] * factors[i]);
    if (!scenario_.price_per_kwh.empty()) {
      factors = Factors("price", slot, count);
      for (std::size_t i = 0; i < count; ++i) {
        kept.price_per_kwh.push_back(scenario_.price_per_kwh[slot + i] * factors[i]);
      }
    }
    for (const scenario::Service& service : scenario_.services) {
      factors = Factors("requests of " + service.id, slot, count);
      kept.requests_per_s.emplace_back();
      for (std::size_t i = 0; i < count; ++i) {
        kept.requests_per_s.back().push_back(service.requests_per_s[slot + i] * factors[i]);
      }
    }
    return kept;
  }

 private:
  // The factors of one forecast. One part of the error is a random walk over leads, separate for each forecast. The
  // other part belongs to the time that is forecast, and all forecasts share it.
  std::vector<double> Factors(const std::string& signal, std::size_t slot, std::size_t count) const {
    const RandomStream of_signal = stream_.Split(signal);
    RandomStream issue = of_signal.Split(slot);
    const double step_h = Seconds(scenario_.step).count() / 3600.0;
    const double keep = std::exp(-step_h / 6.0);
    double wander = issue.Normal();
    std::vector<double> factors(count, 1.0);
    for (std::size_t i = 1; i < count; ++i) {
      wander = keep * wander + std::sqrt(1.0 - keep * keep) * issue.Normal();
      const double shared =
          of_signal.Split("day").Split((slot + i) * static_cast<std::size_t>(step_h * 60.0) / 360).Normal();
      const double size = error_ * std::sqrt(std::min(1.0, static_cast<double>(i) * step_h / 24.0));
      factors[i] = std::max(0.0, 1.0 + size * (0.6 * wander + 0.8 * shared));
    }
    return factors;
  }

  const Scenario& scenario_;
  double error_;
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<Foresight> PerfectForesight(const Scenario& scenario, bool with_jobs) {
  return std::make_unique<Perfect>(scenario, with_jobs);
}

Result<std::unique_ptr<Foresight>> ForecastForesight(const Scenario& scenario, const scenario::Past& past,
                                                     const std::string& model) {
  if (const auto known = forecast::FindModel(model); !known) return Propagate(known);
  return std::make_unique<Forecasting>(scenario, past, model);
}

std::unique_ptr<Foresight> DisturbedForesight(const Scenario& scenario, double error, std::uint64_t seed) {
  return std::make_unique<Disturbed>(scenario, error, seed);
}

}  // namespace heliostat::sim
