#include "heliostat/node/training_progress/step_rate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heliostat/base/core/names.h"

namespace heliostat::training_progress {
namespace {

constexpr auto kExclusions = NamesOf<Exclusion>(
    {{Exclusion::kEvaluation, "evaluation"}, {Exclusion::kRestart, "restart"}, {Exclusion::kStall, "stall"}});

// A piece is an outlier when its steps took 1.5 times as long as most, and far longer than their usual spread.
constexpr double kOutlierRatio = 1.5;
constexpr double kOutlierSpreads = 5.0;
constexpr double kSpreadOfMad = 1.4826;  // standard deviation over median deviation, for normal noise
// Below this utilisation the GPU waits more than it works.
constexpr double kBusy = 0.6;
constexpr std::size_t kMostPieces = 4096;

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string_view NameOf(Exclusion why) { return kExclusions.NameOf(why); }

void StepRate::Close(const Look& end, std::optional<Exclusion> why) {
  if (begin_ && end.at > begin_->at && pieces_.size() < kMostPieces) {
    pieces_.push_back({begin_->at, end.at, end.count - begin_->count, end.energy - begin_->energy, why});
  }
  begin_ = end;
}

void StepRate::Add(const Look& look) {
  if (last_ && look.at < last_->at) return;
  const Look before = std::exchange(last_, look).value_or(look);
  if (look.count < before.count) {  // the program started again: what it did in between is not known
    if (begin_) begin_->count = look.count;
    return Close(look, Exclusion::kRestart);
  }
  if (look.is_evaluating != before.is_evaluating) {
    // The phase changed since the last count; that time belongs to the evaluation.
    if (look.is_evaluating && begin_) return Close(before, std::nullopt);
    return Close(look, Exclusion::kEvaluation);
  }
  if (look.is_evaluating || look.count == before.count) return;
  if (!begin_) {
    begin_ = look;
  } else if (look.at - begin_->at >= grain_) {
    Close(look, std::nullopt);
  }
}

std::optional<RateEstimate> StepRate::Estimate() const {
  std::vector<double> times;
  for (const Piece& piece : pieces_) {
    if (!piece.why && piece.steps > 0.0) times.push_back(piece.StepTime());
  }
  if (times.size() < 2) return std::nullopt;
  const double median = MedianOf(times);
  std::vector<double> deviations;
  deviations.reserve(times.size());
  for (const double time : times) deviations.push_back(std::abs(time - median));
  const double limit =
      std::max(kOutlierRatio * median, median + kOutlierSpreads * kSpreadOfMad * MedianOf(std::move(deviations)));

  RateEstimate estimate;
  std::vector<const Piece*> kept;
  for (const Piece& piece : pieces_) {
    const bool is_slow = piece.steps <= 0.0 || piece.StepTime() > limit;
    if (!piece.why && !is_slow) {
      kept.push_back(&piece);
      estimate.steps += piece.steps;
      estimate.energy += piece.energy;
      estimate.counted += piece.end - piece.begin;
    } else {
      estimate.excluded += piece.end - piece.begin;
      estimate.exclusions.push_back({piece.begin, piece.end, piece.why.value_or(Exclusion::kStall)});
    }
  }
  if (kept.size() < 2) return std::nullopt;
  // The ratio of sums, and its error by linearisation: pieces of different length count by their length.
  const double step_time = estimate.counted.count() / estimate.steps;
  double squares = 0.0;
  for (const Piece* piece : kept) {
    const double off = (piece->end - piece->begin).count() - piece->steps * step_time;
    squares += off * off;
  }
  const auto n = static_cast<double>(kept.size());
  estimate.pieces = static_cast<int>(kept.size());
  estimate.steps_per_s = 1.0 / step_time;
  estimate.standard_error = std::sqrt(squares * n / (n - 1.0)) / estimate.steps / (step_time * step_time);
  return estimate;
}

InputEvidence JudgeInput(const RateEstimate& rate, double utilisation, double duty) {
  InputEvidence evidence;
  if (!(duty > 0.0) || rate.steps <= 0.0) return evidence;
  evidence.busy_share = std::clamp(utilisation / duty, 0.0, 1.0);
  evidence.is_input_bound = evidence.busy_share < kBusy;
  return evidence;
}

}  // namespace heliostat::training_progress
