#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/workload/job_comment.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/sbatch_line.h"
#include "heliostat/ui/cli/shell_words.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string deadline;
  std::string slack;
  std::string may;
  bool is_dry_run = false;
  std::vector<std::string> before;  // words before "--", which belong behind it
};

constexpr const char* kAbout =
    R"(Writes what you allow into the comment of the job and runs sbatch. Its output and exit status are those of sbatch.

  --deadline  the job should end by then; it may wait, or run slower, as long as it makes it
  --slack     the job may end later than it would without Heliostat, by up to this share of its time limit
  --may       what else may be done to it: suspend (stop and continue), requeue (end and start again, for jobs that
              save their state)

A comment that the command line or the script sets is kept, with Heliostat's part behind it.

Examples:
  heliostat submit --slack 50% -- sbatch train.sh
  heliostat submit --deadline +18h --may requeue -- sbatch --gres=gpu:4 --time=6:00:00 train.sh
  heliostat submit --deadline 2026-11-20T08:00Z --dry-run -- sbatch --wrap 'python train.py')";

Result<workload::JobComment> CommentOf(const Arguments& arguments, Instant now) {
  workload::JobComment comment;
  if (!arguments.deadline.empty()) {
    const bool is_relative = arguments.deadline.starts_with('+');
    const auto delay = is_relative ? ParseDuration(arguments.deadline.substr(1), "--deadline") : Result<Duration>();
    if (!delay) return Propagate(delay);
    const auto deadline = is_relative ? Result<Instant>(now + *delay) : ParseInstant(arguments.deadline, "--deadline");
    if (!deadline) return Propagate(deadline);
    if (*deadline <= now) {
      return Fail(ErrorCode::kInvalidArgument, "--deadline", FormatInstant(*deadline) + " is in the past",
                  fmt::format("must be later than now, {}", FormatInstant(now)));
    }
    comment.deadline = *deadline;
  }
  if (!arguments.slack.empty()) {
    const auto slack = workload::ParseSlack(arguments.slack, "--slack");
    if (!slack) return Propagate(slack);
    comment.slack_share = *slack;
  }
  if (!arguments.may.empty()) {
    if (const Status bad = workload::ParsePermissions(arguments.may, "--may", comment); !bad) return Propagate(bad);
  }
  if (comment.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "nothing is allowed to the job",
                "at least one of --deadline, --slack, --may");
  }
  return comment;
}

// The file that sbatch takes for this name: in this folder, else in PATH.
std::string FileOf(const std::string& script, const Environment& environment) {
  std::error_code ignored;
  if (script.find('/') != std::string::npos || std::filesystem::exists(script, ignored)) return script;
  const std::string folders = environment("PATH").value_or("");
  std::string_view rest = folders;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::filesystem::path file = std::filesystem::path(rest.substr(0, end)) / script;
    if (std::filesystem::exists(file, ignored)) return file;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return script;
}

// A script that came through standard input is there again for the program that follows.
Status GiveBackToInput(const std::string& text) {
  const int file = ::memfd_create("script", 0);
  std::size_t done = 0;
  while (file >= 0 && done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool is_ready =
      file >= 0 && done == text.size() && ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, STDIN_FILENO) == STDIN_FILENO;
  if (is_ready) return {};
  return Fail(ErrorCode::kInternal, "stdin", fmt::format("cannot be passed on: {}", std::strerror(errno)));
}

// The comment that sbatch would take without us.
Result<std::string> OwnComment(const SbatchLine& line) {
  if (line.comment) return *line.comment;
  if (line.has_wrap) return std::string();
  const bool is_stdin = line.script.empty();
  const auto text =
      is_stdin ? io::ReadStandardInput() : io::ReadFile(FileOf(line.script.front(), ProcessEnvironment()));
  if (!text) return Propagate(text);
  if (is_stdin) {
    if (const Status bad = GiveBackToInput(*text); !bad) return Propagate(bad);
  }
  const auto comment = CommentInScript(*text);
  if (!comment) return Propagate(comment);
  return comment->value_or("");
}

Result<std::vector<std::string>> WordsToRun(const Arguments& arguments, const std::vector<std::string>& program) {
  const auto line = ParseSbatchLine(program);
  if (!line) return Propagate(line);
  const auto allowed = CommentOf(arguments, SystemClock().Now());
  if (!allowed) return Propagate(allowed);
  const auto own = OwnComment(*line);
  if (!own) return Propagate(own);
  if (workload::HasHeliostatPart(*own)) {
    return Fail(ErrorCode::kInvalidArgument, "comment of the job",
                fmt::format("'{}' has a part of Heliostat already", Printable(*own, 80)), "remove it");
  }
  return line->With(own->empty() ? workload::FormatJobComment(*allowed)
                                 : *own + " " + workload::FormatJobComment(*allowed));
}

// Runs the program in the place of this one. Returns only if it cannot be started.
Output Become(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  (void)::execvp(pointers[0], pointers.data());
  const bool is_missing = errno == ENOENT;
  Output output;
  output.verdict = Error{is_missing ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied, words.front(),
                         fmt::format("cannot be started: {}", std::strerror(errno)), "is Slurm installed here?"};
  output.ending = Output::Ending{{.exit_code = process::StatusOfFailedStart(*output.verdict)}};
  return output;
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  if (!arguments.before.empty() || options.program.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command line",
                arguments.before.empty()
                    ? "no program is given"
                    : fmt::format("'{}' stands before --", Printable(arguments.before.front(), 40)),
                "name sbatch after --: heliostat submit --slack 50% -- sbatch train.sh");
  }
  if (options.wants_json && !arguments.is_dry_run) {
    return Fail(ErrorCode::kInvalidArgument, "--json", "the output is that of sbatch", "only with --dry-run");
  }
  auto words = WordsToRun(arguments, options.program);
  if (!words) return Propagate(words);
  if (!arguments.is_dry_run) return Become(*std::move(words));
  Output output;
  output.text = InShell(*words) + "\n";
  io::Json list{io::Json::Array{}};
  for (const std::string& word : *words) list.Append(word);
  output.json.Set("command", std::move(list));
  return output;
}

}  // namespace

Command InstallSubmit(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("PROGRAM -- sbatch [OPTION...] SCRIPT", arguments->before, "The command line of sbatch, unchanged");
  syntax.AddOption("--deadline TIME", arguments->deadline,
                   "When the job should end: a UTC time or one with an offset, or +18h from now");
  syntax.AddOption("--slack PERCENT", arguments->slack,
                   "How much later it may end than without Heliostat, of its time limit: 50%");
  syntax.AddOption("--may VERB,...", arguments->may, "What may be done to it when it runs: suspend, requeue");
  syntax.AddFlag("--dry-run", arguments->is_dry_run, "Print the command line of sbatch instead of running it");
  syntax.Footer(kAbout);
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
