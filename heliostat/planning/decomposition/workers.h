#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace heliostat::decomposition {

// The number of threads to use when `asked` are asked for; 0 means one per core.
inline unsigned ThreadsFor(unsigned asked) {
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

// Calls visit(worker, i) once for each i below `count`, where worker < threads is the number of the calling thread.
// A thread takes `at_once` numbers at a time. Which thread visits which number may differ from run to run, so a visit
// must not depend on others.
template <typename Visit>
void VisitInThreads(std::size_t count, std::size_t at_once, unsigned threads, const Visit& visit) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned worker) {
    while (true) {
      const std::size_t begin = next.fetch_add(at_once);
      if (begin >= count) return;
      for (std::size_t i = begin; i < std::min(begin + at_once, count); ++i) visit(worker, i);
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned worker = 1; worker < threads; ++worker) helpers.emplace_back(work, worker);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace heliostat::decomposition
