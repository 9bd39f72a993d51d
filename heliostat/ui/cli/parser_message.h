#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// The words of the parser, such as "--eta: 3 is out of range, must be from 0 to 1", as an Error. `help` is what to see.
Error InPlainWords(std::string what, const std::string& help);

// Where a word of the command line is that is not known.
struct Surroundings {
  std::string command;             // "heliostat signal"
  std::vector<std::string> names;  // of its commands, or of its options without dashes
  std::string elsewhere;           // the full name of a command with this name below another one; empty: there is none
};
// "'inspekt' is not a command of heliostat signal; did you mean inspect? See heliostat signal --help".
Error UnknownWord(const std::string& word, const Surroundings& place);

}  // namespace heliostat::cli
