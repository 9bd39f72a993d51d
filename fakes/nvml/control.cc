// nvml-double: creates and shows the GPUs of the test double of NVML, changes them and injects faults.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "fakes/nvml/fault.h"
#include "fakes/nvml/load.h"
#include "fakes/nvml/show.h"
#include "fakes/nvml/state.h"
#include "heliostat/base/io/number.h"

namespace heliostat::nvml_double {
namespace {

using Words = std::span<const std::string>;

constexpr std::string_view kUsage =
    "nvml-double create FILE --gpu MODEL... [--time-scale X] [--root-only] [--manual-clock]\n"
    "nvml-double show FILE                           print the state of all GPUs as JSON\n"
    "nvml-double fault FILE GPU|all KIND [VALUE]     no-permission, lost, hang [FUNCTION][:SECONDS], clamp LOW:HIGH,\n"
    "                                                round MILLIWATTS, ignore, unsupported FUNCTION,\n"
    "                                                out-of-band WATTS, no-energy-counter, mig, reload\n"
    "nvml-double clear FILE GPU|all                  remove all faults\n"
    "nvml-double set FILE GPU power-limit WATTS|default\n"
    "nvml-double set FILE GPU core-clock|memory-clock MHZ|LOW:HIGH|default\n"
    "nvml-double load FILE GPU MODEL|none [--duty X]\n"
    "nvml-double advance FILE SECONDS                move the clock; needs create --manual-clock\n"
    "nvml-double reboot FILE                         reload the driver and end all processes' loads\n";

tl::unexpected<Error> Refuse(const std::string& where, const std::string& what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, where, Printable(what), std::move(allowed));
}

Status Create(const std::string& path, Words words) {
  Plan plan;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--root-only") {
      plan.is_root_only = true;
    } else if (words[i] == "--manual-clock") {
      plan.is_manual = true;
    } else if (words[i] == "--gpu" && has_value) {
      plan.gpus.push_back(words[++i]);
    } else if (words[i] == "--time-scale" && has_value) {
      plan.time_scale = io::ParseNumber(words[++i]).value_or(0.0);
    } else {
      return Refuse("create", words[i], "--gpu MODEL, --time-scale X, --root-only, --manual-clock");
    }
  }
  return State::Create(path, plan);
}

// The GPUs that an argument names.
Result<std::vector<int>> Gpus(const State& state, const std::string& text) {
  std::vector<int> gpus;
  for (int i = 0; i < state.gpus(); ++i) {
    if (text == "all" || text == std::to_string(i)) gpus.push_back(i);
  }
  if (gpus.empty()) return Refuse("GPU", text, fmt::format("0 to {}, or all", state.gpus() - 1));
  return gpus;
}

Status AddFault(State& state, Words words) {
  const auto gpus = Gpus(state, words[0]);
  if (!gpus) return Propagate(gpus);
  const std::string value = words.size() > 2 ? words[2] : "";
  if (words[1] == "reload" && value.empty()) {
    state.Reload(false);
    return {};
  }
  Status added;
  for (const int gpu : *gpus) {
    state.Update(gpu,
                 [&](GpuState& now) { added = nvml_double::AddFault(now.faults, words[1], value, RealSeconds()); });
  }
  return added;
}

Status Clear(State& state, Words words) {
  const auto gpus = Gpus(state, words[0]);
  if (!gpus) return Propagate(gpus);
  for (const int gpu : *gpus) state.Update(gpu, [](GpuState& now) { now.faults = Faults{}; });
  return {};
}

// "300" in watts, "1200" or "600:1200" in MHz, "default".
Result<device::Setting> ReadSetting(device::Knob knob, const std::string& text, const device_model::CardModel& card) {
  const bool is_limit = knob == device::Knob::kPowerLimit;
  if (text == "default") {
    return is_limit ? device::Setting::PowerLimit(Watts{static_cast<double>(card.default_limit_w)})
                    : device::Setting::Default(knob);
  }
  const auto colon = is_limit ? std::string::npos : text.find(':');
  const auto low = io::ParseNumber(text.substr(0, colon));
  const auto high = colon == std::string::npos ? low : io::ParseNumber(text.substr(colon + 1));
  if (!low || !high || *low <= 0.0 || *high < *low || *high > 1e6) {
    return Refuse(std::string(device::NameOf(knob)), text, is_limit ? "WATTS or default" : "MHZ, LOW:HIGH or default");
  }
  return is_limit ? device::Setting::PowerLimit(Watts{*high})
                  : device::Setting::Clock(knob, Megahertz(*low), Megahertz(*high));
}

// Sets a knob as another program would: without permissions and faults, and not counted as a write of the driver.
Status Set(State& state, Words words) {
  const auto gpus = Gpus(state, words[0]);
  if (!gpus) return Propagate(gpus);
  const auto knob = device::KnobOf(words[1]);
  if (!knob) return Refuse("set", words[1], "power-limit, core-clock, memory-clock");
  for (const int gpu : *gpus) {
    const auto setting = ReadSetting(*knob, words[2], state.Look(gpu).card());
    if (!setting) return Propagate(setting);
    state.Update(gpu, [&](GpuState& now) {
      now.At(*knob) = *setting;
      Record(now, {Function::kOtherProgram, ::getpid(), 0, setting->low, setting->high, now.at_s});
    });
  }
  return {};
}

Status Run(State& state, Words words) {
  const auto gpus = Gpus(state, words[0]);
  if (!gpus) return Propagate(gpus);
  LoadPlan plan{.model = words[1]};
  if (words.size() > 2) {
    const auto duty = words[2] == "--duty" && words.size() == 4 ? io::ParseNumber(words[3]) : std::nullopt;
    if (!duty || *duty < 0.0 || *duty > 1.0) return Refuse("load", words[2], "--duty X, 0 to 1");
    plan.duty = *duty;
  }
  for (const int gpu : *gpus) {
    Status started;
    if (plan.model == "none") {
      state.Update(gpu, StopLoads);
      continue;
    }
    const auto load = MakeLoad(plan, state.Look(gpu).card(), 0);
    if (!load) return Propagate(load);
    state.Update(gpu, [&](GpuState& now) { started = StartLoad(now, *load); });
    if (!started) return started;
  }
  return {};
}

Status Advance(State& state, Words words) {
  const auto seconds = io::ParseNumber(words[0]);
  if (!seconds || *seconds < 0.0 || *seconds > 1e9) return Refuse("advance", words[0], "0 to 1e9 seconds");
  if (!state.is_manual())
    return Refuse("advance", "the clock of this state is not manual", "a state created with --manual-clock");
  state.Advance(*seconds);
  return {};
}

Status Show(State& state, Words /*words*/) {
  fmt::print("{}\n", Describe(state).Dump());
  return {};
}

Status Reboot(State& state, Words /*words*/) {
  state.Reload(true);
  return {};
}

struct Command {
  std::string_view name;
  std::size_t fewest;  // words after FILE
  std::size_t most;
  Status (*run)(State& state, Words words);
};
constexpr std::array<Command, 7> kCommands{{{"show", 0, 0, Show},
                                            {"fault", 2, 3, AddFault},
                                            {"clear", 1, 1, Clear},
                                            {"set", 3, 3, Set},
                                            {"load", 2, 4, Run},
                                            {"advance", 1, 1, Advance},
                                            {"reboot", 0, 0, Reboot}}};

Status Execute(Words words) {
  if (words.size() < 2) return Refuse("usage", "too few arguments", "nvml-double --help");
  const Words rest = words.subspan(2);
  if (words[0] == "create") return Create(words[1], rest);
  for (const Command& command : kCommands) {
    if (command.name != words[0]) continue;
    if (rest.size() < command.fewest || rest.size() > command.most) {
      return Refuse(words[0], "too few or too many arguments", "nvml-double --help");
    }
    auto state = State::Open(words[1]);
    return state ? command.run(*state, rest) : Status(Propagate(state));
  }
  return Refuse("command", words[0], "create, show, fault, clear, set, load, advance, reboot");
}

}  // namespace
}  // namespace heliostat::nvml_double

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    fmt::print("{}", heliostat::nvml_double::kUsage);
    return 0;
  }
  const auto done = heliostat::nvml_double::Execute(words);
  if (done) return 0;
  fmt::print(stderr, "nvml-double: error: {}\n", done.error().Line());
  return 2;
}
