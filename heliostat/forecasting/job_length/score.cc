#include "heliostat/forecasting/job_length/score.h"

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/names.h"

namespace heliostat::job_length {
namespace {

using namespace std::chrono_literals;

constexpr auto kRuleNames = NamesOf<Rule>({
    {Rule::kModel, "from history"},
    {Rule::kTimeLimit, "time limit"},
    {Rule::kUserMedian, "median of the user"},
    {Rule::kAllMedian, "median of all"},
});

// The quantiles whose losses are scored.
constexpr std::array<std::size_t, 3> kScored{kMedian, kUpperQuartile, kHighest};

struct GpuBand {
  int most;
  const char* name;
};
constexpr std::array<GpuBand, 5> kGpuBands{{{1, "1"}, {4, "2-4"}, {8, "5-8"}, {32, "9-32"}, {1 << 30, "above 32"}}};

struct LengthBand {
  Duration most;
  const char* name;
};
constexpr std::array<LengthBand, 5> kLengthBands{{{10min, "up to 10 min"},
                                                  {1h, "10 min - 1 h"},
                                                  {6h, "1 h - 6 h"},
                                                  {24h, "6 h - 24 h"},
                                                  {Duration::max(), "above 24 h"}}};

bool Counts(const Rehearsed& job) { return job.predicted && job.all_median && job.length > 0s; }

std::optional<Quantiles> SaidBy(Rule rule, const Rehearsed& job) {
  if (rule == Rule::kModel) return job.predicted->quantiles;
  const auto& value = rule == Rule::kTimeLimit    ? job.time_limit
                      : rule == Rule::kUserMedian ? job.user_median
                                                  : job.all_median;
  if (!value) return std::nullopt;
  Quantiles same;
  same.fill(*value);
  return same;
}

Seconds Pinball(double share, Duration quantile, Duration length) {
  const Seconds above = Seconds(length - quantile);
  return above.count() > 0.0 ? above * share : above * (share - 1.0);
}

double MedianOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <typename Filter>
Score ScoreOf(Rule rule, std::span<const Rehearsed> jobs, const Filter& is_in) {
  Score score{.rule = rule};
  std::vector<double> errors;
  for (const Rehearsed& job : jobs) {
    if (!Counts(job) || !is_in(job)) continue;
    const auto said = SaidBy(rule, job);
    if (!said) continue;
    const double length_s = Seconds(job.length).count();
    errors.push_back(std::abs(Seconds((*said)[kMedian]).count() - length_s) / length_s);
    for (std::size_t i = 0; i < kScored.size(); ++i) {
      score.pinball[i] += Pinball(kShares[kScored[i]], (*said)[kScored[i]], job.length);
    }
    if (job.length <= (*said)[kHighest]) score.coverage95 += 1.0;
  }
  score.jobs = errors.size();
  if (errors.empty()) return score;
  const auto count = static_cast<double>(errors.size());
  score.median_relative_error = MedianOf(errors);
  for (Seconds& loss : score.pinball) loss /= count;
  score.coverage95 /= count;
  return score;
}

template <typename Filter>
void AddGroup(const char* by, std::string name, std::span<const Rehearsed> jobs, const Filter& is_in,
              std::vector<ScoredGroup>& groups) {
  ScoredGroup group{.by = by, .name = std::move(name)};
  for (const Rule rule : kRules) {
    Score score = ScoreOf(rule, jobs, is_in);
    if (score.jobs == 0) continue;
    group.jobs = std::max(group.jobs, score.jobs);
    group.scores.push_back(score);
  }
  if (group.jobs > 0) groups.push_back(std::move(group));
}

}  // namespace

std::string_view NameOf(Rule rule) { return kRuleNames.NameOf(rule); }

std::vector<ScoredGroup> ScoreAll(std::span<const Rehearsed> jobs) {
  std::vector<ScoredGroup> groups;
  AddGroup(
      "all", "all", jobs, [](const Rehearsed&) { return true; }, groups);
  for (std::size_t i = 0; i < kSources; ++i) {
    const auto source = Source{static_cast<int>(i)};
    AddGroup(
        "source", std::string(NameOf(source)), jobs,
        [&](const Rehearsed& job) { return job.predicted->source == source; }, groups);
  }
  for (std::size_t i = 0; i < kGpuBands.size(); ++i) {
    const int above = i == 0 ? 0 : kGpuBands[i - 1].most;
    AddGroup(
        "gpus", kGpuBands[i].name, jobs,
        [&](const Rehearsed& job) { return job.gpus > above && job.gpus <= kGpuBands[i].most; }, groups);
  }
  for (std::size_t i = 0; i < kLengthBands.size(); ++i) {
    const Duration above = i == 0 ? 0s : kLengthBands[i - 1].most;
    AddGroup(
        "length", kLengthBands[i].name, jobs,
        [&](const Rehearsed& job) { return job.length > above && job.length <= kLengthBands[i].most; }, groups);
  }
  return groups;
}

}  // namespace heliostat::job_length
