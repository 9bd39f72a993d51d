#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(The setting is a lease: it ends at --for, with the process of --pid, or by `heliostat device reset`, and then the
card goes back to where it stood before. Several leases on one GPU: the lowest wins.
With the agent (heliostatd) nobody needs root and the card goes back whatever dies; without one this needs root, and
whoever comes next (`heliostat device leases`, reset, the agent) puts back what has run out.

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
    return Fail(ErrorCode::kInvalidArgument, "--power-limit", fmt::format("'{}' is no limit", Printable(text, 40)),
                "watts, such as 300");
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
    return Fail(ErrorCode::kInvalidArgument, std::string(option), fmt::format("'{}' is no clock", Printable(text, 40)),
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
    return Fail(ErrorCode::kInvalidArgument, "command line", "nothing to set",
                "--power-limit WATTS, --core-clock MHZ or --memory-clock MHZ");
  }
  return settings;
}

// "GPU 0 (NVIDIA H200): power-limit 300 W, lease 51a7ed00-3 for 1 h; then back to 700 W".
std::string Sentence(const device::Gpu& gpu, const gpu_access::SettingWish& wish, const lease::Grant& grant) {
  std::string text = fmt::format("GPU {} ({}): {} {}", gpu.identity().index, gpu.identity().name,
                                 device::NameOf(wish.setting.knob), grant.applied.stands.Text());
  if (grant.lease.state == lease::LeaseState::kOutdone) {
    text += fmt::format(" (asked {}: another lease wants less)", wish.setting.Text());
  } else if (grant.applied.outcome == device::SetOutcome::kClamped) {
    text += fmt::format(" (asked {}: the driver made it so)", wish.setting.Text());
  } else if (grant.applied.outcome == device::SetOutcome::kUnverified) {
    text += " (the driver took it; it cannot be asked what stands)";
  }
  return text + fmt::format(", lease {} for {}; then back to {}\n", grant.lease.id, FormatDuration(wish.ttl),
                            grant.lease.previous.Text());
}

struct Taken {
  device::Gpu* gpu;
  std::string lease;
};

// All or nothing: what was taken before a failure goes back.
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
  if ((*control)->name() == "direct") {
    LogLine(LogLevel::kWarning, "no agent runs here: nobody watches this lease; heliostat device reset puts it back");
  }
  return TakeAll(**control, *chosen, wishes);
}

}  // namespace

Command InstallDeviceSet(const Syntax& syntax, Options& /*options*/) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("gpu", arguments->gpus, "Which: indices, UUIDs or the beginnings of them, or all").Required();
  syntax.AddOption("--power-limit", arguments->power_limit, "W");
  syntax.AddOption("--core-clock", arguments->core_clock, "MHz to lock the core at, or LOW-HIGH");
  syntax.AddOption("--memory-clock", arguments->memory_clock, "MHz to lock the memory at, or LOW-HIGH");
  syntax.AddOption("--for", arguments->duration, "How long: 30m, 8h, 2d").ShowDefault();
  syntax.AddOption("--pid", arguments->pid, "End with this process, too").Positive();
  syntax.AddOption("--job", arguments->job, "A name for it, for those who look at leases");
  syntax.Footer(kAbout);
  return [arguments] { return Set(*arguments); };
}

}  // namespace heliostat::cli
