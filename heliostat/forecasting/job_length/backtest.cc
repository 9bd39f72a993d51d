#include "heliostat/forecasting/job_length/backtest.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/job_length/running_median.h"

namespace heliostat::job_length {
namespace {

// The past of one moment: what the model and the simpler rules have learned. Jobs end in the order of their ends.
class Past {
 public:
  explicit Past(std::span<const PastJob> jobs, const std::vector<Rehearsed>& rehearsed)
      : jobs_(jobs), rehearsed_(rehearsed) {}

  void Submit(std::size_t index) { running_.push({jobs_[index].end(), index}); }

  // Learns from all jobs that ended before `now`.
  void AdvanceTo(Duration now) {
    for (; !running_.empty() && running_.top().first < now; running_.pop()) {
      const std::size_t index = running_.top().second;
      const EndedJob& job = jobs_[index].job;
      model_.Learn(job, rehearsed_[index].predicted);
      all_.Add(job.length);
      if (!job.traits.user.empty()) by_user_[job.traits.user].Add(job.length);
    }
  }

  Rehearsed Ask(const EndedJob& job) const {
    Rehearsed asked{.length = job.length, .gpus = job.traits.gpus};
    asked.predicted = model_.Predict(job.traits);
    asked.time_limit = job.traits.time_limit;
    asked.all_median = all_.Value();
    const auto user = by_user_.find(job.traits.user);
    asked.user_median = user == by_user_.end() ? asked.all_median : user->second.Value();
    return asked;
  }

 private:
  using EndOfJob = std::pair<Duration, std::size_t>;

  std::span<const PastJob> jobs_;
  const std::vector<Rehearsed>& rehearsed_;
  std::priority_queue<EndOfJob, std::vector<EndOfJob>, std::greater<>> running_;
  LengthModel model_;
  RunningMedian all_;
  std::unordered_map<std::string, RunningMedian> by_user_;
};

}  // namespace

std::vector<Rehearsed> Rehearse(std::span<const PastJob> jobs) {
  Check(std::ranges::is_sorted(jobs, {}, &PastJob::submit), "jobs are not in the order of their submission");
  std::vector<Rehearsed> rehearsed;
  rehearsed.reserve(jobs.size());
  Past past(jobs, rehearsed);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    past.AdvanceTo(jobs[i].submit);
    rehearsed.push_back(past.Ask(jobs[i].job));
    past.Submit(i);
  }
  return rehearsed;
}

}  // namespace heliostat::job_length
