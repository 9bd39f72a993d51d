#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/control/cluster/action_mechanism.h"

// Slurm's own records of jobs, and its reservations. Internal to this layer.
namespace heliostat::cluster {

// The value of squeue's option -O that makes it print what ParseRecords() reads, with `separator` after each cell.
std::string RecordFormat(std::string_view separator);

// Reads the output of squeue --array-unique. kCorrupt for one that breaks off. A row that cannot be read is left out,
// so that its job is not touched.
Result<std::vector<JobRecord>> ParseRecords(std::string_view text, std::string_view separator);

// The indices "1-3,7,10-20:5", ascending; empty for any other text, and for more than a million.
std::vector<int> ParseElements(std::string_view text);
// In ranges without steps, which scontrol does not read: "1-3,7,10,15,20".
std::string ElementsText(const std::vector<int>& elements);

struct Reservations {
  std::vector<Pin> pins;
  std::vector<ForeignReservation> others;
};
// The reservations that `scontrol -o show reservation` prints. Pins are those with our prefix whose only user is
// `account`. kCorrupt for a line that is none: it could be about nodes of others.
Result<Reservations> ParseReservations(std::string_view text, std::string_view account);
inline constexpr std::string_view kPinPrefix = "heliostat_";

}  // namespace heliostat::cluster
