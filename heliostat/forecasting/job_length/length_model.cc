#include "heliostat/forecasting/job_length/length_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heliostat/base/core/names.h"

namespace heliostat::job_length {
namespace {

// Jobs with less in common count as much as so many jobs of a level. Jobs of one user are more alike than those of an
// account.
double PriorOf(Level level) { return level <= Level::kUser ? 4.0 : 32.0; }
// A weight of further levels that no longer matters.
constexpr double kNegligible = 0.002;

constexpr auto kNames = NamesOf<Source>({
    {Source::kNameAndGpus, "user-name-gpus"},
    {Source::kName, "user-name"},
    {Source::kUserGpusAndLimit, "user-gpus-limit"},
    {Source::kUser, "user"},
    {Source::kAccountAndGpus, "account-gpus"},
    {Source::kAccount, "account"},
    {Source::kLimit, "limit"},
    {Source::kAll, "all"},
    {Source::kTimeLimit, "time-limit"},
});
constexpr auto kWords = NamesOf<Source>({
    {Source::kNameAndGpus, "of the same user, name and number of GPUs"},
    {Source::kName, "of the same user and name"},
    {Source::kUserGpusAndLimit, "of the same user, number of GPUs and time limit"},
    {Source::kUser, "of the same user"},
    {Source::kAccountAndGpus, "of the same account and number of GPUs"},
    {Source::kAccount, "of the same account"},
    {Source::kLimit, "with a similar time limit"},
    {Source::kAll, "of the cluster"},
});

struct WeightedLength {
  std::int64_t seconds;
  double weight;
};

// The lengths of past jobs that tell about one new job, and where most of them come from.
struct Evidence {
  std::vector<WeightedLength> lengths{};
  double weight = 0.0;
  Source source = Source::kAll;
  std::size_t jobs = 0;
  bool is_seen = false;  // a job of the same user or account has ended

  // The least length that at least `share` of the weight does not exceed. The lengths must be sorted.
  Duration Quantile(double share) const {
    double below = 0.0;
    for (const WeightedLength& one : lengths) {
      below += one.weight;
      if (below >= share * weight) return Duration{one.seconds};
    }
    return Duration{lengths.back().seconds};
  }
};

void Add(const Lengths& lengths, double share, const std::optional<Duration>& limit, Evidence& evidence) {
  const double each = share / lengths.evidence();
  const double ratio = lengths.WeightOf(1);
  double weight = each;
  for (std::size_t age = 0; age < lengths.size(); ++age, weight *= ratio) {
    const Lengths::Length length = lengths.at(age);
    std::int64_t seconds = length.seconds;
    if (limit) seconds = length.is_cut != 0 ? limit->count() : std::min<std::int64_t>(seconds, limit->count());
    evidence.lengths.push_back({seconds, weight});
  }
  evidence.weight += share;
}

Evidence EvidenceFor(const JobTraits& traits, const History& history) {
  Evidence evidence;
  double rest = 1.0;
  double most = 0.0;
  for (std::size_t i = 0; i < kLevels && rest > kNegligible; ++i) {
    const auto level = Level{static_cast<int>(i)};
    const Lengths* const lengths = history.Find(level, traits);
    if (lengths == nullptr) continue;
    const double own = lengths->evidence();
    const double share = level == Level::kAll ? rest : rest * own / (own + PriorOf(level));
    Add(*lengths, share, traits.time_limit, evidence);
    rest -= share;
    evidence.is_seen = evidence.is_seen || level <= Level::kAccount;
    if (share <= most) continue;
    most = share;
    evidence.source = Source{static_cast<int>(i)};
    evidence.jobs = lengths->size();
  }
  std::ranges::sort(evidence.lengths, {}, &WeightedLength::seconds);
  return evidence;
}

}  // namespace

std::string_view NameOf(Source source) { return kNames.NameOf(source); }

std::string InWords(const Prediction& prediction) {
  if (prediction.source == Source::kTimeLimit) return "by its time limit: no such job has ended yet";
  return fmt::format("from {} {} {}", prediction.jobs, prediction.jobs == 1 ? "job" : "jobs",
                     kWords.NameOf(prediction.source));
}

std::optional<Prediction> LengthModel::Predict(const JobTraits& traits) const {
  const Evidence evidence = EvidenceFor(traits, history_);
  Prediction prediction;
  if (traits.time_limit && !evidence.is_seen) {
    prediction.quantiles.fill(*traits.time_limit);
    prediction.source = Source::kTimeLimit;
    return prediction;
  }
  if (evidence.lengths.empty()) return std::nullopt;
  prediction.source = evidence.source;
  prediction.jobs = evidence.jobs;
  const Calibration& calibration = calibrations_[static_cast<std::size_t>(evidence.source)];
  for (std::size_t i = 0; i < kHighest; ++i) prediction.quantiles[i] = evidence.Quantile(kShares[i]);
  prediction.quantiles[kHighest] = evidence.Quantile(calibration.asked());
  return prediction;
}

void LengthModel::Learn(const EndedJob& job, const std::optional<Prediction>& at_submission) {
  history_.Add(job);
  if (!at_submission || at_submission->source == Source::kTimeLimit) return;
  calibrations_[static_cast<std::size_t>(at_submission->source)].Learn(at_submission->highest(), job.length,
                                                                       job.traits.time_limit.value_or(Duration::max()));
}

}  // namespace heliostat::job_length
