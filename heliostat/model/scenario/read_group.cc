#include "heliostat/model/scenario/read_group.h"

#include <fmt/format.h>

#include <cmath>

namespace heliostat::scenario {
namespace {

constexpr double kMostWakeMinutes = 1e6;

}  // namespace

void ReadNodeClass(io::TomlMembers& members, Group& group) {
  group.name = members.Text("name");
  group.gpu = members.Text("gpu");
  group.gpus_per_node = members.Count("gpus_per_node");
  group.gpu_idle = Watts{members.Number("gpu_idle_w")};
  group.node_base = Watts{members.Number("node_base_w")};
  group.node_sleep = Watts{members.Number("node_sleep_w")};
  const double wake_minutes = members.Number("wake_minutes");
  if (!(wake_minutes >= 0.0 && wake_minutes <= kMostWakeMinutes)) {
    members.Refuse("wake_minutes", fmt::format("is {}", wake_minutes), "must be from 0 to 1e6");
  }
  group.wake_energy = Joules{members.Number("wake_wh") * 3600.0};
  if (members.status()) group.wake_time = Duration{std::llround(wake_minutes * 60.0)};
}

Status RefuseAt(const io::Toml& table, std::optional<Flaw> flaw) {
  if (!flaw) return {};
  if (const io::Toml* value = table.Find(flaw->key)) return value->Refuse(flaw->what, std::move(flaw->allowed));
  const std::string what = flaw->key.empty() ? flaw->what : flaw->key + " " + flaw->what;
  return Fail(ErrorCode::kInvalidArgument, table.where(), what, std::move(flaw->allowed));
}

}  // namespace heliostat::scenario
