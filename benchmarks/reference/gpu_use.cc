#include "benchmarks/reference/gpu_use.h"

#include <algorithm>

namespace heliostat::reference {

void GpuUse::Add(int begin, int end, int gpus, int step_s) {
  if (begin == 0 && end == step_s) {
    whole_ += gpus;
  } else {
    if (changes_.empty()) changes_.push_back({0, 0});
    const auto split = [&](int at) {
      std::size_t i = 0;
      while (i + 1 < changes_.size() && changes_[i + 1].at <= at) ++i;
      if (changes_[i].at == at) return i;
      changes_.insert(changes_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {at, changes_[i].gpus});
      return i + 1;
    };
    const std::size_t first = split(begin);
    const std::size_t last = end < step_s ? split(end) : changes_.size();
    for (std::size_t i = first; i < last; ++i) changes_[i].gpus += gpus;
  }
  Tidy();
}

void GpuUse::Tidy() {
  std::size_t kept = 0;
  int most = 0;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (kept > 0 && changes_[kept - 1].gpus == changes_[i].gpus) continue;
    changes_[kept++] = changes_[i];
    most = std::max(most, changes_[i].gpus);
  }
  changes_.resize(kept);
  if (kept == 1 && changes_[0].gpus == 0) changes_.clear();
  peak_ = whole_ + most;
}

int GpuUse::Peak(int begin, int end) const {
  int most = 0;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const int until = i + 1 < changes_.size() ? changes_[i + 1].at : end;
    if (until > begin && changes_[i].at < end) most = std::max(most, changes_[i].gpus);
  }
  return whole_ + most;
}

int GpuUse::Prefix(int begin, int end, int limit) const {
  if (whole_ > limit) return 0;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const int until = i + 1 < changes_.size() ? changes_[i + 1].at : end;
    if (until <= begin || whole_ + changes_[i].gpus <= limit) continue;
    return std::max(0, std::min(end, changes_[i].at) - begin);
  }
  return end - begin;
}

int GpuUse::Suffix(int begin, int end, int limit) const {
  if (whole_ > limit) return 0;
  for (std::size_t i = changes_.size(); i-- > 0;) {
    if (changes_[i].at >= end || whole_ + changes_[i].gpus <= limit) continue;
    const int until = i + 1 < changes_.size() ? std::min(end, changes_[i + 1].at) : end;
    return end - std::max(begin, until);
  }
  return end - begin;
}

int GpuUse::Longest(int begin, int end, int limit, int& from) const {
  from = begin;
  if (whole_ > limit) return 0;
  int longest = 0;
  int open = begin;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const int until = std::min(end, i + 1 < changes_.size() ? changes_[i + 1].at : end);
    if (until <= begin || whole_ + changes_[i].gpus <= limit) continue;
    if (std::min(end, changes_[i].at) - open > longest) {
      longest = std::min(end, changes_[i].at) - open;
      from = open;
    }
    open = std::max(open, until);
  }
  if (end - open > longest) {
    longest = end - open;
    from = open;
  }
  return longest;
}

}  // namespace heliostat::reference
