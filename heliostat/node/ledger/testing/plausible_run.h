#pragma once

// For tests: runs as they might have been.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

inline Begin PlausibleBegin(int gpus = 1) {
  Begin begin;
  begin.start = Instant(Duration(1'794'768'300));  // 2026-11-15T18:45:00Z
  begin.command = {"python3", "train.py", "--epochs", "3"};
  begin.host = "node7";
  begin.author = {4242, 987654, "boot-1"};
  for (int i = 0; i < gpus; ++i) begin.gpus.push_back({"GPU-" + std::to_string(i), "NVIDIA H200"});
  begin.knob = "power-limit";
  begin.level_unit = "W";
  begin.default_level = 700.0;
  begin.mode = "eta 0.5";
  begin.options = {{"eta", "0.5"}, {"period", "30m"}};
  begin.signal_source = "file carbon.csv";
  begin.signal_unit = "g/kWh";
  begin.profile_key = "train/resnet50/128/H200";
  return begin;
}

// Watts and steps per second at a power limit: slightly less speed for much less power.
inline double PowerAt(double limit) { return 0.93 * limit; }
inline double SpeedAt(double limit) { return 12.0 * std::pow(limit / 700.0, 0.35); }

inline LevelPrediction PredictionAt(double limit, int gpus, double error = 0.02) {
  const double power = PowerAt(limit) * gpus;
  const double speed = SpeedAt(limit);
  return {limit, {power, error * power}, {speed, error * speed}};
}

// `decisions` half hours under a grid that swings by the day, some of them in parts. What may be absent is absent now
// and then. Any seed gives a run that a ledger accepts.
inline Run PlausibleRun(std::uint64_t seed, int decisions = 12) {
  RandomStream random(seed);
  const int gpus = 1 + static_cast<int>(random.Below(3));
  Run run;
  run.begin = PlausibleBegin(gpus);
  run.id = "20261115-184500-train-4f2a";
  const bool has_price = random.Chance(0.5);
  if (has_price) run.begin.currency = Currency::Eur();
  if (random.Chance(0.5)) run.begin.pue = random.Uniform(1.0, 1.6);
  if (random.Chance(0.5)) run.begin.node_power = Watts{random.Uniform(0.0, 900.0)};
  Instant now = run.begin.start;
  for (int decision = 0; decision < decisions; ++decision) {
    const double carbon = 300.0 + 150.0 * std::sin(0.26 * decision) + random.Normal(0, 8);
    const double level = decision < 3 ? 700.0 - 200.0 * decision : std::clamp(950.0 - 1.5 * carbon, 300.0, 700.0);
    const int parts = 1 + static_cast<int>(random.Below(3));
    for (int part = 0; part < parts; ++part) {
      Period period;
      period.start = now;
      now += Duration(static_cast<std::int64_t>(60 + random.Below(1200)));
      period.end = now;
      period.elapsed = Seconds(static_cast<double>((period.end - period.start).count()) + random.Uniform(-0.4, 0.4));
      period.decision = decision;
      period.level = std::round(level);
      period.is_probe = decision < 3;
      period.why = period.is_probe ? "to learn the profile" : "least cost at the forecast intensity";
      period.forecast_g_per_kwh = carbon * 1.03;
      period.carbon_g_per_kwh = carbon;
      if (random.Chance(0.05)) period.carbon_g_per_kwh.reset();
      period.freshness = static_cast<Freshness>(random.Below(4));
      if (period.freshness == Freshness::kStale) period.signal_age = Duration(720);
      if (has_price) period.price_per_kwh = random.Uniform(-0.02, 0.4);
      const double noise = random.Normal(1.0, 0.01);
      for (int gpu = 0; gpu < gpus; ++gpu)
        period.energy.push_back(Watts{PowerAt(period.level) * noise} * period.elapsed);
      if (random.Chance(0.2)) {
        for (const Joules& one : std::vector<Joules>(period.energy)) period.others.push_back(0.5 * one);
      }
      if (random.Chance(0.2)) period.at_shadow = PredictionAt(400.0, gpus);
      if (random.Chance(0.2)) {
        period.aside = period.elapsed * 0.1;
        period.aside_energy = period.total_energy() * 0.05;
      }
      period.steps = SpeedAt(period.level) * noise * (period.elapsed - period.aside).count();
      period.progress = random.Chance(0.9) ? ProgressSource::kReported : static_cast<ProgressSource>(random.Below(4));
      if (decision > 0) {
        period.at_default = PredictionAt(700.0, gpus, 0.02 / decision);
        period.at_optimum = PredictionAt(350.0, gpus, 0.03 / decision);
      }
      run.periods.push_back(std::move(period));
    }
  }
  run.notes.push_back({run.begin.start + Duration(900), "the signal's provider does not answer"});
  run.end = EndRecord{now, 0, "exited"};
  return run;
}

}  // namespace heliostat::ledger
