#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/control/cluster/testing/fake_cluster.h"

namespace heliostat::controller::testing {

// A small cluster that runs jobs in the order of their submission, each as soon as enough nodes are free. Jobs have
// whole nodes. Answers as Slurm does: ended jobs stay in the queue for five minutes, and in the accounts for ever.
class ToyCluster final : public cluster::Cluster {
 public:
  static constexpr int kGpusPerNode = 8;

  ToyCluster(Instant now, int nodes) : now_(now) {
    fake.facts.memory_of_ended = std::chrono::minutes(5);
    for (int n = 0; n < nodes; ++n) {
      cluster::ClusterNode node;
      node.name = "gpu" + std::to_string(n + 1);
      node.state = cluster::NodeState::kIdle;
      node.gpus = {{"a100", kGpusPerNode}};
      node.partitions = {"main"};
      fake.snapshot.nodes.push_back(std::move(node));
    }
  }

  // Returns the job, to change it before time passes.
  cluster::ClusterJob& Submit(std::int64_t number, int nodes, Duration length, const std::string& comment = "") {
    cluster::ClusterJob job;
    job.key = {number, {}, now_};
    job.run_number = number;
    job.user = "ann";
    job.account = "lab";
    job.name = "train";
    job.partitions = {"main"};
    job.comment = comment;
    job.state = cluster::JobState::kWaiting;
    job.reason = "Resources";
    job.node_count = nodes;
    job.time_limit = 2 * length;
    job.gpus_requested = {{"a100", nodes * kGpusPerNode}};
    job.eligible = now_;
    jobs_.push_back({std::move(job), length});
    return jobs_.back().job;
  }

  // Stops a job that runs, and lets it run again.
  void Suspend(std::int64_t number) {
    Entry& entry = Newest(number);
    entry.job.state = cluster::JobState::kSuspended;
    entry.stopped_at = now_;
  }
  void Resume(std::int64_t number) {
    Entry& entry = Newest(number);
    entry.job.state = cluster::JobState::kRunning;
    entry.stopped += now_ - *entry.stopped_at;
    entry.stopped_at.reset();
  }
  // Ends a job that runs, and lets it wait once more.
  void Requeue(std::int64_t number) {
    Entry again = Newest(number);
    End(Newest(number), now_, cluster::JobEnd::kRequeued);
    again.job.key.submit = now_;
    again.job.state = cluster::JobState::kWaiting;
    again.job.start.reset();
    again.job.nodes.clear();
    again.job.gpus_allocated.clear();
    ++again.job.restarts;
    jobs_.push_back(std::move(again));
  }
  // The queue forgets that a job has ended: it was lost in a crash.
  void ForgetEnd(std::int64_t number) { Newest(number).is_forgotten = true; }
  // The queue forgets the job.
  void Lose(std::int64_t number) { Newest(number).is_lost = true; }

  // Runs until `now`, second by second where something happens.
  void RunUntil(Instant now) {
    while (true) {
      EndAndStart();
      Instant next = now;
      for (const Entry& entry : jobs_) {
        if (entry.job.state == cluster::JobState::kRunning) next = std::min(next, entry.DoneAt());
      }
      now_ = std::max(now_, next);
      if (now_ >= now) break;
    }
    EndAndStart();
  }
  Instant now() const { return now_; }

  Result<cluster::ClusterFacts> Facts() override { return fake.Facts(); }
  Result<cluster::ClusterSnapshot> Look() override {
    fake.snapshot.time = now_;
    fake.snapshot.jobs.clear();
    for (const Entry& entry : jobs_) {
      const bool is_shown = !entry.job.end || now_ - *entry.job.end < fake.facts.memory_of_ended || entry.is_forgotten;
      if (!is_shown || entry.is_lost || entry.job.end_kind == cluster::JobEnd::kRequeued) continue;
      cluster::ClusterJob job = entry.job;
      if (entry.is_forgotten) {
        job.state = cluster::JobState::kRunning;
        job.end.reset();
      }
      const Instant until = entry.stopped_at.value_or(job.end.value_or(now_));
      if (job.start) job.run_time = until - *job.start - entry.stopped;
      fake.snapshot.jobs.push_back(std::move(job));
    }
    return fake.Look();
  }
  Result<std::vector<cluster::ClusterJob>> History(const Interval& span) override {
    fake.ended.clear();
    for (const Entry& entry : jobs_) {
      if (!entry.job.end) continue;
      fake.ended.push_back(entry.job);
      if (entry.job.start) fake.ended.back().run_time = *entry.job.end - *entry.job.start - entry.stopped;
    }
    if (history_trouble) return tl::unexpected<Error>(*history_trouble);
    return fake.History(span);
  }

  cluster::testing::FakeCluster fake;
  std::optional<Error> history_trouble;  // the accounts alone fail with it

 private:
  struct Entry {
    cluster::ClusterJob job;
    Duration length;  // of its run
    Duration stopped{};
    std::optional<Instant> stopped_at{};
    bool is_forgotten = false;
    bool is_lost = false;

    Instant DoneAt() const { return *job.start + length + stopped; }
  };

  Entry& Newest(std::int64_t number) {
    return *std::find_if(jobs_.rbegin(), jobs_.rend(),
                         [&](const Entry& entry) { return entry.job.key.number == number; });
  }

  void End(Entry& entry, Instant end, cluster::JobEnd kind) {
    entry.job.end = end;
    entry.job.state = cluster::JobState::kEnded;
    entry.job.end_kind = kind;
    for (auto& node : fake.snapshot.nodes) {
      if (std::find(entry.job.nodes.begin(), entry.job.nodes.end(), node.name) == entry.job.nodes.end()) continue;
      node.state = cluster::NodeState::kIdle;
      node.gpus_in_use.clear();
    }
  }

  void EndAndStart() {
    auto& nodes = fake.snapshot.nodes;
    for (Entry& entry : jobs_) {
      if (entry.job.state != cluster::JobState::kRunning || entry.DoneAt() > now_) continue;
      End(entry, entry.DoneAt(), cluster::JobEnd::kCompleted);
    }
    for (Entry& entry : jobs_) {
      cluster::ClusterJob& job = entry.job;
      if (job.state != cluster::JobState::kWaiting) continue;
      std::vector<cluster::ClusterNode*> free;
      for (auto& node : nodes) {
        if (node.state == cluster::NodeState::kIdle) free.push_back(&node);
      }
      if (static_cast<int>(free.size()) < job.node_count) return;
      job.state = cluster::JobState::kRunning;
      job.reason = "None";
      job.start = now_;
      job.gpus_allocated = job.gpus_requested;
      for (int n = 0; n < job.node_count; ++n) {
        free[static_cast<std::size_t>(n)]->state = cluster::NodeState::kAllocated;
        free[static_cast<std::size_t>(n)]->gpus_in_use = {{"a100", kGpusPerNode}};
        job.nodes.push_back(free[static_cast<std::size_t>(n)]->name);
      }
    }
  }

  Instant now_;
  std::deque<Entry> jobs_;
};

}  // namespace heliostat::controller::testing
