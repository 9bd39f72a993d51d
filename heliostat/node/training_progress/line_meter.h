#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/units.h"
#include "heliostat/node/training_progress/line_styles.h"

namespace heliostat::training_progress {

// How far a program is, as its output tells.
struct LineProgress {
  std::uint64_t steps = 0;                // of training, never falls: counts that start anew (epochs) are joined
  std::optional<std::uint64_t> position;  // what the last training line said itself, and of how many
  std::optional<std::uint64_t> total;
  std::optional<double> steps_per_s;    // as the program tells it
  std::optional<double> samples_per_s;  // images, tokens, whatever it counts
  std::optional<double> epoch;
  LineStyle style = LineStyle::kNone;  // of what `steps` comes from
  bool is_evaluating = false;
  Seconds at{0};  // when `steps` last rose
};

// Reads progress bars and log lines out of whatever a program writes: tqdm, Keras, rich (Lightning), torchvision, timm,
// Megatron, DeepSpeed, "step 120/5000", "it/s". Any bytes, in any pieces, give the same; memory is bounded. Of several
// bars at once (epochs and batches, training and evaluation) the one that has counted furthest is training, unless its
// name says otherwise. Not thread-safe.
class LineMeter {
 public:
  LineMeter();
  // `pattern` in place of everything else: an ECMAScript regular expression whose first group is the count, and whose
  // second, if there is one, the total. Sees the first 512 bytes of a line.
  static Result<LineMeter> WithPattern(const std::string& pattern);
  LineMeter(LineMeter&&) noexcept;
  LineMeter& operator=(LineMeter&&) noexcept;
  ~LineMeter();

  // `now`: monotone, from any origin.
  void Feed(std::string_view bytes, Seconds now);
  const LineProgress& progress() const { return progress_; }

 private:
  // One bar, or one kind of log line, over all its restarts.
  struct Track {
    std::uint64_t key = 0;
    LineStyle style = LineStyle::kNone;
    bool is_evaluation = false;
    std::uint64_t last = 0;
    std::uint64_t done = 0;
    int moves_alone = 0;  // while the training track stood still
  };
  enum class Escape { kNone, kBegun, kSequence, kText, kTextEnd };
  struct Pattern;

  void Put(char byte);
  bool Skip(char byte);
  void EndLine();
  void Read(std::string_view line);
  void Count(const LineFacts& facts);
  Track& TrackOf(const LineFacts& facts);
  const Track* Training() const;

  std::unique_ptr<Pattern> pattern_;
  std::string line_;
  Escape escape_ = Escape::kNone;
  bool is_bar_read_ = false;  // what stands in line_ was read already, as a bar that is complete
  Seconds now_{0};
  std::vector<Track> tracks_;
  LineProgress progress_;
};

}  // namespace heliostat::training_progress
