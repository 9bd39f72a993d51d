#include "heliostat/ui/console/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/ui/console/gpu_list.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::console {
namespace {

constexpr std::size_t kRemembered = 600;  // power readings per GPU, for its sparkline
constexpr std::size_t kBarWidth = 20;

double NumberAt(const io::Json& json, std::string_view key, double otherwise) {
  const io::Json* const found = json.Find(key);
  return found == nullptr ? otherwise : found->Number().value_or(otherwise);
}

std::string Bar(double share, bool is_utf8) {
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarWidth));
  std::string bar;
  for (std::size_t i = 0; i < kBarWidth; ++i) bar += i < full ? is_utf8 ? "█" : "#" : is_utf8 ? "░" : ".";
  return bar;
}

std::string HeldBack(const io::Json& latest) {
  const io::Json* const reasons = latest.Find("throttle");
  const std::string text = reasons == nullptr ? "" : reasons->Text().value_or("");
  return text.empty() ? "" : text == "idle" ? "  idle" : "  held back by " + text;
}

std::string EnergyText(Joules energy) {
  return energy < Joules{1e6} ? fmt::format("{:.1f} kJ", energy.value / 1e3)
                              : fmt::format("{:.3f} kWh", InKilowattHours(energy));
}

std::string Speed(const io::Json& latest) {
  const double busy = NumberAt(latest, "utilisation", -1.0);
  return fmt::format("{:>9}  {:>5}  {:>6}", CellOf(latest, "core_mhz", "MHz"),
                     busy < 0 ? "–" : fmt::format("{:.0f} %", 100.0 * busy), CellOf(latest, "temperature_c", "°C"));
}

}  // namespace

LiveView::LiveView(std::vector<device::Gpu*> gpus) {
  for (device::Gpu* gpu : gpus) watched_.push_back({gpu, device::EnergyMeter()});
}

void LiveView::Sample(Time now, bool is_last) {
  for (Watched& one : watched_) {
    const auto sampled = one.meter.Sample(*one.gpu, now, is_last);
    one.latest = Summary(*one.gpu);
    one.trouble = sampled ? "" : sampled.error().Line();
    if (!sampled) {
      ++one.failures;
      continue;
    }
    one.draws.push_back(NumberAt(one.latest, "power_w", 0.0));
    one.highest_w = std::max(one.highest_w, one.draws.back());
    if (one.draws.size() > kRemembered) one.draws.pop_front();
  }
}

std::string LiveView::Frame(std::string_view title, std::size_t columns, bool is_utf8) const {
  std::string text = fmt::format("{}\n", title);
  for (const Watched& one : watched_) {
    const double power = NumberAt(one.latest, "power_w", 0.0);
    const double limit = NumberAt(one.latest, "enforced_limit_w", NumberAt(one.latest, "power_limit_w", 0.0));
    const device::Identity& identity = one.gpu->identity();
    if (!one.trouble.empty()) {
      text += fmt::format("{:>3} {:<24} {}\n\n", identity.index, identity.name.substr(0, 24), one.trouble);
      continue;
    }
    text += fmt::format("{:>3} {:<24} {} {:>4.0f} of {:.0f} W {}{}\n", identity.index, identity.name.substr(0, 24),
                        Bar(limit > 0 ? power / limit : 0.0, is_utf8), power, limit, Speed(one.latest),
                        HeldBack(one.latest));
    const std::size_t room = columns > 60 ? columns - 32 : 28;
    const std::vector<double> draws(one.draws.end() - static_cast<std::ptrdiff_t>(std::min(one.draws.size(), room)),
                                    one.draws.end());
    const auto line = report::Sparkline(draws, room, is_utf8);
    text += fmt::format("    {} {}\n", line ? *line : "", EnergyText(one.meter.energy()));
  }
  return text;
}

std::string LiveView::Lines(std::string_view time) const {
  std::string text;
  for (const Watched& one : watched_) {
    text += one.trouble.empty() ? fmt::format("{} GPU {} {:>6} {} {:>10}{}\n", time, one.gpu->identity().index,
                                              CellOf(one.latest, "power_w", "W"), Speed(one.latest),
                                              EnergyText(one.meter.energy()), HeldBack(one.latest))
                                : fmt::format("{} GPU {} {}\n", time, one.gpu->identity().index, one.trouble);
  }
  return text;
}

TextAndJson LiveView::Sum() const {
  TextAndJson told;
  io::Json rows{io::Json::Array{}};
  report::HtmlTable table{
      .header = {"GPU", "name", "time", "energy", "by counter", "by power", "apart", "mean", "highest"},
      .rows = {},
      .text_columns = 2};
  for (const Watched& one : watched_) {
    const double seconds = Seconds(one.meter.covered()).count();
    const auto counted = one.meter.counted();
    const double mean = seconds > 0 ? one.meter.energy().value / seconds : 0.0;
    const bool has_both = counted && counted->value > 0;
    const double apart = has_both ? 100.0 * (one.meter.integrated().value / counted->value - 1.0) : 0.0;
    table.rows.push_back({std::to_string(one.gpu->identity().index), one.gpu->identity().name,
                          fmt::format("{:.1f} s", seconds), EnergyText(one.meter.energy()),
                          counted ? EnergyText(*counted) : "–", EnergyText(one.meter.integrated()),
                          has_both ? fmt::format("{:+.2f} %", apart) : "–", fmt::format("{:.0f} W", mean),
                          fmt::format("{:.0f} W", one.highest_w)});
    io::Json row;
    row.Set("index", one.gpu->identity().index).Set("uuid", one.gpu->identity().uuid);
    row.Set("name", one.gpu->identity().name).Set("duration_s", seconds).Set("samples", one.meter.samples());
    row.Set("failed_samples", one.failures).Set("energy_j", one.meter.energy().value);
    row.Set("energy_by_counter_j", counted ? io::Json(counted->value) : io::Json());
    row.Set("energy_by_power_j", one.meter.integrated().value);
    row.Set("difference_percent", has_both ? io::Json(apart) : io::Json());
    row.Set("mean_power_w", mean).Set("highest_power_w", one.highest_w);
    rows.Append(std::move(row));
  }
  told.text = report::TextOf(table);
  told.json.Set("gpus", std::move(rows));
  return told;
}

}  // namespace heliostat::console
