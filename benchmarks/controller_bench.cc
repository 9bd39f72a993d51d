// Whole cycles of heliostatctld, the plans of its shadow included, for a Slurm cluster of 1,000 nodes and 10,000 jobs,
// from generated answers: time, memory, the state that is saved, a restart with it, and the list of all jobs. Processor
// times are in brackets.
//
// usage: controller_bench observe|shadow
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "generated_slurm.h"
#include "heliostat/base/core/check.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster/slurm_cluster.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/controller.h"
#include "heliostat/control/controller/memory.h"

namespace heliostat::controller {
namespace {

using cluster::GeneratedSlurm;

constexpr Instant kStart{std::chrono::seconds{1'795'050'000}};
constexpr Duration kPoll{10};
constexpr int kCycles = 30;

// A day with a clean noon.
class Day final : public live_signal::SignalSource {
 public:
  explicit Day(double mean) : mean_(mean) {}
  const std::string& name() const override { return name_; }
  Value At(Instant now) override { return {Of(now)}; }
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override {
    std::vector<double> values;
    for (std::size_t s = 0; s < count; ++s) values.push_back(Of(now + slot * static_cast<std::int64_t>(s)));
    return values;
  }
  double HighestOfDay(Instant /*now*/) override { return 1.4 * mean_; }

 private:
  double Of(Instant when) const {
    return mean_ * (1.0 + 0.4 * std::sin(static_cast<double>(when.time_since_epoch().count()) * 2.0 * M_PI / 86'400.0));
  }
  double mean_;
  std::string name_ = "a made-up day";
};

// A number of /proc/self/status in MB.
double StatusMegabytes(const std::string& key) {
  const auto status = io::ReadFile("/proc/self/status");
  Check(status.has_value(), "the status of the process cannot be read");
  const std::size_t at = status->find(key + ":");
  Check(at != std::string::npos, "the status lacks a number");
  return std::strtod(status->c_str() + at + key.size() + 1, nullptr) / 1024.0;
}

using cluster::Spent;

template <typename Work>
Spent TimeOf(Work work) {
  const Spent begin = cluster::SpentSoFar();
  work();
  return cluster::SpentSoFar() - begin;
}

double Milliseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

// "   52 ms (   50 ms)": elapsed, and processor time.
std::string TimeText(const Spent& time) {
  return fmt::format("{:>7.0f} ms ({:>5.0f} ms)", Milliseconds(time.elapsed), Milliseconds(time.processor));
}

Spent MedianOf(std::vector<Spent> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end(),
                   [](const Spent& a, const Spent& b) { return a.processor < b.processor; });
  return *middle;
}

std::uintmax_t BytesIn(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

class Bench {
 public:
  Bench(Mode mode, std::string folder) : folder_(std::move(folder)), before_mb_(StatusMegabytes("VmHWM")) {
    config_.mode = mode;
    config_.state = folder_;
    Open();
  }

  void Measure() {
    const Spent first = Cycle();
    decisions_of_first_ = BytesIn(folder_ + "/decisions");
    std::vector<Spent> times;
    Spent longest{};
    for (int i = 0; i < kCycles; ++i) {
      times.push_back(Cycle());
      if (times.back().processor > longest.processor) longest = times.back();
      // A plan is made meanwhile, by the clock of the machine.
      if (config_.mode == Mode::kShadow) std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    Row("a cycle, its look included", TimeText(MedianOf(times)));
    Row("the first cycle", TimeText(first));
    Row("the longest of the others", TimeText(longest));
    Row("memory for cycles", Megabytes(StatusMegabytes("VmHWM") - before_mb_));
    if (config_.mode == Mode::kShadow) MeasurePlan();
    MeasureAnswers();
    MeasureState();
  }

 private:
  void Open() {
    auto store = StateStore::Open(folder_);
    Check(store.has_value(), "the state folder cannot be opened");
    store_ = *std::move(store);
    auto made = Controller::Make(config_, {slurm_, clock_, *store_}, [](Instant) -> Result<Signals> {
      return Signals{std::make_unique<Day>(300), std::make_unique<Day>(0.2), nullptr, {}, Currency::Parse("EUR")};
    });
    Check(made.has_value(), "the controller cannot be made");
    controller_ = *std::move(made);
  }

  void Row(const std::string& what, const std::string& figures) const {
    fmt::print("{:<52}{}\n", fmt::format("{}: {}", NameOf(config_.mode), what), figures);
  }
  static std::string Megabytes(double megabytes) { return fmt::format("{:>7.0f} MB more at most", megabytes); }

  // Without the time that the made-up Slurm takes for its answers.
  Spent Cycle() {
    clock_.Advance(kPoll);
    generated_.TakeTime();
    const Spent whole = TimeOf([&] { controller_->Cycle(); });
    Check(controller_->report()->is_healthy, "a cycle has trouble");
    return whole - generated_.TakeTime();
  }

  void MeasurePlan() {
    const auto report = controller_->report();
    const auto planned = std::count_if(report->jobs.begin(), report->jobs.end(), [](const JobReport& job) {
      return job.twin && (job.twin->planned_start || job.twin->start);
    });
    Row("jobs on the twin that run or are planned", fmt::format("{:>7}", planned));
    const double a_cycle = static_cast<double>(BytesIn(folder_ + "/decisions") - decisions_of_first_) / 1e6 / kCycles;
    Row("decision log", fmt::format("{:>7.1f} MB at first, then{:>6.0f} MB a day",
                                    static_cast<double>(decisions_of_first_) / 1e6, a_cycle * 86'400 / kPoll.count()));
  }

  void MeasureAnswers() {
    const Answers answers({[this] { return controller_->report(); }, [](Mode) {}, folder_});
    std::string answer;
    Spent time = TimeOf([&] { answer = answers.To({"root", true}, R"({"ask":"jobs"})"); });
    Row("answer with all jobs",
        fmt::format("{}{:>7.1f} MB of text", TimeText(time), static_cast<double>(answer.size()) / 1e6));
    time = TimeOf([&] { answer = answers.To({"root", true}, R"({"ask":"status"})"); });
    Row("answer with the status", TimeText(time));
    time = TimeOf([&] { answer = answers.To({"root", true}, R"({"ask":"history"})"); });
    Row("answer with the history", TimeText(time));
  }

  void MeasureState() {
    Spent time = TimeOf([&] { Check(controller_->Save().has_value(), "the state cannot be saved"); });
    const auto size = std::filesystem::file_size(folder_ + "/state.db");
    Row("saving the state, once a minute",
        fmt::format("{}{:>7.1f} MB on disk", TimeText(time), static_cast<double>(size) / 1e6));
    controller_.reset();
    store_.reset();
    time = TimeOf([&] { Open(); });
    Row("a restart with that state", TimeText(time));
    Row("the first cycle after it", TimeText(Cycle()));
    Check(controller_->report()->jobs.size() >= GeneratedSlurm::kJobs, "the restart has lost jobs");
    Row("memory with all of this", Megabytes(StatusMegabytes("VmHWM") - before_mb_));
  }

  std::string folder_;
  double before_mb_;
  std::uintmax_t decisions_of_first_ = 0;
  Config config_;
  ManualClock clock_{kStart};
  GeneratedSlurm generated_{clock_};
  cluster::SlurmCluster slurm_{generated_, clock_, RandomStream(1)};
  std::unique_ptr<StateStore> store_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace
}  // namespace heliostat::controller

int main(int count, char** arguments) {
  heliostat::controller::KeepMemorySmall();
  using heliostat::controller::Mode;
  const bool is_shadow = count == 2 && std::string_view(arguments[1]) == "shadow";
  if (count != 2 || (!is_shadow && std::string_view(arguments[1]) != "observe")) {
    fmt::print(stderr, "usage: controller_bench observe|shadow\n");
    return 2;
  }
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("controller-bench-{}", ::getpid());
  heliostat::controller::Bench(is_shadow ? Mode::kShadow : Mode::kObserve, folder.string()).Measure();
  std::filesystem::remove_all(folder);
}
