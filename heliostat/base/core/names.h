#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "heliostat/base/core/check.h"

namespace heliostat {

// An enumerator and its name.
template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

// The names of the values of an enum, in one table for both directions.
//   constexpr auto kKnobs = NamesOf<Knob>({{Knob::kPace, "pace"}, {Knob::kPowerLimit, "power-limit"}});
template <typename Enum, std::size_t n>
struct Names {
  std::array<Named<Enum>, n> rows;

  // `value` must be in the table.
  constexpr std::string_view NameOf(Enum value) const {
    for (const Named<Enum>& row : rows) {
      if (row.value == value) return row.name;
    }
    Check(false, "an enum value is not in its table of names");
    return {};
  }
  // std::nullopt when no value has that name. Case matters.
  constexpr std::optional<Enum> Find(std::string_view name) const {
    for (const Named<Enum>& row : rows) {
      if (row.name == name) return row.value;
    }
    return std::nullopt;
  }
};

template <typename Enum, std::size_t n>
constexpr Names<Enum, n> NamesOf(const Named<Enum> (&rows)[n]) {
  return {std::to_array(rows)};
}

}  // namespace heliostat
