#pragma once

#include <optional>
#include <string_view>

namespace heliostat::store {

// The words for enumerators in a database. They never change, while enumerators may be reordered and the names in
// reports may change. Instantiated for signal::Kind, Nature, Basis, Scope and Unit.
template <typename Enumeration>
std::string_view WordOf(Enumeration value);

// std::nullopt for an unknown word.
template <typename Enumeration>
std::optional<Enumeration> FromWord(std::string_view word);

}  // namespace heliostat::store
