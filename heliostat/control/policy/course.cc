#include "heliostat/control/policy/course.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// A pause up to this length does not stop a running job.
constexpr Duration kShortGap = 15min;

}  // namespace

std::optional<RunSetting> Course::At(Instant now) const {
  for (const CoursePiece& piece : pieces) {
    if (piece.span.Contains(now)) return piece.setting;
  }
  return std::nullopt;
}

std::optional<Instant> Course::End() const {
  if (pieces.empty()) return std::nullopt;
  return pieces.back().span.end;
}

bool Course::IsOver(Instant now) const { return pieces.empty() || pieces.back().span.end <= now; }

std::optional<Instant> Course::RunEnd(const Choices& choices, Instant now) const {
  std::optional<Instant> end;
  int workers = 0;
  for (const auto& [span, setting] : pieces) {
    if (!end && !span.Contains(now)) continue;
    const int here = choices.At(setting).workers;
    if (end && (*end != span.begin || here != workers)) break;
    end = span.end;
    workers = here;
  }
  return end;
}

void KeepRunning(const JobState& job, const Choices& choices, Instant now, Course& course) {
  if (job.phase != Phase::kRunning || course.pieces.empty()) return;
  const int workers = choices.At(job.setting).workers;
  const auto alike = [&](const RunSetting& setting) {
    return setting.group == job.setting.group && choices.At(setting).workers == workers;
  };
  CoursePiece& first = course.pieces[0];
  const Duration gap = first.span.begin - now;
  if (!alike(first.setting) || gap > kShortGap) return;
  // The job trains in the time that the plan reserves for resuming.
  if (job.asked.resume > Duration{0}) first.span.begin = std::min(first.span.begin, now);
  // A first piece that is no longer than the time to resume takes the setting of the next piece.
  if (course.pieces.size() < 2 || first.span.length() - std::max(gap, Duration{0}) > job.asked.resume) return;
  const CoursePiece& second = course.pieces[1];
  if (first.span.end == second.span.begin && alike(second.setting)) first.setting = second.setting;
}

}  // namespace heliostat::policy
