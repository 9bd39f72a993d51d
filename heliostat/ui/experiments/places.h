#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::experiments {

// A place of a cluster: its measured signals, and the built-in zone that supplies the rest, which is the local time,
// solar power, and each signal that was not measured.
struct Place {
  std::string name;  // "DE-LU", or the built-in zone's own name
  std::string zone;
  std::optional<signal::Signal> carbon{};
  std::optional<signal::Signal> price{};
  std::optional<signal::Signal> wind{};  // a year of it, of any year
};

// The places of a study.
struct StudyPlaces {
  std::vector<Place> places;
  bool is_real = false;
  std::string about;              // the sources of the data, for pages
  std::uint64_t fingerprint = 0;  // hash of all files read; 0 for built-in zones

  Result<const Place*> Find(const std::string& name) const;
};

// The nine built-in zones.
StudyPlaces BuiltInWorld();

// Eight zones of Electricity Maps 2023 and 2024 (life cycle), seven with wholesale prices; wind of RTS-GMLC in the
// United States and of Kelmarsh in Europe. `folder` is laid out as the project's data folder is; an error names the
// file that is missing.
Result<StudyPlaces> RealWorld(const std::string& folder);

}  // namespace heliostat::experiments
