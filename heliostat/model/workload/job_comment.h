#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::workload {

// What the user of a job allows, as its comment says it:
// "heliostat:deadline=2026-11-18T08:00:00Z;slack=50%;may=suspend,requeue", any part of it, with other text around.
struct JobComment {
  std::optional<Instant> deadline{};
  // The job may end later than without Heliostat by this share of its time limit. Whole hundredths of a percent.
  std::optional<double> slack_share{};
  bool may_suspend = false;
  bool may_requeue = false;

  bool empty() const { return !deadline && !slack_share && !may_suspend && !may_requeue; }
  friend bool operator==(const JobComment&, const JobComment&) = default;
};

// Reads "50%": from 0 to 10000 %, with at most two decimals. `where` is the place in errors.
Result<double> ParseSlack(std::string_view text, std::string_view where);
// Reads "suspend,requeue" into `comment`. `where` is the place in errors.
Status ParsePermissions(std::string_view text, std::string_view where, JobComment& comment);

// Whether a comment has a part of Heliostat, right or wrong.
bool HasHeliostatPart(std::string_view comment);
// Reads the part of Heliostat, which begins at "heliostat:" and ends at a blank. A comment without one is empty.
Result<JobComment> ParseJobComment(std::string_view comment);
// The part as text, without other text. Empty for an empty comment.
std::string FormatJobComment(const JobComment& comment);

}  // namespace heliostat::workload
