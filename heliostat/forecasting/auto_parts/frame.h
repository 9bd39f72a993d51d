#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/forecasting/auto_parts/value_space.h"
#include "heliostat/forecasting/auto_parts/zone_calendar.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::auto_parts {

// A history prepared for regression: no gaps, at the working step, each column on the scale on which it is forecast.
struct Frame {
  Instant start;
  Duration step;
  std::size_t day;   // steps per day; 1 when a step is longer than a day
  std::size_t size;  // number of rows
  // The target; then the indicators of the generation mix, called signs (shares of sources, demand); then the power of
  // each source, on the scale of its square root.
  std::vector<std::vector<double>> columns;
  std::size_t signs = 0;   // columns 1 .. signs
  std::size_t powers = 0;  // columns signs + 1 .. signs + powers

  Instant TimeOf(std::size_t i) const { return start + step * static_cast<std::int64_t>(i); }
  double days() const { return static_cast<double>(size) / static_cast<double>(day); }
  std::size_t Hours(double hours) const;  // converts hours to steps, at least one
};

// How histories of one signal become frames. Decided once, when a model is fitted, and saved with it, so that later
// frames have the same columns. Immutable.
class FrameRecipe {
 public:
  // kInvalidArgument when no value of the target is known.
  static Result<FrameRecipe> Of(const signal::Signal& target, std::span<const signal::Signal> sources);

  // Makes a frame that ends where `target` ends. `target` must have the step of the recipe, and `sources` all sources
  // of the recipe; kInvalidArgument otherwise.
  Result<Frame> Lay(const signal::Signal& target, std::span<const signal::Signal> sources) const;

  const ValueSpace& space() const { return space_; }
  Duration step() const { return step_; }            // of frames: an hour where the signal is finer
  Duration fine_step() const { return fine_step_; }  // of the signal itself
  const ZoneCalendar& calendar() const { return calendar_; }

  // The number of sign and power columns of its frames.
  std::size_t signs() const;
  std::size_t powers() const;
  // True when the sources can be forecast separately and combined to an intensity.
  bool has_mix() const { return powers() > 0; }
  // The intensity that results from the scaled values of the power columns; std::nullopt when no source generates.
  std::optional<double> Intensity(std::span<const double> scaled_powers) const;
  // Why the mix is used or not, for users.
  const std::string& about_mix() const { return about_mix_; }

  io::Json Save() const;
  static Result<FrameRecipe> Load(const io::Json& saved);

 private:
  FrameRecipe(ValueSpace space, std::string zone)
      : space_(space), zone_(std::move(zone)), calendar_(ZoneCalendar::Of(zone_)) {}
  void ChooseSources(const signal::Signal& target, std::span<const signal::Signal> sources);
  Status LoadSources(const io::Json& saved);

  // A source that is part of the demand.
  struct Source {
    std::string name;
    bool is_sign = false;  // its share is a sign column
    double scale = 0;      // its mean power; 0 when it is not forecast
    double factor = 0;     // its emissions per energy, in the unit of the intensity
  };
  void AddSources(const std::vector<std::vector<double>>& power, Frame& frame) const;

  ValueSpace space_;
  std::string zone_;
  ZoneCalendar calendar_;
  Duration step_{};
  Duration fine_step_{};
  std::vector<Source> sources_;  // every later history must have them
  bool demand_varies_ = false;   // their sum is a sign column
  std::string about_mix_;
};

}  // namespace heliostat::auto_parts
