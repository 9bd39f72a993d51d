#include "heliostat/control/cluster/action_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/names.h"
#include "heliostat/control/cluster/job_note.h"

namespace heliostat::cluster {
namespace {

constexpr auto kNames = NamesOf<Outcome>({{Outcome::kDone, "done"},
                                          {Outcome::kAlreadySo, "already so"},
                                          {Outcome::kNotThatJob, "not that job"},
                                          {Outcome::kWrongState, "wrong state"},
                                          {Outcome::kOwnersLimit, "limit of the owner"},
                                          {Outcome::kOwnerChanged, "changed by the owner"},
                                          {Outcome::kUntouchable, "untouchable"},
                                          {Outcome::kNoRight, "no right"},
                                          {Outcome::kRefused, "refused"},
                                          {Outcome::kNotSent, "not sent"},
                                          {Outcome::kNotKnown, "not known"}});

constexpr int kFarthestNice = 2'147'483'645;  // Slurm's

Step Decided(Outcome outcome, std::string why = "") {
  Step step;
  step.decided = ActionResult{outcome, std::move(why)};
  return step;
}

// Everything that the rules look at.
struct Case {
  const JobRecord& job;
  JobNote note;
  Instant now;
  bool is_unsure;

  std::string Comment(const JobNote& changed) const { return WithNote(job.admin_comment, changed); }
  std::optional<Instant> OwnersBegin() const { return note.begin ? note.begin->was : job.begin; }
  int OwnersNice() const { return note.nice ? note.nice->was : job.nice; }
  int OwnersThrottle() const { return note.throttle ? note.throttle->was : job.throttle.value_or(0); }
  bool IsBeginOurs() const { return note.begin && job.is_waiting() && job.begin == note.begin->set; }
  bool IsNiceOurs() const { return note.nice && job.is_waiting() && job.nice == note.nice->set; }
  bool IsThrottleOurs() const { return note.throttle && job.throttle == note.throttle->set; }
};

// Of a run before a requeue only the order stays, since Slurm keeps it.
JobNote CurrentNote(const JobRecord& job) {
  JobNote note = ParseNote(job.admin_comment).value_or(JobNote{});
  if (note.run != job.key.submit) {
    note.begin.reset();
    note.is_suspended = false;
  }
  if (!job.throttle) note.throttle.reset();
  note.run = job.key.submit;
  return note;
}

bool HasOwnerChanged(const Case& c) {
  const JobNote& note = c.note;
  if (note.is_suspended && c.job.state == JobState::kRunning && !c.is_unsure) return true;
  if (!c.job.is_waiting()) return false;
  // A begin that is still the one of before is a change of ours that never arrived: an owner does not meet the second.
  if (note.begin && c.job.begin != note.begin->set && c.job.begin != note.begin->was &&
      (!note.begin->before || c.job.begin != note.begin->before)) {
    return true;
  }
  const auto is_foreign = [&](const std::optional<JobNote::Number>& number, int value) {
    return number && value != number->set && !(c.is_unsure && value == number->was);
  };
  return is_foreign(note.nice, c.job.nice) || (c.job.throttle && is_foreign(note.throttle, *c.job.throttle));
}

// Everything that is still as we set it gets the owner's value.
RecordChange Restoring(const Case& c) {
  RecordChange change;
  if (c.IsBeginOurs()) {
    change.begin.emplace();
    if (c.note.begin->was && *c.note.begin->was > c.now) change.begin->at = c.note.begin->was;
  }
  if (c.IsNiceOurs() && c.job.nice != c.note.nice->was) change.nice = c.note.nice->was;
  if (c.IsThrottleOurs() && c.job.throttle != c.note.throttle->was) change.throttle = c.note.throttle->was;
  if (c.note.is_suspended && c.job.state == JobState::kSuspended) change.signal = Signal::kResume;
  return change;
}

Step LettingGo(const Case& c) {
  Step step;
  step.change = Restoring(c);
  step.comment_after = c.Comment({.run = c.note.run, .is_let_go = true});
  step.at_success = {Outcome::kOwnerChanged, "its owner or an operator changed what was set; it is let go"};
  return step;
}

Step StepOf(const Case& c, const Park& park) {
  if (!c.job.is_waiting()) return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  if (park.until <= c.now) return Decided(Outcome::kRefused, "the latest start has passed");
  const auto own = c.OwnersBegin();
  if (own && *own >= park.until) {
    return Decided(Outcome::kOwnersLimit, fmt::format("its owner lets it begin at {}", FormatInstant(*own)));
  }
  if (c.job.kill_at && park.until + c.job.time_limit.value_or(Duration(0)) > *c.job.kill_at) {
    return Decided(Outcome::kOwnersLimit, fmt::format("its owner lets it end at {}", FormatInstant(*c.job.kill_at)));
  }
  if (c.IsBeginOurs() && c.note.begin->set == park.until) return Decided(Outcome::kAlreadySo);
  JobNote note = c.note;
  note.begin = JobNote::Begin{park.until, own, {}};
  if (c.IsBeginOurs()) note.begin->before = c.job.begin;
  Step step;
  step.comment_before = c.Comment(note);
  step.change.begin = RecordChange::Begin{park.until};
  return step;
}

Step StepOf(const Case& c, const StartNow&) {
  if (!c.job.is_waiting()) {
    const bool runs = c.job.state == JobState::kStarting || c.job.state == JobState::kRunning;
    return Decided(runs ? Outcome::kAlreadySo : Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  }
  const auto own = c.OwnersBegin();
  const bool is_later = own && *own > c.now;
  const ActionResult later{Outcome::kOwnersLimit,
                           is_later ? fmt::format("its owner lets it begin at {}", FormatInstant(*own)) : ""};
  const ActionResult held{Outcome::kOwnersLimit, "it is held"};
  const bool is_held = c.job.state == JobState::kHeld;
  if (!c.IsBeginOurs()) {
    if (is_later || is_held) return Decided(Outcome::kOwnersLimit, is_later ? later.why : held.why);
    return Decided(Outcome::kAlreadySo);
  }
  JobNote note = c.note;
  note.begin.reset();
  Step step;
  step.change.begin.emplace();
  if (is_later) step.change.begin->at = own;
  step.comment_after = c.Comment(note);
  if (is_held) step.at_success = held;
  if (is_later) step.at_success = later;
  return step;
}

Step StepOf(const Case& c, const Release&) {
  if (c.note.empty()) return Decided(Outcome::kAlreadySo);
  Step step;
  step.change = Restoring(c);
  // That its owner does not want it touched stays.
  step.comment_after = c.Comment({.run = c.note.run, .is_let_go = c.note.is_let_go || HasOwnerChanged(c)});
  if (step.change.empty() && *step.comment_after == c.job.admin_comment) return Decided(Outcome::kAlreadySo);
  return step;
}

// Sets a number of the record, which `note` remembers in `place` unless it is the owner's.
Step Numbered(const Case& c, int wanted, int present, int own, std::optional<JobNote::Number> JobNote::*place,
              std::optional<int> RecordChange::*field) {
  JobNote note = c.note;
  note.*place = wanted == own ? std::nullopt : std::optional(JobNote::Number{wanted, own});
  if (present == wanted && note == c.note) return Decided(Outcome::kAlreadySo);
  Step step;
  if (present != wanted) step.change.*field = wanted;
  (wanted == own ? step.comment_after : step.comment_before) = c.Comment(note);
  return step;
}

Step StepOf(const Case& c, const Order& order) {
  if (!c.job.is_waiting()) return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  if (order.nice < -kFarthestNice || order.nice > kFarthestNice)
    return Decided(Outcome::kRefused,
                   fmt::format("the nice is {}; from {} to {}", order.nice, -kFarthestNice, kFarthestNice));
  const int own = c.OwnersNice();
  if (own > 0 && order.nice < own) {
    return Decided(Outcome::kOwnersLimit, fmt::format("its owner gave it the nice {}", own));
  }
  return Numbered(c, order.nice, c.job.nice, own, &JobNote::nice, &RecordChange::nice);
}

Step StepOf(const Case& c, const Throttle& throttle) {
  if (!c.job.throttle) return Decided(Outcome::kWrongState, "it is no array of which several elements wait");
  const int own = c.OwnersThrottle();
  if (throttle.most < 0) return Decided(Outcome::kRefused, "the throttle is below zero");
  if (own > 0 && (throttle.most == 0 || throttle.most > own)) {
    return Decided(Outcome::kOwnersLimit, fmt::format("its owner lets {} run at once", own));
  }
  return Numbered(c, throttle.most, *c.job.throttle, own, &JobNote::throttle, &RecordChange::throttle);
}

Step StepOf(const Case& c, const Suspend&) {
  if (c.job.state == JobState::kSuspended) {
    return c.note.is_suspended ? Decided(Outcome::kAlreadySo) : Decided(Outcome::kOwnersLimit, "another suspended it");
  }
  if (c.job.state != JobState::kRunning) {
    return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  }
  JobNote note = c.note;
  note.is_suspended = true;
  Step step;
  step.comment_before = c.Comment(note);
  step.change.signal = Signal::kSuspend;
  return step;
}

Step StepOf(const Case& c, const Resume&) {
  if (c.job.state == JobState::kRunning) return Decided(Outcome::kAlreadySo);
  if (c.job.state != JobState::kSuspended) {
    return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  }
  if (!c.note.is_suspended) return Decided(Outcome::kOwnersLimit, "another suspended it");
  JobNote note = c.note;
  note.is_suspended = false;
  Step step;
  step.change.signal = Signal::kResume;
  step.comment_after = c.Comment(note);
  return step;
}

Step StepOf(const Case& c, const Requeue&) {
  if (c.job.state != JobState::kRunning && c.job.state != JobState::kSuspended) {
    return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(c.job.state)));
  }
  if (!c.job.may_requeue) return Decided(Outcome::kOwnersLimit, "its owner lets it not be requeued");
  if (c.job.state == JobState::kSuspended && !c.note.is_suspended) {
    return Decided(Outcome::kOwnersLimit, "another suspended it");
  }
  Step step;
  step.change.signal = Signal::kRequeue;
  return step;
}

bool IsBeginFulfilled(const RecordChange::Begin& begin, const JobRecord& after, Instant now) {
  const bool may_start = !begin.at || *begin.at <= now;
  if (!after.is_waiting()) return may_start;
  if (begin.at) return after.begin == begin.at;
  // "Now" is a second of the cluster, whose clock may be ahead of ours.
  return !after.begin || *after.begin <= now + Duration(5);
}

}  // namespace

std::string_view NameOf(Outcome outcome) { return kNames.NameOf(outcome); }

bool JobRecord::Has(int element) const { return std::binary_search(elements.begin(), elements.end(), element); }

Step StepFor(const JobRecord& record, const JobVerb& verb, Instant now, bool is_unsure) {
  if (record.is_heterogeneous) return Decided(Outcome::kWrongState, "it is a part of a heterogeneous job");
  if (record.state == JobState::kEnded || record.state == JobState::kUnknown) {
    return Decided(Outcome::kWrongState, fmt::format("it is {}", NameOf(record.state)));
  }
  if (const auto* const annotate = std::get_if<Annotate>(&verb)) {
    std::string comment = WithAnnotation(record.admin_comment, annotate->text);
    if (comment == record.admin_comment) return Decided(Outcome::kAlreadySo);
    Step step;
    step.comment_before = std::move(comment);
    return step;
  }
  const Case c{record, CurrentNote(record), now, is_unsure};
  if (!std::holds_alternative<Release>(verb)) {
    if (c.note.is_let_go) return Decided(Outcome::kOwnerChanged, "it was let go");
    if (HasOwnerChanged(c)) return LettingGo(c);
  }
  return std::visit(
      [&](const auto& one) -> Step {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Annotate>)
          return Decided(Outcome::kAlreadySo);
        else
          return StepOf(c, one);
      },
      verb);
}

bool IsFulfilled(const RecordChange& change, const JobRecord& before, const JobRecord& after, Instant now) {
  if (change.admin_comment && after.admin_comment != *change.admin_comment) return false;
  if (change.begin && !IsBeginFulfilled(*change.begin, after, now)) return false;
  if (change.nice && after.nice != *change.nice) return false;
  if (change.throttle && after.throttle && *after.throttle != *change.throttle) return false;
  if (!change.signal) return true;
  switch (*change.signal) {
    case Signal::kSuspend:
      return after.state == JobState::kSuspended;
    case Signal::kResume:
      return after.state != JobState::kSuspended;
    case Signal::kRequeue:
      return after.restarts > before.restarts;
  }
  return false;
}

}  // namespace heliostat::cluster
