#include "heliostat/model/workload/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heliostat/base/core/units.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/workload/rows.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr double kMostTokens = 1e9;
constexpr auto kCenturyInSeconds = static_cast<double>(kCentury.count());
constexpr double kHighestRate = 1e12;
// The most slots, as in scenarios: more than a year of minutes.
constexpr std::size_t kMostSlots = 600'000;

struct Request {
  double time_s;
  double tokens;
};

// "2023-11-16 18:15:46.6805900": Instant has whole seconds, so the fraction is read separately.
double ReadMoment(Rows& rows, std::size_t column) {
  const std::string_view text = rows.Text(column);
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto whole = ParseIsoTime(text.substr(0, point));
  double fraction = 0.0;
  const std::string_view digits = text.substr(point);
  const bool has_fraction = digits.empty() || (digits.size() > 1 && io::ParseAnyNumber(digits, fraction));
  if (!whole || whole->utc_offset || !has_fraction || !(fraction >= 0.0 && fraction < 1.0)) {
    rows.Refuse(column, "must be a time such as 2023-11-16 18:15:46.6805900");
    return 0.0;
  }
  return static_cast<double>(whole->local.time_since_epoch().count()) + fraction;
}

std::vector<Request> ReadAzure(Rows& rows) {
  std::vector<Request> requests;
  const std::size_t time = rows.Need("TIMESTAMP");
  const std::size_t tokens = rows.Need("GeneratedTokens");
  while (rows.Next()) requests.push_back({ReadMoment(rows, time), rows.Number(tokens, kMostTokens)});
  return requests;
}

std::vector<Request> ReadMooncake(Rows& rows) {
  std::vector<Request> requests;
  const std::size_t time = rows.Need("timestamp_ms");
  const std::size_t tokens = rows.Need("output_length");
  while (rows.Next()) {
    requests.push_back({rows.Number(time, kCenturyInSeconds * 1e3) / 1e3, rows.Number(tokens, kMostTokens)});
  }
  return requests;
}

Result<RequestTrace> Settle(std::vector<Request> requests, const std::string& name) {
  std::ranges::stable_sort(requests, {}, &Request::time_s);
  if (requests.size() < 2 || requests.front().time_s == requests.back().time_s) {
    return Fail(ErrorCode::kInvalidArgument, name, fmt::format("has {} requests, all at one time", requests.size()),
                "needed are two at different times");
  }
  double tokens = 0.0;
  for (const Request& request : requests) tokens += request.tokens;
  const double mean = tokens / static_cast<double>(requests.size());
  RequestTrace trace{.name = name, .arrival_s = {}, .work = {}};
  trace.arrival_s.reserve(requests.size());
  trace.work.reserve(requests.size());
  for (const Request& request : requests) {
    trace.arrival_s.push_back(request.time_s - requests.front().time_s);
    trace.work.push_back(mean > 0.0 ? static_cast<float>(request.tokens / mean) : 1.0F);
  }
  return trace;
}

Status RefuseHorizon(const std::string& name, Duration step, std::size_t slots, double lasts_s, bool may_repeat) {
  if (step <= 0s || slots == 0 || slots > kMostSlots) {
    return Fail(ErrorCode::kInvalidArgument, name, fmt::format("{} slots of {} s", slots, step.count()),
                fmt::format("must be 1 to {} slots longer than 0", kMostSlots));
  }
  const double asked_s = Seconds(step).count() * static_cast<double>(slots);
  if (may_repeat || asked_s <= lasts_s) return {};
  return Fail(ErrorCode::kInvalidArgument, name,
              fmt::format("lasts {:.0f} s, but {:.0f} s are needed", lasts_s, asked_s),
              "let it repeat, or shorten the horizon");
}

// The windows of a ServeGen table must follow each other without a gap.
void RefuseTime(Rows& rows, std::size_t column, double time, double step) {
  rows.Refuse(column, fmt::format("must be {}: windows of {} s follow each other", time, step));
}

}  // namespace

double RequestTrace::rate() const { return static_cast<double>(size()) / period_s(); }

double RequestTrace::period_s() const {
  const auto gaps = static_cast<double>(size() - 1);
  return arrival_s.back() * (gaps + 1.0) / gaps;
}

Result<RequestTrace> ReadRequests(std::string_view text, const std::string& name) {
  Rows rows(text, name);
  if (!rows.status()) return Propagate(rows.status());
  std::vector<Request> requests;
  if (rows.Find("TIMESTAMP") != kNoColumn) {
    requests = ReadAzure(rows);
  } else if (rows.Find("timestamp_ms") != kNoColumn) {
    requests = ReadMooncake(rows);
  } else {
    return Fail(
        ErrorCode::kInvalidArgument, name, "does not have the columns of a request trace",
        "TIMESTAMP,ContextTokens,GeneratedTokens (Azure) or timestamp_ms,input_length,output_length (Mooncake)");
  }
  if (const Status status = rows.status(); !status) return Propagate(status);
  return Settle(std::move(requests), name);
}

Result<std::vector<double>> RatesPerSlot(const RequestTrace& trace, Duration step, std::size_t slots, bool may_repeat) {
  const double period = trace.period_s();
  if (auto bad = RefuseHorizon(trace.name, step, slots, period, may_repeat); !bad) return Propagate(bad);
  const double step_s = Seconds(step).count();
  const double end = step_s * static_cast<double>(slots);
  // Requests before `t` when the trace is repeated: whole periods are counted at once.
  const auto before = [&](double t) {
    const double rounds = std::floor(t / period);
    const auto within = std::ranges::lower_bound(trace.arrival_s, t - rounds * period) - trace.arrival_s.begin();
    return rounds * static_cast<double>(trace.size()) + static_cast<double>(within);
  };
  std::vector<double> rates(slots);
  double counted = 0.0;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const double by_then = before(std::min(static_cast<double>(slot + 1) * step_s, end));
    rates[slot] = (by_then - counted) / step_s;
    counted = by_then;
  }
  return rates;
}

Result<RateTrace> ReadServeGenRates(std::string_view text, const std::string& file, std::string_view model) {
  Rows rows(text, file);
  if (!rows.status()) return Propagate(rows.status());
  const std::size_t names = rows.Need("model");
  const std::size_t times = rows.Need("t_s");
  const std::size_t rates = rows.Need("rate_rps");
  std::string chosen(model);
  std::vector<double> values;
  double step = 0.0;
  while (rows.Next()) {
    if (chosen.empty()) chosen = std::string(rows.Text(names));
    if (rows.Text(names) != chosen) continue;
    const double time = rows.Number(times, kCenturyInSeconds);
    if (values.size() == 1) step = time;
    const double expected = step * static_cast<double>(values.size());
    if (time != expected || time != std::floor(time)) RefuseTime(rows, times, expected, step);
    const double rate = rows.Number(rates, kHighestRate);
    values.push_back(rate > 0.0 ? rate : signal::Missing());
  }
  if (const Status status = rows.status(); !status) return Propagate(status);
  if (values.size() < 2 || step <= 0.0) {
    return Fail(ErrorCode::kInvalidArgument, file, fmt::format("has no rates of model '{}'", Printable(chosen, 60)),
                "needed are two windows or more");
  }
  auto series = signal::StepSeries::Make(Instant{}, Duration{std::llround(step)}, std::move(values));
  if (!series) return Propagate(series);
  return RateTrace{std::move(chosen), *std::move(series)};
}

Result<std::vector<double>> RatesPerSlot(const RateTrace& trace, Duration step, std::size_t slots, bool may_repeat,
                                         std::optional<signal::FillRule> fill) {
  const signal::StepSeries series = fill ? signal::Fill(trace.rates, *fill) : trace.rates;
  const Duration lasts = series.span().length();
  if (auto bad = RefuseHorizon(trace.name, step, slots, Seconds(lasts).count(), may_repeat); !bad) {
    return Propagate(bad);
  }
  // Whole days, so that hours of the day stay the same; a trace shorter than a day is repeated as it is.
  const Duration days = std::chrono::floor<std::chrono::days>(lasts);
  const Duration period = days > 0s ? days : lasts;
  const auto total = series.Integrate({series.start(), series.start() + period});
  std::vector<double> rates;
  rates.reserve(slots);
  const bool repeats = step * static_cast<std::int64_t>(slots) > lasts;
  if (repeats && !total) return Propagate(total);
  // Requests before `t` when the trace is repeated.
  const auto before = [&](Duration t) -> Result<double> {
    const std::int64_t rounds = repeats ? t / period : 0;
    const auto part = series.Integrate({series.start(), series.start() + (t - rounds * period)});
    if (!part) return part;
    return (rounds > 0 ? static_cast<double>(rounds) * *total : 0.0) + *part;
  };
  double counted = 0.0;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto by_then = before(step * static_cast<std::int64_t>(slot + 1));
    if (!by_then) return Propagate(by_then);
    rates.push_back(std::max(*by_then - counted, 0.0) / Seconds(step).count());
    counted = *by_then;
  }
  return rates;
}

}  // namespace heliostat::workload
