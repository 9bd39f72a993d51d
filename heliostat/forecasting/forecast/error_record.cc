#include "heliostat/forecasting/forecast/error_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/base/core/check.h"

namespace heliostat::forecast {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// The relative error of a forecast near zero is unbounded; it is limited to a factor of a thousand.
const double kMostRelative = std::log(1000.0);

double ErrorOf(ErrorScale scale, double forecast, double actual) {
  if (!std::isfinite(forecast) || !std::isfinite(actual)) return kUnknown;
  if (scale == ErrorScale::kAbsolute) return actual - forecast;
  if (forecast <= 0 || actual <= 0) return kUnknown;
  return std::clamp(std::log(actual / forecast), -kMostRelative, kMostRelative);
}

Result<ErrorScale> ScaleNamed(const io::Json& json) {
  const auto name = json.Text();
  if (!name) return Propagate(name);
  if (*name == "absolute") return ErrorScale::kAbsolute;
  if (*name == "relative") return ErrorScale::kRelative;
  return Fail(ErrorCode::kCorrupt, json.where(), fmt::format("\"{}\" is not a scale of errors", *name),
              "absolute or relative");
}

Result<ForecastErrors> LoadRow(const io::Json& saved) {
  const auto origin_json = saved.Get("origin");
  if (!origin_json) return Propagate(origin_json);
  const auto origin_text = (*origin_json)->Text();
  if (!origin_text) return Propagate(origin_text);
  const auto origin = ParseInstant(*origin_text, (*origin_json)->where());
  if (!origin) return Propagate(origin);
  const auto errors_json = saved.Get("errors");
  if (!errors_json) return Propagate(errors_json);
  const auto errors = (*errors_json)->Elements();
  if (!errors) return Propagate(errors);
  ForecastErrors row{*origin, {}};
  row.errors.reserve((*errors)->size());
  for (const auto& json : **errors) {
    if (json.is_null()) {
      row.errors.push_back(kUnknown);
      continue;
    }
    const auto error = json.Number();
    if (!error) return Propagate(error);
    row.errors.push_back(*error);
  }
  return row;
}

}  // namespace

void ErrorRecord::Add(Instant origin, std::span<const double> forecast, std::span<const double> actual) {
  Check(forecast.size() == actual.size(), "needs one actual value per forecast value");
  std::vector<double> errors(forecast.size());
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = ErrorOf(scale_, forecast[i], actual[i]);
  Place({origin, std::move(errors)});
}

void ErrorRecord::Place(ForecastErrors row) {
  auto at = rows_.end();
  while (at != rows_.begin() && std::prev(at)->origin >= row.origin) --at;
  if (at == rows_.end() || at->origin != row.origin) at = rows_.insert(at, {row.origin, {}});
  Change(*at, std::move(row.errors));
  while (rows_.size() > capacity_) {
    Change(rows_.front(), {});
    rows_.pop_front();
  }
}

void ErrorRecord::Change(ForecastErrors& row, std::vector<double> errors) {
  const std::size_t leads = std::max(row.errors.size(), errors.size());
  if (sorted_.size() < leads) sorted_.resize(leads);
  for (std::size_t i = 0; i < leads; ++i) {
    const double old = i < row.errors.size() ? row.errors[i] : kUnknown;
    const double now = i < errors.size() ? errors[i] : kUnknown;
    if (old == now) continue;
    auto& sorted = sorted_[i];
    if (!std::isnan(old)) sorted.erase(std::ranges::lower_bound(sorted, old));
    if (!std::isnan(now)) sorted.insert(std::ranges::upper_bound(sorted, now), now);
  }
  row.errors = std::move(errors);
}

std::vector<double> ErrorRecord::AtLead(std::size_t lead) const {
  std::vector<double> errors;
  for (const auto& row : rows_) {
    if (lead < row.errors.size() && !std::isnan(row.errors[lead])) errors.push_back(row.errors[lead]);
  }
  return errors;
}

std::span<const double> ErrorRecord::SortedAtLead(std::size_t lead) const {
  return lead < sorted_.size() ? std::span<const double>(sorted_[lead]) : std::span<const double>();
}

double ErrorRecord::Apply(double forecast, double error) const {
  return scale_ == ErrorScale::kAbsolute ? forecast + error : forecast * std::exp(error);
}

io::Json ErrorRecord::Save() const {
  io::Json::Array rows;
  for (const auto& row : rows_) {
    io::Json::Array errors;
    errors.reserve(row.errors.size());
    for (const double error : row.errors) errors.push_back(std::isnan(error) ? io::Json() : io::Json(error));
    rows.push_back(io::Json::Object{{"origin", FormatInstant(row.origin)}, {"errors", std::move(errors)}});
  }
  return io::Json::Object{{"scale", scale_ == ErrorScale::kAbsolute ? "absolute" : "relative"},
                          {"capacity", capacity_},
                          {"rows", std::move(rows)}};
}

Result<ErrorRecord> ErrorRecord::Load(const io::Json& saved) {
  const auto scale_json = saved.Get("scale");
  if (!scale_json) return Propagate(scale_json);
  const auto scale = ScaleNamed(**scale_json);
  if (!scale) return Propagate(scale);
  const auto capacity_json = saved.Get("capacity");
  if (!capacity_json) return Propagate(capacity_json);
  const auto capacity = (*capacity_json)->Integer();
  if (!capacity) return Propagate(capacity);
  if (*capacity < 1) {
    return Fail(ErrorCode::kCorrupt, (*capacity_json)->where(), fmt::format("is {}", *capacity), "at least 1");
  }
  const auto rows_json = saved.Get("rows");
  if (!rows_json) return Propagate(rows_json);
  const auto rows = (*rows_json)->Elements();
  if (!rows) return Propagate(rows);
  ErrorRecord record(*scale, static_cast<std::size_t>(*capacity));
  for (const auto& json : **rows) {
    auto row = LoadRow(json);
    if (!row) return Propagate(row);
    record.Place(std::move(*row));
  }
  return record;
}

}  // namespace heliostat::forecast
