#include "heliostat/control/policy/snapshot.h"

namespace heliostat::policy {
namespace {

JobTable CopyOf(const JobTable& jobs) {
  JobTable copy;
  for (const auto& [id, state] : jobs) copy.Add(id, state);
  return copy;
}

}  // namespace

KeptForecast::KeptForecast(const Forecast& forecast)
    : carbon(forecast.carbon.begin(), forecast.carbon.end()),
      renewable(forecast.renewable.begin(), forecast.renewable.end()),
      price_per_kwh(forecast.price_per_kwh.begin(), forecast.price_per_kwh.end()),
      issued(forecast.issued),
      freshness(forecast.freshness),
      is_certain(forecast.is_certain) {
  for (const auto& rates : forecast.requests_per_s) requests_per_s.emplace_back(rates.begin(), rates.end());
  for (const scenario::Job* job : forecast.jobs) jobs.push_back(*job);
}

Forecast KeptForecast::Show() const {
  Forecast forecast{carbon, renewable, price_per_kwh, {}, {}, issued, freshness, is_certain};
  for (const auto& rates : requests_per_s) forecast.requests_per_s.emplace_back(rates);
  for (const scenario::Job& job : jobs) forecast.jobs.push_back(&job);
  return forecast;
}

Snapshot::Snapshot(const Observation& observation)
    : jobs_(CopyOf(observation.jobs)),
      services_(observation.services.begin(), observation.services.end()),
      groups_(observation.groups.begin(), observation.groups.end()),
      forecast_(observation.outlook.Ahead()),
      carbon_(observation.outlook.CarbonNow()),
      renewable_(observation.outlook.RenewableNow()),
      price_(observation.outlook.PriceNow()),
      dirtiest_(observation.outlook.DirtiestOfDay()),
      observation_{observation.now,
                   observation.slot,
                   observation.slot_begins,
                   observation.site,
                   observation.capabilities,
                   observation.horizon,
                   jobs_,
                   {},
                   {},
                   {},
                   {},
                   services_,
                   groups_,
                   observation.carbon_so_far,
                   *this,
                   observation.is_first,
                   observation.planning_time} {}

}  // namespace heliostat::policy
