#include "heliostat/control/loop/record_json.h"

#include <utility>

#include "heliostat/base/core/names.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::loop {
namespace {

using io::Json;
using policy::Phase;
using policy::Receipt;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json OrNull(const std::optional<Instant>& time) { return time ? Json(FormatInstant(*time)) : Json(nullptr); }
Json IdJson(std::uint64_t id) { return {static_cast<std::int64_t>(id)}; }

constexpr auto kPhases = NamesOf<Phase>({{Phase::kHeld, "held"},
                                         {Phase::kWaiting, "waiting"},
                                         {Phase::kStarting, "starting"},
                                         {Phase::kRunning, "running"},
                                         {Phase::kSuspended, "suspended"},
                                         {Phase::kStopping, "stopping"},
                                         {Phase::kDone, "done"},
                                         {Phase::kFailed, "failed"},
                                         {Phase::kCancelled, "cancelled"}});
constexpr auto kStatuses = NamesOf<Receipt::Status>({{Receipt::Status::kAccepted, "accepted"},
                                                     {Receipt::Status::kRefused, "refused"},
                                                     {Receipt::Status::kPending, "pending"},
                                                     {Receipt::Status::kExpired, "expired"}});
constexpr auto kPerformances = NamesOf<scenario::Performance>(
    {{scenario::Performance::kThroughput, "throughput"}, {scenario::Performance::kHeadroom, "headroom"}});

template <typename T, std::size_t n>
T ValueIn(const Names<T, n>& names, LogFields& fields, std::string_view key) {
  const std::string text = fields.Text(key);
  if (const auto found = names.Find(text)) return *found;
  std::string allowed;
  for (const auto& row : names.rows) allowed += (allowed.empty() ? "" : ", ") + std::string(row.name);
  fields.Refuse({ErrorCode::kInvalidArgument, std::string(key), "'" + Printable(text, 40) + "' is not known", allowed});
  return names.rows.front().value;
}

Json KnobInto(Json json, const scenario::GpuSetting& knob) {
  json.Set("core_mhz", OrNull(knob.core_mhz)).Set("power_limit_w", OrNull(knob.power_limit_w));
  return json;
}

scenario::GpuSetting KnobOf(LogFields& fields) {
  return {fields.MaybeNumber("core_mhz"), fields.MaybeNumber("power_limit_w")};
}

Json GroupJson(const scenario::Group& group) {
  Json json;
  json.Set("name", group.name).Set("gpu", group.gpu).Set("nodes", group.nodes);
  json.Set("gpus_per_node", group.gpus_per_node).Set("gpu_idle_w", group.gpu_idle.value);
  json.Set("node_base_w", group.node_base.value).Set("node_sleep_w", group.node_sleep.value);
  json.Set("wake_s", static_cast<std::int64_t>(group.wake_time.count())).Set("wake_j", group.wake_energy.value);
  return json;
}

Result<scenario::Group> SiteGroupOf(const Json& json) {
  LogFields fields(json);
  scenario::Group group;
  group.name = fields.Text("name");
  group.gpu = fields.Text("gpu");
  group.nodes = fields.Count("nodes");
  group.gpus_per_node = fields.Count("gpus_per_node");
  group.gpu_idle = Watts{fields.Number("gpu_idle_w")};
  group.node_base = Watts{fields.Number("node_base_w")};
  group.node_sleep = Watts{fields.Number("node_sleep_w")};
  group.wake_time = Duration{fields.Integer("wake_s")};
  group.wake_energy = Joules{fields.Number("wake_j")};
  if (!fields.status()) return Propagate(fields.status());
  return group;
}

Json PointJson(const scenario::TrainingPoint& point) {
  Json json;
  json.Set("workers", point.workers).Set("samples_per_s", point.samples_per_s).Set("power_w", point.power.value);
  return KnobInto(std::move(json), point.knob);
}

Json PointJson(const scenario::InferencePoint& point) {
  Json json;
  json.Set("batch", point.batch).Set("latency_s", point.latency.count()).Set("requests_per_s", point.requests_per_s);
  json.Set("power_w", point.power.value);
  return KnobInto(std::move(json), point.knob);
}

scenario::TrainingPoint PointOf(LogFields& fields, const scenario::TrainingPoint* /*kind*/) {
  return {KnobOf(fields), fields.Count("workers"), fields.Number("samples_per_s"), Watts{fields.Number("power_w")}};
}

scenario::InferencePoint PointOf(LogFields& fields, const scenario::InferencePoint* /*kind*/) {
  return {KnobOf(fields), fields.Count("batch"), Seconds{fields.Number("latency_s")}, fields.Number("requests_per_s"),
          Watts{fields.Number("power_w")}};
}

template <typename Point>
Json ProfilesJson(const scenario::Profiles<Point>& profiles) {
  Json all{Json::Array{}};
  for (const auto& [key, points] : profiles.all()) {
    Json of_model;
    Json list{Json::Array{}};
    for (const Point& point : points) list.Append(PointJson(point));
    of_model.Set("model", key.first).Set("gpu", key.second).Set("points", std::move(list));
    all.Append(std::move(of_model));
  }
  return all;
}

template <typename Point>
Status ReadProfiles(const Json::Array& all, scenario::Profiles<Point>& profiles) {
  for (const Json& json : all) {
    LogFields fields(json);
    const std::string model = fields.Text("model");
    const std::string gpu = fields.Text("gpu");
    for (const Json& element : fields.Elements("points")) {
      LogFields of_point(element);
      profiles.Add(model, gpu, PointOf(of_point, static_cast<const Point*>(nullptr)));
      if (!of_point.status()) return of_point.status();
    }
    if (!fields.status()) return fields.status();
  }
  return {};
}

Json SharesJson(const std::vector<policy::NodeShare>& shares) {
  Json nodes{Json::Array{}};
  for (const policy::NodeShare& share : shares) nodes.Append(Json().Set("node", share.node).Set("gpus", share.gpus));
  return nodes;
}

std::vector<policy::NodeShare> SharesOf(const Json::Array& elements, LogFields& fields) {
  std::vector<policy::NodeShare> shares;
  for (const Json& element : elements) {
    LogFields share(element);
    shares.push_back({share.Count("node"), share.Count("gpus")});
    if (!share.status()) fields.Refuse(share.status().error());
  }
  return shares;
}

Json RecordedJson(const scenario::Recorded& recorded) {
  Json json;
  if (recorded.group) json.Set("group", *recorded.group);
  Json runs{Json::Array{}};
  for (const scenario::RecordedRun& run : recorded.runs) {
    Json one;
    one.Set("start", FormatInstant(run.span.begin)).Set("end", FormatInstant(run.span.end));
    if (!run.nodes.empty()) one.Set("nodes", SharesJson(run.nodes));
    runs.Append(std::move(one));
  }
  json.Set("runs", std::move(runs));
  return json;
}

scenario::Recorded RecordedOf(const Json& json, LogFields& fields) {
  LogFields record(json);
  scenario::Recorded recorded;
  if (record.Has("group")) recorded.group = static_cast<std::size_t>(record.Count("group"));
  for (const Json& element : record.Elements("runs")) {
    LogFields run(element);
    recorded.runs.push_back({{run.Time("start"), run.Time("end")}, SharesOf(run.Elements("nodes"), run)});
    if (!run.status()) fields.Refuse(run.status().error());
  }
  if (!record.status()) fields.Refuse(record.status().error());
  return recorded;
}

// One letter per node.
constexpr std::string_view kNodeLetters = "uwaf";

std::string LettersOf(const std::vector<policy::NodeState>& each) {
  std::string letters;
  for (const policy::NodeState state : each) letters += kNodeLetters[static_cast<std::size_t>(state)];
  return letters;
}

// Nothing when a letter is none of kNodeLetters.
std::optional<std::vector<policy::NodeState>> NodesFromLetters(const std::string& letters) {
  std::vector<policy::NodeState> each;
  for (const char letter : letters) {
    const std::size_t state = kNodeLetters.find(letter);
    if (state == std::string_view::npos) return std::nullopt;
    each.push_back(static_cast<policy::NodeState>(state));
  }
  return each;
}

Json OrderJson(const policy::JobOrder& order) {
  Json json;
  json.Set("job", IdJson(order.job));
  if (order.setting) {
    json.Set("group", order.setting->group).Set("point", order.setting->point);
  } else {
    json.Set("stop", true);
  }
  if (order.until) json.Set("until", FormatInstant(*order.until));
  if (!order.nodes.empty()) json.Set("nodes", SharesJson(order.nodes));
  json.Set("why", TextOf(order.why)).Set("order", IdJson(order.id));
  return json;
}

}  // namespace

Json ToJson(const scenario::Site& site) {
  Json json;
  json.Set("name", site.name).Set("version", IdJson(site.version)).Set("start", FormatInstant(site.start));
  json.Set("step_s", static_cast<std::int64_t>(site.step.count())).Set("pue", site.pue);
  json.Set("currency", std::string(site.currency.code())).Set("performance", kPerformances.NameOf(site.performance));
  json.Set("renewable_carbon_g_per_j", site.renewable_carbon.value);
  Json groups{Json::Array{}};
  for (const scenario::Group& group : site.groups) groups.Append(GroupJson(group));
  json.Set("groups", std::move(groups)).Set("training", ProfilesJson(site.training));
  json.Set("inference", ProfilesJson(site.inference));
  return json;
}

Result<scenario::Site> SiteFromJson(const Json& json) {
  LogFields fields(json);
  scenario::Site site;
  site.name = fields.Text("name");
  site.version = static_cast<std::uint64_t>(fields.Integer("version"));
  site.start = fields.Time("start");
  site.step = Duration{fields.Integer("step_s")};
  site.pue = fields.Number("pue");
  if (const auto currency = Currency::Parse(fields.Text("currency"))) site.currency = *currency;
  site.performance = ValueIn(kPerformances, fields, "performance");
  site.renewable_carbon = CarbonIntensity{fields.Number("renewable_carbon_g_per_j")};
  if (fields.status() && site.step.count() <= 0) {
    fields.Refuse({ErrorCode::kInvalidArgument, json.where(), "step_s is not above 0", "whole seconds above 0"});
  }
  for (const Json& element : fields.Elements("groups")) {
    auto group = SiteGroupOf(element);
    if (!group) return Propagate(group);
    site.groups.push_back(*std::move(group));
  }
  if (const auto read = ReadProfiles(fields.Elements("training"), site.training); !read) return Propagate(read);
  if (const auto read = ReadProfiles(fields.Elements("inference"), site.inference); !read) return Propagate(read);
  if (!fields.status()) return Propagate(fields.status());
  return site;
}

Json ToJson(const policy::Capabilities& can) {
  Json json;
  json.Set("suspend", can.suspend).Set("requeue", can.requeue).Set("shrink", can.shrink).Set("grow", can.grow);
  json.Set("cap_power", can.cap_power).Set("sleep_nodes", can.sleep_nodes).Set("place", can.place);
  json.Set("order_delay_s", static_cast<std::int64_t>(can.order_delay.count()));
  return json;
}

Result<policy::Capabilities> CapabilitiesFromJson(const Json& json) {
  LogFields fields(json);
  policy::Capabilities can;
  can.suspend = fields.Boolean("suspend");
  can.requeue = fields.Boolean("requeue");
  can.shrink = fields.Boolean("shrink");
  can.grow = fields.Boolean("grow");
  can.cap_power = fields.Boolean("cap_power");
  can.sleep_nodes = fields.Boolean("sleep_nodes");
  can.place = fields.Boolean("place");
  if (fields.Has("order_delay_s")) can.order_delay = Duration{fields.Integer("order_delay_s")};
  if (!fields.status()) return Propagate(fields.status());
  return can;
}

Json ToJson(const policy::PolicyOptions& options) {
  Json json;
  json.Set("eta", options.eta).Set("carbon_budget_kg", OrNull(options.carbon_budget_kg));
  json.Set("budget_share", options.budget_share);
  json.Set("patience_s", static_cast<std::int64_t>(options.patience.count()));
  return json;
}

Result<policy::PolicyOptions> OptionsFromJson(const Json& json) {
  LogFields fields(json);
  policy::PolicyOptions options;
  options.eta = fields.Number("eta");
  options.carbon_budget_kg = fields.MaybeNumber("carbon_budget_kg");
  options.budget_share = fields.Number("budget_share");
  options.patience = Duration{fields.Integer("patience_s")};
  if (!fields.status()) return Propagate(fields.status());
  return options;
}

Json ToJson(const scenario::Job& job) {
  Json json;
  json.Set("id", job.id).Set("model", job.model).Set("submit", FormatInstant(job.submit));
  json.Set("deadline", OrNull(job.deadline)).Set("samples", job.samples).Set("min_workers", job.min_workers);
  json.Set("max_workers", job.max_workers).Set("preemptible", job.preemptible);
  json.Set("resume_s", static_cast<std::int64_t>(job.resume.count()));
  if (job.weight != 1.0) json.Set("weight", job.weight);
  if (!job.owner.empty()) json.Set("owner", job.owner);
  if (job.recorded) json.Set("recorded", RecordedJson(*job.recorded));
  return json;
}

Result<scenario::Job> JobFromJson(const Json& json) {
  LogFields fields(json);
  scenario::Job job;
  job.id = fields.Text("id");
  job.model = fields.Text("model");
  job.submit = fields.Time("submit");
  job.deadline = fields.MaybeTime("deadline");
  job.samples = fields.Number("samples");
  job.min_workers = fields.Count("min_workers");
  job.max_workers = fields.Count("max_workers");
  job.preemptible = fields.Boolean("preemptible");
  job.resume = Duration{fields.Integer("resume_s")};
  job.weight = fields.MaybeNumber("weight").value_or(1.0);
  if (json.Find("owner") != nullptr) job.owner = fields.Text("owner");
  if (const Json* recorded = json.Find("recorded")) job.recorded = RecordedOf(*recorded, fields);
  if (!fields.status()) return Propagate(fields.status());
  return job;
}

Json ToJson(policy::JobId id, const policy::JobState& state) {
  Json json;
  json.Set("job", IdJson(id)).Set("phase", kPhases.NameOf(state.phase));
  json.Set("group", state.setting.group).Set("point", state.setting.point);
  if (state.home) json.Set("home", *state.home);
  json.Set("samples_done", state.samples_done).Set("samples_per_s", state.samples_per_s);
  json.Set("since", FormatInstant(state.since));
  json.Set("nodes", SharesJson(state.nodes));
  return json;
}

Status ReadState(const Json& json, policy::JobState& state) {
  LogFields fields(json);
  state.phase = ValueIn(kPhases, fields, "phase");
  state.setting = {static_cast<std::size_t>(fields.Integer("group")),
                   static_cast<std::size_t>(fields.Integer("point"))};
  state.home.reset();
  if (fields.Has("home")) state.home = static_cast<std::size_t>(fields.Integer("home"));
  state.samples_done = fields.Number("samples_done");
  state.samples_per_s = fields.Number("samples_per_s");
  state.since = fields.Time("since");
  state.nodes = SharesOf(fields.Elements("nodes"), fields);
  return fields.status();
}

void RunOn(policy::JobState& state, Instant until) {
  if (state.phase != policy::Phase::kRunning || until <= state.since) return;
  state.samples_done += state.samples_per_s * Seconds(until - state.since).count();
  state.since = until;
}

Json ToJson(const policy::ServiceState& service) {
  Json json;
  json.Set("id", service.asked.id).Set("model", service.asked.model);
  json.Set("latency_slo_s", service.asked.latency_slo.count()).Set("percentile", service.asked.percentile);
  json.Set("min_replicas", service.asked.min_replicas).Set("max_replicas", service.asked.max_replicas);
  json.Set("requests_per_s", service.requests_per_s).Set("group", service.serving.group);
  json.Set("point", service.serving.point).Set("replicas", service.serving.replicas);
  return json;
}

Result<policy::ServiceState> ServiceFromJson(const Json& json) {
  LogFields fields(json);
  policy::ServiceState service;
  service.asked.id = fields.Text("id");
  service.asked.model = fields.Text("model");
  service.asked.latency_slo = Seconds{fields.Number("latency_slo_s")};
  service.asked.percentile = fields.Number("percentile");
  service.asked.min_replicas = fields.Count("min_replicas");
  service.asked.max_replicas = fields.Count("max_replicas");
  service.requests_per_s = fields.Number("requests_per_s");
  service.serving = {static_cast<std::size_t>(fields.Integer("group")),
                     static_cast<std::size_t>(fields.Integer("point")), fields.Count("replicas")};
  if (!fields.status()) return Propagate(fields.status());
  return service;
}

Json ToJson(const policy::GroupState& group) {
  Json json;
  json.Set("up", group.up).Set("waking", group.waking).Set("asleep", group.asleep).Set("failed", group.failed);
  json.Set("nodes_in_use", group.nodes_in_use).Set("gpus_up", group.gpus_up).Set("gpus_in_use", group.gpus_in_use);
  if (!group.each.empty()) json.Set("each", LettersOf(group.each));
  return json;
}

Result<policy::GroupState> GroupFromJson(const Json& json) {
  LogFields fields(json);
  policy::GroupState group{fields.Count("up"),         fields.Count("waking"),       fields.Count("asleep"),
                           fields.Count("failed"),     fields.Count("nodes_in_use"), fields.Count("gpus_up"),
                           fields.Count("gpus_in_use")};
  if (fields.Has("each")) {
    auto each = NodesFromLetters(fields.Text("each"));
    if (!each) fields.Refuse({ErrorCode::kInvalidArgument, json.where(), "each has an unknown letter", "u, w, a, f"});
    if (each) group.each = *std::move(each);
  }
  if (!fields.status()) return Propagate(fields.status());
  return group;
}

Json ToJson(const Receipt& receipt) {
  Json json;
  json.Set("order", IdJson(receipt.order)).Set("status", kStatuses.NameOf(receipt.status));
  if (receipt.job) json.Set("job", IdJson(*receipt.job));
  if (!receipt.why.empty()) json.Set("why", receipt.why);
  return json;
}

Result<Receipt> ReceiptFromJson(const Json& json) {
  LogFields fields(json);
  Receipt receipt;
  receipt.order = static_cast<policy::OrderId>(fields.Integer("order"));
  receipt.status = ValueIn(kStatuses, fields, "status");
  if (fields.Has("job")) receipt.job = static_cast<policy::JobId>(fields.Integer("job"));
  if (fields.Has("why")) receipt.why = fields.Text("why");
  if (!fields.status()) return Propagate(fields.status());
  return receipt;
}

Json ToJson(const policy::Decision& decision) {
  Json json;
  Json jobs{Json::Array{}};
  for (const policy::JobOrder& order : decision.jobs) jobs.Append(OrderJson(order));
  Json services{Json::Array{}};
  for (const policy::ServiceOrder& order : decision.services) {
    Json service;
    service.Set("service", order.service).Set("group", order.serving.group).Set("point", order.serving.point);
    service.Set("replicas", order.serving.replicas).Set("why", TextOf(order.why)).Set("order", IdJson(order.id));
    services.Append(std::move(service));
  }
  Json nodes{Json::Array{}};
  for (const int on : decision.nodes_on) nodes.Append(on);
  json.Set("jobs", std::move(jobs)).Set("services", std::move(services)).Set("nodes_on", std::move(nodes));
  json.Set("call_again", OrNull(decision.call_again));
  if (!decision.nodes_up.empty()) {
    Json groups{Json::Array{}};
    for (const std::vector<int>& of_group : decision.nodes_up) {
      Json up{Json::Array{}};
      for (const int node : of_group) up.Append(node);
      groups.Append(std::move(up));
    }
    json.Set("nodes_up", std::move(groups));
  }
  return json;
}

}  // namespace heliostat::loop
