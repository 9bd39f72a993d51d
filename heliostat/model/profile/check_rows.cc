#include "heliostat/model/profile/check_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/model/profile/sweep.h"

namespace heliostat::profile {
namespace {

using Key = std::tuple<std::string, std::string, bool, int, int, bool>;

Key KeyOf(const Measurement& row) {
  return {row.model, row.gpu, row.is_training, row.workers, row.batch, row.knob.power_limit_w.has_value()};
}

std::string NameOfSetting(const scenario::GpuSetting& knob) {
  if (knob.power_limit_w) return fmt::format("{:g} W", *knob.power_limit_w);
  if (knob.core_mhz) return fmt::format("{:g} MHz", *knob.core_mhz);
  return "the default setting";
}

class Checker {
 public:
  Checker(std::span<const Measurement> rows, const std::string& file) : rows_(rows), file_(file) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sweeps_[KeyOf(rows[i])].push_back(i);
      if (!rows[i].knob.power_limit_w) continue;
      const auto [lowest, is_new] = lowest_w_.emplace(rows[i].gpu, *rows[i].knob.power_limit_w);
      if (!is_new) lowest->second = std::min(lowest->second, *rows[i].knob.power_limit_w);
    }
    for (auto& [key, sweep] : sweeps_) {
      std::ranges::stable_sort(sweep, {}, [&](std::size_t i) { return SettingOf(rows[i].knob); });
    }
  }

  std::vector<Flaw> Flaws(bool may_repeat) {
    for (std::size_t i = 0; i < rows_.size(); ++i) CheckPower(i);
    for (const auto& [key, sweep] : sweeps_) {
      if (!may_repeat) CheckRepeats(sweep);
      CheckSpeeds(sweep);
    }
    std::ranges::stable_sort(flaws_, {}, &Flaw::row);
    return std::move(flaws_);
  }

 private:
  void Add(std::size_t row, std::string what, std::string allowed) {
    const std::int64_t line = rows_[row].line;
    flaws_.push_back({row, Error{ErrorCode::kInvalidArgument, line > 0 ? fmt::format("{}:{}", file_, line) : file_,
                                 std::move(what), std::move(allowed)}});
  }

  void CheckPower(std::size_t i) {
    const Measurement& row = rows_[i];
    if (!row.power) return;
    const double watts = row.power->value / row.workers;
    const std::string each = row.workers == 1 ? fmt::format("{:.4g} W", watts)
                                              : fmt::format("{:.4g} W for each of {} workers", watts, row.workers);
    const auto highest = HighestWatts(row.gpu);
    if (watts > highest.value_or(kNoGpuDrawsWatts) * (1.0 + kOverLimit)) {
      return Add(i, fmt::format("power is {}", each),
                 highest ? fmt::format("at most {:g} W, the highest limit of {}", *highest, Printable(row.gpu, 20))
                         : fmt::format("at most {:g} W; no GPU draws more", kNoGpuDrawsWatts));
    }
    if (!row.knob.power_limit_w) return;
    const double limit = *row.knob.power_limit_w;
    const double over = limit == lowest_w_.at(row.gpu) ? kOverLowestLimit : kOverLimit;
    if (watts > limit * (1.0 + over)) {
      Add(i, fmt::format("power is {} at a limit of {:g} W", each, limit),
          fmt::format("at most {:g} % above the limit; check the number of workers and the units", 100.0 * over));
    }
  }

  void CheckRepeats(const std::vector<std::size_t>& sweep) {
    for (std::size_t k = 1; k < sweep.size(); ++k) {
      const Measurement& row = rows_[sweep[k]];
      const Measurement& before = rows_[sweep[k - 1]];
      if (row.knob != before.knob) continue;
      Add(sweep[k],
          fmt::format("repeats {} on {} with {} workers at {}, of line {}", Printable(row.model, 60),
                      Printable(row.gpu, 20), row.workers, NameOfSetting(row.knob), before.line),
          "each setting once");
    }
  }

  // A row that is off by the factor from all its neighbours is the odd one; between two rows, the faster one is.
  void CheckSpeeds(const std::vector<std::size_t>& sweep) {
    const auto ratio = [&](std::size_t a, std::size_t b) { return rows_[sweep[a]].per_s / rows_[sweep[b]].per_s; };
    const auto is_odd = [&](std::size_t k) {
      const bool has_left = k > 0;
      const bool has_right = k + 1 < sweep.size();
      if (!has_left || !has_right) return false;
      const bool is_fast = ratio(k, k - 1) > kOddFactor && ratio(k, k + 1) > kOddFactor;
      return is_fast || (ratio(k - 1, k) > kOddFactor && ratio(k + 1, k) > kOddFactor);
    };
    for (std::size_t k = 1; k < sweep.size(); ++k) {
      if (is_odd(k)) {
        AddSpeed(sweep[k], sweep[k - 1]);
      } else if (!is_odd(k - 1) && ratio(k, k - 1) > kOddFactor) {
        AddSpeed(sweep[k], sweep[k - 1]);
      } else if (!is_odd(k - 1) && ratio(k - 1, k) > kOddFactor) {
        AddSpeed(sweep[k - 1], sweep[k]);
      }
    }
  }

  void AddSpeed(std::size_t row, std::size_t next) {
    const Measurement& odd = rows_[row];
    const Measurement& other = rows_[next];
    const double factor = std::max(odd.per_s / other.per_s, other.per_s / odd.per_s);
    Add(row,
        fmt::format("throughput is {:.4g} per s at {}, {:.3g} times {} than at {}", odd.per_s, NameOfSetting(odd.knob),
                    factor, odd.per_s > other.per_s ? "faster" : "slower", NameOfSetting(other.knob)),
        fmt::format("less than {:g} times from one setting to the next", kOddFactor));
  }

  std::span<const Measurement> rows_;
  const std::string& file_;
  std::map<Key, std::vector<std::size_t>> sweeps_;  // rows from the lowest setting to the highest
  std::map<std::string, double> lowest_w_;          // limit, by GPU
  std::vector<Flaw> flaws_;
};

}  // namespace

std::vector<Flaw> FlawsOf(std::span<const Measurement> rows, const std::string& file, bool may_repeat) {
  return Checker(rows, file).Flaws(may_repeat);
}

}  // namespace heliostat::profile
