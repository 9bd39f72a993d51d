#include "heliostat/node/ledger/record.h"

#include <fmt/format.h>

#include <cmath>

#include "heliostat/node/ledger/fields.h"

namespace heliostat::ledger {
namespace {

constexpr int kFormat = 1;
constexpr std::int64_t kHighestStatus = 255;
// Larger than any real value, and small enough that no sum or product of a bill overflows.
constexpr double kMost = 1e15;
constexpr double kSlowest = 1e-9;  // steps per second: one in thirty years

// The names in files.
constexpr auto kFreshness = NamesOf<Freshness>({{Freshness::kMeasured, "measured"},
                                                {Freshness::kForecast, "forecast"},
                                                {Freshness::kStale, "stale"},
                                                {Freshness::kClimatology, "climatology"}});
constexpr auto kProgress = NamesOf<ProgressSource>({{ProgressSource::kReported, "reported"},
                                                    {ProgressSource::kOutput, "output"},
                                                    {ProgressSource::kCounters, "counters"},
                                                    {ProgressSource::kNone, "none"}});

// An absent value adds no member.
void SetIf(io::Json& json, const char* key, const std::optional<double>& value) {
  if (value) json.Set(key, *value);
}

io::Json ToJson(const LevelPrediction& prediction) {
  io::Json json;
  json.Set("level", prediction.level);
  json.Set("power_w", prediction.power_w.value).Set("power_error_w", prediction.power_w.error);
  json.Set("steps_per_s", prediction.steps_per_s.value).Set("steps_per_s_error", prediction.steps_per_s.error);
  return json;
}

std::optional<LevelPrediction> TakePrediction(RecordFields& fields, const char* key, UnknownKeys& unknown) {
  const io::Json* const json = fields.Child(key);
  if (json == nullptr) return std::nullopt;
  RecordFields inside(*json);
  LevelPrediction prediction;
  prediction.level = inside.Number("level");
  prediction.power_w = {inside.Number("power_w"), inside.Number("power_error_w", 0.0)};
  prediction.steps_per_s = {inside.Number("steps_per_s"), inside.Number("steps_per_s_error", 0.0)};
  inside.AddUnknownTo(unknown);
  if (!inside.status()) fields.Refuse(inside.status().error());
  return prediction;
}

template <typename T>
Result<T> Done(const RecordFields& fields, T record, UnknownKeys& unknown) {
  if (!fields.status()) return Propagate(fields.status());
  fields.AddUnknownTo(unknown);
  return record;
}

void TakeAuthor(RecordFields& fields, Begin& begin, UnknownKeys& unknown) {
  const io::Json* const json = fields.Child("author");
  if (json == nullptr) return;
  RecordFields inside(*json);
  begin.author.pid = inside.Integer("pid");
  begin.author.start_ticks = static_cast<std::uint64_t>(inside.Integer("start_ticks", 0));
  begin.author.boot = inside.MaybeText("boot").value_or("");
  inside.AddUnknownTo(unknown);
  if (!inside.status()) fields.Refuse(inside.status().error());
}

void TakeOptions(RecordFields& fields, Begin& begin) {
  const io::Json* const json = fields.Child("options");
  if (json == nullptr) return;
  const auto members = json->Members();
  if (!members) return fields.Refuse(members.error());
  for (const auto& [key, value] : **members) {
    const auto text = value.Text();
    if (!text) return fields.Refuse(text.error());
    begin.options.emplace_back(key, *text);
  }
}

Status CheckNumber(const std::string& where, std::string_view name, double value, double lowest = 0.0) {
  if (std::isfinite(value) && value >= lowest && value <= kMost) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, name), fmt::format("is {}", value),
              fmt::format("{:g} to {:g}", lowest, kMost));
}

Status CheckPrediction(const std::string& where, const std::optional<LevelPrediction>& prediction) {
  if (!prediction) return {};
  if (auto bad = CheckNumber(where, "level", prediction->level); !bad) return bad;
  if (auto bad = CheckNumber(where, "power_w", prediction->power_w.value); !bad) return bad;
  if (auto bad = CheckNumber(where, "power_error_w", prediction->power_w.error); !bad) return bad;
  if (auto bad = CheckNumber(where, "steps_per_s_error", prediction->steps_per_s.error); !bad) return bad;
  // A speed of 0 would take infinite time: without a known speed there is no prediction.
  return CheckNumber(where, "steps_per_s", prediction->steps_per_s.value, kSlowest);
}

}  // namespace

std::string_view NameOf(ProgressSource progress) { return kProgress.NameOf(progress); }

std::string TextOf(Freshness freshness, Duration age) {
  if (freshness != Freshness::kStale) return std::string(NameOf(freshness));
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  return fmt::format("stale by {} min", minutes);
}

Joules Period::total_energy() const {
  Joules sum = host_energy;
  for (const Joules& one : energy) sum += one;
  return sum;
}

Joules Period::others_energy() const {
  Joules sum;
  for (const Joules& one : others) sum += one;
  return sum;
}

Watts Period::mean_power() const { return elapsed.count() > 0 ? total_energy() / elapsed : Watts{}; }

double Period::mean_steps_per_s() const { return elapsed.count() > 0 ? steps / elapsed.count() : 0.0; }

io::Json ToJson(const Begin& begin) {
  io::Json json;
  json.Set("what", "begin").Set("format", kFormat).Set("start", FormatInstant(begin.start));
  io::Json command{io::Json::Array{}};
  for (const std::string& word : begin.command) command.Append(word);
  json.Set("command", std::move(command)).Set("host", begin.host);
  io::Json author;
  author.Set("pid", begin.author.pid).Set("start_ticks", static_cast<std::int64_t>(begin.author.start_ticks));
  json.Set("author", std::move(author.Set("boot", begin.author.boot)));
  io::Json gpus{io::Json::Array{}};
  for (const GpuName& gpu : begin.gpus) gpus.Append(io::Json().Set("uuid", gpu.uuid).Set("name", gpu.name));
  json.Set("gpus", std::move(gpus)).Set("knob", begin.knob).Set("level_unit", begin.level_unit);
  json.Set("default_level", begin.default_level).Set("mode", begin.mode);
  io::Json options{io::Json::Object{}};
  for (const auto& [key, value] : begin.options) options.Set(key, value);
  json.Set("options", std::move(options));
  json.Set("signal_source", begin.signal_source).Set("signal_unit", begin.signal_unit);
  json.Set("profile_key", begin.profile_key).Set("step_name", begin.step_name);
  json.Set("pue", begin.pue).Set("node_w", begin.node_power.value);
  if (begin.is_shadow) json.Set("shadow", true);
  if (begin.only_measures) json.Set("only_measures", true);
  if (begin.currency) json.Set("currency", begin.currency->code());
  return json;
}

io::Json ToJson(const Period& period) {
  io::Json json;
  json.Set("what", "period").Set("start", FormatInstant(period.start)).Set("end", FormatInstant(period.end));
  json.Set("elapsed_s", period.elapsed.count()).Set("decision", period.decision).Set("level", period.level);
  if (period.is_probe) json.Set("is_probe", true);
  json.Set("why", period.why);
  SetIf(json, "forecast_g_per_kwh", period.forecast_g_per_kwh);
  SetIf(json, "carbon_g_per_kwh", period.carbon_g_per_kwh);
  json.Set("freshness", kFreshness.NameOf(period.freshness));
  if (period.signal_age != Duration{0}) json.Set("signal_age_s", std::int64_t{period.signal_age.count()});
  SetIf(json, "price_per_kwh", period.price_per_kwh);
  io::Json energy{io::Json::Array{}};
  for (const Joules& one : period.energy) energy.Append(one.value);
  json.Set("energy_j", std::move(energy));
  if (!period.others.empty()) {
    io::Json others{io::Json::Array{}};
    for (const Joules& one : period.others) others.Append(one.value);
    json.Set("others_j", std::move(others));
  }
  if (period.host_energy.value > 0) json.Set("host_j", period.host_energy.value);
  json.Set("steps", period.steps).Set("progress", NameOf(period.progress));
  if (period.aside.count() > 0) json.Set("aside_s", period.aside.count());
  if (period.aside_energy.value > 0) json.Set("aside_energy_j", period.aside_energy.value);
  if (period.at_default) json.Set("at_default", ToJson(*period.at_default));
  if (period.at_optimum) json.Set("at_optimum", ToJson(*period.at_optimum));
  if (period.at_shadow) json.Set("at_shadow", ToJson(*period.at_shadow));
  return json;
}

io::Json ToJson(const Note& note) {
  return io::Json().Set("what", "note").Set("time", FormatInstant(note.time)).Set("text", note.text);
}

io::Json ToJson(const EndRecord& end) {
  io::Json json;
  json.Set("what", "end").Set("time", FormatInstant(end.time)).Set("exit_status", end.exit_status);
  json.Set("reason", end.reason);
  SetIf(json, "steps_done", end.steps_done);
  return json;
}

Result<Begin> ReadBegin(const io::Json& json, UnknownKeys& unknown) {
  RecordFields fields(json);
  Begin begin;
  (void)fields.Child("what");
  (void)fields.Integer("format");  // later ones only add members
  begin.start = fields.Time("start");
  fields.Each("command", [&](const io::Json& word) -> Status {
    auto text = word.Text();
    if (!text) return Propagate(text);
    begin.command.push_back(*std::move(text));
    return {};
  });
  begin.host = fields.Text("host");
  TakeAuthor(fields, begin, unknown);
  fields.Each("gpus", [&](const io::Json& gpu) -> Status {
    RecordFields inside(gpu);
    begin.gpus.push_back({inside.Text("uuid"), inside.Text("name")});
    inside.AddUnknownTo(unknown);
    return inside.status();
  });
  begin.knob = fields.Text("knob");
  begin.level_unit = fields.Text("level_unit");
  begin.default_level = fields.Number("default_level");
  begin.mode = fields.Text("mode");
  TakeOptions(fields, begin);
  begin.signal_source = fields.Text("signal_source");
  begin.signal_unit = fields.Text("signal_unit");
  begin.profile_key = fields.Text("profile_key");
  begin.step_name = fields.MaybeText("step_name").value_or("steps");
  begin.pue = fields.Number("pue", 1.0);
  begin.node_power = Watts{fields.Number("node_w", 0.0)};
  begin.is_shadow = fields.Flag("shadow");
  begin.only_measures = fields.Flag("only_measures");
  if (const auto code = fields.MaybeText("currency")) {
    begin.currency = Currency::Parse(*code);
    if (!begin.currency) {
      fields.Refuse(
          {ErrorCode::kCorrupt, json.where() + ": currency", "'" + Printable(*code, 20) + "'", "EUR, USD, …"});
    }
  }
  return Done(fields, std::move(begin), unknown);
}

Result<Period> ReadPeriod(const io::Json& json, UnknownKeys& unknown) {
  RecordFields fields(json);
  Period period;
  (void)fields.Child("what");
  period.start = fields.Time("start");
  period.end = fields.Time("end");
  period.elapsed = Seconds(fields.Number("elapsed_s"));
  period.decision = fields.Integer("decision");
  period.level = fields.Number("level");
  period.is_probe = fields.Flag("is_probe");
  period.why = fields.Text("why");
  period.forecast_g_per_kwh = fields.MaybeNumber("forecast_g_per_kwh");
  period.carbon_g_per_kwh = fields.MaybeNumber("carbon_g_per_kwh");
  period.freshness = fields.Choice("freshness", kFreshness);
  period.signal_age = Duration(fields.Integer("signal_age_s", 0));
  period.price_per_kwh = fields.MaybeNumber("price_per_kwh");
  const auto take = [](std::vector<Joules>& into) {
    return [&into](const io::Json& one) -> Status {
      const auto joules = one.Number();
      if (!joules) return Propagate(joules);
      into.emplace_back(*joules);
      return {};
    };
  };
  fields.Each("energy_j", take(period.energy));
  if (fields.Child("others_j") != nullptr) fields.Each("others_j", take(period.others));
  period.host_energy = Joules{fields.Number("host_j", 0.0)};
  period.steps = fields.Number("steps");
  period.progress = fields.Choice("progress", kProgress);
  period.aside = Seconds(fields.Number("aside_s", 0.0));
  period.aside_energy = Joules{fields.Number("aside_energy_j", 0.0)};
  period.at_default = TakePrediction(fields, "at_default", unknown);
  period.at_optimum = TakePrediction(fields, "at_optimum", unknown);
  period.at_shadow = TakePrediction(fields, "at_shadow", unknown);
  return Done(fields, std::move(period), unknown);
}

Result<Note> ReadNote(const io::Json& json, UnknownKeys& unknown) {
  RecordFields fields(json);
  (void)fields.Child("what");
  Note note{fields.Time("time"), fields.Text("text")};
  return Done(fields, std::move(note), unknown);
}

Result<EndRecord> ReadEnd(const io::Json& json, UnknownKeys& unknown) {
  RecordFields fields(json);
  (void)fields.Child("what");
  const Instant time = fields.Time("time");
  const std::int64_t status = fields.Integer("exit_status");
  if (status < 0 || status > kHighestStatus) {
    fields.Refuse({ErrorCode::kCorrupt, json.where() + ": exit_status", fmt::format("is {}", status), "0 to 255"});
  }
  EndRecord end{time, static_cast<int>(status), fields.Text("reason"), fields.MaybeNumber("steps_done")};
  return Done(fields, std::move(end), unknown);
}

Status CheckBegin(const Begin& begin, const std::string& where) {
  if (begin.command.empty()) return Fail(ErrorCode::kInvalidArgument, where + ": command", "is empty", "a program");
  if (auto bad = CheckNumber(where, "default_level", begin.default_level); !bad) return bad;
  if (auto bad = CheckNumber(where, "pue", begin.pue, 1.0); !bad) return bad;
  return CheckNumber(where, "node_w", begin.node_power.value);
}

Status CheckPeriod(const Period& period, const Begin& begin, const std::string& where) {
  const auto refuse = [&](std::string_view name, std::string what, std::string allowed) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, name), std::move(what), std::move(allowed));
  };
  if (period.end < period.start) return refuse("end", "is before the start", "a later time");
  if (period.energy.size() != begin.gpus.size()) {
    return refuse("energy_j", fmt::format("has {} values", period.energy.size()),
                  fmt::format("one for each of {} GPUs", begin.gpus.size()));
  }
  if (!period.others.empty() && period.others.size() != begin.gpus.size()) {
    return refuse("others_j", fmt::format("has {} values", period.others.size()),
                  fmt::format("one for each of {} GPUs", begin.gpus.size()));
  }
  for (const Joules& one : period.energy) {
    if (auto bad = CheckNumber(where, "energy_j", one.value); !bad) return bad;
  }
  for (const Joules& one : period.others) {
    if (auto bad = CheckNumber(where, "others_j", one.value); !bad) return bad;
  }
  if (auto bad = CheckNumber(where, "host_j", period.host_energy.value); !bad) return bad;
  if (auto bad = CheckNumber(where, "elapsed_s", period.elapsed.count()); !bad) return bad;
  if (auto bad = CheckNumber(where, "level", period.level); !bad) return bad;
  if (auto bad = CheckNumber(where, "steps", period.steps); !bad) return bad;
  if (auto bad = CheckNumber(where, "aside_s", period.aside.count()); !bad) return bad;
  if (auto bad = CheckNumber(where, "aside_energy_j", period.aside_energy.value); !bad) return bad;
  const double forecast = period.forecast_g_per_kwh.value_or(0.0);
  if (auto bad = CheckNumber(where, "forecast_g_per_kwh", forecast); !bad) return bad;
  const double carbon = period.carbon_g_per_kwh.value_or(0.0);
  if (auto bad = CheckNumber(where, "carbon_g_per_kwh", carbon); !bad) return bad;
  // Negative prices are real.
  if (auto bad = CheckNumber(where, "price_per_kwh", period.price_per_kwh.value_or(0.0), -kMost); !bad) return bad;
  if (period.price_per_kwh && !begin.currency)
    return refuse("price_per_kwh", "has no currency", "a currency at the beginning");
  // A little over is rounding; more is a mistake that would make the counterfactual larger than it was.
  constexpr double kRounding = 1.0 + 1e-6;
  if (period.aside > period.elapsed * kRounding) return refuse("aside_s", "is longer than the period", "a part of it");
  if (period.aside_energy > period.total_energy() * kRounding) {
    return refuse("aside_energy_j", "is more than the period's", "a part of it");
  }
  if (auto bad = CheckPrediction(where + ": at_default", period.at_default); !bad) return bad;
  if (auto bad = CheckPrediction(where + ": at_optimum", period.at_optimum); !bad) return bad;
  return CheckPrediction(where + ": at_shadow", period.at_shadow);
}

}  // namespace heliostat::ledger
