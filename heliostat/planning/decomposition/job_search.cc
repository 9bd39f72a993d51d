#include "heliostat/planning/decomposition/job_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/planning/decomposition/schedule_finisher.h"

namespace heliostat::decomposition {
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

// Evaluates a price and the bound that it proves.
JobSearch::Step JobSearch::Try(double lambda) {
  const Step step = programme_.Evaluate(lambda);
  bound_ = std::max(bound_, lambda * job_->samples - step.profit);
  return step;
}

// Keeps the last schedule as the one with enough samples or as the one with too few.
void JobSearch::Keep(const Step& step) {
  Tried& side = step.samples >= job_->samples ? high_ : low_;
  side.step = step;
  std::swap(side.moves, programme_.moves());
}

// Narrows the two prices. The bound and the price of a sample of the result are final.
Found JobSearch::Settle() {
  for (int i = 0; i < kMostSteps && !IsTooDear(); ++i) {
    const Step& high = high_.step;
    const Step& low = low_.step;
    const double between = high.samples - low.samples;
    if (between <= kSamplesTolerance * job_->samples) break;
    const double lambda = (high.cost() - low.cost()) / between;
    const double known = lambda * high.samples - high.cost();
    const double scale = std::abs(lambda) * job_->samples + std::abs(known);
    const Step next = Try(lambda);
    const bool settled = next.profit <= known + kProfitTolerance * scale + kSmallestPrice;
    if (!settled || (next.samples > low.samples && next.samples < high.samples)) Keep(next);
    if (settled) break;
  }
  Found found;
  found.feasible = !IsTooDear();
  found.bound = bound_;
  found.lambda = high_.step.lambda;
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
// price makes enough, or when the job is too dear.
bool JobSearch::Bracket(const Choice& choice, const Offers& offers, double lambda) {
  const double price = lambda > 0.0 ? lambda : FirstPrice(choice, offers);
  // Outwards in growing steps until both are found. With a good first guess two evaluations are enough.
  bool has_low = false;
  bool has_high = false;
  double up = price;
  double down = price;
  double factor = kFactor;
  for (int i = 0; i < kMostLooks && !(has_low && has_high); ++i) {
    const double next = has_high ? down : up;
    const Step step = Try(next);
    if (step.profit == SlotProgramme::kUnreached || IsTooDear()) return false;
    Keep(step);
    if (step.samples >= job_->samples) {
      has_high = true;
      down = i < kLooksDown ? next / factor
                            : (i == kLooksDown ? std::min(0.0, -weight_ * job_->worth) : down * 2.0 - price);
    } else {
      has_low = true;
      if (i > kLooksUp) return false;
      up = next * factor;
    }
    factor *= factor < kLargestFactor ? factor : 1.0;
  }
  return has_high;
}

// Of a job that is not required and makes no more than its samples where they earn.
Found JobSearch::Earning(std::size_t choice, const Offers& offers) {
  Schedule schedule = programme_.ScheduleOf(programme_.moves(), choice);
  const ScheduleFinisher finisher(*job_, offers, step_s_, weight_, 0.0);
  finisher.Trim(schedule, SamplesOf(*job_, schedule) - job_->samples);
  const double cost = finisher.CostOf(schedule);
  return {true, std::move(schedule), cost, bound_, 0.0};
}

// Of a job that resizes at no cost.
Found JobSearch::Resizing(const JobModel& job, std::size_t choice, const Offers& offers) {
  SlotHulls::Answer answer = hulls_.Cheapest(job, choice, offers, weight_);
  if (!answer.feasible) return {};
  const double cost = ScheduleFinisher(job, offers, step_s_, weight_, answer.lambda).CostOf(answer.schedule);
  return {true, std::move(answer.schedule), cost, answer.bound, answer.lambda};
}

Found JobSearch::BestIn(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, double lambda,
                        double limit) {
  if (SlotHulls::IsFor(job, offers)) return Resizing(job, choice, offers);
  const Choice& ways = job.choices[choice];
  const bool relaxed = relax && (job.resume_s > 0.0 || job.worth_lost_per_s != 0.0);
  job_ = &job;
  limit_ = limit;
  bound_ = -std::numeric_limits<double>::infinity();
  low_.step = {};
  low_.moves.clear();
  programme_.Load(job, ways, offers, relaxed);
  if (!job.required) {
    const Step free = programme_.Evaluate(0.0);
    if (free.samples <= job.samples) {
      bound_ = -free.profit;
      if (relaxed) {
        programme_.Load(job, ways, offers, false);
        programme_.Evaluate(0.0);
      }
      return Earning(choice, offers);
    }
    Keep(free);
    bound_ = std::max(bound_, -free.profit);
  } else if (!Bracket(ways, offers, lambda)) {
    return {};
  }
  Found found = Settle();
  if (!found.feasible) return {};
  const double low_lambda = low_.step.lambda;
  if (relaxed) {
    programme_.Load(job, ways, offers, false);
    if (!MakeEnough(found.lambda)) return {};
  }
  ScheduleFinisher finisher(job, offers, step_s_, weight_, found.lambda);
  const Schedule enough = programme_.ScheduleOf(high_.moves, choice);
  if (!finisher.Finish(enough)) return {};
  if (job.preemptible && job.required) {
    if (relaxed) {
      programme_.Evaluate(low_lambda);
      std::swap(low_.moves, programme_.moves());
    }
    const Schedule less = programme_.ScheduleOf(low_.moves, choice);
    finisher.Cross(less, enough);
    finisher.Cross(enough, less);
  }
  found.schedule = finisher.schedule();
  found.cost = finisher.cost();
  return found;
}

// Finds the schedule at a price of a sample, or at the first higher one tried that makes enough samples. False when
// none does.
bool JobSearch::MakeEnough(double lambda) {
  double price = lambda;
  for (int i = 0; i < kMostRaises; ++i) {
    const Step step = programme_.Evaluate(price);
    if (step.samples >= job_->samples) break;
    if (!job_->required && i > kGentleRaises) break;
    if (i + 1 == kMostRaises) return false;
    price += std::max(std::abs(price) * (i < kGentleRaises ? kGentleRaise : 1.0), kSmallestPrice);
  }
  std::swap(high_.moves, programme_.moves());
  return true;
}

}  // namespace heliostat::decomposition
