#pragma once

#include <string>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// A description for users in several lines: utility, dates, energy and demand charges, and the notes. Escapes text from
// the file for printing.
std::string Describe(const Tariff& tariff);

}  // namespace heliostat::tariff
