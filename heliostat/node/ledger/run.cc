#include "heliostat/node/ledger/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "heliostat/base/core/made_up.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/journal.h"

namespace heliostat::ledger {
namespace {

// Builds a Run from the records of a ledger.
class Replay {
 public:
  Replay(std::string id, std::string where) : where_(std::move(where)) { run_.id = std::move(id); }

  Status Take(const io::Json& record, std::size_t number) {
    const std::string here = fmt::format("{}: record {}", where_, number);
    auto taken = TakeAny(record, here);
    if (taken) return {};
    Error error = taken.error();
    // The error of a record does not name its file.
    constexpr std::string_view kPlain = "record";
    if (error.where.starts_with(kPlain)) error.where = here + error.where.substr(kPlain.size());
    error.code = ErrorCode::kCorrupt;
    return tl::unexpected<Error>(std::move(error));
  }

  Result<Run> Finish(std::vector<std::string> troubles) && {
    if (!has_begun_) {
      return Fail(ErrorCode::kCorrupt, where_, "has no beginning", "a ledger that heliostat run has written");
    }
    run_.troubles = std::move(troubles);
    if (!unknown_.empty()) {
      run_.troubles.push_back(
          fmt::format("written by a newer version; not understood and left out: {}", fmt::join(unknown_, ", ")));
    }
    return std::move(run_);
  }

 private:
  Status TakeAny(const io::Json& record, const std::string& here) {
    const auto what = record.Get("what");
    if (!what) return Propagate(what);
    const auto name = (*what)->Text();
    if (!name) return Propagate(name);
    if (*name == "begin") return TakeBegin(record, here);
    constexpr std::array<std::string_view, 3> kKnown{"period", "note", "end"};
    if (std::ranges::find(kKnown, *name) == kKnown.end()) {
      AddUnknown({fmt::format("records '{}'", Printable(*name, 30))});
      return {};
    }
    if (!has_begun_) return Fail(ErrorCode::kCorrupt, here, "comes before the beginning", "a record 'begin' first");
    if (run_.end) return Fail(ErrorCode::kCorrupt, here, "comes after the end", "nothing there");
    if (*name == "period") return TakePeriod(record, here);
    if (*name == "note") return Keep(ReadNote(record, found_), run_.notes);
    auto end = ReadEnd(record, found_);
    if (!end) return Propagate(end);
    run_.end = *std::move(end);
    AddUnknown(std::exchange(found_, {}));
    return {};
  }

  Status TakeBegin(const io::Json& record, const std::string& here) {
    if (has_begun_) return Fail(ErrorCode::kCorrupt, here, "begins the run again", "one record 'begin'");
    auto begin = ReadBegin(record, found_);
    if (!begin) return Propagate(begin);
    if (auto bad = CheckBegin(*begin, here); !bad) return bad;
    run_.begin = *std::move(begin);
    has_begun_ = true;
    AddUnknown(std::exchange(found_, {}));
    return {};
  }

  Status TakePeriod(const io::Json& record, const std::string& here) {
    auto period = ReadPeriod(record, found_);
    if (!period) return Propagate(period);
    if (auto bad = CheckPeriod(*period, run_.begin, here); !bad) return bad;
    return Keep(std::move(period), run_.periods);
  }

  template <typename T>
  Status Keep(Result<T> record, std::vector<T>& into) {
    if (!record) return Propagate(record);
    into.push_back(*std::move(record));
    AddUnknown(std::exchange(found_, {}));
    return {};
  }

  // Each name once, and a bounded number: the file may be full of them.
  void AddUnknown(const UnknownKeys& names) {
    constexpr std::size_t kMost = 8;
    for (const std::string& name : names) {
      if (unknown_.size() < kMost) unknown_.insert(Printable(name, 40));
    }
  }

  std::string where_;
  Run run_;
  bool has_begun_ = false;
  UnknownKeys found_;  // in the present record
  std::set<std::string> unknown_;
};

bool IsSameDecision(const Period& a, const Period& b) {
  return a.decision == b.decision && a.level == b.level && a.is_probe == b.is_probe && a.why == b.why &&
         a.forecast_g_per_kwh == b.forecast_g_per_kwh && a.carbon_g_per_kwh == b.carbon_g_per_kwh &&
         a.price_per_kwh == b.price_per_kwh && a.freshness == b.freshness && a.progress == b.progress &&
         a.at_default == b.at_default && a.at_optimum == b.at_optimum && a.at_shadow == b.at_shadow &&
         a.energy.size() == b.energy.size();
}

void Join(Period& first, const Period& next) {
  first.end = std::max(first.end, next.end);
  first.elapsed += next.elapsed;
  for (std::size_t i = 0; i < first.energy.size(); ++i) first.energy[i] += next.energy[i];
  if (!next.others.empty()) first.others.resize(next.others.size());
  for (std::size_t i = 0; i < next.others.size(); ++i) first.others[i] += next.others[i];
  first.host_energy += next.host_energy;
  first.steps += next.steps;
  first.aside += next.aside;
  first.aside_energy += next.aside_energy;
  first.signal_age = std::max(first.signal_age, next.signal_age);
}

}  // namespace

Seconds Run::elapsed() const {
  Seconds sum{};
  for (const Period& period : periods) sum += period.elapsed;
  return sum;
}

Result<Run> ParseRun(std::string_view bytes, std::string id, const std::string& where) {
  io::Journal::Found found = io::Journal::Parse(bytes);
  Replay replay(std::move(id), where);
  std::size_t number = 0;
  for (const io::Json& record : found.records) {
    if (auto bad = replay.Take(record, ++number); !bad) return Propagate(bad);
  }
  return std::move(replay).Finish(std::move(found.troubles));
}

Result<Run> ReadRun(const std::string& path, std::string id) {
  const auto bytes = io::ReadFile(path);
  if (!bytes) return Propagate(bytes);
  return ParseRun(*bytes, std::move(id), path);
}

std::vector<Period> Decisions(std::span<const Period> periods) {
  std::vector<Period> whole;
  for (const Period& period : periods) {
    if (!whole.empty() && IsSameDecision(whole.back(), period)) {
      Join(whole.back(), period);
    } else {
      whole.push_back(period);
    }
  }
  return whole;
}

std::string ProgramName(std::span<const std::string> command) {
  namespace fs = std::filesystem;
  if (command.empty()) return "run";
  const auto stem = [](const std::string& word) { return fs::path(word).stem().string(); };
  const std::string program = fs::path(command.front()).filename().string();
  // Programs that start others: their name is used only when there is no better one.
  constexpr std::array<std::string_view, 9> kStarters{"python", "torchrun", "accelerate", "deepspeed", "bash",
                                                      "sh",     "env",      "uv",         "srun"};
  const bool starts_another =
      std::ranges::any_of(kStarters, [&](std::string_view name) { return program.starts_with(name); });
  for (std::size_t i = 1; starts_another && i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" && i + 1 < command.size()) {
      const auto dot = command[i + 1].rfind('.');
      return dot == std::string::npos ? command[i + 1] : command[i + 1].substr(dot + 1);
    }
    if (word == "-c") break;
    if (word.ends_with(".py") || word.ends_with(".sh")) return stem(word);
  }
  return stem(program).empty() ? "run" : stem(program);
}

bool IsOnMadeUpGpu(const Begin& begin) {
  return std::any_of(begin.gpus.begin(), begin.gpus.end(), [](const GpuName& gpu) { return IsMadeUp(gpu.name); });
}

}  // namespace heliostat::ledger
