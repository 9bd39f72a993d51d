#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "heliostat/base/io/toml_members.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/scenario/validate.h"

namespace heliostat::scenario {

// The keys of a [[groups]] table.
inline constexpr std::array<std::string_view, 9> kGroupKeys{
    "name", "gpu", "nodes", "gpus_per_node", "gpu_idle_w", "node_base_w", "node_sleep_w", "wake_minutes", "wake_wh"};

// Reads all of them but `nodes`. The status of `members` shows what is wrong.
void ReadNodeClass(io::TomlMembers& members, Group& group);

// A flaw as an error at the place of its key in `table`, or of the table.
Status RefuseAt(const io::Toml& table, std::optional<Flaw> flaw);

}  // namespace heliostat::scenario
