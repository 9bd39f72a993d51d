#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/time.h"

namespace heliostat::job_length {

// What is known of a job when it is submitted. Texts are empty where they are not known.
struct JobTraits {
  std::string user{};
  std::string account{};
  std::string name{};
  int gpus = 1;
  std::optional<Duration> time_limit{};
  friend bool operator==(const JobTraits&, const JobTraits&) = default;
};

enum class Ending { kCompleted, kFailed, kCancelled, kTimedOut };

// A job that has ended.
struct EndedJob {
  JobTraits traits{};
  Duration length{};  // from its start to its end, above 0
  Ending ending = Ending::kCompleted;
  friend bool operator==(const EndedJob&, const EndedJob&) = default;
};

// The ending of a state as Slurm writes it: "COMPLETED", "CANCELLED by 1000". An empty state counts as completed, and a
// state that is not known as failed. Nothing for a state of a job that has not ended.
std::optional<Ending> EndingOfState(std::string_view state);

// The name of a job without digits, in lower case: "train-resnet_" of
// "Train-ResNet_07". Runs of one program differ in numbers.
std::string PlainName(std::string_view name);

}  // namespace heliostat::job_length
