// Functions that look up a model by name: they need the list of models.
#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/ready_model.h"

namespace heliostat::forecast {

Result<Candidate> CandidateOf(std::string_view model) {
  const auto info = FindModel(model);
  if (!info) return Propagate(info);
  return Candidate{*info, [name = info->name](const History&) { return MakeForecaster(name); }};
}

Result<ReadyModel> ReadyModel::Make(std::string_view model, const History& past, std::size_t steps,
                                    std::optional<Duration> train, std::optional<Duration> every) {
  const auto candidate = CandidateOf(model);
  if (!candidate) return Propagate(candidate);
  return Make(*candidate, past, steps, train, every);
}

Result<ReadyModel> ReadyModel::Load(const io::Json& saved) {
  const auto name_json = saved.Get("model");
  if (!name_json) return Propagate(name_json);
  const auto name = (*name_json)->Text();
  if (!name) return Propagate(name);
  const auto info = FindModel(*name);
  if (!info) return Propagate(info);
  auto model = MakeForecaster(*name);
  if (!model) return Propagate(model);
  return Load(saved, *info, std::move(*model));
}

}  // namespace heliostat::forecast
