#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(The setting is a lease. It ends after --for, when the process of --pid ends, or with `heliostat device reset`.
The GPU then returns to its setting before the lease. If several leases hold the same knob of a GPU, the lowest
applies.

While the agent (heliostatd) runs, users need no root, and it restores the setting even after a crash or a reboot.
Without the agent this command needs root, and nothing ends the lease on time: the next `heliostat device leases`,
`set` or `reset`, or the start of the agent, restores the setting.

Examples:
  heliostat device set 0 --power-limit 300
  heliostat device set all --core-clock 600-1200 --for 8h --job night)";

struct Arguments {
  std::vector<std::string> gpus;
  std::string power_limit;
  std::string core_clock;
  std::string memory_clock;
  std::string duration = "1h";
  int pid = 0;
  std::string job;
};

// "300", "300W", "300.5 W".
Result<device::Setting> ParseLimit(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == 'W' || text.back() == 'w')) text.pop_back();
  double watts = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), watts);
  const bool is_number = failure == std::errc{} && end == text.data() + text.size();
  if (!is_number || !(watts > 0.0 && watts < 1e5)) {
    return Fail(ErrorCode::kInvalidArgument, "--power-limit",
                fmt::format("'{}' is not a power limit", Printable(text, 40)), "watts, such as 300");
  }
  return device::Setting::PowerLimit(Watts{watts});
}

// "1200" or "600-1200".
Result<device::Setting> ParseClock(device::Knob knob, std::string_view option, const std::string& text) {
  int low = 0;
  int high = 0;
  const char* const last = text.data() + text.size();
  const auto first = std::from_chars(text.data(), last, low);
  bool is_right = first.ec == std::errc{};
  const char* end = first.ptr;
  if (is_right && end != last && *end == '-') {
    const auto second = std::from_chars(end + 1, last, high);
    is_right = second.ec == std::errc{};
    end = second.ptr;
  } else {
    high = low;
  }
  if (!is_right || end != last || low <= 0 || high < low || high > 100'000) {
    return Fail(ErrorCode::kInvalidArgument, std::string(option),
                fmt::format("'{}' is not a clock", Printable(text, 40)),
                "MHz, such as 1200, or a range such as 600-1200");
  }
  return device::Setting{knob, false, low, high};
}

Result<std::vector<device::Setting>> SettingsOf(const Arguments& arguments) {
  std::vector<Result<device::Setting>> parsed;
  if (!arguments.power_limit.empty()) parsed.push_back(ParseLimit(arguments.power_limit));
  if (!arguments.core_clock.empty())
    parsed.push_back(ParseClock(Knob::kCoreClock, "--core-clock", arguments.core_clock));
  if (!arguments.memory_clock.empty())
    parsed.push_back(ParseClock(Knob::kMemoryClock, "--memory-clock", arguments.memory_clock));
  std::vector<device::Setting> settings;
  for (const auto& one : parsed) {
    if (!one) return Propagate(one);
    settings.push_back(*one);
  }
  if (settings.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "no setting is given",
                "--power-limit WATTS, --core-clock MHZ or --memory-clock MHZ");
  }
  return settings;
}

// "GPU 0 (NVIDIA H200): power-limit 300 W, lease 51a7ed00-3 for 1 h; then back to 700 W".
std::string Sentence(const device::Gpu& gpu, const gpu_access::SettingWish& wish, const lease::Grant& grant) {
  std::string text = fmt::format("GPU {} ({}): {} {}", gpu.identity().index, gpu.identity().name,
                                 device::NameOf(wish.setting.knob), grant.applied.stands.Text());
  if (grant.lease.state == lease::LeaseState::kOutdone) {
    text += fmt::format(" (asked {}: another lease is lower)", wish.setting.Text());
  } else if (grant.applied.outcome == device::SetOutcome::kClamped) {
    text += fmt::format(" (asked {}: the driver changed the value)", wish.setting.Text());
  } else if (grant.applied.outcome == device::SetOutcome::kUnverified) {
    text += " (not verified: the driver accepted it, but cannot report it)";
  }
  return text + fmt::format(", lease {} for {}; then back to {}\n", grant.lease.id, report::LengthText(wish.ttl),
                            grant.lease.previous.Text());
}

// The driver cannot report where clocks are locked, so the end of the lease unlocks them.
void WarnOfLostLock(const device::Gpu& gpu, const lease::Grant& grant) {
  const device::Setting& previous = grant.lease.previous;
  if (previous.knob == Knob::kPowerLimit || !previous.is_default) return;
  Log(LogLevel::kWarning,
      "GPU {}: a lock of its {} from before is lost when the lease ends; [[base_clocks]] in the agent's policy keeps "
      "it",
      gpu.identity().index, device::NameOf(previous.knob));
}

struct Taken {
  device::Gpu* gpu;
  std::string lease;
};

// Takes a lease per GPU and setting. After a failure it releases those that it has taken.
Result<Output> TakeAll(gpu_access::Control& control, const std::vector<device::Gpu*>& gpus,
                       const std::vector<gpu_access::SettingWish>& wishes) {
  Output output;
  io::Json grants{io::Json::Array{}};
  std::vector<Taken> taken;
  for (device::Gpu* gpu : gpus) {
    for (const gpu_access::SettingWish& wish : wishes) {
      const auto grant = AtFlags(control.Take(*gpu, wish), {{"process", "--pid"}});
      if (!grant) {
        for (const Taken& one : taken) {
          if (const auto back = control.Release(*one.gpu, one.lease); !back)
            LogLine(LogLevel::kWarning, back.error().Line());
        }
        return Propagate(grant);
      }
      taken.push_back({gpu, grant->lease.id});
      output.text += Sentence(*gpu, wish, *grant);
      WarnOfLostLock(*gpu, *grant);
      grants.Append(lease::Describe(*grant));
    }
  }
  output.json.Set("by", control.name()).Set("grants", std::move(grants));
  return output;
}

Result<Output> Set(const Arguments& arguments) {
  const auto settings = SettingsOf(arguments);
  if (!settings) return Propagate(settings);
  const auto duration = ParseDuration(arguments.duration, "--for");
  if (!duration) return Propagate(duration);
  const auto gpus = gpu_access::OpenGpus(ProcessEnvironment());
  if (!gpus) return Propagate(gpus);
  const auto chosen = gpus->Select(arguments.gpus);
  if (!chosen) return Propagate(chosen);
  std::vector<gpu_access::SettingWish> wishes;
  for (const device::Setting& setting : *settings) {
    for (const device::Gpu* gpu : *chosen) {
      if (const auto inside = device::CheckRange(gpu->identity(), gpu->abilities(), setting); !inside)
        return Propagate(inside);
    }
    wishes.push_back({setting, *duration, std::nullopt, arguments.job});
    if (arguments.pid > 0) wishes.back().pid = arguments.pid;
  }
  auto control = gpu_access::OpenControl(ProcessEnvironment(), *gpus);
  if (!control) return Propagate(control);
  auto taken = TakeAll(**control, *chosen, wishes);
  if (taken && (*control)->name() == "direct") {
    LogLine(LogLevel::kWarning,
            "the agent does not run: this lease does not end on time; heliostat device reset ends it");
  }
  return taken;
}

}  // namespace

Command InstallDeviceSet(const Syntax& syntax, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("GPU", arguments->gpus, "GPUs: indices, UUIDs or their first characters, or all").Required();
  syntax.AddOption("--power-limit W", arguments->power_limit, "Power limit");
  syntax.AddOption("--core-clock MHZ", arguments->core_clock, "Core clock to lock: 1200, or a range 600-1200");
  syntax.AddOption("--memory-clock MHZ", arguments->memory_clock,
                   "Memory clock to lock: one value, or a range LOW-HIGH");
  syntax.AddOption("--for TIME", arguments->duration, "Length of the lease: 30m, 8h, 2d").ShowDefault();
  syntax.AddOption("--pid PID", arguments->pid, "End the lease also when this process ends").Positive();
  syntax.AddOption("--job NAME", arguments->job, "Name that `heliostat device leases` shows");
  syntax.Footer(kAbout);
  return [arguments] { return Set(*arguments); };
}

}  // namespace heliostat::cli
