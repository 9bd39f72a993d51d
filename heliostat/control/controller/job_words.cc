#include "heliostat/control/controller/job_words.h"

#include <fmt/format.h>

#include <vector>

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::JobState;
using cluster::Untouched;

namespace {

// Starts that differ by less are the same: the controller looks every few seconds.
constexpr auto kAtOnce = std::chrono::minutes(1);

bool HasGpus(const ClusterJob& job) {
  return cluster::CountOf(job.gpus_requested) > 0 || cluster::CountOf(job.gpus_allocated) > 0;
}
bool Waits(const ClusterJob& job) { return job.state == JobState::kWaiting || job.state == JobState::kHeld; }

// "1 h 54 min": without seconds.
std::string InWords(Duration time) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(time);
  const auto hours = std::chrono::floor<std::chrono::hours>(minutes);
  if (hours.count() == 0 || hours == minutes) return FormatDuration(std::max(minutes, std::chrono::minutes(1)));
  return fmt::format("{} h {} min", hours.count(), (minutes - hours).count());
}

// Why the cluster itself lets a job wait, in its words and in ours.
std::string WaitsFor(const ClusterJob& job) {
  if (job.state == JobState::kHeld) return "it is held: its user or an operator has to release it";
  if (!job.dependencies.empty()) return fmt::format("it waits for other jobs ({})", fmt::join(job.dependencies, ", "));
  if (job.reason == "Resources" || job.reason == "Priority")
    return "the cluster has no free nodes for it yet (" + job.reason + ")";
  if (job.reason == "BeginTime") {
    return "its user wants it to begin " +
           (job.eligible ? "at " + FormatInstant(*job.eligible) + ", not earlier" : std::string("later"));
  }
  return job.reason.empty() || job.reason == "None" ? "the cluster has not started it yet"
                                                    : "the cluster lets it wait (" + Printable(job.reason, 60) + ")";
}

std::string WhyItMayNotWait(const JobTerms& terms) {
  if (!terms.comment_flaw.empty()) return "its comment cannot be read (" + terms.comment_flaw + ")";
  if (terms.untouched) return std::string(Sentence(*terms.untouched));
  if (!terms.held_by.empty()) return "job " + terms.held_by + " waits for it and has no slack to give";
  if (!terms.deadline_flaw.empty()) return terms.deadline_flaw;
  return "its slack is used up";
}

// The same in a word or two.
std::string InShort(const JobTerms& terms) {
  if (!terms.comment_flaw.empty()) return "wrong comment";
  if (!terms.untouched) {
    if (!terms.held_by.empty()) return "job " + terms.held_by + " needs it";
    return terms.deadline_flaw.empty() ? "slack used up" : "deadline near";
  }
  switch (*terms.untouched) {
    case Untouched::kInteractive:
      return "interactive";
    case Untouched::kHeterogeneous:
      return "heterogeneous";
    case Untouched::kInReservation:
      return "in reservation";
    case Untouched::kForeignPartition:
      return "other partition";
    case Untouched::kUnlimited:
      return "no time limit";
    case Untouched::kNoSlack:
      return "wants no slack";
    case Untouched::kSaysNothing:
      return "says nothing";
    case Untouched::kUnknownState:
      break;
  }
  return "unknown state";
}

// Nothing when there is hardly a difference.
std::string Saving(const JobReport& report) {
  const double grams = report.best_saves.value;
  if (grams >= 1e4) return fmt::format("save about {:.0f} kg of CO2e", grams / 1000.0);
  if (grams >= 100.0) return fmt::format("save about {:.2g} kg of CO2e", grams / 1000.0);
  if (grams >= 10.0) return fmt::format("save about {:.0f} g of CO2e", grams);
  if (grams >= 1.0) return fmt::format("save about {:.2g} g of CO2e", grams);
  return report.best_saves_cost > 0.0 ? "cost less" : "";
}

std::string OfAWaitingJob(const JobReport& report) {
  const JobTerms& terms = *report.terms;
  std::string text = WaitsFor(*report.job);
  if (!terms.may_wait()) return text + "; Heliostat leaves it alone: " + WhyItMayNotWait(terms);
  if (!HasGpus(*report.job)) return text + "; Heliostat leaves it alone: it asks for no GPUs, so waiting saves nothing";
  const auto latest = LatestStartOf(report);
  text += latest ? fmt::format("; it may start until {}", FormatInstant(*latest))
                 : fmt::format("; from then on it may wait {} more", InWords(terms.slack));
  if (!terms.held_by.empty()) text += fmt::format(", because job {} waits for it", terms.held_by);
  if (!terms.has_start) return text;
  if (!report.best_start) return text + "; without a signal no start is better than another";
  const std::string saving = Saving(report);
  if (*report.best_start <= terms.start || saving.empty()) return text + "; no later start is better";
  return text + fmt::format("; a start at {} would {}", FormatInstant(*report.best_start), saving);
}

std::string OfAStartedJob(const JobReport& report) {
  const JobTerms& terms = *report.terms;
  const std::string here = report.job->end ? "it has ended" : "it runs";
  if (!HasGpus(*report.job)) return here + "; it has no GPUs, so the shadow does not have it";
  if (!report.twin) return here + "; the shadow does not have it: its nodes are of several groups, or of none";
  const TwinJob& twin = *report.twin;
  if (!terms.may_wait()) return here + "; Heliostat would have started it too: " + WhyItMayNotWait(terms);
  if (twin.start) {
    const Duration later = *twin.start - report.job->start.value_or(*twin.start);
    if (later <= kAtOnce) return here + "; Heliostat would have started it at once, too";
    return here + fmt::format("; Heliostat would have started it {} later", InWords(later));
  }
  std::string text = here + "; Heliostat would still let it wait";
  if (twin.planned_start) text += ", until " + FormatInstant(*twin.planned_start);
  text += fmt::format(", at the latest until {}", FormatInstant(terms.LatestStart()));
  return twin.why.empty() ? text : text + " (" + twin.why + ")";
}

// The command with which a user changes the comment of a job that waits.
std::string CommentCommand(const ClusterJob& job) {
  return "scontrol update JobId=" + NumberText(job.key) + " Comment='heliostat:slack=50%'";
}

std::string AdviceAgainst(const JobReport& report) {
  switch (*report.terms->untouched) {
    case Untouched::kSaysNothing:
    case Untouched::kNoSlack:
      return Waits(*report.job)
                 ? "slack in its comment would let it wait for cleaner power: " + CommentCommand(*report.job) +
                       "; `heliostat submit` writes it from the start"
                 : "submitted with slack or a deadline (`heliostat submit`), such a job can wait for cleaner power";
    case Untouched::kUnlimited:
      return "a time limit with slack, or a deadline, would let such a job wait for cleaner power";
    case Untouched::kInteractive:
      return "as a batch job with slack (`heliostat submit`) it could wait for cleaner power";
    case Untouched::kForeignPartition:
      return "only the operator can change that: `partitions` in the config of heliostatctld";
    case Untouched::kHeterogeneous:
    case Untouched::kInReservation:
    case Untouched::kUnknownState:
      break;
  }
  return "nothing that its user allows would change that";
}

}  // namespace

bool MayWait(const JobReport& report) { return report.terms->may_wait() && HasGpus(*report.job); }

std::optional<Instant> LatestStartOf(const JobReport& report) {
  const JobTerms& terms = *report.terms;
  const bool waits = Waits(*report.job) || (report.twin && !report.twin->start);
  // A deadline says until when, whatever else decides about the start.
  if (!waits || !MayWait(report) || (!terms.has_start && !terms.wishes.deadline)) return std::nullopt;
  return terms.LatestStart();
}

std::string ReasonOf(const JobReport& report, Mode mode) {
  if (Waits(*report.job)) return OfAWaitingJob(report);
  if (report.job->state == JobState::kUnknown) return "its state is not known here, so Heliostat leaves it alone";
  if (mode == Mode::kObserve) return report.job->end ? "it has ended" : "it runs; in mode observe nothing is decided";
  return OfAStartedJob(report);
}

std::string AdviceFor(const JobReport& report) {
  const JobTerms& terms = *report.terms;
  const bool waits = Waits(*report.job);
  if (!terms.comment_flaw.empty()) {
    return waits ? "correct its comment: " + CommentCommand(*report.job) +
                       "; `heliostat submit` refuses wrong ones at once"
                 : "`heliostat submit` writes the comment, and refuses wrong ones at once";
  }
  if (terms.untouched) return AdviceAgainst(report);
  if (!HasGpus(*report.job)) return "nothing that its user allows would change that";
  if (!terms.deadline_flaw.empty()) return "a later deadline, or a shorter time limit, would let it wait";
  if (!terms.held_by.empty()) return "more slack for job " + terms.held_by + " would give this one more, too";
  if (!waits || !terms.may_wait()) return "more slack, or a later deadline, lets such a job wait longer";
  return "more slack, or a later deadline, would let it wait longer; with a slack of 0 % it is left alone";
}

std::string StandingOf(const JobReport& report, Mode mode) {
  const JobTerms& terms = *report.terms;
  if (Waits(*report.job) || report.job->state == JobState::kUnknown) {
    if (!terms.may_wait()) return "alone: " + InShort(terms);
    return HasGpus(*report.job) ? "may wait" : "alone: no GPUs";
  }
  if (mode == Mode::kObserve) return "";
  if (!report.twin) return "not in the shadow";
  if (!report.twin->start && terms.may_wait()) return "would wait";
  const Instant here = report.job->start.value_or(Instant{});
  if (!report.twin->start || *report.twin->start - here <= kAtOnce) return "same start";
  return "would start later";
}

std::string AllowedBy(const JobReport& report) {
  const workload::JobComment& wishes = report.terms->wishes;
  std::vector<std::string> parts;
  if (wishes.deadline) parts.push_back("deadline " + FormatInstant(*wishes.deadline));
  if (wishes.slack_share) parts.push_back(fmt::format("slack {:g} %", *wishes.slack_share * 100.0));
  if (wishes.may_suspend) parts.emplace_back("may suspend");
  if (wishes.may_requeue) parts.emplace_back("may requeue");
  if (report.terms->default_share > 0.0)
    parts.push_back(fmt::format("slack {:g} % by default", report.terms->default_share * 100.0));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace heliostat::controller
