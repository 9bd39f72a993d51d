#include "heliostat/forecasting/forecast/ready_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "heliostat/forecasting/forecast/rehearsal.h"
#include "heliostat/forecasting/forecast/walk_forward.h"

namespace heliostat::forecast {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr std::int64_t kVersion = 1;
constexpr std::string_view kFormat = "heliostat forecast model";
constexpr std::array kKinds{signal::Kind::kCarbonIntensity, signal::Kind::kPower, signal::Kind::kPrice,
                            signal::Kind::kCapacityFactor,  signal::Kind::kShare, signal::Kind::kOther};

// A forecast of a day or more is usually made at the same time every day; a shorter one at any time.
Duration RehearsalEvery(Duration step, std::size_t steps) {
  const bool is_long = step * static_cast<std::int64_t>(steps) >= kDay;
  return is_long && kDay % step == Duration{0} ? kDay : step;
}

Result<std::string> TextAt(const io::Json& saved, std::string_view key) {
  const auto json = saved.Get(key);
  if (!json) return Propagate(json);
  return (*json)->Text();
}

Result<std::int64_t> PositiveAt(const io::Json& saved, std::string_view key) {
  const auto json = saved.Get(key);
  if (!json) return Propagate(json);
  auto value = (*json)->Integer();
  if (value && *value < 1) {
    return Fail(ErrorCode::kCorrupt, (*json)->where(), fmt::format("is {}", *value), "must be at least 1");
  }
  return value;
}

Status RefuseOther(const io::Json& saved, std::string_view model) {
  const auto format = TextAt(saved, "format");
  if (!format || *format != kFormat) {
    return Fail(ErrorCode::kCorrupt, saved.where(), "is not a saved model",
                fmt::format("format must be \"{}\"", kFormat));
  }
  const auto version = PositiveAt(saved, "version");
  if (!version) return Propagate(version);
  if (*version != kVersion) {
    return Fail(ErrorCode::kUnsupported, saved.where(), fmt::format("has version {}", *version),
                fmt::format("this program reads version {}; fit it again", kVersion));
  }
  const auto name = TextAt(saved, "model");
  if (!name) return Propagate(name);
  if (*name == model) return {};
  return Fail(ErrorCode::kCorrupt, saved.where(), fmt::format("is the model {}", *name),
              fmt::format("must be {}", model));
}

Result<signal::Kind> KindAt(const io::Json& saved, std::string_view key) {
  const auto name = TextAt(saved, key);
  if (!name) return Propagate(name);
  const auto* const kind = std::ranges::find(kKinds, *name, [](signal::Kind one) { return signal::NameOf(one); });
  if (kind != kKinds.end()) return *kind;
  return Fail(ErrorCode::kCorrupt, saved.where(), fmt::format("\"{}\" is not a kind of signal", *name));
}

}  // namespace

Result<ReadyModel> ReadyModel::Make(const Candidate& model, const History& past, std::size_t steps,
                                    std::optional<Duration> train, std::optional<Duration> every) {
  if (steps == 0) return Fail(ErrorCode::kInvalidArgument, "horizon", "is empty", "at least one step is needed");
  const Training training = TrainingOf(model.info, train, std::nullopt);
  auto walk = WalkForward::Start(model, past, training, steps, every.value_or(RehearsalEvery(past.step(), steps)));
  if (!walk) return Propagate(walk);
  if (const auto rehearsed = walk->Rehearse(past.end(), nullptr); !rehearsed) return Propagate(rehearsed);
  if (const auto fitted = walk->Finish(); !fitted) return Propagate(fitted);
  const bool is_experienced = walk->IsExperienced();
  ReadyModel ready(model.info, walk->TakeModel(), is_experienced ? walk->record() : ErrorsOfYesterday(past, steps));
  if (is_experienced) ready.keeper_ = walk->keeper();
  ready.fitted_until_ = past.end();
  ready.step_ = past.step();
  ready.steps_ = steps;
  ready.kind_ = past.target.meaning.kind;
  return ready;
}

Status ReadyModel::RefuseAsking(const History& past, std::size_t steps) const {
  const std::string where = fmt::format("model {}", info_.name);
  if (past.step() != step_) {
    return Fail(ErrorCode::kInvalidArgument, where,
                fmt::format("the series has a step of {}", FormatDuration(past.step())),
                fmt::format("it was fitted on a step of {}", FormatDuration(step_)));
  }
  if (past.target.meaning.kind != kind_) {
    return Fail(ErrorCode::kInvalidArgument, where,
                fmt::format("the series is a {}", signal::NameOf(past.target.meaning.kind)),
                fmt::format("it was fitted on a {}", signal::NameOf(kind_)));
  }
  if (steps > steps_) {
    return Fail(ErrorCode::kInvalidArgument, where, fmt::format("{} steps are requested", steps),
                fmt::format("it was fitted for up to {}", steps_));
  }
  if (past.end() < fitted_until_) {
    return Fail(ErrorCode::kInvalidArgument, where, fmt::format("the history ends at {}", FormatInstant(past.end())),
                fmt::format("it has seen values up to {}", FormatInstant(fitted_until_)));
  }
  return {};
}

Result<ForecastAnswer> ReadyModel::Ask(const History& past, std::size_t steps) const {
  if (const auto bad = RefuseAsking(past, steps); !bad) return Propagate(bad);
  const ValueLimits limits = LimitsOf(past, steps);
  auto prediction = PredictFrom(*model_, past, limits, steps);
  if (!prediction) return Propagate(prediction);
  ForecastAnswer answer{past.end(), step_, std::move(*prediction), {}};
  answer.bands = MakeBands(record_, keeper_, answer.prediction.values, limits);
  return answer;
}

std::vector<std::vector<double>> ReadyModel::Scenarios(const History& past, const ForecastAnswer& answer,
                                                       std::size_t count, RandomStream random) const {
  const auto& values = answer.prediction.values;
  return MakeScenarios(record_, values, LimitsOf(past, values.size()), count, random);
}

io::Json ReadyModel::Save() const {
  return io::Json::Object{{"format", kFormat},
                          {"version", kVersion},
                          {"model", info_.name},
                          {"signal", signal::NameOf(kind_)},
                          {"step_s", static_cast<std::int64_t>(step_.count())},
                          {"steps", steps_},
                          {"fitted_until", FormatInstant(fitted_until_)},
                          {"learned", model_->Save()},
                          {"coverage_shift", keeper_.Save()},
                          {"errors", record_.Save()}};
}

Result<ReadyModel> ReadyModel::Load(const io::Json& saved, const ModelInfo& info, std::unique_ptr<Forecaster> model) {
  if (const auto bad = RefuseOther(saved, info.name); !bad) return Propagate(bad);
  const auto kind = KindAt(saved, "signal");
  if (!kind) return Propagate(kind);
  const auto step_s = PositiveAt(saved, "step_s");
  if (!step_s) return Propagate(step_s);
  const auto steps = PositiveAt(saved, "steps");
  if (!steps) return Propagate(steps);
  const auto until_text = TextAt(saved, "fitted_until");
  if (!until_text) return Propagate(until_text);
  const auto until = ParseInstant(*until_text, saved.where());
  if (!until) return Propagate(until);
  const auto shift_json = saved.Get("coverage_shift");
  if (!shift_json) return Propagate(shift_json);
  const auto keeper = CoverageKeeper::Load(**shift_json);
  if (!keeper) return Propagate(keeper);
  const auto errors_json = saved.Get("errors");
  if (!errors_json) return Propagate(errors_json);
  auto record = ErrorRecord::Load(**errors_json);
  if (!record) return Propagate(record);
  const auto learned = saved.Get("learned");
  if (!learned) return Propagate(learned);
  if (const auto loaded = model->Load(**learned); !loaded) return Propagate(loaded);

  ReadyModel ready(info, std::move(model), std::move(*record));
  ready.keeper_ = *keeper;
  ready.fitted_until_ = *until;
  ready.step_ = Duration{*step_s};
  ready.steps_ = static_cast<std::size_t>(*steps);
  ready.kind_ = *kind;
  return ready;
}

}  // namespace heliostat::forecast
