#pragma once

#include <array>
#include <string>
#include <vector>

#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

struct StudySeason {
  const char* name;  // by its month: places on both halves of the world
  Instant start;     // a Monday
};
std::vector<StudySeason> SeasonsFor(Size size);

// Two levels each of what a cluster is asked for.
struct Demand {
  const char* slack_name;
  double slack;  // mean window of a job in lengths of it
  const char* load_name;
  double load;
};
inline constexpr std::array<Demand, 4> kDemands{{{"tight", 1.5, "light", 0.2},
                                                 {"loose", 4.0, "heavy", 0.45},
                                                 {"loose", 4.0, "light", 0.2},
                                                 {"tight", 1.5, "heavy", 0.45}}};

// A week of a cluster of 64 GPUs of two kinds, with jobs and one service; for kQuick, two days of 16 GPUs.
Case BaseCase(const char* study, const std::string& place, const StudySeason& season, const Demand& demand, Size size);

// Carbon divided by the work done, so that a policy does not gain by leaving jobs undone.
double CarbonPerWork(const CaseScore& score);
double CostPerWork(const CaseScore& score);

// "12.3 %", "-0.4 %".
std::string Percent(double share, int digits = 1);
// "31 % (12 .. 55)": mean, 10th and 90th percentile.
std::string PercentSpread(const std::vector<double>& shares);

// Deadlines and latency objectives that a policy missed, over several cases.
struct Keeping {
  double misses = 0.0;      // share of jobs that were late
  double undone = 0.0;      // share of jobs
  double violations = 0.0;  // share of requests
};
Keeping KeepingOf(const std::vector<const CaseScore*>& scores);
io::Json ToJson(const Keeping& keeping);

}  // namespace heliostat::experiments
