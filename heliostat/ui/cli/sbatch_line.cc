#include "heliostat/ui/cli/sbatch_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "heliostat/base/core/split.h"
#include "heliostat/ui/cli/shell_words.h"

namespace heliostat::cli {
namespace {

// Options of sbatch whose value, if they take one, stands behind "=" or in the same word. All others take the next
// word.
constexpr std::array<std::string_view, 28> kAlone{
    "contiguous", "exclusive", "get-user-env",  "help",       "hold",          "ignore-pbs",    "immediate",
    "nice",       "no-kill",   "no-requeue",    "overcommit", "oversubscribe", "oom-kill-step", "parsable",
    "propagate",  "quiet",     "reboot",        "requeue",    "share",         "spread-job",    "stepmgr",
    "test-only",  "usage",     "use-min-nodes", "verbose",    "version",       "wait",          "x11"};
constexpr std::string_view kAloneLetters = "hHIkOQsvVW";

// The parser of sbatch takes the beginning of a name for the name, if no other begins so.
bool IsShortFor(std::string_view given, std::string_view name, std::size_t least) {
  return given.size() >= least && name.starts_with(given);
}
bool IsComment(std::string_view name) { return IsShortFor(name, "comment", 3); }
bool IsWrap(std::string_view name) { return IsShortFor(name, "wrap", 2); }

bool StandsAlone(std::string_view name) {
  constexpr std::size_t kTelling = 5;  // letters
  return std::ranges::any_of(
      kAlone, [&](std::string_view one) { return IsShortFor(name, one, std::min(one.size(), kTelling)); });
}

// Whether the word after "-abc" is the value of its last letter.
bool TakesNextWord(std::string_view letters) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (kAloneLetters.find(letters[i]) == std::string_view::npos) return i + 1 == letters.size();
  }
  return false;
}

Error Heterogeneous() {
  return {ErrorCode::kUnsupported, "sbatch", "the job is heterogeneous",
          "Heliostat never moves such jobs: submit it with sbatch alone"};
}

// Reads options up to the first other word, and returns its place.
std::size_t ReadOptions(std::span<const std::string> words, SbatchLine& line) {
  std::size_t i = 0;
  while (i < words.size()) {
    const std::string& word = words[i];
    if (word == "--") return i + 1;
    if (!word.starts_with('-') || word == "-") return i;
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    const std::string name = is_long ? word.substr(2, equals == std::string::npos ? equals : equals - 2) : "";
    const bool takes_next = is_long ? equals == std::string::npos && !StandsAlone(name) : TakesNextWord(word.substr(1));
    const bool has_next = takes_next && i + 1 < words.size();
    if (is_long && IsComment(name)) {
      if (equals != std::string::npos) line.comment = word.substr(equals + 1);
      if (has_next) line.comment = words[i + 1];
    } else {
      line.has_wrap = line.has_wrap || (is_long && IsWrap(name));
      line.options.push_back(word);
      if (has_next) line.options.push_back(words[i + 1]);
    }
    i += has_next ? 2 : 1;
  }
  return i;
}

}  // namespace

std::vector<std::string> SbatchLine::With(const std::string& new_comment) const {
  std::vector<std::string> words{program, "--comment=" + new_comment};
  words.insert(words.end(), options.begin(), options.end());
  if (!script.empty() && script.front().starts_with('-')) words.emplace_back("--");
  words.insert(words.end(), script.begin(), script.end());
  return words;
}

Result<SbatchLine> ParseSbatchLine(std::span<const std::string> words) {
  SbatchLine line{.program = words.empty() ? "" : words.front()};
  const std::string name = std::filesystem::path(line.program).filename();
  if (name == "srun" || name == "salloc") {
    return Fail(ErrorCode::kUnsupported, "command line", fmt::format("{} starts an interactive job", name),
                "Heliostat never moves such jobs: sbatch, or srun inside of its script");
  }
  if (name != "sbatch") {
    return Fail(ErrorCode::kInvalidArgument, "command line",
                fmt::format("'{}' is not sbatch", Printable(line.program, 60)), "sbatch [OPTION...] SCRIPT");
  }
  const auto arguments = words.subspan(1);
  const auto rest = arguments.subspan(ReadOptions(arguments, line));
  line.script.assign(rest.begin(), rest.end());
  if (!rest.empty() && rest.front() == ":") return tl::unexpected(Heterogeneous());
  return line;
}

Result<std::optional<std::string>> CommentInScript(std::string_view script) {
  constexpr std::string_view kDirective = "#SBATCH";
  SbatchLine found;
  while (!script.empty()) {
    const std::size_t end = script.find('\n');
    const std::string_view text = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    if (Trimmed(text).empty()) continue;
    if (!text.starts_with('#')) break;  // the first command
    if (!text.starts_with(kDirective)) continue;
    const std::vector<std::string> words = WordsOf(text.substr(kDirective.size()));
    if (!words.empty() && (words.front() == "hetjob" || words.front() == "packjob")) {
      return tl::unexpected(Heterogeneous());
    }
    (void)ReadOptions(words, found);  // other words of the line are no options
  }
  return found.comment;
}

}  // namespace heliostat::cli
