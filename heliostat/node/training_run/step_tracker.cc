#include "heliostat/node/training_run/step_tracker.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "heliostat/base/core/log.h"
#include "heliostat/node/training_progress/counters.h"
#include "heliostat/node/training_progress/line_meter.h"
#include "heliostat/node/training_progress/steps.h"

namespace heliostat::training_run {
namespace {

// A program that reports or prints steps needs some time before the first one.
constexpr std::chrono::seconds kPatience{20};

}  // namespace

struct StepTracker::Sources {
  Sources(std::optional<training_progress::StepFile> steps, training_progress::LineMeter lines, const Clock& time)
      : file(std::move(steps)), meter(std::move(lines)), clock(time) {}

  // Joins counts of different sources into one that never falls.
  void Count(ledger::ProgressSource from, double value) {
    if (from != source) {
      // Steps done before the first look count too.
      origin = source == ledger::ProgressSource::kNone ? 0.0 : counted - value;
      source = from;
    }
    own_count = value;
    counted = std::max(counted, origin + value);
  }

  // Work from counters alone: one second of all GPUs at their highest clock counts as one step.
  double CountWork(Time now, const std::vector<device::Gpu*>& gpus) {
    double work = 0.0;
    for (device::Gpu* gpu : gpus) {
      const auto& clocks = gpu->abilities().core_clocks_mhz;
      const Hertz full = Megahertz(clocks.empty() ? 0 : clocks.back());
      training_progress::CounterSpeed& counter = counters.try_emplace(gpu, full).first->second;
      const auto reading = gpu->Read();
      if (reading && reading->core_mhz && reading->utilisation) {
        counter.Add(now - *first, Megahertz(*reading->core_mhz), *reading->utilisation);
      }
      work += counter.work().count() / static_cast<double>(gpus.size());
    }
    return work;
  }

  std::optional<training_progress::StepFile> file;
  training_progress::LineMeter meter;
  const Clock& clock;
  ledger::ProgressSource source = ledger::ProgressSource::kNone;
  double counted = 0.0;
  double origin = 0.0;
  double own_count = 0.0;  // of the present source
  std::map<device::Gpu*, training_progress::CounterSpeed> counters;
  std::optional<Time> first;
  bool is_evaluating = false;
};

Result<StepTracker> StepTracker::Make(const std::string& regex, const Environment& environment, const Clock& clock) {
  auto meter = regex.empty() ? Result<training_progress::LineMeter>(training_progress::LineMeter())
                             : training_progress::LineMeter::WithPattern(regex);
  if (!meter) return Propagate(meter);
  std::optional<training_progress::StepFile> file;
  auto created = training_progress::StepFile::Create(environment);
  if (created) {
    file.emplace(std::move(*created));
  } else {
    Log(LogLevel::kWarning, "{}; steps that the program reports are not seen", created.error().Line());
  }
  return StepTracker(std::make_unique<Sources>(std::move(file), std::move(*meter), clock));
}

StepTracker::StepTracker(std::unique_ptr<Sources> sources) : sources_(std::move(sources)) {}
StepTracker::StepTracker(StepTracker&&) noexcept = default;
StepTracker& StepTracker::operator=(StepTracker&&) noexcept = default;
StepTracker::~StepTracker() = default;

std::string StepTracker::steps_path() const { return sources_->file ? sources_->file->path() : ""; }

void StepTracker::Observe(std::string_view bytes) {
  sources_->meter.Feed(bytes, Seconds(sources_->clock.Steady().time_since_epoch()));
}

void StepTracker::Poll(Time now, const std::vector<device::Gpu*>& gpus) {
  Sources& all = *sources_;
  if (!all.first) all.first = now;
  if (const auto reported = all.file ? all.file->Read() : std::nullopt; reported && reported->steps > 0) {
    all.is_evaluating = reported->phase != training_progress::StepPhase::kTrain;
    return all.Count(ledger::ProgressSource::kReported, static_cast<double>(reported->steps));
  }
  const training_progress::LineProgress& lines = all.meter.progress();
  if (lines.steps > 0) {
    all.is_evaluating = lines.is_evaluating;
    return all.Count(ledger::ProgressSource::kOutput, static_cast<double>(lines.steps));
  }
  if (gpus.empty()) return;
  const double work = all.CountWork(now, gpus);
  if (now - *all.first > kPatience) all.Count(ledger::ProgressSource::kCounters, work);
}

double StepTracker::steps() const { return sources_->counted; }

std::optional<double> StepTracker::done() const {
  const bool is_counted =
      sources_->source == ledger::ProgressSource::kReported || sources_->source == ledger::ProgressSource::kOutput;
  return is_counted ? std::optional(sources_->own_count) : std::nullopt;
}

std::optional<double> StepTracker::total() const {
  const training_progress::LineProgress& lines = sources_->meter.progress();
  if (sources_->source != ledger::ProgressSource::kOutput || !lines.total || !lines.position) return std::nullopt;
  // The total of this bar, which is that of the run when the program has one bar.
  return sources_->counted + static_cast<double>(*lines.total) - static_cast<double>(*lines.position);
}

ledger::ProgressSource StepTracker::source() const { return sources_->source; }

bool StepTracker::is_aside() const {
  return sources_->source == ledger::ProgressSource::kNone || sources_->is_evaluating;
}

std::string StepTracker::how() const {
  switch (sources_->source) {
    case ledger::ProgressSource::kReported:
      return "steps that it reports";
    case ledger::ProgressSource::kOutput:
      return fmt::format("its output ({})", training_progress::NameOf(sources_->meter.progress().style));
    case ledger::ProgressSource::kCounters:
      return "GPU counters alone, an estimate";
    case ledger::ProgressSource::kNone:
      break;
  }
  return {};
}

}  // namespace heliostat::training_run
