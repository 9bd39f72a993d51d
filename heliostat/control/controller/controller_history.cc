// What a controller keeps of the past: slots, users, and the jobs that its policy would have moved.
#include <algorithm>

#include "heliostat/control/controller/controller.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using io::Json;

namespace {

// A look sees a start a little later than it was.
constexpr Duration kAtOnce = std::chrono::minutes(1);
// Ends on both sides are seen by looks, too.
constexpr Duration kOnTime = std::chrono::minutes(5);

}  // namespace

int Controller::RunningGpus() const {
  int gpus = 0;
  for (const auto& [key, known] : jobs_) {
    if (known.job->state == cluster::JobState::kRunning) gpus += cluster::CountOf(known.job->gpus_allocated);
  }
  return gpus;
}

void Controller::Remember(Instant now) {
  SlotHistory::Totals closed{begun_, accounts_->closed(), {}, static_cast<double>(RunningGpus()), {}};
  if (shadow_) closed = shadow_->Closed();
  const Instant open = accounts_->OpenSlot().begin;
  if (auto ended = history_.Look(now, open, closed, outlook_)) slots_.push_back(*std::move(ended));
}

std::optional<MovedJob> Controller::MoveOf(const KnownJob& known, const TwinJob& twin) const {
  const ClusterJob& job = *known.job;
  if (!job.start || (twin.start && *twin.start <= *job.start + kAtOnce)) return std::nullopt;
  MovedJob moved{*job.start, twin.start, {}, 0.0};
  const auto group = groups_.OfAll(job.nodes);
  if (!twin.start || !twin.end || !job.end || !group) return moved;
  const NodeGroup& on = groups_.groups()[*group];
  const Watts power = (on.gpu_busy - on.group.gpu_idle) * cluster::CountOf(job.gpus_allocated);
  const double energy = power.value * Seconds(*job.end - *job.start).count() * config_.pue;
  const SignalOutlook::Rate was = outlook_.MeanOver({*job.start, *job.end});
  const SignalOutlook::Rate would = outlook_.MeanOver({*twin.start, *twin.end});
  moved.saved_carbon = Grams{(was.carbon - would.carbon) * energy};
  moved.saved_cost = (was.cost - would.cost) * energy;
  return moved;
}

// Its user allows it to end at its deadline or, by its slack, so much later than it did in the cluster. What the
// cluster itself does too late is not late here.
Duration Controller::LateOf(const KnownJob& known, const TwinJob& twin) const {
  if (!known.job->end || !looked_) return Duration{0};
  const Instant end = twin.end.value_or(*looked_);
  const JobTerms& terms = *known.terms;
  Instant allowed = *known.job->end + terms.slack;
  if (terms.wishes.deadline) allowed = std::max(*known.job->end, *terms.wishes.deadline);
  return end > allowed + kOnTime ? end - allowed : Duration{0};
}

void Controller::CountEnded(const JobReport& report) {
  UserReport& user = ended_users_[report.job->user];
  user.used += report.used;
  user.jobs += report.job->start ? 1 : 0;
  jobs_moved_ += report.moved && report.moved->saved_carbon ? 1 : 0;
  jobs_late_ += report.late > Duration{0} ? 1 : 0;
}

void Controller::ReportPast(Report& report) const {
  report.users = ended_users_;
  report.jobs_moved = jobs_moved_;
  std::size_t late = jobs_late_;
  for (const JobReport& job : report.jobs) {
    report.jobs_moved += job.moved && job.moved->saved_carbon ? 1 : 0;
    late += job.late > Duration{0} ? 1 : 0;
    if (job.used.it.value <= 0.0) continue;
    UserReport& user = report.users[job.job->user];
    user.used += job.used;
    ++user.jobs;
  }
  if (report.shadow) report.shadow->jobs_late = late;
  for (const NodeGroup& group : groups_.groups()) report.groups.push_back({group, {}});
  for (const auto& [name, used] : of_nodes_) {
    if (const auto group = groups_.Of(name)) report.groups[*group].used += used;
  }
  report.recent = slots_;
  const account::Supply now = outlook_.SupplyOf(accounts_->OpenSlot());
  const SlotHistory::Totals open =
      shadow_ ? shadow_->Open() : SlotHistory::Totals{begun_, accounts_->Open(now), {}, 0.0, {}};
  if (auto present = history_.Present(open, outlook_)) report.recent.push_back(*std::move(present));
}

Json Controller::KeepPast() const {
  Json::Object users;
  for (const auto& [name, user] : ended_users_) {
    users.emplace_back(name, Json().Set("used", cluster_account::ToJson(user.used)).Set("jobs", user.jobs));
  }
  return Json()
      .Set("history", history_.Keep())
      .Set("users", std::move(users))
      .Set("moved", jobs_moved_)
      .Set("late", jobs_late_);
}

Status Controller::RestorePast(const Json& kept) {
  loop::LogFields fields(kept);
  jobs_moved_ = static_cast<std::size_t>(fields.Integer("moved"));
  jobs_late_ = static_cast<std::size_t>(fields.Integer("late"));
  if (!fields.status()) return fields.status();
  if (const Json* const history = kept.Find("history")) {
    if (const Status bad = history_.Restore(*history); !bad) return bad;
  }
  const auto users = kept.Get("users");
  if (!users) return Propagate(users);
  const auto members = (*users)->Members();
  if (!members) return Propagate(members);
  for (const auto& [name, user] : **members) {
    loop::LogFields of_user(user);
    const auto used = user.Get("used");
    if (!used) return Propagate(used);
    const auto balance = cluster_account::BalanceFromJson(**used);
    if (!balance) return Propagate(balance);
    ended_users_[name] = {*balance, static_cast<std::size_t>(of_user.Integer("jobs"))};
    if (!of_user.status()) return of_user.status();
  }
  return {};
}

}  // namespace heliostat::controller
