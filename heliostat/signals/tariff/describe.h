#pragma once

#include <string>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// For people, some lines: who, when, what energy and demand cost, and the notes.
// Text from the file is made safe to print.
std::string Describe(const Tariff& tariff);

}  // namespace heliostat::tariff
