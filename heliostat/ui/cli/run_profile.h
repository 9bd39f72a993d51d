#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/node/training_run/run.h"

namespace heliostat::cli {

// Whether the value of --profile names a table, FILE.csv or FILE.csv:MODEL, and not a profile that runs have learned.
bool IsProfileTable(const std::string& text);

// Reads a profile table for a run. A text that names none gives an empty function. The table must have one training
// model, or MODEL must name one. A run counts steps and a table counts samples: without a batch in the table, a sample
// is a step of one GPU.
Result<training_run::KnownSpeeds> ReadProfileTable(const std::string& text, Knob knob);

}  // namespace heliostat::cli
