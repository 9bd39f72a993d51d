#include "heliostat/control/policy/course.h"

#include <algorithm>

namespace heliostat::policy {

std::optional<RunSetting> Course::At(Instant now) const {
  for (const CoursePiece& piece : pieces) {
    if (piece.span.Contains(now)) return piece.setting;
  }
  return std::nullopt;
}

std::vector<NodeShare> Course::NodesAt(Instant now) const {
  for (const CoursePiece& piece : pieces) {
    if (piece.span.Contains(now)) return piece.nodes;
  }
  return {};
}

std::optional<Instant> Course::End() const {
  if (pieces.empty()) return std::nullopt;
  return pieces.back().span.end;
}

bool Course::IsOver(Instant now) const { return pieces.empty() || pieces.back().span.end <= now; }

std::optional<Instant> Course::RunEnd(const Choices& choices, Instant now) const {
  std::optional<Instant> end;
  int workers = 0;
  for (const CoursePiece& piece : pieces) {
    if (!end && !piece.span.Contains(now)) continue;
    const int here = choices.At(piece.setting).workers;
    if (end && (*end != piece.span.begin || here != workers)) break;
    end = piece.span.end;
    workers = here;
  }
  return end;
}

}  // namespace heliostat::policy
