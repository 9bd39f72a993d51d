// The answer about the past: what was used, slot by slot, and what the policy would have changed.
#include <algorithm>

#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/state_store.h"

namespace heliostat::controller {

using io::Json;

namespace {

// How many moved and late jobs are listed.
constexpr int kMostJobs = 50;

// Moved jobs that have ended and those that have not, those that save the most first.
Result<Json> MovedJobs(JobArchive& archive, const Report& report, const std::string& user) {
  auto archived = archive.Moved(user, kMostJobs);
  if (!archived) return Propagate(archived);
  std::vector<Json> jobs = *std::move(archived);
  for (const JobReport& job : report.jobs) {
    if (job.moved && (user.empty() || job.job->user == user)) jobs.push_back(WhyJson(job, report.mode));
  }
  const auto saved = [](const Json& job) {
    const Json* const moved = job.Find("moved");
    const Json* const carbon = moved == nullptr ? nullptr : moved->Find("saved_carbon_kg");
    return carbon == nullptr ? -1e300 : carbon->Number().value_or(-1e300);
  };
  std::stable_sort(jobs.begin(), jobs.end(), [&](const Json& a, const Json& b) { return saved(a) > saved(b); });
  if (jobs.size() > kMostJobs) jobs.resize(kMostJobs);
  return Json(std::move(jobs));
}

Result<Json> LateJobs(JobArchive& archive, const Report& report, const std::string& user) {
  auto archived = archive.Late(user, kMostJobs);
  if (!archived) return Propagate(archived);
  Json::Array jobs;
  for (const JobReport& job : report.jobs) {
    const bool is_listed = job.late > Duration{0} && (user.empty() || job.job->user == user);
    if (is_listed && jobs.size() < kMostJobs) jobs.push_back(WhyJson(job, report.mode));
  }
  for (Json& job : *archived) jobs.push_back(std::move(job));
  if (jobs.size() > kMostJobs) jobs.resize(kMostJobs);
  return Json(std::move(jobs));
}

Json UserJson(const std::string& name, const UserReport& user) {
  return Json().Set("user", name).Set("jobs", user.jobs).Set("used", UsedJson(user.used));
}

// One for each user or, where they may not see each other, the one who asks and all others together.
Json UsersJson(const Report& report, const std::string& only) {
  Json users{Json::Array{}};
  UserReport others;
  for (const auto& [name, user] : report.users) {
    if (only.empty() || name == only) {
      users.Append(UserJson(name, user));
      continue;
    }
    others.used += user.used;
    others.jobs += user.jobs;
  }
  if (others.jobs > 0) users.Append(UserJson("", others));
  return users;
}

Json GroupsJson(const Report& report) {
  Json groups{Json::Array{}};
  for (const GroupReport& of : report.groups) {
    const scenario::Group& group = of.group.group;
    groups.Append(Json()
                      .Set("group", group.name)
                      .Set("nodes", group.nodes)
                      .Set("gpus", group.gpus())
                      .Set("gpu", group.gpu)
                      .Set("node_base_w", group.node_base.value)
                      .Set("gpu_idle_w", group.gpu_idle.value)
                      .Set("gpu_busy_w", of.group.gpu_busy.value)
                      .Set("gpu_busy_error", of.group.gpu_busy_error)
                      .Set("is_estimated", of.group.is_estimated)
                      .Set("energy_kwh", InKilowattHours(of.used)));
  }
  return groups;
}

}  // namespace

Json SlotJson(const PastSlot& slot) {
  return Json()
      .Set("begin", FormatInstant(slot.span.begin))
      .Set("end", FormatInstant(slot.span.end))
      .Set("was", UsedJson(slot.was))
      .Set("would_have_been", slot.would_have_been ? UsedJson(*slot.would_have_been) : Json())
      .Set("gpus_was", slot.gpus_was)
      .Set("gpus_would_have_been", slot.gpus_would_have_been ? Json(*slot.gpus_would_have_been) : Json())
      .Set("carbon_g_per_kwh", slot.carbon ? Json(InGramsPerKwh(*slot.carbon)) : Json())
      .Set("price_per_kwh", slot.price_per_kwh ? Json(*slot.price_per_kwh) : Json())
      .Set("renewable_kw", slot.renewable ? Json(InKilowatts(*slot.renewable)) : Json());
}

Result<std::string> Answers::HistoryText(const Asker& asker, const Report& report) const {
  auto archive = JobArchive::Open(source_.state);
  if (!archive) return Propagate(archive);
  const bool hides_jobs = Hides(report, "jobs") && !asker.is_operator;
  const bool hides_users = hides_jobs || (Hides(report, "usage") && !asker.is_operator);
  const bool hides_nodes = Hides(report, "nodes") && !asker.is_operator;
  auto moved = MovedJobs(*archive, report, hides_jobs ? asker.user : "");
  if (!moved) return Propagate(moved);
  auto late = LateJobs(*archive, report, hides_jobs ? asker.user : "");
  if (!late) return Propagate(late);
  // What has been saved since the report is in both.
  auto slots = archive->SlotsBefore(report.recent.empty() ? Instant::max() : report.recent.front().span.begin);
  if (!slots) return Propagate(slots);
  for (const PastSlot& slot : report.recent) *slots += (slots->empty() ? "" : ",") + SlotJson(slot).Line();
  Json history = StatusJson(report);
  history.Set("jobs_moved", report.jobs_moved)
      .Set("moved", *std::move(moved))
      .Set("late", *std::move(late))
      .Set("users", UsersJson(report, hides_users ? asker.user : ""))
      .Set("groups", hides_nodes ? Json(Json::Array{}) : GroupsJson(report));
  std::string text = history.Line();
  text.pop_back();  // the "}"
  return "{\"answer\":" + text + ",\"slots\":[" + *slots + "]}}";
}

}  // namespace heliostat::controller
