#pragma once

#include <optional>
#include <string_view>

namespace heliostat::store {

// The words that stand for enumerators in a database. They never change, while
// enumerators may be reordered and the names in reports reworded. Made for
// signal::Kind, Nature, Basis, Scope and Unit.
template <typename Enumeration>
std::string_view WordOf(Enumeration value);

// Nothing when the word is not one of ours.
template <typename Enumeration>
std::optional<Enumeration> FromWord(std::string_view word);

}  // namespace heliostat::store
