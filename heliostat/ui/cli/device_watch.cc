#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "heliostat/base/core/clock.h"
#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/console/live_view.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Drivers cache power and renew it about ten times per second.
constexpr milliseconds kSampling{100};

std::atomic<bool> is_stopped{false};

struct Arguments {
  std::vector<std::string> gpus{"all"};
  double every_s = 1.0;
  std::string duration;
};

std::size_t ColumnsOf(int terminal) {
  struct winsize size {};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

// Prints the live view to stdout: on a terminal each frame replaces the last one, elsewhere lines follow each other.
// Used from one thread.
class Screen {
 public:
  Screen(const gpu_access::Gpus& gpus, bool is_silent)
      : title_(fmt::format("{} {}", gpus.driver->name(), gpus.driver->version())),
        is_terminal_(::isatty(STDOUT_FILENO) == 1),
        is_silent_(is_silent) {}

  void Draw(const console::LiveView& view) {
    if (is_silent_) return;
    const std::string now = FormatInstant(SystemClock().Now());
    if (!is_terminal_) {
      fmt::print("{}", view.Lines(now));
    } else {
      const std::string frame = view.Frame(fmt::format("{} · {} · Ctrl-C stops and prints totals", title_, now),
                                           ColumnsOf(STDOUT_FILENO), report::IsUtf8Terminal());
      // Moves the cursor to the top of the last frame and clears it.
      fmt::print("{}{}", lines_ > 0 ? fmt::format("\x1b[{}A\x1b[J", lines_) : "", frame);
      lines_ = std::count(frame.begin(), frame.end(), '\n');
    }
    std::fflush(stdout);
  }

 private:
  std::string title_;
  bool is_terminal_;
  bool is_silent_;
  std::ptrdiff_t lines_ = 0;
};

void Follow(console::LiveView& view, Screen& screen, milliseconds every, std::optional<Duration> duration) {
  const auto start = steady_clock::now();
  const auto end = duration ? start + *duration : steady_clock::time_point::max();
  auto drawn_next = start;
  auto sampled_next = start;
  while (!is_stopped) {
    const auto now = steady_clock::now();
    if (now >= end) break;
    view.Sample(now - start);
    if (now >= drawn_next) {
      screen.Draw(view);
      drawn_next += every * ((now - drawn_next) / every + 1);
    }
    sampled_next = std::max(sampled_next + std::min(kSampling, every), now);
    std::this_thread::sleep_until(std::min(sampled_next, end));
  }
  view.Sample(steady_clock::now() - start, true);
  screen.Draw(view);
}

Result<Output> Watch(const Arguments& arguments, const Options& options) {
  std::optional<Duration> duration;
  if (!arguments.duration.empty()) {
    const auto parsed = ParseDuration(arguments.duration, "--for");
    if (!parsed) return Propagate(parsed);
    duration = *parsed;
  }
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto chosen = gpus->Select(arguments.gpus);
  if (!chosen) return Propagate(chosen);
  struct sigaction stop {};
  stop.sa_handler = [](int) { is_stopped = true; };
  ::sigaction(SIGINT, &stop, nullptr);
  ::sigaction(SIGTERM, &stop, nullptr);
  console::LiveView view(*chosen);
  Screen screen(*gpus, options.wants_json || options.quiet);
  Follow(view, screen, milliseconds(std::lround(arguments.every_s * 1e3)), duration);
  console::TextAndJson told = view.Sum();
  return Output{std::move(told.text), std::move(told.json)};
}

}  // namespace

Command InstallDeviceWatch(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("GPU", arguments->gpus, "GPUs: indices, UUIDs or their first characters, or all").ShowDefault();
  syntax.AddOption("--every S", arguments->every_s, "Time between two updates of the screen")
      .ShowDefault()
      .Between(0.05, 3600.0);
  syntax.AddOption("--for TIME", arguments->duration, "Stop after this time (90s, 10m); without it, Ctrl-C stops");
  syntax.Footer(R"(Reads power ten times per second, and the energy counter of the GPU every ten seconds, because some
drivers need milliseconds to read it. The totals at the end show the energy by both, and the difference.

Example: heliostat device watch 0 --for 60s --json)");
  return [arguments, &options] { return Watch(*arguments, options); };
}

}  // namespace heliostat::cli
