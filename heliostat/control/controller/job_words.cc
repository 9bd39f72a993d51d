#include "heliostat/control/controller/job_words.h"

#include <fmt/format.h>

#include <vector>

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::JobState;
using cluster::Untouched;

namespace {

// Why the cluster itself lets a job wait, in its words and in ours.
std::string WaitsFor(const ClusterJob& job) {
  if (job.state == JobState::kHeld) return "it is held: its user or an operator has to release it";
  if (!job.dependencies.empty()) return fmt::format("it waits for {}", fmt::join(job.dependencies, ", "));
  if (job.reason == "Resources" || job.reason == "Priority")
    return "the cluster has no free nodes for it yet (" + job.reason + ")";
  if (job.reason == "BeginTime") return "its user wants it to begin later";
  return job.reason.empty() || job.reason == "None" ? "the cluster has not started it yet"
                                                    : "the cluster lets it wait: " + Printable(job.reason, 60);
}

std::string WhyItMayNotWait(const JobReport& report) {
  const JobTerms& terms = report.terms;
  if (!terms.comment_flaw.empty()) return "its comment cannot be read (" + terms.comment_flaw + ")";
  if (terms.untouched) return std::string(Sentence(*terms.untouched));
  if (!terms.held_by.empty()) return "job " + terms.held_by + " waits for it and has no slack to give";
  if (!terms.deadline_flaw.empty()) return terms.deadline_flaw;
  return "its slack is used up";
}

std::string Saving(Grams carbon) {
  return carbon.value < 1.0 ? "nothing" : fmt::format("about {:.2g} kg of CO2e", InKilograms(carbon));
}

std::string OfAWaitingJob(const JobReport& report) {
  const JobTerms& terms = report.terms;
  std::string text = WaitsFor(report.job);
  if (!terms.may_wait()) return text + "; Heliostat leaves it alone: " + WhyItMayNotWait(report);
  text += fmt::format("; it may start until {}", FormatInstant(terms.LatestStart()));
  if (!terms.held_by.empty()) text += fmt::format(", because job {} waits for it", terms.held_by);
  if (!report.best_start || *report.best_start <= terms.start) return text + "; no later start is cleaner";
  return text +
         fmt::format("; a start at {} would save {}", FormatInstant(*report.best_start), Saving(report.best_saves));
}

std::string OfAStartedJob(const JobReport& report) {
  const JobTerms& terms = report.terms;
  if (!report.twin) return report.job.end ? "it has ended" : "it runs";
  const TwinJob& twin = *report.twin;
  const std::string here = report.job.end ? "it has ended" : "it runs";
  if (!terms.may_wait()) return here + "; Heliostat would have started it too: " + WhyItMayNotWait(report);
  if (twin.start) {
    const Duration later = *twin.start - report.job.start.value_or(*twin.start);
    if (later <= std::chrono::minutes(1)) return here + "; Heliostat would have started it at once";
    return here + fmt::format("; Heliostat would have started it {} later", FormatDuration(later));
  }
  std::string text = here + "; Heliostat would still let it wait";
  if (twin.planned_start) text += ", until " + FormatInstant(*twin.planned_start);
  text += fmt::format(", at the latest until {}", FormatInstant(terms.LatestStart()));
  return twin.why.empty() ? text : text + " (" + twin.why + ")";
}

}  // namespace

std::string ReasonOf(const JobReport& report, Mode mode) {
  const JobState state = report.job.state;
  if (state == JobState::kWaiting || state == JobState::kHeld) return OfAWaitingJob(report);
  if (state == JobState::kUnknown) return "its state is not known here, so Heliostat leaves it alone";
  if (mode == Mode::kObserve) return report.job.end ? "it has ended" : "it runs; in mode observe nothing is decided";
  return OfAStartedJob(report);
}

std::string AdviceFor(const JobReport& report) {
  const JobTerms& terms = report.terms;
  if (!terms.comment_flaw.empty()) return "submit it with `heliostat submit`, which writes the comment";
  if (!terms.untouched) {
    if (!terms.deadline_flaw.empty())
      return "a later deadline, or a shorter time limit, would let it wait for cleaner power";
    return terms.held_by.empty() ? "" : "more slack for job " + terms.held_by + " would give this one more, too";
  }
  switch (*terms.untouched) {
    case Untouched::kSaysNothing:
    case Untouched::kNoSlack:
      return "with `heliostat submit --slack 50% -- sbatch …` it could wait for cleaner power";
    case Untouched::kUnlimited:
      return "a time limit with slack, or a deadline, would let it wait for cleaner power";
    default:
      return "";
  }
}

std::string AllowedBy(const JobReport& report) {
  const workload::JobComment& wishes = report.terms.wishes;
  std::vector<std::string> parts;
  if (wishes.deadline) parts.push_back("deadline " + FormatInstant(*wishes.deadline));
  if (wishes.slack_share) parts.push_back(fmt::format("slack {:g} %", *wishes.slack_share * 100.0));
  if (wishes.may_suspend) parts.emplace_back("may suspend");
  if (wishes.may_requeue) parts.emplace_back("may requeue");
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace heliostat::controller
