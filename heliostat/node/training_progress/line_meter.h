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

// How far a program is, according to its output.
struct LineProgress {
  std::uint64_t steps = 0;                // of training; never falls: counts that start again (epochs) are joined
  std::optional<std::uint64_t> position;  // the count in the last training line, and its total
  std::optional<std::uint64_t> total;
  std::optional<double> steps_per_s;    // as the program reports it
  std::optional<double> samples_per_s;  // images, tokens or what else it counts
  std::optional<double> epoch;
  LineStyle style = LineStyle::kNone;  // of the lines that `steps` comes from
  bool is_evaluating = false;
  Seconds at{0};  // when `steps` last rose
};

// Reads progress bars and log lines from a program's output: tqdm, Keras, rich (Lightning), torchvision, timm,
// Megatron, DeepSpeed, "step 120/5000", "it/s". Accepts any bytes; how they are cut into pieces does not matter. Memory
// is bounded. Of several bars (epochs and batches, training and evaluation) the one with the highest count is training,
// unless its name is that of an evaluation. Not thread-safe.
class LineMeter {
 public:
  LineMeter();
  // Uses `pattern` instead of the known styles: an ECMAScript regular expression whose first group is the count and
  // whose second group, if any, is the total. It sees the first 512 bytes of a line. kInvalidArgument for an invalid
  // expression or one without a group.
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
  void PutPlain(std::string_view bytes, bool is_at_line_end);
  void TryBar(std::string_view line);
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
