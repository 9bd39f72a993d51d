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

// A cluster of 64 GPUs of two kinds for a week, one service beside the jobs; quick: of 16 GPUs for two days.
Case BaseCase(const char* study, const std::string& place, const StudySeason& season, const Demand& demand, Size size);

// Carbon for the work that was done: who leaves jobs undone gains nothing by that.
double CarbonPerWork(const CaseScore& score);
double CostPerWork(const CaseScore& score);

// "12.3 %", "-0.4 %".
std::string Percent(double share, int digits = 1);
// "31 % (12 .. 55)": mean and what lies between the first and the last tenth.
std::string PercentSpread(const std::vector<double>& shares);

// How well a policy kept what was promised, over several cases.
struct Keeping {
  double misses = 0.0;      // share of jobs that were late
  double undone = 0.0;      // share of jobs
  double violations = 0.0;  // share of requests
};
Keeping KeepingOf(const std::vector<const CaseScore*>& scores);
io::Json ToJson(const Keeping& keeping);

}  // namespace heliostat::experiments
