#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/forecasting/auto_parts/baseline.h"
#include "heliostat/forecasting/regression/ridge.h"

namespace heliostat::auto_parts {

// One way to forecast a frame; several are blended.
enum class MemberKind {
  kYesterday,  // the newest day again
  kPattern,    // recent days' pattern, the present anomaly fading into it
  kRecent,     // a regression for each lead on top of recent days
  kCalendar,   // a regression for each lead on top of the calendar
  kMix,        // each source's power by such regressions, then put together by emission factors
};
std::string_view NameOf(MemberKind kind);

// Which baseline a member needs to be fitted and asked.
BaselineKind BaselineOf(MemberKind kind);

// A frame with everything that members need to see of it. Laid once for all of
// them, and for all origins up to its end.
struct Scene {
  const FrameRecipe& recipe;
  const Frame& frame;
  bool seasons;  // whether enough is known to tell seasons apart
  std::vector<Baseline> by_calendar;
  std::vector<Baseline> by_recent;

  const std::vector<Baseline>& Of(BaselineKind kind) const {
    return kind == BaselineKind::kCalendar ? by_calendar : by_recent;
  }
};
Scene LayScene(const FrameRecipe& recipe, const Frame& frame, const CalendarModel& model, std::size_t steps);

class Member {
 public:
  // Whether anything can be learned from the rows before `until`: a regression
  // needs an origin with all of its past and its whole horizon there.
  static bool CanLearn(MemberKind kind, const Frame& frame, std::size_t until, std::size_t steps);
  // Learns from the scene's rows before `until`.
  static Member Fit(MemberKind kind, const Scene& scene, std::size_t until, std::size_t steps);

  // Rows that must lie before an origin.
  std::size_t Needs(const Frame& frame) const;
  // The target from row `origin` on, on its own scale, seeing only rows before it;
  // no more steps than were fitted.
  std::vector<double> Predict(const Scene& scene, std::size_t origin, std::size_t steps) const;

  MemberKind kind() const { return kind_; }

  // Whether it was fitted on frames of this recipe, for so many steps: what is
  // loaded from parts must fit together.
  bool Suits(const FrameRecipe& recipe, bool seasons, std::size_t steps) const;

  io::Json Save() const;
  static Result<Member> Load(const io::Json& saved);

 private:
  explicit Member(MemberKind kind) : kind_(kind) {}
  std::vector<double> PredictPattern(const Scene& scene, std::size_t origin, std::size_t steps) const;
  std::vector<double> PredictRegression(const Scene& scene, std::size_t origin, std::size_t steps) const;

  MemberKind kind_;
  double fading_ = 0;  // of the present anomaly, a step
  std::optional<regression::Ridge> ridge_;
};

}  // namespace heliostat::auto_parts
