#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/node/training_run/run.h"

namespace heliostat::cli {

// Reads a profile table for a run, from FILE or FILE:MODEL. Empty text gives an empty function. The table must have one
// training model, or MODEL must name one, and it must state the batch, because a run counts steps and a table counts
// samples.
Result<training_run::KnownSpeeds> ReadProfileTable(const std::string& text, Knob knob);

}  // namespace heliostat::cli
