#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/decomposition/improve.h"

namespace heliostat::decomposition {

// Improves a whole draft further than a sweep can. A node is saved only when all of its jobs move, so a few jobs are
// taken out together and inserted again. The result depends on the draft and the seed alone. Refers to its arguments,
// which must outlive it. Not thread-safe.
class NeighbourhoodSearch {
 public:
  NeighbourhoodSearch(DraftPlan& draft, Improver& improver, std::uint64_t seed)
      : draft_(draft), model_(draft.model()), improver_(improver), random_(seed) {}

  // Takes jobs out and inserts them again, `tries` times. Changes that raise the value very little are kept for a
  // while, to get out of a local minimum. Ends with the best draft that it has seen, which is never worse than the
  // first.
  void Try(int tries, const Expired& expired);

 private:
  using Jobs = std::vector<std::size_t>;
  Jobs Pick();
  Jobs RunningIn(std::size_t group, std::size_t slot, std::size_t slots) const;
  Jobs WithWindowAt(std::size_t slot) const;
  Jobs OfLastNode(std::size_t group, std::size_t slot);
  void Shuffle(Jobs& jobs);
  bool Recreate(const Jobs& jobs);
  void Restore(const Jobs& jobs, const std::vector<Schedule>& former);

  DraftPlan& draft_;
  const Model& model_;
  Improver& improver_;
  RandomStream random_;
};

}  // namespace heliostat::decomposition
