#pragma once

#include <string_view>

#include "heliostat/base/core/names.h"

namespace heliostat::profile {

// Where figures of a model on a GPU come from.
enum class Origin {
  kMeasured,   // measurements of that model on that GPU, or a fit to them
  kTopOnly,    // measured at the top setting only; below it, the usual curve of the GPU
  kPredicted,  // not measured there: carried over from other GPUs
  kScaled,     // measured there with another number of workers
  kMadeUp,     // measured on a GPU that exists as a model only
};
inline constexpr auto kOrigins = NamesOf<Origin>({{Origin::kMeasured, "measured"},
                                                  {Origin::kTopOnly, "top-only"},
                                                  {Origin::kPredicted, "predicted"},
                                                  {Origin::kScaled, "scaled"},
                                                  {Origin::kMadeUp, "made-up"}});
inline std::string_view NameOf(Origin origin) { return kOrigins.NameOf(origin); }

}  // namespace heliostat::profile
