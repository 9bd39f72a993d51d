#include "heliostat/node/training_run/profile_file.h"

#include <fmt/format.h>

#include <iterator>

namespace heliostat::training_run {
namespace {

std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string Cell(const std::optional<double>& number) { return number ? fmt::format("{:g}", *number) : std::string(); }

}  // namespace

std::string ProfileTable(std::span<const ProfileRow> rows) {
  std::string text =
      "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,batch,source,speed_error_percent,pace,measured_"
      "s\n";
  for (const ProfileRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:.6g},{:.6g},{},{},{:.3g},{:g},{:.1f}\n", Cell(row.model),
                   Cell(row.gpu), row.workers, Cell(row.core_mhz), Cell(row.power_limit_w), row.samples_per_s,
                   row.power.value, row.batch, Cell(row.source), 100.0 * row.error, row.pace, row.measured.count());
  }
  return text;
}

}  // namespace heliostat::training_run
