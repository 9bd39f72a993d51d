#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// A command line of sbatch: `sbatch [OPTION...] [SCRIPT [ARGUMENT...]]`, taken apart.
struct SbatchLine {
  std::string program;
  std::vector<std::string> options{};    // without those that set the comment
  std::optional<std::string> comment{};  // as sbatch takes it: the last one
  bool has_wrap = false;                 // an option holds the script
  std::vector<std::string> script{};     // the script and its arguments; empty: sbatch reads standard input

  // The command line with this comment.
  std::vector<std::string> With(const std::string& new_comment) const;
};

// Takes the command line apart. Fails for another program than sbatch, and for a heterogeneous job. An option that is
// not known is taken for one with a value, as most are.
Result<SbatchLine> ParseSbatchLine(std::span<const std::string> words);

// The comment that the #SBATCH lines of a script set, as sbatch reads them: up to the first command, the last one
// counts. Fails for a heterogeneous job.
Result<std::optional<std::string>> CommentInScript(std::string_view script);

}  // namespace heliostat::cli
