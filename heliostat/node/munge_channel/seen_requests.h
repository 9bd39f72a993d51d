#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/munge_channel/envelope.h"

namespace heliostat::munge_channel {

// Which requests a server has taken, so that it takes none twice. MUNGE refuses a second decoding, but forgets when
// munged starts again; this forgets only what is too old to be taken anyway. Bounded. Not thread-safe.
class SeenRequests {
 public:
  // The server takes requests that were made since it began, and at most `tolerance` away from its clock.
  SeenRequests(Instant begun, Duration tolerance, std::size_t most)
      : earliest_(begun), tolerance_(tolerance), most_(most) {}

  // Takes a request, or says why not: kPermissionDenied, or kUnavailable when too many are remembered.
  Status Take(const Request& request, Instant now);

 private:
  void Forget(Instant now);

  Instant earliest_;  // requests made before are refused: what was forgotten is among them
  Duration tolerance_;
  std::size_t most_;
  std::set<std::pair<Instant, std::string>> seen_;  // by the time of making, so that the oldest are first
};

}  // namespace heliostat::munge_channel
