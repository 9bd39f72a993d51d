#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "heliostat/base/core/clock.h"
#include "heliostat/node/device/host_energy.h"
#include "heliostat/node/ledger/writer.h"
#include "heliostat/signals/store/default_path.h"
#include "heliostat/signals/store/signal_store.h"
#include "heliostat/ui/console/doctor.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/user_config/grid.h"

namespace heliostat::console {
namespace {

namespace fs = std::filesystem;
using Findings = std::vector<DoctorFinding>;
using user_config::Config;

// Ledgers grow by kilobytes per hour; below this the machine has other problems soon.
constexpr std::uintmax_t kLeastFreeBytes = 100'000'000;
constexpr Duration kFresh = std::chrono::hours(6);

// The newest fetch of the zone's carbon intensity, if the store has one. Does not make a store.
void ExamineStore(const user_config::Grid& grid, const Environment& environment, Instant now, Findings& findings) {
  const std::string fix =
      fmt::format("heliostat signal fetch option 'provider' {} option 'zone' {}", grid.provider, grid.zone);
  const auto path = store::DefaultStorePath(environment);
  std::error_code ignored;
  if (!path || !fs::exists(*path, ignored)) {
    findings.push_back({"store", Health::kNote, fmt::format("nothing is stored of {} yet", grid.zone), fix});
    return;
  }
  auto store = store::SignalStore::Open(*path);
  const auto stored = store ? store->List() : Propagate(store);
  if (!stored) {
    findings.push_back({"store", Health::kProblem, stored.error().Line(), fmt::format("mv {0} {0}.damaged", *path)});
    return;
  }
  std::optional<Instant> newest;
  for (const store::Stored& one : *stored) {
    const bool is_it = one.key.provider == grid.provider && one.key.zone == grid.zone;
    if (is_it && (!newest || *newest < one.last_fetched)) newest = one.last_fetched;
  }
  if (!newest) {
    findings.push_back({"store", Health::kNote, fmt::format("nothing is stored of {} yet", grid.zone), fix});
    return;
  }
  const bool is_fresh = now - *newest <= kFresh;
  findings.push_back({"store", is_fresh ? Health::kOk : Health::kNote,
                      fmt::format("{} was fetched {} ago", grid.zone, report::LengthText(now - *newest)),
                      is_fresh ? "" : fix});
}

void ExamineZone(const Config& config, const Environment& environment, Instant now, Findings& findings) {
  const user_config::Grid grid = user_config::ChooseGrid(config, environment, "", "");
  if (!config.text(user_config::Key::kCarbon).empty()) {
    const std::string& file = config.text(user_config::Key::kCarbon);
    const bool is_there = ::access(file.c_str(), R_OK) == 0;
    findings.push_back({"zone", is_there ? Health::kOk : Health::kProblem,
                        fmt::format("carbon intensity from {}{}", file, is_there ? "" : ", which cannot be read"),
                        is_there ? "" : "heliostat config unset carbon"});
    return;
  }
  if (grid.zone.empty()) {
    findings.push_back({"zone", Health::kNote, "no zone is known: runs are only measured",
                        "heliostat config set zone DE, with the zone of this machine"});
    return;
  }
  if (!grid.trouble.empty()) {
    findings.push_back({"zone", Health::kNote, fmt::format("{} ({}): {}", grid.zone, grid.from, grid.trouble), ""});
    return;
  }
  findings.push_back({"zone", Health::kOk,
                      fmt::format("{} ({}), {}", grid.zone, grid.from,
                                  grid.is_built_in ? "built in, generated" : "from " + grid.provider),
                      ""});
  if (!grid.is_built_in) ExamineStore(grid, environment, now, findings);
}

void ExamineProcessors(const Environment& environment, Findings& findings) {
  const auto host = device::HostEnergy::Open(environment);
  if (host) {
    findings.push_back(
        {"processors", Health::kOk, fmt::format("their energy can be read: {}", fmt::join(host->names(), ", ")), ""});
  } else {
    findings.push_back({"processors", Health::kNote, fmt::format("{} {}", host.error().where, host.error().what),
                        host.error().allowed});
  }
}

// The folder of runs, or its nearest parent that exists.
void ExamineDisk(const Environment& environment, Findings& findings) {
  const auto folder = ledger::RunsFolder(environment);
  if (!folder) {
    findings.push_back({"disk", Health::kProblem, folder.error().Line(), "heliostat config set runs FOLDER"});
    return;
  }
  std::error_code failure;
  fs::path there = fs::absolute(*folder, failure);
  while (!fs::exists(there, failure) && there.has_parent_path() && there != there.root_path())
    there = there.parent_path();
  if (!fs::is_directory(there, failure) || ::access(there.c_str(), W_OK | X_OK) != 0) {
    findings.push_back({"disk", Health::kProblem, fmt::format("{}: {} cannot be written", *folder, there.string()),
                        "heliostat config set runs FOLDER"});
    return;
  }
  const fs::space_info space = fs::space(there, failure);
  if (failure) return;
  const bool is_full = space.available < kLeastFreeBytes;
  findings.push_back({"disk", is_full ? Health::kProblem : Health::kOk,
                      fmt::format("{:.1f} GB free for runs in {}", static_cast<double>(space.available) / 1e9, *folder),
                      is_full ? "free some space, or: heliostat config set runs FOLDER" : ""});
}

}  // namespace

std::vector<DoctorFinding> ExamineSetup(const Environment& environment, Instant now) {
  Findings findings;
  const auto config = Config::Read(environment);
  if (!config) {
    const std::string& where = config.error().where;
    const auto files = user_config::FilesOf(environment);
    const bool is_system = !files.system.empty() && where.starts_with(files.system);
    findings.push_back({"config", Health::kProblem, config.error().Line(),
                        where.starts_with("HELIOSTAT_")
                            ? "mend the variable, or: unset " + where
                            : "mend it: ${EDITOR:-vi} " + (is_system ? files.system : files.user)});
  } else {
    std::error_code ignored;
    const bool has_file = fs::exists(config->files().user, ignored);
    findings.push_back({"config", Health::kOk, has_file ? config->files().user : "no file: defaults", ""});
    ExamineZone(*config, config->Over(environment), now, findings);
  }
  ExamineProcessors(environment, findings);
  ExamineDisk(config ? config->Over(environment) : environment, findings);
  return findings;
}

}  // namespace heliostat::console
