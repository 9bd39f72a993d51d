#include "heliostat/control/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/log.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/job_json.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::ClusterSnapshot;
using cluster::JobKey;
using io::Json;

namespace {

constexpr auto kSaveEvery = std::chrono::minutes(1);
constexpr int kStateVersion = 3;
constexpr std::size_t kJobParts = 16;
std::string JobPart(std::size_t share) { return fmt::format("jobs/{}", share); }

Result<Instant> BegunIn(const Json& kept, Instant otherwise) {
  if (kept.is_null()) return otherwise;
  loop::LogFields fields(kept);
  const Instant begun = fields.Time("begun");
  if (!fields.status()) return Propagate(fields.status());
  return begun;
}

}  // namespace

Result<std::unique_ptr<Controller>> Controller::Make(Config config, Parts parts, const OpenSignals& open_signals) {
  const auto kept = parts.store.Load();
  if (!kept) return Propagate(kept);
  const auto begun = BegunIn(*kept, parts.clock.Now());
  if (!begun) return Propagate(begun);
  auto signals = open_signals(*begun);
  if (!signals) return Propagate(signals);
  std::unique_ptr<Controller> made(new Controller(std::move(config), parts, *begun, *std::move(signals)));
  if (!kept->is_null()) {
    if (const Status bad = made->Restore(*kept); !bad) return Propagate(bad);
  }
  made->Publish(Seconds{});
  return made;
}

Controller::Controller(Config config, Parts parts, Instant begun, Signals signals)
    : config_(std::move(config)),
      parts_(parts),
      mode_(config_.mode),
      begun_(begun),
      currency_(signals.currency),
      outlook_(std::move(signals), config_.pue, config_.step),
      groups_(config_),
      report_(std::make_shared<Report>()) {}

std::shared_ptr<const Report> Controller::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void Controller::RequestMode(Mode mode) {
  const std::lock_guard lock(mutex_);
  wanted_mode_ = mode;
}

void Controller::ChangeMode() {
  std::optional<Mode> wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted = std::exchange(wanted_mode_, std::nullopt);
  }
  if (!wanted || *wanted == mode_) return;
  Log(LogLevel::kInfo, "mode {} ends, mode {} begins", NameOf(mode_), NameOf(*wanted));
  mode_ = *wanted;
  shadow_.reset();
  has_kept_shadow_ = false;
  history_.Reset();
}

// Problems are in the report as long as they last, and in the log once.
void Controller::Tell(std::string problem) {
  if (told_.insert(problem).second) LogLine(LogLevel::kWarning, problem);
  problems_.push_back(std::move(problem));
}

// The words change with each look, with the time until the next question.
void Controller::TellOfSilence(const Error& error) {
  problems_.push_back("cluster: " + error.Line());
  if (!std::exchange(is_silent_, true)) LogLine(LogLevel::kWarning, problems_.back());
}

bool Controller::LearnFacts() {
  if (facts_) return true;
  auto facts = parts_.cluster.Facts();
  if (!facts) {
    TellOfSilence(facts.error());
    return false;
  }
  facts_ = *std::move(facts);
  Log(LogLevel::kInfo, "follows {} {} '{}', mode {}", facts_->kind, facts_->version, facts_->name, NameOf(mode_));
  return true;
}

void Controller::Cycle() {
  const Clock::Time begin = parts_.clock.Steady();
  problems_.clear();
  ChangeMode();
  if (LearnFacts()) {
    auto snapshot = parts_.cluster.Look();
    if (snapshot) {
      if (std::exchange(is_silent_, false)) LogLine(LogLevel::kInfo, "the cluster answers again");
      Follow(*std::move(snapshot));
    } else {
      TellOfSilence(snapshot.error());
      // A controller of the cluster that was away may come back with another configuration.
      facts_.reset();
    }
  }
  if (!saved_ || parts_.clock.Steady() - *saved_ >= kSaveEvery) {
    if (const Status bad = Save(); !bad) {
      Tell(fmt::format("state: {}; nothing is saved since {}", bad.error().Line(), FormatInstant(saved_look_)));
    }
  }
  std::erase_if(told_, [this](const std::string& told) {
    return std::find(problems_.begin(), problems_.end(), told) == problems_.end();
  });
  Publish(Seconds(parts_.clock.Steady() - begin));
}

void Controller::Follow(ClusterSnapshot snapshot) {
  if (looked_ && snapshot.time < *looked_) {
    Tell(fmt::format("the clock went back by {}: nothing is accounted until {}",
                     FormatDuration(*looked_ - snapshot.time), FormatInstant(*looked_)));
    return;
  }
  for (const std::string& problem : snapshot.problems) Tell(problem);
  TellOfUnknownPartitions(snapshot);
  groups_.Follow(snapshot);
  outlook_.MoveTo(snapshot.time, 0);
  auto unseen = EndedUnseen(snapshot);
  LearnPast(snapshot.time);
  TakeJobs(snapshot, std::move(unseen));
  Account(snapshot);
  LearnEnds();
  looked_ = snapshot.time;
  snapshot_ = std::move(snapshot);
}

// Names of the config that fit nothing in the cluster: mistakes in writing, mostly.
void Controller::TellOfUnknownPartitions(const ClusterSnapshot& snapshot) {
  std::set<std::string> known;
  for (const cluster::ClusterNode& node : snapshot.nodes) known.insert(node.partitions.begin(), node.partitions.end());
  std::set<std::string> named(config_.partitions.begin(), config_.partitions.end());
  for (const auto& [partition, slack] : config_.partition_slack) named.insert(partition);
  for (const std::string& partition : named) {
    if (known.contains(partition)) continue;
    Tell(fmt::format("{}: no node is in partition '{}'; the cluster has {}", config_.file, Printable(partition, 40),
                     fmt::join(known, ", ")));
  }
}

job_length::Prediction Controller::LengthOf(const ClusterJob& job) {
  const auto known = jobs_.find(job.key);
  if (known != jobs_.end() && known->second.length) return *known->second.length;
  return PredictLength(job, lengths_);
}

Status Controller::Save() {
  ArchiveEnded();
  StateChange change;
  change.state.Set("version", kStateVersion)
      .Set("begun", FormatInstant(begun_))
      .Set("mode", NameOf(mode_))
      .Set("config_mode", NameOf(config_.mode));
  change.state.Set("past", KeepPast());
  if (looked_) change.state.Set("looked", FormatInstant(*looked_));
  if (owed_from_) change.state.Set("owed_from", FormatInstant(*owed_from_));
  change.parts.push_back({"nodes", [this] { return KeepNodes(); }});
  for (std::size_t share = 0; share < kJobParts; ++share) {
    change.parts.push_back({JobPart(share), [this, share] { return KeepJobs(share); }});
  }
  if (accounts_) change.parts.push_back({"accounts", [this] { return accounts_->ToJson(); }});
  for (StateChange::Part& part : Shadow::Parts(shadow_.get())) {
    // What a shadow will go on with stays as it is.
    if (shadow_ || has_kept_shadow_) change.parts.push_back(std::move(part));
  }
  change.ended = archived_;
  for (const PastSlot& slot : slots_) change.slots.push_back({slot.span.begin, SlotJson(slot)});
  const Status saved = parts_.store.Save(change);
  if (!saved) {
    saved_.reset();  // tried again with the next cycle
    return saved;
  }
  saved_ = parts_.clock.Steady();
  saved_look_ = looked_.value_or(begun_);
  // Commands find each job once: in the report, or among those that are saved.
  const bool has_archived = !archived_.empty();
  archived_.clear();
  slots_.clear();
  if (has_archived) Publish(report()->last_cycle);
  return {};
}

Json Controller::KeepNodes() const {
  Json::Object nodes;
  for (const auto& [name, used] : of_nodes_) nodes.emplace_back(name, used.value);
  Json::Object off;
  for (const auto& [name, is_off] : was_off_) off.emplace_back(name, is_off);
  return Json().Set("nodes_j", std::move(nodes)).Set("nodes_off", std::move(off));
}

// A share of all jobs: thousands at once would need much memory.
Json Controller::KeepJobs(std::size_t share) const {
  Json jobs{Json::Array{}};
  for (const auto& [key, known] : jobs_) {
    if (static_cast<std::size_t>(key.number) % kJobParts != share) continue;
    Json job = KeepJob(*known.job);
    job.Set("counted_s", known.counted.count());
    // A job that has ended gets no new terms.
    if (known.terms->may_wait()) {
      job.Set("may_start", FormatInstant(known.terms->start))
          .Set("slack_s", static_cast<std::int64_t>(known.terms->slack.count()));
    }
    jobs.Append(std::move(job));
  }
  return jobs;
}

Status Controller::Restore(const Json& kept) {
  loop::LogFields fields(kept);
  if (fields.Integer("version") != kStateVersion && fields.status()) {
    return Fail(ErrorCode::kUnsupported, kept.where(), "is the state of another version of heliostatctld",
                "that version, or another folder in `state`");
  }
  looked_ = fields.MaybeTime("looked");
  saved_look_ = looked_.value_or(begun_);
  owed_from_ = fields.MaybeTime("owed_from");
  // A mode that an operator has set holds until the config changes.
  if (fields.Text("config_mode") == NameOf(config_.mode)) {
    const auto mode = ModeNamed(fields.Text("mode"), kept.where());
    if (!mode) return Propagate(mode);
    mode_ = *mode;
  }
  if (!fields.status()) return fields.status();
  if (const Json* const past = kept.Find("past")) {
    if (const Status bad = RestorePast(*past); !bad) return bad;
  }
  if (const Status bad = RestoreNodes(); !bad) return bad;
  for (std::size_t share = 0; share < kJobParts; ++share) {
    if (const Status bad = RestoreJobs(share); !bad) return bad;
  }
  const auto accounts = parts_.store.LoadPart("accounts");
  if (!accounts) return Propagate(accounts);
  if (!accounts->is_null()) {
    auto restored = cluster_account::Accounts::FromJson(*accounts);
    if (!restored) return Propagate(restored);
    accounts_ = *std::move(restored);
  }
  const auto shadow = parts_.store.HasPart(Shadow::Parts(nullptr).front().name);
  if (!shadow) return Propagate(shadow);
  has_kept_shadow_ = *shadow;
  Log(LogLevel::kInfo, "goes on with accounts since {}, saved with the look of {}", FormatInstant(begun_),
      FormatInstant(saved_look_));
  return {};
}

Status Controller::RestoreJobs(std::size_t share) {
  const auto kept = parts_.store.LoadPart(JobPart(share));
  if (!kept) return Propagate(kept);
  if (kept->is_null()) return {};
  const auto elements = kept->Elements();
  if (!elements) return Propagate(elements);
  for (const Json& entry : **elements) {
    auto job = KeptJob(entry);
    if (!job) return Propagate(job);
    loop::LogFields fields(entry);
    JobTerms terms;
    if (fields.Has("slack_s")) {
      terms.start = fields.Time("may_start");
      terms.slack = Duration{fields.Integer("slack_s")};
      terms.wishes = workload::ParseJobComment(job->comment).value_or(workload::JobComment{});
    }
    KnownJob& known = jobs_[job->key];
    known.counted = Duration{fields.Integer("counted_s")};
    known.counted_start = job->start;
    // Until the cluster is asked again, it has run for as long as it has been counted.
    job->run_time = known.counted;
    if (!fields.status()) return fields.status();
    known.terms = std::move(terms);
    known.job = *std::move(job);
  }
  return {};
}

Status Controller::RestoreNodes() {
  const auto kept = parts_.store.LoadPart("nodes");
  if (!kept) return Propagate(kept);
  for (const char* part : {"nodes_j", "nodes_off"}) {
    const auto there = kept->Get(part);
    if (!there) return Propagate(there);
    const auto members = (*there)->Members();
    if (!members) return Propagate(members);
    for (const auto& [name, value] : **members) {
      if (std::string_view(part) == "nodes_j") of_nodes_[name] = Joules{value.Number().value_or(0.0)};
      if (std::string_view(part) == "nodes_off") was_off_[name] = value.Boolean().value_or(false);
    }
  }
  return {};
}

}  // namespace heliostat::controller
