#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heliostat::training_progress {

enum class LineStyle {
  kNone,
  kTqdm,       // " 45%|████  | 450/1000 [00:12<00:15, 36.1it/s]"
  kKeras,      // "156/1875 [==>...] - ETA: 4s", "156/1875 ━━━━ 4s 3ms/step"
  kRich,       // "Epoch 0/9 ━━━━ 450/1000 0:00:12 • 0:00:15 36.10it/s"
  kBracketed,  // torchvision and timm: "Epoch: [0]  [ 100/5005]  eta: …", "Train: 0 [ 100/5005 (  2%)]"
  kCounter,    // "iteration 100/ 5000 |", "step=120", "iter 100:"
  kPattern,    // the pattern of the user
  kRate,       // a rate without a count
};
std::string_view NameOf(LineStyle style);

// What one line reports. Views point into the line.
struct LineFacts {
  LineStyle style = LineStyle::kNone;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> total;
  std::optional<double> steps_per_s;
  std::optional<double> samples_per_s;
  std::optional<double> epoch;
  std::string_view name;  // what stands before the count: "Training", "Epoch 3"
};

// Reads one line without escape sequences. LineStyle::kNone when it reports no progress.
LineFacts ReadLine(std::string_view line);

// Reads a tqdm bar up to its closing bracket, which completes it without an end of line. Ignores what follows.
std::optional<LineFacts> ReadTqdm(std::string_view line);

// True for the name of an evaluation: "Validation DataLoader 0", "Evaluating", "test".
bool IsEvaluationName(std::string_view name);

}  // namespace heliostat::training_progress
