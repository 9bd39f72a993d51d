#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

enum class Format { kZeus, kPerseus, kRtx, kMlEnergy, kGavel, kTable };

std::string_view NameOf(Format format);
// Accepts "zeus", "perseus", "rtx", "mlenergy", "gavel" and "table". Nothing for "auto".
Result<std::optional<Format>> ParseFormat(std::string_view name);

// The names of the columns of a table in any other layout. An empty name is the one that profile tables have.
struct TableColumns {
  std::string model;
  std::string gpu;
  std::string limit;       // power limit of one GPU, W
  std::string clock;       // core clock, MHz
  std::string throughput;  // samples or requests per second of all workers
  std::string power;       // of all workers, W
  std::string workers;
  std::string batch;
  std::string latency;  // of one batch, ms; a table with it is about serving
  bool operator==(const TableColumns&) const = default;
};

// What the user knows about a file.
struct ReadOptions {
  std::optional<Format> format{};  // else the header determines it
  std::string gpu{};               // replaces what the file says
  std::optional<int> workers{};    // likewise
  std::string model{};             // for a table without a column of models
  TableColumns columns{};          // any name makes the file a kTable
  std::string decimal{};           // "point" or "comma"; else what the numbers of the file tell
  bool skips_bad_rows = false;     // go on without rows that are wrong
};

// The rows of a file that are right, and the errors of those that were skipped.
struct Reading {
  std::vector<Measurement> rows;
  std::vector<Error> skipped;
};

// Reads a table of measurements in UTF-8 and checks it (see FlawsOf() in check_rows.h). Finds its delimiter and its
// decimal mark, and refuses numbers with two readings. `file` is used in messages, and by
// formats that have the model or the GPU in the file name. Fails on a wrong row, unless rows may be skipped, and on a
// table without a usable row.
Result<Reading> Read(std::string_view text, const std::string& file, const ReadOptions& options);
// The rows alone.
Result<std::vector<Measurement>> ReadMeasurements(std::string_view text, const std::string& file,
                                                  std::optional<Format> format = std::nullopt);

}  // namespace heliostat::profile
