#include "heliostat/control/loop/recorded_world.h"

#include <fmt/format.h>

#include <utility>

#include "heliostat/control/loop/fields.h"
#include "heliostat/control/loop/record_json.h"

namespace heliostat::loop {
namespace {

using io::Json;

Error Torn(const std::string& path, std::size_t line) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}:{}", path, line), "is not a line of a decision log",
          "a decision log, as simulations write it"};
}

Result<std::vector<policy::JobId>> Ids(LogFields& fields, std::string_view key) {
  std::vector<policy::JobId> ids;
  for (const Json& element : fields.Elements(key)) {
    const auto id = element.Integer();
    if (!id) return Propagate(id);
    ids.push_back(static_cast<policy::JobId>(*id));
  }
  return ids;
}

template <typename T>
Status ReadList(const Json::Array& elements, Result<T> (*read)(const Json&), std::vector<T>& values) {
  values.clear();
  for (const Json& element : elements) {
    auto value = read(element);
    if (!value) return Propagate(value);
    values.push_back(*std::move(value));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RecordedWorld>> RecordedWorld::Open(const std::string& path) {
  std::unique_ptr<RecordedWorld> world(new RecordedWorld(path));
  world->file_.open(path, std::ios::binary);
  if (!world->file_)
    return Fail(ErrorCode::kInvalidArgument, path, "cannot be opened",
                "a decision log, as heliostat simulate writes it");
  const auto header = world->NextLine();
  if (!header || !*header) return tl::make_unexpected(header ? header->error() : Torn(path, 1));
  if (const auto read = world->ReadHeader(**header); !read) return Propagate(read);
  world->status_ = world->ReadNext();
  if (!world->Wait(policy::kNoHorizon)) {
    if (!world->status_) return Propagate(world->status_);
    return Fail(ErrorCode::kInvalidArgument, path, "has no step", "a log with at least one decision");
  }
  return world;
}

// Nothing at the end of the file. Ignores a last line without a line end: the writer did not finish it.
std::optional<Result<Json>> RecordedWorld::NextLine() {
  std::string text;
  if (!std::getline(file_, text) || file_.eof()) return std::nullopt;
  ++line_;
  return Json::Parse(text, fmt::format("{}:{}", path_, line_));
}

Status RecordedWorld::ReadHeader(const Json& json) {
  LogFields fields(json);
  if (!json.is_object() || !fields.Has("decision_log")) return tl::make_unexpected(Torn(path_, line_));
  if (const std::int64_t version = fields.Integer("decision_log"); version != 1 && version != 2) {
    return Fail(ErrorCode::kInvalidArgument, path_, "is a decision log of an unknown version", "version 1 or 2");
  }
  header_.policy = fields.Text("policy");
  header_.horizon = fields.Time("horizon");
  if (fields.Has("planning_time_s")) header_.planning_time = Duration{fields.Integer("planning_time_s")};
  if (!fields.status()) return fields.status();
  const Json empty;
  const auto options = OptionsFromJson(fields.Has("options") ? *json.Find("options") : empty);
  if (!options) return Propagate(options);
  header_.options = *options;
  const auto can = CapabilitiesFromJson(fields.Has("capabilities") ? *json.Find("capabilities") : empty);
  if (!can) return Propagate(can);
  header_.capabilities = *can;
  return {};
}

// Reads the next line and the time of its step.
Status RecordedWorld::ReadNext() {
  next_.reset();
  auto line = NextLine();
  if (!line) return {};
  if (!*line) return tl::make_unexpected(line->error());
  LogFields fields(**line);
  next_time_ = fields.Time("now");
  if (!fields.status()) return fields.status();
  next_ = **std::move(line);
  return {};
}

bool RecordedWorld::Wait(Instant until) {
  if (!status_ || !next_) return false;
  is_on_record_ = until >= next_time_;
  if (!is_on_record_) {
    now_ = until;
    for (auto* news : {&arrived_, &ended_, &interrupted_}) news->clear();
    receipts_.clear();
    arrivals_.clear();
    return true;
  }
  status_ = ReadStep(*next_);
  if (!status_) return false;
  ++step_;
  // A line that cannot be read ends the log after this step.
  const Status ahead = ReadNext();
  if (!ahead) status_ = ahead;
  return true;
}

Status RecordedWorld::ReadStep(const Json& json) {
  LogFields fields(json);
  if (fields.Has("site")) {
    auto site = SiteFromJson(*json.Find("site"));
    if (!site) return Propagate(site);
    site_ = std::make_shared<const scenario::Site>(*std::move(site));
  }
  if (!site_) return tl::make_unexpected(Torn(path_, line_));
  now_ = fields.Time("now");
  is_first_ = fields.Has("is_first");
  if (fields.status() && now_ < site_->start) {
    return Fail(ErrorCode::kInvalidArgument, json.where(), "now is before the site's first slot", "a later time");
  }
  if (const auto read = ReadJobs(json); !read) return read;
  if (const auto read = ReadList(fields.Elements("receipts"), ReceiptFromJson, receipts_); !read) return read;
  if (fields.Has("services")) {
    if (const auto read = ReadList(fields.Elements("services"), ServiceFromJson, services_); !read) return read;
  }
  if (fields.Has("groups")) {
    if (const auto read = ReadList(fields.Elements("groups"), GroupFromJson, groups_); !read) return read;
  }
  spent_.carbon = Grams{fields.Number("spent_carbon_g")};
  carbon_ = CarbonIntensity{fields.Number("carbon_g_per_j")};
  dirtiest_ = CarbonIntensity{fields.Number("dirtiest_g_per_j")};
  renewable_ = Watts{fields.Number("renewable_w")};
  price_ = fields.MaybeNumber("price_per_kwh");
  if (fields.Has("forecast")) {
    if (const auto read = ReadForecast(*json.Find("forecast")); !read) return read;
  }
  arrivals_.clear();
  for (const Json& element : fields.Elements("plans_arrived")) {
    LogFields plan(element);
    arrivals_.insert(arrivals_.begin(), static_cast<int>(plan.Integer("rounds")));
    if (!plan.status()) return plan.status();
  }
  const auto decision = json.Get("decision");
  if (!decision) return Propagate(decision);
  decision_ = (*decision)->Line();
  if (fields.status() && groups_.size() != site_->groups.size()) return tl::make_unexpected(Torn(path_, line_));
  return fields.status();
}

Status RecordedWorld::ReadJobs(const Json& json) {
  LogFields fields(json);
  const auto gone = Ids(fields, "gone");
  if (!gone) return Propagate(gone);
  for (const policy::JobId id : *gone) jobs_.Erase(id);
  if (const auto until = fields.MaybeTime("ran_until")) {
    std::vector<policy::JobId> ids;
    for (const auto& [id, state] : jobs_) ids.push_back(id);
    for (const policy::JobId id : ids) RunOn(jobs_[id], *until);
  }
  for (const Json& element : fields.Elements("jobs")) {
    LogFields of_job(element);
    const auto id = static_cast<policy::JobId>(of_job.Integer("job"));
    if (!of_job.status()) return of_job.status();
    policy::JobState* state = jobs_.Find(id);
    if (state == nullptr) state = &jobs_.Add(id, {});
    if (of_job.Has("asked")) {
      auto asked = JobFromJson(*element.Find("asked"));
      if (!asked) return Propagate(asked);
      state->asked = *std::move(asked);
    }
    if (const auto read = ReadState(element, *state); !read) return read;
  }
  for (auto [key, ids] : {std::pair{"arrived", &arrived_}, {"ended", &ended_}, {"interrupted", &interrupted_}}) {
    auto read = Ids(fields, key);
    if (!read) return Propagate(read);
    *ids = *std::move(read);
    for (const policy::JobId id : *ids) {
      if (!jobs_.Contains(id)) return tl::make_unexpected(Torn(path_, line_));
    }
  }
  return fields.status();
}

Status RecordedWorld::ReadForecast(const Json& json) {
  LogFields fields(json);
  forecast_ = {};
  for (const double value : fields.Numbers("carbon_g_per_j")) forecast_.carbon.push_back(CarbonIntensity{value});
  for (const double value : fields.Numbers("renewable_w")) forecast_.renewable.push_back(Watts{value});
  forecast_.price_per_kwh = fields.Numbers("price_per_kwh");
  for (const Json& element : fields.Elements("requests_per_s")) {
    const Json of_service = Json().Set("rates", element);
    forecast_.requests_per_s.push_back(LogFields(of_service).Numbers("rates"));
  }
  forecast_.issued = fields.Time("issued");
  const auto freshness = signal::FreshnessNamed(fields.Text("freshness"));
  if (fields.status() && !freshness) return tl::make_unexpected(Torn(path_, line_));
  forecast_.freshness = freshness.value_or(signal::Freshness::kMeasured);
  forecast_.is_certain = fields.Has("certain") && fields.Boolean("certain");
  if (!fields.status()) return fields.status();
  return ReadList(fields.Elements("jobs"), JobFromJson, forecast_.jobs);
}

WorldView RecordedWorld::Look() {
  return {now_, jobs_, arrived_, ended_, interrupted_, receipts_, services_, groups_, spent_};
}

void RecordedWorld::Apply(const policy::Decision& /*decision*/, std::vector<policy::Receipt>& receipts) {
  receipts.clear();
}

void RecordedWorld::Begin(std::shared_ptr<policy::PlanTask> task, Instant /*now*/) { task_ = std::move(task); }

bool RecordedWorld::Take(Instant /*now*/) {
  if (!task_ || arrivals_.empty()) return false;
  auto rounds = plan::Rounds::AtMost(arrivals_.back());
  arrivals_.pop_back();
  std::exchange(task_, nullptr)->Make(rounds);
  rounds_ = rounds.done();
  return true;
}

}  // namespace heliostat::loop
