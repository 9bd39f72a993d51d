#include "heliostat/model/serving/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "heliostat/model/serving/latency.h"

namespace heliostat::serving {
namespace {

using scenario::Group;
using scenario::InferencePoint;
using scenario::Service;
using scenario::Site;

int MostReplicas(const Service& service, const Group& group) { return std::min(service.max_replicas, group.gpus()); }

// The fewest replicas that the service may have and that are not always busy. For an extremely high rate, more than any
// group has.
int FewestReplicas(const Service& service, const InferencePoint& point, double rate) {
  const double keep_up = std::floor(rate / point.requests_per_s) + 1;
  if (!(keep_up < std::numeric_limits<int>::max())) return std::numeric_limits<int>::max();
  return std::max(service.min_replicas, static_cast<int>(keep_up));
}

Seconds LatencyWith(const Service& service, const InferencePoint& point, double rate, int replicas) {
  return LatencyPercentile({rate, point.batch, replicas, point.latency}, service.percentile);
}

// The fewest replicas in fewest..most that keep the latency. The latency never grows with replicas: batches form
// independently of them, and queues get shorter.
std::optional<int> FewestThatKeepLatency(const Service& service, const InferencePoint& point, double rate, int fewest,
                                         int most) {
  const auto keeps = [&](int replicas) { return LatencyWith(service, point, rate, replicas) <= service.latency_slo; };
  if (fewest > most || !keeps(most)) return std::nullopt;
  while (fewest < most) {
    const int middle = fewest + (most - fewest) / 2;
    if (keeps(middle)) {
      most = middle;
    } else {
      fewest = middle + 1;
    }
  }
  return most;
}

ServingOption Way(const Site& site, const Service& service, std::size_t group, std::size_t index, double rate,
                  int replicas) {
  const InferencePoint& point = site.inference.Of(service.model, site.groups[group].gpu)[index];
  ServingOption option{group, index, replicas, rate / (replicas * point.requests_per_s), {}, {}};
  option.latency = LatencyWith(service, point, rate, replicas);
  const Watts idle = site.groups[group].gpu_idle;
  option.power = replicas * (idle + option.utilisation * (point.power - idle));
  return option;
}

// Without requests, any point keeps the latency, with the required replicas.
std::vector<ServingOption> WaysToIdle(const Site& site, const Service& service, std::size_t group) {
  std::vector<ServingOption> ways;
  if (service.min_replicas > MostReplicas(service, site.groups[group])) return ways;
  const std::size_t points = site.inference.Of(service.model, site.groups[group].gpu).size();
  for (std::size_t i = 0; i < points; ++i) ways.push_back(Way(site, service, group, i, 0.0, service.min_replicas));
  return ways;
}

std::vector<ServingOption> WaysToServe(const Site& site, const Service& service, std::size_t group, double rate,
                                       bool latency_counts) {
  std::vector<ServingOption> ways;
  const auto& points = site.inference.Of(service.model, site.groups[group].gpu);
  const int most = MostReplicas(service, site.groups[group]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int fewest = FewestReplicas(service, points[i], rate);
    const auto enough = FewestThatKeepLatency(service, points[i], rate, fewest, most);
    if (!enough) continue;
    for (int replicas = *enough; replicas <= (latency_counts ? most : *enough); ++replicas) {
      const ServingOption way = Way(site, service, group, i, rate, replicas);
      if (way.latency <= service.latency_slo) ways.push_back(way);
    }
  }
  return ways;
}

// Removes options that another one of the same group beats or equals.
std::vector<ServingOption> Undominated(std::vector<ServingOption> ways, bool latency_counts) {
  std::sort(ways.begin(), ways.end(), [](const ServingOption& a, const ServingOption& b) {
    return std::tuple(a.replicas, a.power, a.latency, a.point) < std::tuple(b.replicas, b.power, b.latency, b.point);
  });
  std::vector<ServingOption> kept;
  std::map<Watts, Seconds> least;  // least latency with at most this power; falls as power grows
  for (const ServingOption& way : ways) {
    const Seconds latency = latency_counts ? way.latency : Seconds{0};
    const auto dearer = least.upper_bound(way.power);
    if (dearer != least.begin() && std::prev(dearer)->second <= latency) continue;
    auto place = least.insert_or_assign(way.power, latency).first;
    while (std::next(place) != least.end() && std::next(place)->second >= latency) least.erase(std::next(place));
    kept.push_back(way);
  }
  return kept;
}

std::string Setting(const scenario::GpuSetting& knob) {
  if (knob.core_mhz && knob.power_limit_w)
    return fmt::format("{:g} MHz and {:g} W", *knob.core_mhz, *knob.power_limit_w);
  if (knob.core_mhz) return fmt::format("{:g} MHz", *knob.core_mhz);
  if (knob.power_limit_w) return fmt::format("{:g} W", *knob.power_limit_w);
  return "its default setting";
}

std::string Described(int replicas, const Group& group, const InferencePoint& point) {
  return fmt::format("{} replica{} of {} at {}, batch {}", replicas, replicas == 1 ? "" : "s", group.name,
                     Setting(point.knob), point.batch);
}

// The best within the limits of the service, even if it does not keep the latency.
struct Attempt {
  double requests_per_s = 0.0;  // the highest rate that can be served
  std::string with_most;
  Seconds latency{std::numeric_limits<double>::infinity()};
  std::string with_least_latency;
};

Attempt BestAttempt(const Site& site, const Service& service, double rate) {
  Attempt best;
  for (const Group& group : site.groups) {
    const int most = MostReplicas(service, group);
    for (const InferencePoint& point : site.inference.Of(service.model, group.gpu)) {
      if (most < std::max(service.min_replicas, 1)) continue;
      if (most * point.requests_per_s > best.requests_per_s) {
        best.requests_per_s = most * point.requests_per_s;
        best.with_most = Described(most, group, point);
      }
      if (FewestReplicas(service, point, rate) > most) continue;
      const Seconds latency = LatencyWith(service, point, rate, most);
      if (latency < best.latency) {
        best.latency = latency;
        best.with_least_latency = Described(most, group, point);
      }
    }
  }
  return best;
}

// The least max_replicas that would be enough. Nothing when the groups have too few GPUs.
std::optional<int> EnoughReplicas(const Site& site, Service service, std::size_t slot) {
  service.max_replicas = std::numeric_limits<int>::max();
  const auto ways = OptionsFor(site, service, slot, false);
  const auto fewest = std::min_element(
      ways.begin(), ways.end(), [](const ServingOption& a, const ServingOption& b) { return a.replicas < b.replicas; });
  if (fewest == ways.end()) return std::nullopt;
  return fewest->replicas;
}

// Rounded up to whole milliseconds.
double WholeMilliseconds(Seconds latency) { return std::ceil(latency.count() * 1e3); }

}  // namespace

std::vector<ServingOption> OptionsFor(const Site& site, const Service& service, std::size_t slot, bool latency_counts) {
  const double rate = service.requests_per_s[slot];
  if (rate <= 0 && service.min_replicas == 0) return {ServingOption{}};
  std::vector<ServingOption> options;
  for (std::size_t group = 0; group < site.groups.size(); ++group) {
    const auto ways = Undominated(
        rate <= 0 ? WaysToIdle(site, service, group) : WaysToServe(site, service, group, rate, latency_counts),
        latency_counts);
    options.insert(options.end(), ways.begin(), ways.end());
  }
  return options;
}

std::string WhyNone(const Site& site, const Service& service, std::size_t slot) {
  const double rate = service.requests_per_s[slot];
  const std::string who = fmt::format("service {} at {}", service.id, FormatInstant(site.SlotSpan(slot).begin));
  const bool measured = std::any_of(site.groups.begin(), site.groups.end(), [&](const Group& group) {
    return !site.inference.Of(service.model, group.gpu).empty();
  });
  if (!measured) return fmt::format("{}: model {} has no inference profile on any group's GPU", who, service.model);

  const Attempt best = BestAttempt(site, service, rate);
  if (best.requests_per_s <= 0) {
    return fmt::format("{}: min_replicas {} is more than max_replicas or the GPUs of any group that can serve {}", who,
                       service.min_replicas, service.model);
  }
  const auto enough = EnoughReplicas(site, service, slot);
  const std::string replicas = enough ? fmt::format("max_replicas {}", *enough) : "";
  if (!std::isfinite(best.latency.count())) {
    return fmt::format("{}: {:.6g} requests/s are too many; the most is below {:.6g} requests/s with {}; {}", who, rate,
                       best.requests_per_s, best.with_most,
                       enough ? replicas + " would be enough" : "no group has enough GPUs for this rate and latency");
  }
  return fmt::format(
      "{}: {:.6g} requests/s need p{:g} latency {:.6g} ms; the best is {:.6g} ms with {}; {}latency_slo_ms {:g} "
      "would be enough",
      who, rate, service.percentile * 100, service.latency_slo.count() * 1e3, best.latency.count() * 1e3,
      best.with_least_latency, enough ? replicas + " or " : "", WholeMilliseconds(best.latency));
}

}  // namespace heliostat::serving
