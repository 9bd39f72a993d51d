#include "heliostat/planning/admission/admit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/admission/board.h"
#include "heliostat/planning/admission/least_misses.h"

namespace heliostat::admission {
namespace {

using scenario::Scenario;

constexpr std::uint64_t kSeed = 17;
constexpr std::size_t kMostVictims = 8;     // jobs that one exchange takes out
constexpr std::size_t kMostReturning = 12;  // missed jobs that one exchange tries to bring back

// What a choice of missed jobs costs; the first difference decides.
struct Cost {
  double weight = 0.0;
  double unevenness = 0.0;
};
bool IsBelow(const Cost& a, const Cost& b) {
  constexpr double kSame = 1e-9;
  if (std::abs(a.weight - b.weight) > kSame * (1.0 + std::abs(b.weight))) return a.weight < b.weight;
  return a.unevenness < b.unevenness - kSame;
}

// Sums of owners' missed weight, squared, over the weight of all their jobs: least when all owners miss the same share.
class Owners {
 public:
  Owners(const Scenario& scenario, const std::vector<Terms>& terms) : terms_(&terms) {
    std::map<std::string, std::size_t> known;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      const std::size_t owner = known.emplace(scenario.jobs[j].owner, known.size()).first->second;
      owner_of_.push_back(owner);
      all_.resize(known.size(), 0.0);
      missed_.resize(known.size(), 0.0);
      if (terms[j].must_run) all_[owner] += terms[j].weight;
    }
  }
  void Miss(std::size_t job) { Change(job, (*terms_)[job].weight); }
  void Keep(std::size_t job) { Change(job, -(*terms_)[job].weight); }
  Cost cost() const {
    Cost cost;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      cost.weight += missed_[i];
      if (all_[i] > 0.0) cost.unevenness += missed_[i] * missed_[i] / all_[i];
    }
    return cost;
  }

 private:
  void Change(std::size_t job, double weight) { missed_[owner_of_[job]] += weight; }

  const std::vector<Terms>* terms_;
  std::vector<std::size_t> owner_of_;
  std::vector<double> all_;
  std::vector<double> missed_;
};

// One search for the jobs that miss.
class Search {
 public:
  Search(const Scenario& scenario, const std::vector<Terms>& terms, Board& board)
      : terms_(terms), board_(board), owners_(scenario, terms), is_missed_(terms.size(), false) {}

  // Puts jobs in by deadline. A job that does not fit takes the place of one that weighs less, or of a larger one.
  void Fill() {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (terms_[j].must_run) order.push_back(j);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t j) {
      return std::tuple(!terms_[j].is_fixed, terms_[j].weight <= 0.0, terms_[j].by);
    });
    for (const std::size_t j : order) {
      if (board_.Put(j, terms_[j].by) || (!terms_[j].is_fixed && TakePlace(j))) continue;
      Miss(j);
    }
  }

  // Takes a few jobs that run at about the same time out for one that misses, and puts all back in another order. Keeps
  // what costs no more.
  void Exchange(RandomStream& random) {
    std::vector<std::size_t> open = MissedThatCount();
    if (open.empty()) return;
    const std::size_t wanted = open[random.Below(open.size())];
    std::vector<std::size_t> rivals = board_.Rivals(wanted, terms_[wanted].by);
    std::erase_if(rivals, [&](std::size_t j) { return terms_[j].is_fixed || is_missed_[j]; });
    if (rivals.empty()) return;
    const Instant around = board_.AnyTime(wanted, terms_[wanted].by, random.Uniform());
    std::ranges::stable_sort(rivals, {}, [&](std::size_t j) { return board_.Distance(j, around); });
    rivals.resize(1 + random.Below(std::min(kMostVictims, rivals.size())));
    const Cost before = owners_.cost();
    const Board::State state = board_.Save();
    const std::vector<bool> missed = is_missed_;
    const Owners owners = owners_;
    for (const std::size_t j : rivals) board_.Remove(j);
    if (random.Chance(0.5)) {
      std::ranges::sort(rivals, {}, [&](std::size_t j) { return terms_[j].by; });
    } else {
      for (std::size_t i = rivals.size(); i > 1; --i) std::swap(rivals[i - 1], rivals[random.Below(i)]);
    }
    Return(wanted);
    for (const std::size_t j : rivals) {
      if (!board_.Put(j, terms_[j].by)) Miss(j);
    }
    std::ranges::stable_sort(open, std::greater<>{}, [&](std::size_t j) { return terms_[j].weight; });
    if (open.size() > kMostReturning) open.resize(kMostReturning);
    for (const std::size_t j : open) {
      if (is_missed_[j]) Return(j);
    }
    if (!IsBelow(before, owners_.cost())) return;
    board_.Restore(state);
    is_missed_ = missed;
    owners_ = owners;
  }

  // Puts the missed jobs where they end earliest, the most weight per GPU time first.
  void PutLate() {
    std::vector<std::size_t> order = Missed();
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t j) {
      return std::max(terms_[j].weight, 1e-6) / std::max(board_.LeastGpuSeconds(j), 1.0);
    });
    for (const std::size_t j : order) board_.PutEarliest(j);
  }

  std::vector<std::size_t> Missed() const {
    std::vector<std::size_t> missed;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (is_missed_[j]) missed.push_back(j);
    }
    return missed;
  }
  Cost cost() const { return owners_.cost(); }
  bool IsCrowded() const { return !MissedThatCount().empty(); }

 private:
  std::vector<std::size_t> MissedThatCount() const {
    std::vector<std::size_t> missed = Missed();
    std::erase_if(missed, [&](std::size_t j) {
      return terms_[j].is_fixed || terms_[j].weight <= 0.0 || !board_.CouldAlone(j, terms_[j].by);
    });
    return missed;
  }

  void Miss(std::size_t job) {
    is_missed_[job] = true;
    owners_.Miss(job);
  }

  void Return(std::size_t job) {
    if (!board_.Put(job, terms_[job].by)) return;
    is_missed_[job] = false;
    owners_.Keep(job);
  }

  bool TakePlace(std::size_t job) {
    if (!board_.CouldAlone(job, terms_[job].by)) return false;
    const auto rank = [&](std::size_t j) { return std::pair(terms_[j].weight, -board_.LeastGpuSeconds(j)); };
    std::vector<std::size_t> rivals = board_.Rivals(job, terms_[job].by);
    std::erase_if(rivals, [&](std::size_t j) { return terms_[j].is_fixed || !(rank(j) < rank(job)); });
    if (rivals.empty()) return false;
    const std::size_t victim = *std::ranges::min_element(rivals, {}, rank);
    const Booking former = board_.Remove(victim);
    if (!board_.Put(job, terms_[job].by)) {
      board_.PutBack(victim, former);
      return false;
    }
    if (!board_.Put(victim, terms_[victim].by)) Miss(victim);
    return true;
  }

  const std::vector<Terms>& terms_;
  Board& board_;
  Owners owners_;
  std::vector<bool> is_missed_;
};

}  // namespace

std::vector<Terms> TermsOf(const Scenario& scenario, const plan::Limits& limits) {
  std::vector<Terms> terms;
  for (const scenario::Job& job : scenario.jobs) {
    const Instant by = std::min(job.deadline.value_or(scenario.end()), scenario.end());
    terms.push_back({by, job.weight, MustBeDone(job, limits), false});
  }
  return terms;
}

std::optional<Admission> Admit(const Scenario& scenario, const plan::Limits& limits, const std::vector<Terms>& terms,
                               int tries) {
  Board board(scenario, limits);
  if (!board.PutServices()) return std::nullopt;
  Search search(scenario, terms, board);
  search.Fill();
  RandomStream random(kSeed);
  for (int i = 0; i < tries && search.cost().weight > 0.0; ++i) search.Exchange(random);
  search.PutLate();
  Admission admission;
  admission.missed = search.Missed();
  admission.missed_weight = search.cost().weight;
  admission.is_crowded = search.IsCrowded();
  for (std::size_t j = 0; j < terms.size(); ++j) admission.finish.push_back(board.FinishOf(j));
  admission.plan = board.ToPlan();
  return admission;
}

}  // namespace heliostat::admission
