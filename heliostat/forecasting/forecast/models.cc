#include <fmt/format.h>

#include <vector>

#include "heliostat/base/core/nearest.h"
#include "heliostat/forecasting/forecast/auto_model.h"
#include "heliostat/forecasting/forecast/chase_model.h"
#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/forecasting/forecast/issued.h"
#include "heliostat/forecasting/forecast/merged_model.h"
#include "heliostat/forecasting/forecast/references.h"

namespace heliostat::forecast {
namespace {

constexpr Duration kDay{86400};
// The models of Chase are fitted on the newest day, again before every forecast.
constexpr std::optional<Duration> kNewestDay = kDay;
constexpr std::optional<Duration> kAll;
constexpr std::optional<Duration> kEveryOrigin;
constexpr std::optional<Duration> kEveryWeek = 7 * kDay;

struct Entry {
  ModelInfo info;
  Result<std::unique_ptr<Forecaster>> (*make)(std::string_view name);
};

// Help and tables show this order.
constexpr Entry kEntries[] = {
    {{"auto", "blend of calendar, recent days and generation mix, weighted by past errors", kAll, kEveryWeek},
     [](std::string_view) -> Result<std::unique_ptr<Forecaster>> { return std::make_unique<AutoModel>(); }},
    {{"provider", "the forecasts of providers that the file contains", kAll, kEveryOrigin},
     [](std::string_view) -> Result<std::unique_ptr<Forecaster>> { return MakeProvider(); }},
    {{"merged", "auto and the providers' forecasts, by measured skill at each lead", kAll, kEveryWeek},
     [](std::string_view) -> Result<std::unique_ptr<Forecaster>> { return std::make_unique<MergedModel>(); }},
    {{"persistence", "repeats the newest value", kAll, kEveryOrigin},
     [](std::string_view) -> Result<std::unique_ptr<Forecaster>> { return MakePersistence(); }},
    {{"yesterday", "repeats the value at the same time of the day before", kAll, kEveryOrigin},
     [](std::string_view name) -> Result<std::unique_ptr<Forecaster>> { return MakeSeasonal(name, kDay); }},
    {{"last-week", "repeats the value at the same time of the week before", kAll, kEveryOrigin},
     [](std::string_view name) -> Result<std::unique_ptr<Forecaster>> { return MakeSeasonal(name, 7 * kDay); }},
    {{"climatology", "the mean of the same slot of the week over eight weeks", kAll, kEveryOrigin},
     [](std::string_view) -> Result<std::unique_ptr<Forecaster>> { return MakeClimatology(); }},
    {{"svr", "Chase: support vector regression on the newest day", kNewestDay, kEveryOrigin}, ChaseModel::Make},
    {{"linear", "Chase: linear regression on the newest day", kNewestDay, kEveryOrigin}, ChaseModel::Make},
    {{"gradient-boosting", "Chase: boosted trees on the newest day", kNewestDay, kEveryOrigin}, ChaseModel::Make},
    {{"adaboost", "Chase: AdaBoost.R2 on the newest day", kNewestDay, kEveryOrigin}, ChaseModel::Make},
    {{"random-forest", "Chase: a random forest on the newest day", kNewestDay, kEveryOrigin}, ChaseModel::Make},
};

Result<const Entry*> Find(std::string_view name) {
  const Entry* nearest = nullptr;
  std::size_t least = 0;
  std::vector<std::string_view> names;
  const std::string_view start = name.substr(0, 60);  // bounds the cost for long names
  for (const Entry& entry : kEntries) {
    if (entry.info.name == name) return &entry;
    names.push_back(entry.info.name);
    const std::size_t distance = EditDistance(start, entry.info.name);
    if (nearest == nullptr || distance < least) {
      nearest = &entry;
      least = distance;
    }
  }
  return Fail(ErrorCode::kNotFound, "model", fmt::format("'{}' is not known", Printable(name, 60)),
              fmt::format("did you mean {}? One of {}", nearest->info.name, fmt::join(names, ", ")));
}

}  // namespace

std::span<const ModelInfo> Models() {
  static const std::vector<ModelInfo> kModels = [] {
    std::vector<ModelInfo> models;
    for (const Entry& entry : kEntries) models.push_back(entry.info);
    return models;
  }();
  return kModels;
}

Result<ModelInfo> FindModel(std::string_view name) {
  return Find(name).map([](const Entry* entry) { return entry->info; });
}

Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name) {
  const auto entry = Find(name);
  if (!entry) return Propagate(entry);
  return (*entry)->make((*entry)->info.name);
}

}  // namespace heliostat::forecast
