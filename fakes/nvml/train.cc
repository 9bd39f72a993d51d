// stand-in-train: a program that looks like training on a GPU of the test double. Its steps follow the simulated card,
// it prints its progress, and its load ends with it. Times and speeds are those of the double's clock.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fakes/nvml/around.h"
#include "fakes/nvml/load.h"
#include "fakes/nvml/physics.h"
#include "fakes/nvml/progress.h"
#include "fakes/nvml/state.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/number.h"

namespace heliostat::nvml_double {
namespace {

constexpr std::string_view kUsage =
    "stand-in-train --steps N [--gpu INDEX] [--model resnet50] [--batch 256] [--duty 1] [--style plain|tqdm|keras]\n"
    "               [--noise 0.02] [--every N] [--state FILE]\n"
    "stand-in-train --around [--gpu INDEX] [--model resnet50] [--duty 1] [--state FILE] -- PROGRAM [ARGUMENTS]\n"
    "Prints the progress of a training that follows a made-up GPU. With --around, PROGRAM runs and the GPU is busy as "
    "with\n"
    "the model meanwhile; the program is held for a part of the time when the settings of the GPU slow the model "
    "down.\n"
    "Uses the GPUs of `heliostat run --fake-gpu`, or those in the file --state.\n";

// Short enough to follow changes of the card, long enough to cost little.
constexpr std::chrono::duration<double> kLongestNap{0.05};
constexpr std::chrono::duration<double> kShortestNap{0.001};

volatile std::sig_atomic_t asked_to_end = 0;
void AskToEnd(int signal) { asked_to_end = signal; }

struct Options {
  int gpu = 0;
  LoadPlan load{.model = "resnet50", .samples_per_step = 256.0};
  Style style = Style::kPlain;
  double noise = 0.02;
  std::int64_t every = 0;  // steps between lines; 0: fifty lines in total
  std::string state;
  std::vector<std::string> around;  // a program to run instead
};

Result<double> NumberIn(const std::string& name, const std::string& text, double low, double high) {
  const auto number = io::ParseNumber(text);
  if (!number || *number < low || *number > high) {
    return Fail(ErrorCode::kInvalidArgument, name, Printable(text), fmt::format("{} to {}", low, high));
  }
  return *number;
}

Result<Style> StyleOf(const std::string& text) {
  if (text == "plain") return Style::kPlain;
  if (text == "tqdm") return Style::kTqdm;
  if (text == "keras") return Style::kKeras;
  return Fail(ErrorCode::kInvalidArgument, "--style", Printable(text), "plain, tqdm, keras");
}

struct Numbered {
  std::string_view name;
  double low;
  double high;
  void (*set)(Options& options, double value);
};
constexpr std::array<Numbered, 6> kNumbered{{
    {"--gpu", 0, kMostGpus - 1, [](Options& o, double v) { o.gpu = static_cast<int>(v); }},
    {"--steps", 1, 1e12, [](Options& o, double v) { o.load.goal = std::floor(v); }},
    {"--batch", 1, 1e6, [](Options& o, double v) { o.load.samples_per_step = v; }},
    {"--duty", 0.01, 1, [](Options& o, double v) { o.load.duty = v; }},
    {"--noise", 0, 0.5, [](Options& o, double v) { o.noise = v; }},
    {"--every", 1, 1e12, [](Options& o, double v) { o.every = static_cast<std::int64_t>(v); }},
}};

Result<Options> ReadOptions(std::span<const std::string> words) {
  Options options;
  bool is_around = false;
  if (const auto dashes = std::ranges::find(words, "--"); dashes != words.end()) {
    options.around.assign(dashes + 1, words.end());
    words = words.first(static_cast<std::size_t>(dashes - words.begin()));
  }
  if (!words.empty() && words.front() == "--around") {
    is_around = true;
    words = words.subspan(1);
  }
  if (is_around == options.around.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--around", "stands first, with a program after --",
                "stand-in-train --around -- PROGRAM");
  }
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& name = words[i];
    if (i + 1 == words.size()) return Fail(ErrorCode::kInvalidArgument, Printable(name), "has no value");
    const std::string& text = words[i + 1];
    const auto* const numbered = std::ranges::find(kNumbered, name, &Numbered::name);
    if (numbered != kNumbered.end()) {
      const auto value = NumberIn(name, text, numbered->low, numbered->high);
      if (!value) return Propagate(value);
      numbered->set(options, *value);
    } else if (name == "--model") {
      options.load.model = text;
    } else if (name == "--state") {
      options.state = text;
    } else if (name == "--style") {
      const auto style = StyleOf(text);
      if (!style) return Propagate(style);
      options.style = *style;
    } else {
      return Fail(ErrorCode::kInvalidArgument, "option", Printable(name), "stand-in-train --help");
    }
  }
  if (options.load.goal < 1.0 && !is_around)
    return Fail(ErrorCode::kInvalidArgument, "--steps", "is missing", "a count");
  return options;
}

tl::unexpected<Error> NoSuchGpu(const Options& options, const State& state) {
  return Fail(ErrorCode::kInvalidArgument, "--gpu", std::to_string(options.gpu),
              fmt::format("0 to {}", state.gpus() - 1));
}

// One run on one GPU.
class Training {
 public:
  static Result<Training> Start(State& state, const Options& options) {
    if (options.gpu >= state.gpus()) return NoSuchGpu(options, state);
    const auto load = MakeLoad(options.load, state.Look(options.gpu).card(), ::getpid());
    if (!load) return Propagate(load);
    Status started;
    state.Update(options.gpu, [&](GpuState& gpu) { started = StartLoad(gpu, *load); });
    if (!started) return Propagate(started);
    return Training(state, options, *load);
  }

  // Runs until the steps are done, the card is lost or a signal asks to end. Returns the exit status.
  int Run() {
    while (asked_to_end == 0) {
      const auto seen = Beat();
      if (!seen) {
        fmt::print(stderr, "\nstand-in-train: error: the GPU is lost\n");
        return 1;
      }
      Print(*seen);
      if (seen->steps >= load_.goal) return 0;
      Nap(*seen);
    }
    state_->Update(options_.gpu, [this](GpuState& gpu) {
      if (RunningLoad* const mine = FindLoad(gpu, load_)) *mine = RunningLoad{};
    });
    fmt::print("\n");
    return 128 + asked_to_end;
  }

 private:
  struct Seen {
    double at_s;
    double steps;
    double steps_per_s;  // from this moment on
  };

  Training(State& state, const Options& options, const RunningLoad& load)
      : state_(&state), options_(options), load_(load), begun_s_(state.Now()), printed_s_(begun_s_) {
    const auto goal = static_cast<std::int64_t>(options.load.goal);
    if (options_.every == 0) options_.every = std::max<std::int64_t>(goal / 50, 1);
  }

  // Reports that the process lives, and reads its progress. Absent when the card or the load is gone.
  std::optional<Seen> Beat() {
    std::optional<Seen> seen;
    const double pace = std::max(1.0 + options_.noise * normal_(random_), 0.1);
    state_->Update(options_.gpu, [&](GpuState& gpu) {
      RunningLoad* const mine = FindLoad(gpu, load_);
      if (mine == nullptr || gpu.faults.is_lost) return;
      mine->beat_s = gpu.at_s;
      mine->pace = pace;
      const Flow flow = FlowOf(gpu, state_->grace_s());
      const auto slot = static_cast<std::size_t>(mine - gpu.loads.data());
      seen = Seen{gpu.at_s, mine->steps, flow.samples_per_s[slot] * pace / mine->samples_per_step};
      if (mine->steps >= mine->goal) *mine = RunningLoad{};
    });
    return seen;
  }

  void Print(const Seen& seen) {
    const auto step = static_cast<std::int64_t>(seen.steps);
    const auto last = static_cast<std::int64_t>(load_.goal);
    if (step / options_.every == printed_step_ / options_.every && step < last) return;
    const double seconds = seen.at_s - printed_s_;
    const double speed = seconds > 0.0 ? (seen.steps - printed_steps_) / seconds : 0.0;
    const std::string text = ProgressText(
        options_.style, {.step = step, .steps = last, .elapsed_s = seen.at_s - begun_s_, .steps_per_s = speed});
    std::FILE* const where = options_.style == Style::kTqdm ? stderr : stdout;  // as tqdm does
    std::fwrite(text.data(), 1, text.size(), where);
    std::fflush(where);
    printed_step_ = step;
    printed_steps_ = seen.steps;
    printed_s_ = seen.at_s;
  }

  // Sleeps until the next line is due or the steps are done, within bounds.
  void Nap(const Seen& seen) const {
    const std::int64_t lines = static_cast<std::int64_t>(seen.steps) / options_.every;
    const auto next = static_cast<double>((lines + 1) * options_.every);
    const double steps = std::min(next, load_.goal) - seen.steps;
    const double seconds = seen.steps_per_s > 0.0 ? steps / seen.steps_per_s / state_->time_scale() : HUGE_VAL;
    std::this_thread::sleep_for(std::clamp(std::chrono::duration<double>(seconds), kShortestNap, kLongestNap));
  }

  State* state_;
  Options options_;
  RunningLoad load_;
  double begun_s_;
  double printed_s_;
  double printed_steps_ = 0.0;
  std::int64_t printed_step_ = 0;
  std::mt19937 random_{static_cast<std::mt19937::result_type>(::getpid())};
  std::normal_distribution<double> normal_;
};

Result<int> Train(std::span<const std::string> words) {
  const auto options = ReadOptions(words);
  if (!options) return Propagate(options);
  auto state = options->state.empty() ? State::OpenNamed(ProcessEnvironment()) : State::Open(options->state);
  if (!state) return Propagate(state);
  if (!options->around.empty()) {
    if (options->gpu >= state->gpus()) return NoSuchGpu(*options, *state);
    if (const auto load = MakeLoad(options->load, state->Look(options->gpu).card(), 0); !load) return Propagate(load);
    const int why = BecomeOnGpu(*state, options->gpu, options->load, options->around);
    fmt::print(stderr, "stand-in-train: error: {}: {}\n", options->around.front(), std::strerror(why));
    return why == ENOENT ? 127 : 126;
  }
  std::signal(SIGINT, AskToEnd);
  std::signal(SIGTERM, AskToEnd);
  auto training = Training::Start(*state, *options);
  if (!training) return Propagate(training);
  return training->Run();
}

}  // namespace
}  // namespace heliostat::nvml_double

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    fmt::print("{}", heliostat::nvml_double::kUsage);
    return 0;
  }
  const auto status = heliostat::nvml_double::Train(words);
  if (status) return *status;
  fmt::print(stderr, "stand-in-train: error: {}\n", status.error().Line());
  return 2;
}
