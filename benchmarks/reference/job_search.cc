#include "benchmarks/reference/job_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "benchmarks/reference/schedule_finisher.h"

namespace heliostat::reference {
namespace {

// The search for the price of a sample has three steps. First outwards from a guess, by a growing factor, until one
// price makes too few samples and another makes enough.
constexpr int kMostLooks = 60;
constexpr int kLooksUp = 30;    // after which no price makes the job fast enough
constexpr int kLooksDown = 12;  // after which samples cost nothing, or less
constexpr double kFactor = 1.06;
constexpr double kLargestFactor = 1e3;
constexpr double kGuess = 1.5;  // times what a sample costs at full speed
constexpr double kLeastGuess = 1e-12;
// Then between the two prices, until no schedule earns more than the known ones.
constexpr int kMostSteps = 40;
constexpr double kSamplesTolerance = 1e-9;
constexpr double kProfitTolerance = 1e-7;
// Last upwards from there, because a job makes slightly less without the relaxation: by small steps, then by doubling.
constexpr int kMostRaises = 60;
constexpr int kGentleRaises = 5;
constexpr double kGentleRaise = 0.02;
constexpr double kSmallestPrice = 1e-15;

}  // namespace

Found JobSearch::Settle(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, Step& low,
                        Step high) {
  Found found;
  found.feasible = true;
  found.bound = -std::numeric_limits<double>::infinity();
  double best = high.lambda;
  for (int i = 0; i < kMostSteps; ++i) {
    const double between = high.samples - low.samples;
    if (between <= kSamplesTolerance * job.samples) break;
    const double lambda = (high.cost() - low.cost()) / between;
    const Step next = programme_.Evaluate(job, job.choices[choice], offers, relax, lambda);
    found.bound = std::max(found.bound, lambda * job.samples - next.profit);
    const double known = lambda * high.samples - high.cost();
    const double scale = std::abs(lambda) * job.samples + std::abs(known);
    if (next.profit <= known + kProfitTolerance * scale + kSmallestPrice) break;
    (next.samples >= job.samples ? high : low) = next;
    best = high.lambda;
  }
  found.bound = std::max(found.bound, best * job.samples - (best * high.samples - high.cost()));
  found.lambda = best;
  return found;
}

// The cost of a sample in the first slot with an offer, times kGuess.
double JobSearch::FirstPrice(const Choice& choice, const Offers& offers) {
  const auto offer = std::ranges::find_if(offers.offers, [](const Offer& o) { return o.full + o.single != 0; });
  if (offer == offers.offers.end()) return kLeastGuess;
  const WorkerLevel& level = choice.levels.back();
  const Vertex& top = level.hull.back();
  const double burn = std::abs(offer->per_joule * top.watts + offer->per_gpu_second * level.workers);
  return std::max(kLeastGuess, kGuess * burn / top.samples_per_s);
}

// Finds two prices of a sample: one at which the job makes too few samples, one at which it makes enough. False when no
// price makes enough.
bool JobSearch::Bracket(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda,
                        Step& low, Step& high) {
  const double price = lambda > 0.0 ? lambda : FirstPrice(choice, offers);
  // Outwards in growing steps until both are found. With a good first guess two evaluations are enough.
  bool has_low = false;
  bool has_high = false;
  double up = price;
  double down = price;
  double factor = kFactor;
  for (int i = 0; i < kMostLooks && !(has_low && has_high); ++i) {
    const double next = has_high ? down : up;
    const Step step = programme_.Evaluate(job, choice, offers, relax, next);
    if (step.profit == SlotProgramme::kUnreached) return false;
    if (step.samples >= job.samples) {
      high = step;
      has_high = true;
      down =
          i < kLooksDown ? next / factor : (i == kLooksDown ? std::min(0.0, -weight_ * job.worth) : down * 2.0 - price);
    } else {
      low = step;
      has_low = true;
      if (i > kLooksUp) return false;
      up = next * factor;
    }
    factor *= factor < kLargestFactor ? factor : 1.0;
  }
  return has_high;
}

Found JobSearch::BestIn(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, double lambda) {
  const Choice& ways = job.choices[choice];
  Step low;
  Step high;
  if (!job.required) {
    high = programme_.Evaluate(job, ways, offers, relax, 0.0);
    if (high.samples <= job.samples) {
      if (relax) programme_.Evaluate(job, ways, offers, false, 0.0);
      Schedule schedule = programme_.Trace(job, choice, offers);
      const ScheduleFinisher finisher(job, offers, step_s_, weight_, 0.0);
      finisher.Trim(schedule, SamplesOf(job, schedule) - job.samples);
      const double cost = finisher.CostOf(schedule);
      return {true, std::move(schedule), cost, -high.profit, 0.0};
    }
  } else if (!Bracket(job, ways, offers, relax, lambda, low, high)) {
    return {};
  }
  Found found = Settle(job, choice, offers, relax, low, high);
  ScheduleFinisher finisher(job, offers, step_s_, weight_, found.lambda);
  const std::optional<Schedule> enough = MakingEnough(job, choice, offers, found.lambda);
  if (!enough || !finisher.Finish(*enough)) return {};
  if (job.preemptible && job.required) {
    programme_.Evaluate(job, ways, offers, false, low.lambda);
    const Schedule less = programme_.Trace(job, choice, offers);
    finisher.Cross(less, *enough);
    finisher.Cross(*enough, less);
  }
  found.schedule = finisher.schedule();
  found.cost = finisher.cost();
  return found;
}

// The schedule at a price of a sample, or at the first higher one tried that makes enough samples. Nothing when none
// does.
std::optional<Schedule> JobSearch::MakingEnough(const JobModel& job, std::size_t choice, const Offers& offers,
                                                double lambda) {
  double price = lambda;
  for (int i = 0; i < kMostRaises; ++i) {
    const Step step = programme_.Evaluate(job, job.choices[choice], offers, false, price);
    if (step.samples >= job.samples) break;
    if (!job.required && i > kGentleRaises) break;
    if (i + 1 == kMostRaises) return std::nullopt;
    price += std::max(std::abs(price) * (i < kGentleRaises ? kGentleRaise : 1.0), kSmallestPrice);
  }
  return programme_.Trace(job, choice, offers);
}

}  // namespace heliostat::reference
