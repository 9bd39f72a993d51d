#include "heliostat/node/level_control/speed_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "heliostat/base/core/check.h"
#include "heliostat/node/level_control/concave_fit.h"
#include "heliostat/node/level_control/line_fit.h"

namespace heliostat::level_control {
namespace {

constexpr double kUsualNoise = 0.1;    // of the time of a step, before it is measured; counts as one measurement
constexpr double kWithinCounts = 2.0;  // noise within stretches counts as much as this many stretches
constexpr double kLeastError = 0.001;  // relative error of a speed: never assumed to be less
constexpr double kPowerError = 0.01;   // relative error of power: the accuracy of the counters
constexpr int kMostTries = 3;          // of one level
constexpr double kOff = 3.0;           // standard errors
constexpr double kOffAtLeast = 0.03;   // share of the speed
constexpr std::size_t kStraysForDrift = 3;
// First tries, as shares of the range of levels: the default, then two that show the curvature and stay above the knee.
constexpr std::array<double, 3> kFirstTries{1.0, 2.0 / 3.0, 1.0 / 3.0};
// A program that is held for half of the time does half of the work: two points determine the line.
constexpr std::array<double, 2> kFirstPaces{1.0, 1.0 / 3.0};
const double kUniform =
    std::sqrt(12.0);  // the width of a uniform distribution divided by this is its standard deviation

double Between(double low, double high, double share) { return low + (high - low) * share; }

}  // namespace

SpeedProfile::SpeedProfile(std::string key, Knob knob, std::vector<double> levels, Probing probing)
    : key_(std::move(key)), knob_(knob), levels_(std::move(levels)), probing_(probing) {
  Check(!levels_.empty() && std::ranges::is_sorted(levels_), "levels ascend");
}

void SpeedProfile::Cell::Add(const SteadySpell& stretch) {
  if (stretches > 0) {
    const double off = stretch.steps / stretch.duration.count() / speed() - 1.0;
    scatter += steps * stretch.steps / (steps + stretch.steps) * off * off;
  }
  seconds += stretch.duration.count();
  steps += stretch.steps;
  joules += stretch.energy.value;
  within += stretch.noise_looks * stretch.step_noise * stretch.step_noise;
  looks += stretch.noise_looks;
  ++stretches;
}

void SpeedProfile::AddStretch(const SteadySpell& stretch) {
  const bool has_work = stretch.steps > 0.0 && stretch.duration.count() > 0.0 && stretch.energy.value >= 0.0 &&
                        std::isfinite(stretch.steps) && std::isfinite(stretch.energy.value);
  if (!stretch.is_clean || !has_work) {
    ++spoiled_[stretch.level];
    return;
  }
  is_checked_ = !IsOddAmongNeighbours(stretch);
  const double off = OffBy(stretch);
  // A single odd stretch is dropped. Odd ones on both sides are noise, which is learned.
  const bool is_same_side = strays_.empty() || (OffBy(strays_.back()) > 0.0) == (off > 0.0);
  if (off == 0.0) strays_.clear();
  strays_.push_back(stretch);
  if (off != 0.0 && is_same_side) {
    if (strays_.size() < kStraysForDrift) return;
    // Not noise: the program behaves differently now.
    cells_.clear();
    spoiled_.clear();
    is_checked_ = true;
    ++drifts_;
  }
  for (const SteadySpell& one : strays_) cells_[one.level].Add(one);
  strays_.clear();
  Fit();
}

// Relative deviation of a stretch from what was measured at its level; 0 where it may be chance or nothing was
// measured.
double SpeedProfile::OffBy(const SteadySpell& stretch) const {
  const auto cell = cells_.find(stretch.level);
  if (cell == cells_.end()) return 0.0;
  const double error = step_noise() * std::sqrt(1.0 / stretch.steps + 1.0 / cell->second.steps);
  return OffBy(stretch, cell->second.speed(), error);
}

double SpeedProfile::OffBy(const SteadySpell& stretch, double expected, double error) {
  const double off = stretch.steps / stretch.duration.count() / expected - 1.0;
  return std::abs(off) < std::max(kOffAtLeast, kOff * error) ? 0.0 : off;
}

// True when a stretch at a new level does not fit its neighbours: the curve bends there, or the program has changed.
bool SpeedProfile::IsOddAmongNeighbours(const SteadySpell& stretch) const {
  const auto known = At(stretch.level);
  if (!known || cells_.count(stretch.level) > 0 || stretch.level > knots_.back().level) return false;
  const double error = std::hypot(step_noise() / std::sqrt(stretch.steps), known->speed_error / known->speed);
  return OffBy(stretch, known->speed, error) != 0.0;
}

double SpeedProfile::step_noise() const {
  // The estimate starts from the variation within stretches; drift between stretches shows later.
  double within = kUsualNoise * kUsualNoise;
  double looks = 1.0;
  for (const auto& [level, cell] : cells_) {
    within += cell.within;
    looks += cell.looks;
  }
  double squares = within / looks * kWithinCounts;
  double count = kWithinCounts;
  for (const auto& [level, cell] : cells_) {
    squares += cell.scatter;
    count += static_cast<double>(cell.stretches - 1);
  }
  return std::sqrt(squares / count);
}

void SpeedProfile::DropBelowKnee(std::vector<Knot>& knots) const {
  while (knots.size() >= 3) {
    const double share = (knots[1].level - knots[0].level) / (knots[2].level - knots[0].level);
    const double below = Between(knots[0].speed, knots[2].speed, share) - knots[1].speed;
    const double error =
        std::hypot(knots[1].speed_error, (1.0 - share) * knots[0].speed_error, share * knots[2].speed_error);
    if (below < std::max(kOff * error, 0.01 * knots.back().speed)) return;
    knots.erase(knots.begin());
  }
}

void SpeedProfile::Fit() {
  std::vector<Knot> knots;
  const double noise = step_noise();
  for (const auto& [level, cell] : cells_) {
    Knot knot{level, cell.speed(), 0.0, cell.joules / cell.seconds, 0.0};
    knot.speed_error = knot.speed * std::max(kLeastError, noise / std::sqrt(cell.steps));
    knot.power_error_w = knot.power_w * kPowerError / std::sqrt(static_cast<double>(cell.stretches));
    knots.push_back(knot);
  }
  const bool is_line = knob_ == Knob::kPace && knots.size() > 1;
  if (!is_line) DropBelowKnee(knots);
  knee_ = knots.size() < cells_.size() ? knots.front().level : 0.0;
  const Columns columns(knots);
  knots_ = is_line ? OnALine(columns) : OnACurve(std::move(knots), columns);
}

SpeedProfile::Columns::Columns(const std::vector<Knot>& knots) {
  for (const Knot& knot : knots) {
    levels.push_back(knot.level);
    speeds.push_back(knot.speed);
    powers.push_back(knot.power_w);
    speed_weights.push_back(1.0 / (knot.speed_error * knot.speed_error));
    power_weights.push_back(1.0 / std::max(1e-9, knot.power_error_w * knot.power_error_w));
  }
}

std::vector<SpeedProfile::Knot> SpeedProfile::OnACurve(std::vector<Knot> knots, const Columns& columns) {
  const auto speeds = FitRisingConcave(columns.levels, columns.speeds, columns.speed_weights);
  const auto powers = FitRising(columns.powers, columns.power_weights);
  for (std::size_t i = 0; i < knots.size(); ++i) {
    knots[i].speed = speeds[i];
    knots[i].power_w = powers[i];
  }
  return knots;
}

// One knot per level, measured or not.
std::vector<SpeedProfile::Knot> SpeedProfile::OnALine(const Columns& columns) const {
  const LineFit speed = FitLine(columns.levels, columns.speeds, columns.speed_weights);
  const LineFit power = FitLine(columns.levels, columns.powers, columns.power_weights);
  std::vector<Knot> knots;
  for (const double level : levels_) {
    const Knot knot{level, speed.At(level), speed.ErrorAt(level), power.At(level), power.ErrorAt(level)};
    if (knot.speed > 0.0 && knot.power_w >= 0.0) knots.push_back(knot);
  }
  return knots;
}

std::optional<LevelEstimate> SpeedProfile::At(double level) const {
  if (knots_.empty() || level < knots_.front().level) return std::nullopt;
  const auto above = std::ranges::lower_bound(knots_, level, {}, &Knot::level);
  if (above == knots_.end()) return Beyond(level);
  if (above->level == level) {
    return LevelEstimate{above->speed, above->speed_error, Watts{above->power_w}, Watts{above->power_error_w}};
  }
  const Knot& b = *above;
  const Knot& a = *(above - 1);
  const double share = (level - a.level) / (b.level - a.level);
  const double chord = Between(a.speed, b.speed, share);
  // A concave curve lies below the extrapolated lines of its neighbours.
  double roof = b.speed;
  if (above + 1 != knots_.end()) {
    const Knot& c = *(above + 1);
    roof = std::min(roof, b.speed - (c.speed - b.speed) / (c.level - b.level) * (b.level - level));
  }
  if (above - 1 != knots_.begin()) {
    const Knot& z = *(above - 2);
    roof = std::min(roof, a.speed + (a.speed - z.speed) / (a.level - z.level) * (level - a.level));
  }
  const double speed_noise = Between(a.speed_error, b.speed_error, share);
  const double power_noise = Between(a.power_error_w, b.power_error_w, share);
  const double bend = (b.power_w - a.power_w) * share * (1.0 - share);
  return LevelEstimate{chord, std::hypot(speed_noise, std::max(0.0, roof - chord) / kUniform),
                       Watts{Between(a.power_w, b.power_w, share)}, Watts{std::hypot(power_noise, bend / kUniform)}};
}

// Above the highest measured level: at least as fast as there, at most as fast as the last line extrapolated.
LevelEstimate SpeedProfile::Beyond(double level) const {
  const Knot& b = knots_.back();
  const double steps_on = (level - b.level) / b.level;
  double rise = b.speed * steps_on;
  if (knots_.size() > 1) {
    const Knot& a = knots_[knots_.size() - 2];
    rise = std::min(rise, (b.speed - a.speed) / (b.level - a.level) * (level - b.level));
  }
  return {b.speed, std::hypot(b.speed_error, rise / kUniform), Watts{b.power_w},
          Watts{std::hypot(b.power_error_w, b.power_w * steps_on / kUniform)}};
}

std::vector<LevelOption> SpeedProfile::Options() const {
  std::vector<LevelOption> options;
  for (const double level : levels_) {
    const auto known = At(level);
    if (known && known->speed > 0.0) options.push_back({level, known->speed, known->power});
  }
  return options;
}

int SpeedProfile::TriesAt(double level) const {
  const auto cell = cells_.find(level);
  const auto spoiled = spoiled_.find(level);
  return (cell == cells_.end() ? 0 : cell->second.stretches) + (spoiled == spoiled_.end() ? 0 : spoiled->second);
}

std::optional<double> SpeedProfile::FirstUntried() const {
  const std::span<const double> shares = knob_ == Knob::kPace ? std::span<const double>(kFirstPaces) : kFirstTries;
  for (const double share : shares) {
    const double wanted = Between(levels_.front(), levels_.back(), share);
    const double nearest =
        *std::ranges::min_element(levels_, {}, [wanted](double level) { return std::abs(level - wanted); });
    if (TriesAt(nearest) == 0) return nearest;
  }
  return std::nullopt;
}

// The best values that a level may have, within the errors.
LevelEstimate SpeedProfile::Hope(double level) const {
  if (const auto known = At(level)) {
    return {known->speed + 2.0 * known->speed_error, 0.0, known->power - 2.0 * known->power_error, {}};
  }
  const Knot& a = knots_.front();
  if (knots_.size() < 2) return {a.speed, 0.0, Watts{a.power_w * level / a.level}, {}};
  const Knot& b = knots_[1];
  const double steps_back = (a.level - level) / (b.level - a.level);
  return {a.speed - (b.speed - a.speed) * steps_back + 2.0 * a.speed_error,
          0.0,
          Watts{std::max(0.0, a.power_w - (b.power_w - a.power_w) * steps_back)},
          {}};
}

std::optional<double> SpeedProfile::Next(const Merit& merit) const {
  // Doubtful measurements first: a loaded profile where a check costs least, and a level with an odd stretch.
  if (!is_checked_) return cells_.rbegin()->first;
  if (!strays_.empty()) return strays_.back().level;
  if (const auto first = FirstUntried()) return first;
  if (knob_ == Knob::kPace) return std::nullopt;
  const std::vector<LevelOption> options = Options();
  if (options.empty()) return std::nullopt;
  const auto merit_of = [&merit](const LevelOption& option) { return merit.of(option.speed, option.power); };
  const LevelOption best = *std::ranges::min_element(options, {}, merit_of);
  std::optional<double> next;
  double most = merit.worth;
  for (const double level : levels_) {
    if (level == best.level || level < knee_ || TriesAt(level) >= kMostTries) continue;
    const LevelEstimate hope = Hope(level);
    if (hope.speed <= 0.0) continue;
    const double gain = merit_of(best) - merit.of(hope.speed, hope.power);
    if (gain <= most) continue;
    most = gain;
    next = level;
  }
  return next;
}

Duration SpeedProfile::StretchFor(double level) const {
  if (knots_.empty()) return probing_.shortest;
  const auto known = At(level);
  const double speed = std::max(known ? known->speed : 0.5 * knots_.front().speed, 1e-9);
  const double noise = step_noise() / probing_.wanted_error;
  const double seconds = std::min(noise * noise / speed, static_cast<double>(probing_.longest.count()));
  return std::clamp(Duration{std::llround(seconds)}, probing_.shortest, probing_.longest);
}

bool SpeedProfile::IsInputBound() const {
  if (knots_.size() < 2) return false;
  const Knot& low = knots_.front();
  const Knot& high = knots_.back();
  if (high.level - low.level < 0.3 * (levels_.back() - levels_.front())) return false;
  const double error = std::hypot(low.speed_error, high.speed_error);
  return high.speed - low.speed <= std::max(2.0 * error, 0.01 * high.speed);
}

io::Json SpeedProfile::Save() const {
  io::Json saved;
  saved.Set("key", key_).Set("knob", NameOf(knob_));
  io::Json::Array cells;
  for (const auto& [level, cell] : cells_) {
    io::Json one;
    one.Set("level", level).Set("seconds", cell.seconds).Set("steps", cell.steps).Set("joules", cell.joules);
    one.Set("stretches", cell.stretches).Set("scatter", cell.scatter);
    one.Set("within", cell.within).Set("looks", cell.looks);
    cells.push_back(std::move(one));
  }
  saved.Set("levels", std::move(cells));
  return saved;
}

Status SpeedProfile::Load(const io::Json& saved) {
  const auto text = [&saved](std::string_view key) -> Result<std::string> {
    const auto member = saved.Get(key);
    if (!member) return Propagate(member);
    return (*member)->Text();
  };
  const auto key = text("key");
  if (!key) return Propagate(key);
  const auto knob = text("knob");
  if (!knob) return Propagate(knob);
  if (*key != key_ || *knob != NameOf(knob_)) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "is the profile of another program, GPU or knob",
                fmt::format("'{}' by {}", Printable(key_), NameOf(knob_)));
  }
  const auto list = saved.Get("levels");
  if (!list) return Propagate(list);
  const auto elements = (*list)->Elements();
  if (!elements) return Propagate(elements);
  std::map<double, Cell> cells;
  for (const io::Json& one : **elements) {
    std::array<double, 8> numbers{};
    constexpr std::array kMembers{"level", "seconds", "steps", "joules", "stretches", "scatter", "within", "looks"};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto member = one.Get(kMembers[i]);
      if (!member) return Propagate(member);
      const auto number = (*member)->Number();
      if (!number) return Propagate(number);
      numbers[i] = *number;
    }
    const auto [level, seconds, steps, joules, stretches, scatter, within, looks] = numbers;
    if (!(seconds > 0.0 && steps > 0.0 && joules >= 0.0 && stretches >= 1.0 && stretches < 1e6 && scatter >= 0.0 &&
          within >= 0.0 && looks >= 0.0)) {
      return Fail(ErrorCode::kCorrupt, one.where(), "holds no measurement", "positive times, steps and stretches");
    }
    if (level > levels_.back()) continue;  // An operator has lowered the limit since.
    cells[level] = {seconds, steps, joules, static_cast<int>(stretches), scatter, within, looks};
  }
  cells_ = std::move(cells);
  strays_.clear();
  knots_.clear();
  is_checked_ = cells_.empty();
  if (!cells_.empty()) Fit();
  return {};
}

}  // namespace heliostat::level_control
