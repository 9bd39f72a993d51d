#include "heliostat/control/controller/answers.h"

#include <algorithm>
#include <map>

#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/controller/job_words.h"
#include "heliostat/control/controller/state_store.h"

namespace heliostat::controller {

using cluster::JobState;
using cluster::NodeState;
using io::Json;

Json UsedJson(const account::Balance& used) {
  return Json()
      .Set("energy_kwh", InKilowattHours(used.it))
      .Set("facility_kwh", InKilowattHours(used.facility))
      .Set("carbon_kg", InKilograms(used.carbon))
      .Set("cost", used.cost);
}

bool Hides(const Report& report, std::string_view what) {
  // Until the cluster has answered, it is not known what it hides.
  return report.version.empty() ||
         std::find(report.private_data.begin(), report.private_data.end(), what) != report.private_data.end();
}

namespace {

// How many ended jobs a list shows.
constexpr int kNewest = 50;

Json OrNull(const std::optional<Instant>& time) { return time ? Json(FormatInstant(*time)) : Json(); }

Json RangeJson(const Range& range, double unit) {
  return Json().Set("value", range.value / unit).Set("low", range.low / unit).Set("high", range.high / unit);
}

Json ShadowJson(const ShadowReport& shadow) {
  return Json()
      .Set("saved_carbon_kg", RangeJson(shadow.saved_carbon_g, 1000.0))
      .Set("saved_cost", RangeJson(shadow.saved_cost, 1.0))
      .Set("was", UsedJson(shadow.was))
      .Set("would_have_been", UsedJson(shadow.would_have_been))
      .Set("outstanding", UsedJson(shadow.outstanding))
      .Set("jobs_waiting", shadow.jobs_waiting)
      .Set("jobs_done", shadow.jobs_done)
      .Set("jobs_late", shadow.jobs_late);
}

// What a count of jobs goes under; empty: it is over.
std::string_view CountedAs(const JobReport& report) {
  switch (report.job->state) {
    case JobState::kWaiting:
    case JobState::kHeld:
      return "waiting";
    case JobState::kEnded:
      return "";
    default:
      return "running";
  }
}

std::string_view CountedAs(NodeState state) {
  switch (state) {
    case NodeState::kAsleep:
    case NodeState::kPoweringDown:
      return "asleep";
    case NodeState::kWaking:
      return "waking";
    case NodeState::kDown:
    case NodeState::kUnknown:
      return "down";
    default:
      return "up";
  }
}

bool MaySee(const Asker& asker, const Report& report, const std::string& owner) {
  return asker.is_operator || asker.user == owner || !Hides(report, "jobs");
}

Json ErrorJson(const Error& error) {
  return Json().Set("error", Json()
                                 .Set("where", error.where)
                                 .Set("what", error.what)
                                 .Set("allowed", error.allowed)
                                 .Set("status", ExitStatus(error.code)));
}

tl::unexpected<Error> NotAnOperator(const char* what, const Asker& asker) {
  return Fail(ErrorCode::kPermissionDenied, what, "is for operators, and " + Printable(asker.user, 40) + " is none",
              "root, the user of heliostatctld, and `operators` in its config");
}

Result<std::string> TextIn(const Json& request, std::string_view key) {
  const auto member = request.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Text();
}

// What squeue shows beside "17" and "17_3": "17_[3-9]" for elements that wait, "17+1" for a part of a heterogeneous
// job, which is job 18.
std::string PlainNumber(const std::string& shown) {
  if (const std::size_t bracket = shown.find("_["); bracket != std::string::npos) return shown.substr(0, bracket);
  const std::size_t plus = shown.find('+');
  if (plus == std::string::npos) return shown;
  const auto leader = io::ParseInteger(shown.substr(0, plus));
  const auto part = io::ParseInteger(shown.substr(plus + 1));
  return leader && part ? std::to_string(std::int64_t{*leader} + *part) : shown;
}

}  // namespace

Json StatusJson(const Report& report) {
  std::map<std::string_view, int> jobs{{"waiting", 0}, {"running", 0}};
  for (const JobReport& job : report.jobs) {
    if (const auto as = CountedAs(job); !as.empty()) ++jobs[as];
  }
  Json nodes{Json::Object{}};
  for (const std::string_view state : {"up", "asleep", "waking", "down"}) {
    nodes.Set(std::string(state), std::count_if(report.nodes.begin(), report.nodes.end(), [&](const NodeReport& node) {
                return CountedAs(node.node.state) == state;
              }));
  }
  Json problems{Json::Array{}};
  for (const std::string& problem : report.problems) problems.Append(problem);
  const ShadowReport none;
  const ShadowReport& shadow = report.shadow ? *report.shadow : none;
  Json status =
      Json()
          .Set("mode", NameOf(report.mode))
          .Set("policy", report.policy)
          .Set("cluster", report.cluster)
          .Set("version", report.version)
          .Set("since", FormatInstant(report.begun))
          .Set("looked", report.looked == Instant{} ? Json() : Json(FormatInstant(report.looked)))
          .Set(
              "jobs",
              Json().Set("waiting", jobs["waiting"]).Set("parked", shadow.jobs_waiting).Set("running", jobs["running"]))
          .Set("nodes", std::move(nodes))
          .Set("power_kw", InKilowatts(report.power))
          .Set("carbon_g_per_kwh", report.carbon ? Json(InGramsPerKwh(*report.carbon)) : Json())
          .Set("used", UsedJson(report.used))
          .Set("unused", UsedJson(report.unused))
          .Set("saved",
               Json().Set("carbon_kg", shadow.saved_carbon_g.value / 1000.0).Set("cost", shadow.saved_cost.value))
          .Set("currency", report.currency)
          .Set("last_cycle_s", report.last_cycle.count())
          .Set("healthy", report.is_healthy)
          .Set("problems", std::move(problems));
  if (report.shadow) status.Set("shadow", ShadowJson(*report.shadow));
  return status;
}

Json JobJson(const JobReport& report, Mode mode) {
  std::optional<Instant> planned = report.best_start;
  if (report.twin && report.twin->planned_start) planned = report.twin->planned_start;
  return Json()
      .Set("id", NumberText(report.job->key))
      .Set("key", cluster_account::TextOf(report.job->key))
      .Set("job", report.job->name)
      .Set("user", report.job->user)
      .Set("state", NameOf(report.job->state))
      .Set("latest_start", OrNull(LatestStartOf(report)))
      .Set("planned_start", OrNull(planned))
      .Set("may_wait", MayWait(report))
      .Set("standing", StandingOf(report, mode))
      .Set("reason", ReasonOf(report, mode))
      .Set("end", OrNull(report.job->end))
      .Set("ended_as", report.job->end_kind ? Json(NameOf(*report.job->end_kind)) : Json())
      .Set("energy_kwh", InKilowattHours(report.used.it))
      .Set("carbon_kg", InKilograms(report.used.carbon));
}

Json WhyJson(const JobReport& report, Mode mode) {
  const cluster::ClusterJob& job = *report.job;
  const JobTerms& terms = *report.terms;
  Json json = JobJson(report, mode);
  json.Set("account", job.account)
      .Set("partition", job.partitions.empty() ? "" : job.partitions.front())
      .Set("gpus", cluster::CountOf(job.gpus_allocated.empty() ? job.gpus_requested : job.gpus_allocated))
      .Set("submit", FormatInstant(job.key.submit))
      .Set("start", OrNull(job.start))
      .Set("cost", report.used.cost)
      .Set("allowed", AllowedBy(report))
      .Set("slack_s", static_cast<std::int64_t>(terms.slack.count()))
      .Set("saves_carbon_kg", InKilograms(report.best_saves))
      .Set("saves_cost", report.best_saves_cost)
      .Set("advice", AdviceFor(report))
      .Set("length", Json()
                         .Set("median_s", static_cast<std::int64_t>(terms.length.median().count()))
                         .Set("highest_s", static_cast<std::int64_t>(terms.length.highest().count()))
                         .Set("from", InWords(terms.length)));
  if (!terms.comment_flaw.empty()) json.Set("comment_flaw", terms.comment_flaw);
  if (report.twin) {
    json.Set("shadow", Json()
                           .Set("running", report.twin->is_running)
                           .Set("start", OrNull(report.twin->start))
                           .Set("end", OrNull(report.twin->end))
                           .Set("late_s", static_cast<std::int64_t>(report.late.count())));
  }
  if (report.moved) {
    const MovedJob& moved = *report.moved;
    json.Set("moved", Json()
                          .Set("from", FormatInstant(moved.from))
                          .Set("to", OrNull(moved.to))
                          .Set("saved_carbon_kg", moved.saved_carbon ? Json(InKilograms(*moved.saved_carbon)) : Json())
                          .Set("saved_cost", moved.saved_carbon ? Json(moved.saved_cost) : Json()));
  }
  return json;
}

Json ArchiveOf(const JobReport& report) { return WhyJson(report, report.twin ? Mode::kShadow : Mode::kObserve); }

Json NodeJson(const NodeReport& report) {
  return Json()
      .Set("name", report.node.name)
      .Set("group", report.group)
      .Set("state", NameOf(report.node.state))
      .Set("draining", report.node.is_draining)
      .Set("gpus", cluster::CountOf(report.node.gpus))
      .Set("gpus_in_use", cluster::CountOf(report.node.gpus_in_use))
      .Set("power_w", report.power.value)
      .Set("energy_kwh", InKilowattHours(report.used));
}

Json PlanJson(const Report& report, const std::function<bool(const JobReport&)>& is_seen) {
  Json slots{Json::Array{}};
  for (const SlotReport& slot : report.ahead) {
    slots.Append(Json()
                     .Set("time", FormatInstant(slot.begin))
                     .Set("carbon_g_per_kwh", InGramsPerKwh(slot.carbon))
                     .Set("renewable_kw", InKilowatts(slot.renewable))
                     .Set("price_per_kwh", slot.price_per_kwh ? Json(*slot.price_per_kwh) : Json()));
  }
  Json jobs{Json::Array{}};
  for (const JobReport& job : report.jobs) {
    if ((job.best_start || (job.twin && job.twin->planned_start)) && is_seen(job))
      jobs.Append(JobJson(job, report.mode));
  }
  return Json()
      .Set("mode", NameOf(report.mode))
      .Set("policy", report.policy)
      .Set("slots", std::move(slots))
      .Set("jobs", std::move(jobs));
}

std::string Answers::To(const Asker& asker, std::string_view line) const {
  const auto request = Json::Parse(line, "request");
  const auto ask = request ? TextIn(*request, "ask") : Result<std::string>(Propagate(request));
  if (ask && *ask == "jobs") return JobsText(asker, *source_.report());
  if (ask && *ask == "history") {
    const auto history = HistoryText(asker, *source_.report());
    return history ? *history : ErrorJson(history.error()).Line();
  }
  auto answer = ask ? Answer(asker, *request) : Result<Json>(Propagate(ask));
  return answer ? Json().Set("answer", *std::move(answer)).Line() : ErrorJson(answer.error()).Line();
}

// As text, one after another: thousands of jobs as one document would need much memory.
std::string Answers::JobsText(const Asker& asker, const Report& report) {
  std::string text = "{\"answer\":[";
  for (const JobReport& job : report.jobs) {
    if (job.job->end || !MaySee(asker, report, job.job->user)) continue;
    if (text.back() == '}') text += ',';
    text += JobJson(job, report.mode).Line();
  }
  return text + "]}";
}

Result<Json> Answers::Answer(const Asker& asker, const Json& request) const {
  const auto ask = TextIn(request, "ask");
  if (!ask) return Propagate(ask);
  const auto report = source_.report();
  if (*ask == "status") return StatusJson(*report);
  if (*ask == "why") return Why(asker, *report, request);
  if (*ask == "mode") return ChangeMode(asker, request);
  if (*ask == "nodes") {
    Json nodes{Json::Array{}};
    const bool hides = Hides(*report, "nodes") && !asker.is_operator;
    for (const NodeReport& node : report->nodes) {
      if (!hides) nodes.Append(NodeJson(node));
    }
    return nodes;
  }
  if (*ask == "plan") {
    return PlanJson(*report, [&](const JobReport& job) { return MaySee(asker, *report, job.job->user); });
  }
  if (*ask == "ended") return Ended(asker, *report);
  if (*ask == "release") {
    if (!asker.is_operator) return NotAnOperator("release", asker);
    return Json().Set("released", 0);  // no mode of this version holds a job
  }
  return Fail(ErrorCode::kInvalidArgument, "request", "asks for '" + Printable(*ask, 40) + "'",
              "status, jobs, ended, nodes, plan, why, history, mode or release");
}

Result<Json> Answers::Ended(const Asker& asker, const Report& report) const {
  // Those of the last minutes are not in the archive yet.
  std::vector<const JobReport*> recent;
  for (const JobReport& job : report.jobs) {
    if (job.job->end && MaySee(asker, report, job.job->user)) recent.push_back(&job);
  }
  std::ranges::sort(recent, std::greater{}, [](const JobReport* job) { return *job->job->end; });
  Json jobs{Json::Array{}};
  for (const JobReport* const job : recent) jobs.Append(WhyJson(*job, report.mode));
  auto archive = JobArchive::Open(source_.state);
  if (!archive) return Propagate(archive);
  const bool sees_all = asker.is_operator || !Hides(report, "jobs");
  auto newest = archive->Newest(kNewest, sees_all ? std::nullopt : std::optional(asker.user));
  if (!newest) return Propagate(newest);
  for (Json& job : *newest) jobs.Append(std::move(job));
  return jobs;
}

Result<Json> Answers::Why(const Asker& asker, const Report& report, const Json& request) const {
  const auto shown = TextIn(request, "job");
  if (!shown) return Propagate(shown);
  const std::string number = PlainNumber(*shown);
  const JobReport* newest = nullptr;
  for (const JobReport& job : report.jobs) {
    if (NumberText(job.job->key) != number && std::to_string(job.job->run_number) != number) continue;
    if (newest == nullptr || newest->job->key.submit < job.job->key.submit) newest = &job;
  }
  const auto unknown = Fail(ErrorCode::kNotFound, "job " + Printable(*shown, 40),
                            "is not in the queue, and has not ended since " + FormatInstant(report.begun),
                            "a number as squeue shows it, such as 17 or 17_3");
  if (newest != nullptr)
    return MaySee(asker, report, newest->job->user)
               ? Result<Json>(WhyJson(*newest, report.mode).Set("currency", report.currency))
               : unknown;
  auto archive = JobArchive::Open(source_.state);
  if (!archive) return Propagate(archive);
  auto found = archive->Find(number);
  if (!found) return Propagate(found);
  if (!*found) return unknown;
  const auto user = TextIn(**found, "user");
  if (!user || !MaySee(asker, report, *user)) return unknown;
  return (**std::move(found)).Set("currency", report.currency);
}

Result<Json> Answers::ChangeMode(const Asker& asker, const Json& request) const {
  if (!asker.is_operator) {
    return NotAnOperator("mode", asker);
  }
  const auto name = TextIn(request, "mode");
  if (!name) return Propagate(name);
  const auto mode = ModeNamed(*name, "mode");
  if (!mode) return Propagate(mode);
  source_.request_mode(*mode);
  return Json().Set("mode", NameOf(*mode));
}

}  // namespace heliostat::controller
