#include "heliostat/control/policy/orders.h"

#include <array>
#include <utility>

namespace heliostat::policy {
namespace {

struct Words {
  Reason::Kind kind;
  std::string_view name;
  std::string_view text;
};

constexpr std::array<Words, 11> kReasons{{
    {Reason::Kind::kNone, "none", "no reason given"},
    {Reason::Kind::kTurn, "turn", "it is next in the queue and GPUs are free"},
    {Reason::Kind::kCheapTime, "cheap-time", "this is among the best times before its deadline"},
    {Reason::Kind::kMustRun, "must-run", "waiting any longer would make it late"},
    {Reason::Kind::kBetterTime, "better-time", "a better time comes before its deadline"},
    {Reason::Kind::kPlan, "plan", "the plan for all work has it so"},
    {Reason::Kind::kService, "service", "a service needs the GPUs"},
    {Reason::Kind::kLoad, "load", "as many replicas as the present rate of requests needs"},
    {Reason::Kind::kSignal, "signal", "this operating point suits the present carbon intensity and price"},
    {Reason::Kind::kNoRoom, "no-room", "jobs with less slack need the GPUs"},
    {Reason::Kind::kRecord, "record", "the record of the site has it so"},
}};

}  // namespace

std::string TextOf(const Reason& reason) {
  for (const Words& words : kReasons) {
    if (words.kind != reason.kind) continue;
    return std::string(words.text) + (reason.until ? "; until " + FormatInstant(*reason.until) : "");
  }
  return {};
}

std::string NameOf(Reason::Kind kind) {
  for (const Words& words : kReasons) {
    if (words.kind == kind) return std::string(words.name);
  }
  return {};
}

std::optional<Reason::Kind> ReasonNamed(std::string_view name) {
  for (const Words& words : kReasons) {
    if (words.name == name) return words.kind;
  }
  return std::nullopt;
}

void Decision::Clear() {
  jobs.clear();
  services.clear();
  nodes_on.clear();
  call_again.reset();
  nodes_up.clear();
}

}  // namespace heliostat::policy
