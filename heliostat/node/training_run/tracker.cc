#include "heliostat/node/training_run/tracker.h"

#include <fmt/format.h>

#include <map>

#include "heliostat/node/training_progress/counters.h"
#include "heliostat/node/training_progress/line_meter.h"
#include "heliostat/node/training_progress/steps.h"

namespace heliostat::training_run {
namespace {

// A program that is going to report steps or print them needs a while to begin.
constexpr std::chrono::seconds kPatience{20};

}  // namespace

struct Tracker::Sources {
  Sources(training_progress::StepFile steps, training_progress::LineMeter lines, const Clock& time)
      : file(std::move(steps)), meter(std::move(lines)), clock(time) {}

  // Joins counts of different sources into one that never falls.
  void Count(ledger::Progress from, double value) {
    if (from != source) {
      // What was done before anybody looked counts too.
      origin = source == ledger::Progress::kNone ? 0.0 : counted - value;
      source = from;
    }
    counted = std::max(counted, origin + value);
  }

  // Steps of the counters alone: a second of all GPUs at their highest clock is one.
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

  training_progress::StepFile file;
  training_progress::LineMeter meter;
  const Clock& clock;
  ledger::Progress source = ledger::Progress::kNone;
  double counted = 0.0;
  double origin = 0.0;
  std::map<device::Gpu*, training_progress::CounterSpeed> counters;
  std::optional<Time> first;
  bool is_evaluating = false;
};

Result<Tracker> Tracker::Make(const std::string& regex, const Environment& environment, const Clock& clock) {
  auto file = training_progress::StepFile::Create(environment);
  if (!file) return Propagate(file);
  if (regex.empty()) return Tracker(std::make_unique<Sources>(std::move(*file), training_progress::LineMeter(), clock));
  auto meter = training_progress::LineMeter::WithPattern(regex);
  if (!meter) return Propagate(meter);
  return Tracker(std::make_unique<Sources>(std::move(*file), std::move(*meter), clock));
}

Tracker::Tracker(std::unique_ptr<Sources> sources) : sources_(std::move(sources)) {}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

std::string Tracker::steps_path() const { return sources_->file.path(); }

void Tracker::Observe(std::string_view bytes) {
  sources_->meter.Feed(bytes, Seconds(sources_->clock.Steady().time_since_epoch()));
}

void Tracker::Poll(Time now, const std::vector<device::Gpu*>& gpus) {
  Sources& all = *sources_;
  if (!all.first) all.first = now;
  if (const auto reported = all.file.Read(); reported && reported->steps > 0) {
    all.is_evaluating = reported->phase != training_progress::StepPhase::kTrain;
    return all.Count(ledger::Progress::kReported, static_cast<double>(reported->steps));
  }
  const training_progress::LineProgress& lines = all.meter.progress();
  if (lines.steps > 0) {
    all.is_evaluating = lines.is_evaluating;
    return all.Count(ledger::Progress::kOutput, static_cast<double>(lines.steps));
  }
  const double work = all.CountWork(now, gpus);
  if (now - *all.first > kPatience) all.Count(ledger::Progress::kCounters, work);
}

double Tracker::steps() const { return sources_->counted; }

std::optional<double> Tracker::total() const {
  const training_progress::LineProgress& lines = sources_->meter.progress();
  if (sources_->source != ledger::Progress::kOutput || !lines.total || !lines.position) return std::nullopt;
  // Of this bar; of the run when the program has one bar, which is the best guess there is.
  return sources_->counted + static_cast<double>(*lines.total) - static_cast<double>(*lines.position);
}

ledger::Progress Tracker::source() const { return sources_->source; }

bool Tracker::is_aside() const { return sources_->source == ledger::Progress::kNone || sources_->is_evaluating; }

std::string Tracker::how() const {
  switch (sources_->source) {
    case ledger::Progress::kReported:
      return "steps that it reports";
    case ledger::Progress::kOutput:
      return fmt::format("its output ({})", training_progress::NameOf(sources_->meter.progress().style));
    case ledger::Progress::kCounters:
      return "GPU counters alone, an estimate";
    case ledger::Progress::kNone:
      break;
  }
  return {};
}

}  // namespace heliostat::training_run
