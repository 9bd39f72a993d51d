#pragma once

// For tests: a temporary folder, and answers as a provider gives them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/signals/store/signal_store.h"

namespace heliostat::store {

inline const Instant kMidnight = *ParseInstant("2023-06-01T00:00:00Z", "test");

// A fixture with a store in a temporary folder, removed after each test.
class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  SignalStore OpenStore() const {
    auto store = SignalStore::Open(path_);
    if (!store) ADD_FAILURE() << store.error().Line();
    return std::move(*store);
  }

  // In memory (/dev/shm) where possible: thousands of syncs to a busy disk take minutes, and these tests end a process,
  // not the power.
  static std::filesystem::path Root() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  std::filesystem::path folder_ = Root() / ("heliostat_store_test_" + std::to_string(::getpid()));
  std::string path_ = folder_ / "signals.db";
};

inline signal::Meaning CarbonOf(std::string zone) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  meaning.unit = signal::Unit::kGramsPerKwh;
  meaning.zone = std::move(zone);
  meaning.source = "provider:test";
  meaning.time_base = "Europe/London";
  meaning.nature = signal::Nature::kMeasured;
  meaning.basis = signal::Basis::kLifecycle;
  meaning.scope = signal::Scope::kAverage;
  return meaning;
}

inline provider::CheckedAnswer Measured(signal::StepSeries series, std::string name = "actual") {
  const Instant fetched = series.end();
  return {{std::move(name), CarbonOf("GB"), std::move(series)}, fetched, "https://example.org/intensity?key=***"};
}

inline provider::IssuedAnswer Issued(Instant issued, signal::StepSeries series, std::string name = "actual") {
  provider::CheckedAnswer answer = Measured(std::move(series), std::move(name));
  answer.signal.meaning.nature = signal::Nature::kForecast;
  return {std::move(answer), issued};
}

inline signal::StepSeries Steps(Instant start, Duration step, std::vector<double> values) {
  return *signal::StepSeries::Make(start, step, std::move(values));
}

// Equality in which missing values are equal, unlike NaNs.
inline bool AreSame(const signal::StepSeries& a, const signal::StepSeries& b) {
  if (a.start() != b.start() || a.step() != b.step() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (signal::IsMissing(a.values()[i]) != signal::IsMissing(b.values()[i])) return false;
    if (!signal::IsMissing(a.values()[i]) && a.values()[i] != b.values()[i]) return false;
  }
  return true;
}

}  // namespace heliostat::store
