#include "heliostat/forecasting/job_length/job.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace heliostat::job_length {
namespace {

constexpr std::array<std::string_view, 9> kUnended{"PENDING",  "RUNNING",    "SUSPENDED", "REQUEUED",   "REQUEUE_HOLD",
                                                   "RESIZING", "COMPLETING", "STOPPED",   "CONFIGURING"};

}  // namespace

std::optional<Ending> EndingOfState(std::string_view state) {
  const std::string_view word = state.substr(0, state.find_first_of(" +"));
  if (std::ranges::find(kUnended, word) != kUnended.end()) return std::nullopt;
  if (word.empty() || word == "COMPLETED") return Ending::kCompleted;
  if (word == "TIMEOUT") return Ending::kTimedOut;
  return word == "CANCELLED" ? Ending::kCancelled : Ending::kFailed;
}

std::string PlainName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isdigit(byte) == 0) plain += static_cast<char>(std::tolower(byte));
  }
  return plain;
}

}  // namespace heliostat::job_length
