#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heliostat::cli {

// The words as one line for a shell; those with other characters than plain ones are quoted.
std::string InShell(std::span<const std::string> words);

// The words of a line, with quotes and backslashes as in a shell. A # at the start of a word begins a comment. A quote
// that is not closed ends with the line.
std::vector<std::string> WordsOf(std::string_view line);

}  // namespace heliostat::cli
