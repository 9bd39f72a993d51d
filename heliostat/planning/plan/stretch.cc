#include "heliostat/planning/plan/stretch.h"

#include <algorithm>

namespace heliostat::plan {

int Stretch::Peak(std::int64_t begin, std::int64_t end) const {
  auto level = std::upper_bound(levels_.begin(), levels_.end(), begin,
                                [](std::int64_t at, const Level& l) { return at < l.from; });
  int most = level == levels_.begin() ? 0 : std::prev(level)->used;
  for (; level != levels_.end() && level->from < end; ++level) most = std::max(most, level->used);
  return most;
}

void Stretch::Add(const Part& part) {
  first_ = empty() ? part.first : std::min(first_, part.first);
  last_ = empty() ? part.last : std::max(last_, part.last);
  const std::size_t from = Cut(part.begin);
  const std::size_t until = Cut(part.end);
  for (std::size_t i = from; i < until; ++i) levels_[i].used += part.gpus;
  parts_.push_back(part);
  if (part.node >= 0) node_ = part.node;
}

void Stretch::Clear() {
  levels_.clear();
  parts_.clear();
  node_ = -1;
}

// The index of the level that begins at `at`; makes it if there is none.
std::size_t Stretch::Cut(std::int64_t at) {
  const auto level =
      std::lower_bound(levels_.begin(), levels_.end(), at, [](const Level& l, std::int64_t t) { return l.from < t; });
  const auto index = static_cast<std::size_t>(level - levels_.begin());
  if (level != levels_.end() && level->from == at) return index;
  levels_.insert(level, {at, index == 0 ? 0 : levels_[index - 1].used});
  return index;
}

}  // namespace heliostat::plan
