#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {

// A stretch of time in which a job trains in one way.
struct CoursePiece {
  Interval span;
  RunSetting setting;
  friend bool operator==(const CoursePiece&, const CoursePiece&) = default;
};

// When, where and how a plan lets one job train: pieces in order of time, without overlap.
struct Course {
  std::vector<CoursePiece> pieces;
  bool fixed = false;  // the job goes on as it runs, whatever the pieces say

  // How the job trains at `now`; nothing: it waits.
  std::optional<RunSetting> At(Instant now) const;
  // When the last piece ends; nothing without pieces.
  std::optional<Instant> End() const;
  // Nothing is planned from `now` on.
  bool IsOver(Instant now) const;
  // When the run under way at `now` ends: pieces without a gap, with as many workers. Nothing when none is under way.
  std::optional<Instant> RunEnd(const Choices& choices, Instant now) const;
  friend bool operator==(const Course&, const Course&) = default;
};

// Lets a job that runs go on where its course would stop it for a moment only to start it again with as many workers: a
// planner that does not know that the job runs thinks such a restart costs nothing.
void KeepRunning(const JobState& job, const Choices& choices, Instant now, Course& course);

}  // namespace heliostat::policy
