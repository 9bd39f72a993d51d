#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/forecasting/auto_parts/baseline.h"
#include "heliostat/forecasting/regression/ridge.h"

namespace heliostat::auto_parts {

// The ways to forecast a frame; a blend combines several.
enum class MemberKind {
  kYesterday,  // repeats the newest day
  kPattern,    // the pattern of recent days plus the present anomaly, which decays
  kRecent,     // a regression per lead on the difference to recent days
  kCalendar,   // a regression per lead on the difference to the calendar model
  kMix,        // a regression per source and lead, combined by emission factors
};
std::string_view NameOf(MemberKind kind);

// The baseline that a member is fitted on and predicts with.
BaselineKind BaselineOf(MemberKind kind);

// A frame and everything that members derive from it. Made once for all members and for all origins up to its end.
// Refers to `recipe` and `frame`, which must outlive it.
struct Scene {
  const FrameRecipe& recipe;
  const Frame& frame;
  bool seasons;  // whether the calendar model has seasons
  std::vector<Baseline> by_calendar;
  std::vector<Baseline> by_recent;

  const std::vector<Baseline>& Of(BaselineKind kind) const {
    return kind == BaselineKind::kCalendar ? by_calendar : by_recent;
  }
};
// For predictions of up to `steps`.
Scene LayScene(const FrameRecipe& recipe, const Frame& frame, const CalendarModel& model, std::size_t steps);

// One fitted way to forecast. Immutable after Fit() or Load().
class Member {
 public:
  // True when the rows before `until` are sufficient: a regression needs one origin with its whole past and its whole
  // horizon.
  static bool CanLearn(MemberKind kind, const Frame& frame, std::size_t until, std::size_t steps);
  // Learns from the rows of the scene before `until`. CanLearn() must be true.
  static Member Fit(MemberKind kind, const Scene& scene, std::size_t until, std::size_t steps);

  // The number of rows that an origin must have before it.
  std::size_t Needs(const Frame& frame) const;
  // The target from row `origin` on, on its scale, from rows before `origin` only. `steps` must not exceed that of
  // Fit().
  std::vector<double> Predict(const Scene& scene, std::size_t origin, std::size_t steps) const;

  MemberKind kind() const { return kind_; }

  // True when it was fitted on frames of this recipe for that many steps: the parts of a loaded file must match.
  bool Suits(const FrameRecipe& recipe, bool seasons, std::size_t steps) const;

  io::Json Save() const;
  static Result<Member> Load(const io::Json& saved);

 private:
  explicit Member(MemberKind kind) : kind_(kind) {}
  std::vector<double> PredictPattern(const Scene& scene, std::size_t origin, std::size_t steps) const;
  std::vector<double> PredictRegression(const Scene& scene, std::size_t origin, std::size_t steps) const;

  MemberKind kind_;
  double fading_ = 0;  // factor of the present anomaly per step
  std::optional<regression::Ridge> ridge_;
};

}  // namespace heliostat::auto_parts
