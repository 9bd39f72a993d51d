#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {

// A span of time in which a job trains with one setting.
struct CoursePiece {
  Interval span;
  RunSetting setting;
  friend bool operator==(const CoursePiece&, const CoursePiece&) = default;
};

// What the plan in force says about one job from now on: pieces in order of time, without overlap.
struct Course {
  std::vector<CoursePiece> pieces;
  bool fixed = false;  // the job keeps its present setting; the pieces have no effect

  // The setting at `now`. Nothing when the job waits.
  std::optional<RunSetting> At(Instant now) const;
  // The end of the last piece. Nothing without pieces.
  std::optional<Instant> End() const;
  // Whether no piece ends after `now`.
  bool IsOver(Instant now) const;
  // The end of the run that includes `now`: a sequence of pieces without a gap and with one number of workers. Nothing
  // when no piece includes `now`.
  std::optional<Instant> RunEnd(const Choices& choices, Instant now) const;
  friend bool operator==(const Course&, const Course&) = default;
};

// Removes a short pause at the beginning of the course of a running job when the job would start again in the same
// group with as many workers. The planner does not see that the job runs, so it plans such a restart as if it were
// free.
void KeepRunning(const JobState& job, const Choices& choices, Instant now, Course& course);

}  // namespace heliostat::policy
