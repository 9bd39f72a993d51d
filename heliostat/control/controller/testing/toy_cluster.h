#pragma once

#include <algorithm>
#include <deque>
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
    jobs_.emplace_back(std::move(job), length);
    return jobs_.back().first;
  }

  // Runs until `now`, second by second where something happens.
  void RunUntil(Instant now) {
    while (true) {
      EndAndStart();
      Instant next = now;
      for (const auto& [job, length] : jobs_) {
        if (job.state == cluster::JobState::kRunning) next = std::min(next, *job.start + length);
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
    for (const auto& [job, length] : jobs_) {
      if (!job.end || now_ - *job.end < fake.facts.memory_of_ended) fake.snapshot.jobs.push_back(job);
    }
    return fake.Look();
  }
  Result<std::vector<cluster::ClusterJob>> History(const Interval& span) override {
    fake.ended.clear();
    for (const auto& [job, length] : jobs_) {
      if (job.end) fake.ended.push_back(job);
    }
    return fake.History(span);
  }

  cluster::testing::FakeCluster fake;

 private:
  void EndAndStart() {
    auto& nodes = fake.snapshot.nodes;
    for (auto& [job, length] : jobs_) {
      if (job.state != cluster::JobState::kRunning || *job.start + length > now_) continue;
      job.end = *job.start + length;
      job.state = cluster::JobState::kEnded;
      job.end_kind = cluster::JobEnd::kCompleted;
      for (auto& node : nodes) {
        if (std::find(job.nodes.begin(), job.nodes.end(), node.name) == job.nodes.end()) continue;
        node.state = cluster::NodeState::kIdle;
        node.gpus_in_use.clear();
      }
    }
    for (auto& [job, length] : jobs_) {
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
  std::deque<std::pair<cluster::ClusterJob, Duration>> jobs_;
};

}  // namespace heliostat::controller::testing
