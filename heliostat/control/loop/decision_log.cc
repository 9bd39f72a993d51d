#include "heliostat/control/loop/decision_log.h"

#include "heliostat/control/loop/record_json.h"

namespace heliostat::loop {
namespace {

using io::Json;

Json Ids(std::span<const policy::JobId> ids) {
  Json list{Json::Array{}};
  for (const policy::JobId id : ids) list.Append(static_cast<std::int64_t>(id));
  return list;
}

template <typename T>
Json Listed(std::span<const T> values) {
  Json list{Json::Array{}};
  for (const T& value : values) list.Append(ToJson(value));
  return list;
}

Json Numbers(std::span<const double> values) {
  Json list{Json::Array{}};
  for (const double value : values) list.Append(value);
  return list;
}

Json ForecastJson(const policy::Forecast& forecast) {
  Json json;
  Json carbon{Json::Array{}};
  for (const CarbonIntensity value : forecast.carbon) carbon.Append(value.value);
  Json renewable{Json::Array{}};
  for (const Watts value : forecast.renewable) renewable.Append(value.value);
  Json rates{Json::Array{}};
  for (const std::span<const double> of_service : forecast.requests_per_s) rates.Append(Numbers(of_service));
  Json jobs{Json::Array{}};
  for (const scenario::Job* job : forecast.jobs) jobs.Append(ToJson(*job));
  json.Set("carbon_g_per_j", std::move(carbon)).Set("renewable_w", std::move(renewable));
  json.Set("price_per_kwh", Numbers(forecast.price_per_kwh)).Set("requests_per_s", std::move(rates));
  json.Set("jobs", std::move(jobs)).Set("issued", FormatInstant(forecast.issued));
  json.Set("freshness", NameOf(forecast.freshness));
  if (forecast.is_certain) json.Set("certain", true);
  return json;
}

// Until when jobs have run on that ran at the step before; nothing when none has.
std::optional<Instant> RanUntil(const std::map<policy::JobId, policy::JobState>& before, const policy::JobTable& now) {
  std::optional<Instant> until;
  for (const auto& [id, state] : now) {
    const auto known = before.find(id);
    const bool has_run = known != before.end() && known->second.phase == policy::Phase::kRunning &&
                         state.phase == policy::Phase::kRunning && state.since > known->second.since;
    if (has_run) until = std::max(until.value_or(state.since), state.since);
  }
  return until;
}

}  // namespace

DecisionLog::DecisionLog(std::string path, std::string policy_name, const policy::PolicyOptions& options,
                         const RecordingOutlook& outlook, RecordingPlanning& planning)
    : path_(std::move(path)),
      policy_name_(std::move(policy_name)),
      options_(options),
      outlook_(outlook),
      planning_(planning) {}

Result<std::unique_ptr<DecisionLog>> DecisionLog::Create(const std::string& path, const std::string& policy_name,
                                                         const policy::PolicyOptions& options,
                                                         const RecordingOutlook& outlook, RecordingPlanning& planning) {
  std::unique_ptr<DecisionLog> log(new DecisionLog(path, policy_name, options, outlook, planning));
  log->file_.open(path, std::ios::binary | std::ios::trunc);
  if (!log->file_) {
    return Fail(ErrorCode::kInvalidArgument, path, "cannot be written", "a file in a folder that you may write to");
  }
  return log;
}

void DecisionLog::WriteHeader(const policy::Observation& observation) {
  Json json;
  json.Set("decision_log", 2).Set("policy", policy_name_).Set("options", ToJson(options_));
  json.Set("capabilities", ToJson(observation.capabilities)).Set("horizon", FormatInstant(observation.horizon));
  json.Set("planning_time_s", static_cast<std::int64_t>(observation.planning_time.count()));
  file_ << json.Line() << '\n';
}

void DecisionLog::Stepped(const policy::Observation& observation, const policy::Decision& decision) {
  if (!site_) WriteHeader(observation);
  Json line;
  line.Set("now", FormatInstant(observation.now)).Set("slot_begins", observation.slot_begins);
  if (observation.is_first) line.Set("is_first", true);
  if (site_ != observation.site) line.Set("site", ToJson(*observation.site));
  site_ = observation.site;
  const std::string changed = AddJobs(observation, line);
  line.Set("arrived", Ids(observation.arrived)).Set("ended", Ids(observation.ended));
  line.Set("interrupted", Ids(observation.interrupted)).Set("receipts", Listed(observation.receipts));
  Json services = Listed(observation.services);
  if (std::string text = services.Line(); text != services_) {
    services_ = std::move(text);
    line.Set("services", std::move(services));
  }
  Json groups = Listed(observation.groups);
  if (std::string text = groups.Line(); text != groups_) {
    groups_ = std::move(text);
    line.Set("groups", std::move(groups));
  }
  AddSignals(observation, line);
  AddPlans(line);
  line.Set("decision", ToJson(decision));
  std::string text = line.Line();
  text.pop_back();  // the "}"
  file_ << text << ",\"jobs\":[" << changed << "]}\n";
}

// The text may be that of thousands of jobs, which as one document would need much memory.
std::string DecisionLog::AddJobs(const policy::Observation& observation, Json& line) {
  std::string changed;
  if (const auto until = RanUntil(jobs_, observation.jobs)) {
    for (auto& [id, state] : jobs_) RunOn(state, *until);
    line.Set("ran_until", FormatInstant(*until));
  }
  for (const auto& [id, state] : observation.jobs) {
    const auto known = jobs_.find(id);
    if (known != jobs_.end() && known->second == state) continue;
    Json json = ToJson(id, state);
    if (known == jobs_.end() || known->second.asked != state.asked) json.Set("asked", ToJson(state.asked));
    changed += (changed.empty() ? "" : ",") + json.Line();
    jobs_.insert_or_assign(id, state);
  }
  Json gone{Json::Array{}};
  std::erase_if(jobs_, [&](const auto& item) {
    if (observation.jobs.Contains(item.first)) return false;
    gone.Append(static_cast<std::int64_t>(item.first));
    return true;
  });
  line.Set("gone", std::move(gone));
  return changed;
}

void DecisionLog::AddPlans(Json& line) {
  const auto arrivals = planning_.TakeArrivals();
  if (arrivals.empty()) return;
  Json plans{Json::Array{}};
  for (const auto& [begun, rounds] : arrivals) {
    Json plan;
    plan.Set("begun", FormatInstant(begun)).Set("rounds", rounds);
    plans.Append(std::move(plan));
  }
  line.Set("plans_arrived", std::move(plans));
}

void DecisionLog::AddSignals(const policy::Observation& observation, Json& line) {
  const policy::Outlook& outlook = observation.outlook;
  const auto price = outlook.PriceNow();
  line.Set("spent_carbon_g", observation.carbon_so_far.value);
  line.Set("carbon_g_per_j", outlook.CarbonNow().value);
  line.Set("dirtiest_g_per_j", outlook.DirtiestOfDay().value);
  line.Set("renewable_w", outlook.RenewableNow().value);
  line.Set("price_per_kwh", price ? Json(*price) : Json(nullptr));
  if (!outlook_.was_asked()) return;
  Json forecast = ForecastJson(observation.outlook.Ahead());
  if (std::string text = forecast.Line(); text != forecast_) {
    forecast_ = std::move(text);
    line.Set("forecast", std::move(forecast));
  }
}

Status DecisionLog::Close() {
  file_.close();
  if (file_) return {};
  return Fail(ErrorCode::kInternal, path_, "could not be written completely", "enough free space on the disk");
}

}  // namespace heliostat::loop
