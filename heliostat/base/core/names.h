#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "heliostat/base/core/check.h"

namespace heliostat {

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

// What an enum's values are called: one table, read both ways. Every value that is ever asked for must be in it.
//   constexpr auto kKnobs = NamesOf<Knob>({{Knob::kPace, "pace"}, {Knob::kPowerLimit, "power-limit"}});
template <typename Enum, std::size_t n>
struct Names {
  std::array<Named<Enum>, n> rows;

  constexpr std::string_view NameOf(Enum value) const {
    for (const Named<Enum>& row : rows) {
      if (row.value == value) return row.name;
    }
    Check(false, "a value that has no name");
    return {};
  }
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
