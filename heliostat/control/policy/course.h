#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {

// A span of time in which a job trains with one setting.
struct CoursePiece {
  Interval span;
  RunSetting setting;
  std::vector<NodeShare> nodes{};  // where, in a world that places jobs on named nodes; empty: anywhere
  friend bool operator==(const CoursePiece&, const CoursePiece&) = default;
};

// What the plan in force says about one job from now on: pieces in order of time, without overlap.
struct Course {
  std::vector<CoursePiece> pieces;
  bool fixed = false;  // the job keeps its present setting; there is no plan

  // The setting at `now`. Nothing when the job waits.
  std::optional<RunSetting> At(Instant now) const;
  // The nodes at `now`. Empty when the job waits or may run anywhere.
  std::vector<NodeShare> NodesAt(Instant now) const;
  // The end of the last piece. Nothing without pieces.
  std::optional<Instant> End() const;
  // Whether no piece ends after `now`.
  bool IsOver(Instant now) const;
  // The end of the run that includes `now`: a sequence of pieces without a gap and with one number of workers. Nothing
  // when no piece includes `now`.
  std::optional<Instant> RunEnd(const Choices& choices, Instant now) const;
  friend bool operator==(const Course&, const Course&) = default;
};

}  // namespace heliostat::policy
