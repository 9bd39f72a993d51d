#include "heliostat/node/ledger/runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <tuple>

#include "heliostat/base/core/names.h"

namespace heliostat::ledger {
namespace {

constexpr auto kStates = NamesOf<RunState>({{RunState::kRunning, "running"},
                                            {RunState::kFinished, "finished"},
                                            {RunState::kFailed, "failed"},
                                            {RunState::kCutOff, "cut off"},
                                            {RunState::kElsewhere, "open elsewhere"}});

namespace fs = std::filesystem;

std::string LedgerOf(const std::string& folder, const std::string& id) { return folder + "/" + id + "/ledger.journal"; }

// The folders with a ledger, newest last, because names begin with a time.
std::vector<std::string> IdsIn(const std::string& folder) {
  std::vector<std::string> ids;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::string id = at->path().filename().string();
    std::error_code ignored;
    if (fs::is_regular_file(LedgerOf(folder, id), ignored)) ids.push_back(std::move(id));
  }
  std::ranges::sort(ids);
  return ids;
}

// The last run with a readable ledger: a run that was killed at its very start has none.
Result<Run> LastOf(const std::string& folder, const std::vector<std::string>& ids) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if (auto run = ReadRun(LedgerOf(folder, *id), *id)) return run;
  }
  return ReadRun(LedgerOf(folder, ids.back()), ids.back());
}

// In words where the status is that of a signal which users send.
std::string FailureText(const EndRecord& end) {
  constexpr int kSignals = 128;  // as a shell reports the death by a signal
  switch (end.exit_status - kSignals) {
    case SIGINT:
      return "interrupted by Ctrl-C";
    case SIGTERM:
      return "terminated";
    case SIGKILL:
      return "killed";
    case SIGSEGV:
      return "crashed (invalid memory access)";
    default:
      return fmt::format("failed {}", end.exit_status);
  }
}

}  // namespace

std::string_view NameOf(RunState state) { return kStates.NameOf(state); }

std::string StateText(RunState state, const Run& run) {
  if (state == RunState::kFailed) return FailureText(*run.end);
  if (state == RunState::kElsewhere) return fmt::format("open on {}", Printable(run.begin.host, 30));
  return std::string(NameOf(state));
}

std::string ThisHost() {
  std::array<char, 256> name{};
  // The last byte stays 0: gethostname() does not end a name that is too long.
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

RunState StateOf(const Run& run, const std::string& host, const Lives& lives) {
  if (run.end) return run.end->exit_status == 0 ? RunState::kFinished : RunState::kFailed;
  if (run.begin.host != host) return RunState::kElsewhere;
  return lives(run.begin.author) ? RunState::kRunning : RunState::kCutOff;
}

Listing RunsIn(const std::string& folder) {
  Listing listing;
  for (const std::string& id : IdsIn(folder)) {
    auto run = ReadRun(LedgerOf(folder, id), id);
    if (run) {
      listing.runs.push_back(*std::move(run));
    } else {
      listing.troubles.push_back(run.error().Line());
    }
  }
  std::ranges::sort(listing.runs, [](const Run& a, const Run& b) {
    return std::tie(b.begin.start, b.id) < std::tie(a.begin.start, a.id);
  });
  return listing;
}

Result<Run> FindRun(const std::string& folder, const std::string& name) {
  const std::vector<std::string> ids = IdsIn(folder);
  if (ids.empty()) {
    return Fail(ErrorCode::kNotFound, folder, "has no runs", "start one with heliostat run, or name another folder");
  }
  if (name.empty()) return LastOf(folder, ids);
  if (std::ranges::binary_search(ids, name)) return ReadRun(LedgerOf(folder, name), name);
  std::vector<std::string> meant;
  for (const std::string& id : ids) {
    if (id.starts_with(name) || id.ends_with(name)) meant.push_back(id);
  }
  if (meant.size() == 1) return ReadRun(LedgerOf(folder, meant.front()), meant.front());
  const std::string quoted = fmt::format("'{}'", Printable(name, 60));
  if (meant.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "ID", fmt::format("{} is not a run in {}", quoted, folder),
                "see heliostat runs");
  }
  return Fail(ErrorCode::kInvalidArgument, "ID", fmt::format("{} matches {} runs", quoted, meant.size()),
              fmt::format("a longer part, as in {}, {}…", meant[meant.size() - 1], meant[meant.size() - 2]));
}

}  // namespace heliostat::ledger
