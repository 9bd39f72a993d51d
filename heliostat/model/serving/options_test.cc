#include "heliostat/model/serving/options.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/model/serving/latency.h"

namespace heliostat::serving {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

scenario::InferencePoint Point(double mhz, int batch, double latency_s, double power_w) {
  return {{mhz, std::nullopt}, batch, Seconds{latency_s}, batch / latency_s, Watts{power_w}};
}

// Two kinds of GPU that serve "clip" and one that does not; the last point of A40 is slower with more power.
scenario::Scenario Cluster() {
  scenario::Scenario s;
  s.start = Instant{std::chrono::sys_days{std::chrono::year{2023} / 1 / 18}};
  s.slots = 1;
  s.groups = {{"a40", "A40", 12, 8, Watts{15}, Watts{320}, Watts{12}, Duration{0}, Joules{0}},
              {"v100", "V100", 2, 4, Watts{26}, Watts{260}, Watts{12}, Duration{0}, Joules{0}},
              {"t4", "T4", 4, 1, Watts{10}, Watts{100}, Watts{5}, Duration{0}, Joules{0}}};
  for (const auto& point :
       {Point(600, 1, 0.01881, 62.47), Point(600, 4, 0.03069, 63.78), Point(1000, 4, 0.019778, 88.15),
        Point(1600, 1, 0.00836, 150.62), Point(1600, 16, 0.03476, 235), Point(500, 1, 0.0195, 70)}) {
    s.inference.Add("clip", "A40", point);
  }
  s.inference.Add("clip", "V100", Point(600, 4, 0.048825, 63));
  s.inference.Add("clip", "V100", Point(1600, 4, 0.0217, 133.88));
  return s;
}

scenario::Service Clip(double rate, double slo_s = 0.12) {
  return {"clip-a", "clip", Seconds{slo_s}, 0.99, {rate}, 1, 24};
}

const scenario::InferencePoint& PointOf(const scenario::Scenario& s, const ServingOption& o) {
  return s.inference.Of("clip", s.groups[o.group].gpu)[o.point];
}

scenario::Service AnyService() {
  scenario::Service service = Clip(*rc::gen::inRange(1, 20000) / 10.0, *rc::gen::inRange(10, 300) / 1e3);
  service.min_replicas = *rc::gen::inRange(0, 4);
  service.max_replicas = service.min_replicas + *rc::gen::inRange(1, 40);
  return service;
}

RC_GTEST_PROP(OptionsForTest, EveryOptionKeepsWhatTheServiceAsks, ()) {
  const auto cluster = Cluster();
  const auto service = AnyService();
  const double rate = service.requests_per_s[0];
  for (const ServingOption& o : OptionsFor(cluster, service, 0, *rc::gen::arbitrary<bool>())) {
    const auto& group = cluster.groups[o.group];
    const auto& point = PointOf(cluster, o);
    RC_ASSERT(o.replicas >= std::max(1, service.min_replicas));
    RC_ASSERT(o.replicas <= std::min(service.max_replicas, group.gpus()));
    RC_ASSERT(o.utilisation < 1);
    RC_ASSERT(std::abs(o.utilisation * o.replicas * point.requests_per_s - rate) < 1e-6);
    RC_ASSERT(o.latency <= service.latency_slo);
    RC_ASSERT(o.latency == LatencyPercentile({rate, point.batch, o.replicas, point.latency}, 0.99));
    const double watts = o.replicas * (group.gpu_idle.value + o.utilisation * (point.power - group.gpu_idle).value);
    RC_ASSERT(std::abs(o.power.value - watts) < 1e-9);
  }
}

RC_GTEST_PROP(OptionsForTest, LeavesOutExactlyWhatAnotherBeatsOrEquals, ()) {
  const auto cluster = Cluster();
  const auto service = AnyService();
  const bool latency_counts = *rc::gen::arbitrary<bool>();
  const auto options = OptionsFor(cluster, service, 0, latency_counts);
  const auto beats = [&](const ServingOption& a, const ServingOption& b) {
    return a.group == b.group && a.power.value <= b.power.value + 1e-9 && a.replicas <= b.replicas &&
           (!latency_counts || a.latency <= b.latency);
  };
  for (const ServingOption& a : options) {
    for (const ServingOption& b : options) RC_ASSERT(&a == &b || !beats(a, b));
  }
  // For every way, by brute force, one of the options is as good.
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    const auto& points = cluster.inference.Of("clip", cluster.groups[g].gpu);
    for (std::size_t p = 0; p < points.size(); ++p) {
      for (int n = std::max(1, service.min_replicas); n <= std::min(service.max_replicas, cluster.groups[g].gpus());
           ++n) {
        ServingOption way{g, p, n, service.requests_per_s[0] / (n * points[p].requests_per_s), {}, {}};
        way.latency = LatencyPercentile({service.requests_per_s[0], points[p].batch, n, points[p].latency}, 0.99);
        if (way.utilisation >= 1 || way.latency > service.latency_slo) continue;
        const Watts idle = cluster.groups[g].gpu_idle;
        way.power = n * (idle + way.utilisation * (points[p].power - idle));
        RC_ASSERT(std::any_of(options.begin(), options.end(), [&](const ServingOption& o) { return beats(o, way); }));
      }
    }
  }
}

RC_GTEST_PROP(OptionsForTest, MoreReplicasOrTimeAllowedNeverTakesTheLastOptionAway, ()) {
  const auto cluster = Cluster();
  const auto service = AnyService();
  RC_PRE(!OptionsFor(cluster, service, 0, false).empty());
  auto relaxed = service;
  relaxed.max_replicas += *rc::gen::inRange(0, 50);
  relaxed.latency_slo *= 1 + *rc::gen::inRange(0, 10) / 10.0;
  RC_ASSERT(!OptionsFor(cluster, relaxed, 0, false).empty());
}

TEST(OptionsForTest, APointThatDrawsMoreAtLessSpeedIsNeverAnOption) {
  const auto cluster = Cluster();
  for (const bool latency_counts : {false, true}) {
    for (const double rate : {1.0, 40.0, 300.0}) {
      const auto options = OptionsFor(cluster, Clip(rate), 0, latency_counts);
      EXPECT_FALSE(options.empty());
      for (const ServingOption& o : options) EXPECT_FALSE(o.group == 0 && o.point == 5);
    }
  }
}

TEST(OptionsForTest, WithoutRequestsTheLeastReplicasIdle) {
  auto service = Clip(0.0);
  service.min_replicas = 2;
  const auto options = OptionsFor(Cluster(), service, 0, false);
  ASSERT_THAT(options, SizeIs(2));  // one per group that can serve
  EXPECT_EQ(options[0].replicas, 2);
  EXPECT_EQ(options[0].power, Watts{30});
  EXPECT_EQ(options[1].power, Watts{52});
  EXPECT_EQ(options[0].utilisation, 0.0);
}

TEST(OptionsForTest, WithoutRequestsNorLeastReplicasNothingRuns) {
  auto service = Clip(0.0);
  service.min_replicas = 0;
  const auto options = OptionsFor(Cluster(), service, 0, true);
  ASSERT_THAT(options, SizeIs(1));
  EXPECT_EQ(options[0].replicas, 0);
  EXPECT_EQ(options[0].power, Watts{0});
}

// Reads "NAME VALUE" out of a sentence.
double Advised(const std::string& sentence, const std::string& name) {
  const auto at = sentence.rfind(name + " ");
  return at == std::string::npos ? 0.0 : std::stod(sentence.substr(at + name.size() + 1));
}

TEST(WhyNoneTest, AdvisesReplicasThatAreJustEnough) {
  const auto cluster = Cluster();
  struct Asked {
    double slo_s;
    int max_replicas;
    const char* reason;
  };
  // Too few for the rate; enough for the rate but not for the latency.
  for (const Asked& asked : {Asked{0.05, 4, "too many"}, Asked{0.04, 5, "need p99 latency 40 ms"}}) {
    auto service = Clip(2000.0, asked.slo_s);
    service.max_replicas = asked.max_replicas;
    ASSERT_THAT(OptionsFor(cluster, service, 0, false), IsEmpty());
    const std::string why = WhyNone(cluster, service, 0);
    EXPECT_THAT(why, HasSubstr("service clip-a at 2023-01-18T00:00:00Z: 2000 requests/s"));
    EXPECT_THAT(why, HasSubstr(asked.reason));
    service.max_replicas = static_cast<int>(Advised(why, "max_replicas"));
    EXPECT_FALSE(OptionsFor(cluster, service, 0, false).empty()) << why;
    --service.max_replicas;
    EXPECT_THAT(OptionsFor(cluster, service, 0, false), IsEmpty()) << why;
  }
}

TEST(WhyNoneTest, AdvisesALatencyThatCanBeKept) {
  const auto cluster = Cluster();
  auto service = Clip(139.5, 0.005);
  ASSERT_THAT(OptionsFor(cluster, service, 0, false), IsEmpty());
  const std::string why = WhyNone(cluster, service, 0);
  EXPECT_EQ(why,
            "service clip-a at 2023-01-18T00:00:00Z: 139.5 requests/s need p99 latency 5 ms; the best is 8.36 ms with "
            "24 replicas of a40 at 1600 MHz, batch 1; latency_slo_ms 9 would be enough");
  service.latency_slo = Seconds{Advised(why, "latency_slo_ms") / 1e3};
  EXPECT_FALSE(OptionsFor(cluster, service, 0, false).empty());
}

TEST(WhyNoneTest, SaysWhatRateCouldBeServed) {
  const auto cluster = Cluster();
  EXPECT_THAT(WhyNone(cluster, Clip(1e9), 0), HasSubstr("1e+09 requests/s are too many; the most is below 11047.2"));
  auto few = Clip(700.0);
  few.max_replicas = 1;
  EXPECT_THAT(WhyNone(cluster, few, 0), HasSubstr("max_replicas 2 would be enough"));
}

TEST(WhyNoneTest, NamesWhatIsMissing) {
  const auto cluster = Cluster();
  auto service = Clip(10.0);
  service.min_replicas = service.max_replicas = 200;
  EXPECT_THAT(WhyNone(cluster, service, 0), HasSubstr("min_replicas 200"));
  service.model = "gpt";
  EXPECT_THAT(WhyNone(cluster, service, 0), HasSubstr("model gpt has no inference profile"));
}

}  // namespace
}  // namespace heliostat::serving
