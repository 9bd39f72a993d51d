#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/model/serving/latency.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan::testing {

inline const Instant kStart = *ParseInstant("2023-06-05T00:00:00Z", "test");
inline constexpr Duration kHour{3600};

inline Instant At(double hours) { return kStart + Duration{static_cast<std::int64_t>(hours * 3600)}; }

inline scenario::Group GroupOf(std::string name, std::string gpu, int nodes, int gpus_per_node) {
  scenario::Group group;
  group.name = std::move(name);
  group.gpu = std::move(gpu);
  group.nodes = nodes;
  group.gpus_per_node = gpus_per_node;
  group.gpu_idle = Watts{30};
  group.node_base = Watts{350};
  group.node_sleep = Watts{15};
  group.wake_time = Duration{300};
  group.wake_energy = KilowattHours(0.02);
  return group;
}

inline scenario::Job JobOf(std::string id, double submit_h, std::optional<double> deadline_h, double samples) {
  scenario::Job job;
  job.id = std::move(id);
  job.model = "net";
  job.submit = At(submit_h);
  if (deadline_h) job.deadline = At(*deadline_h);
  job.samples = samples;
  job.min_workers = 1;
  job.max_workers = 8;
  job.resume = Duration{120};
  return job;
}

// Points of "net" on "A40", in this order: 1 worker at 150 W and 300 W, 2, 4 and 8 workers at 300 W each; on "V100":
// 1 and 2 workers. "chat" is served at 50 requests/s by four and at 100 one by one. Speeds are such that a worker at
// full power makes 10 samples/s.
inline void AddModels(scenario::Scenario& s) {
  const auto train = [&](const char* gpu, int workers, double limit_w, double samples_per_s, double watts) {
    s.training.Add("net", gpu, {{std::nullopt, limit_w}, workers, samples_per_s, Watts{watts}});
  };
  train("A40", 1, 150, 7, 140);
  train("A40", 1, 300, 10, 280);
  train("A40", 2, 300, 19, 560);
  train("A40", 4, 300, 36, 1120);
  train("A40", 8, 300, 68, 2240);
  train("V100", 1, 250, 8, 240);
  train("V100", 2, 250, 15, 480);
  s.inference.Add("chat", "A40", {{600.0, std::nullopt}, 4, Seconds(0.080), 50, Watts{90}});
  s.inference.Add("chat", "A40", {{1200.0, std::nullopt}, 1, Seconds(0.010), 100, Watts{200}});
}

// Six hours, a sunny noon, two groups: "a40" of four nodes with four GPUs each, "v100" of two with two. No work.
inline scenario::Scenario IdleCluster() {
  scenario::Scenario s;
  s.name = "small";
  s.start = kStart;
  s.step = kHour;
  s.slots = 6;
  s.pue = 1.2;
  for (const double g : {500.0, 400.0, 100.0, 50.0, 300.0, 600.0}) s.carbon.push_back(GramsPerKwh(g));
  for (const double kw : {0.0, 0.5, 2.0, 50.0, 1.0, 0.0}) s.renewable.push_back(Kilowatts(kw));
  s.renewable_carbon = GramsPerKwh(20);
  s.price_per_kwh = {0.3, 0.2, 0.1, -0.05, 0.2, 0.4};
  s.groups = {GroupOf("a40", "A40", 4, 4), GroupOf("v100", "V100", 2, 2)};
  AddModels(s);
  return s;
}

inline scenario::Service ServiceOf(std::string id, std::vector<double> requests_per_s) {
  scenario::Service service;
  service.id = std::move(id);
  service.model = "chat";
  service.latency_slo = Seconds(0.2);
  service.percentile = 0.99;
  service.requests_per_s = std::move(requests_per_s);
  service.min_replicas = 0;
  service.max_replicas = 8;
  return service;
}

// The idle cluster with three jobs (the last best effort) and a service.
inline scenario::Scenario SmallScenario() {
  scenario::Scenario s = IdleCluster();
  s.jobs = {JobOf("tight", 0, 3, 50000), JobOf("loose", 1, 6, 60000), JobOf("whenever", 0, std::nullopt, 90000)};
  s.services = {ServiceOf("front", {40, 80, 120, 0, 60, 20})};
  return s;
}

// How a service runs with these settings, with its utilisation and latency.
inline ServiceSlot Serve(const scenario::Scenario& s, std::size_t service, std::size_t slot, std::size_t group,
                         std::size_t point, int replicas) {
  const scenario::InferencePoint& p = s.inference.Of(s.services[service].model, s.groups[group].gpu)[point];
  const double rate = s.services[service].requests_per_s[slot];
  return {group, point, replicas, rate / (replicas * p.requests_per_s),
          serving::LatencyPercentile({rate, p.batch, replicas, p.latency}, s.services[service].percentile)};
}

}  // namespace heliostat::plan::testing
