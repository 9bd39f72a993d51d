// For any output of a program, in any pieces: counts never decrease, and the pieces do not change the result.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "heliostat/base/core/check.h"
#include "heliostat/node/training_progress/line_meter.h"

namespace {

auto Told(const heliostat::training_progress::LineMeter& meter) {
  const auto& p = meter.progress();
  return std::tuple(p.steps, p.position, p.total, p.steps_per_s, p.samples_per_s, p.epoch, p.style, p.is_evaluating);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heliostat::Check;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heliostat::training_progress::LineMeter whole;
  whole.Feed(text, heliostat::Seconds(1.0));

  heliostat::training_progress::LineMeter pieces;
  std::uint64_t before = 0;
  std::size_t length = 1;
  for (std::string_view rest = text; !rest.empty(); length = length * 5 % 23) {
    const std::string_view piece = rest.substr(0, length);
    pieces.Feed(piece, heliostat::Seconds(1.0));
    rest.remove_prefix(piece.size());
    Check(pieces.progress().steps >= before, "a count decreases");
    before = pieces.progress().steps;
  }
  Check(Told(whole) == Told(pieces), "the result depends on the pieces");
  for (const auto& rate : {whole.progress().steps_per_s, whole.progress().samples_per_s}) {
    Check(!rate || *rate > 0.0, "a rate is not positive");
  }
  return 0;
}
