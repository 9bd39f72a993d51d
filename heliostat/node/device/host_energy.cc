#include "heliostat/node/device/host_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "heliostat/base/io/file.h"

namespace heliostat::device {
namespace {

namespace fs = std::filesystem;

std::string LineOf(const std::string& path) {
  auto text = io::ReadFile(path).value_or("");
  return text.substr(0, text.find('\n'));
}

std::optional<std::uint64_t> CountIn(const std::string& path) {
  const std::string text = LineOf(path);
  std::uint64_t count = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (trouble != std::errc() || end == text.data()) return std::nullopt;
  return count;
}

// Packages and memory. Cores and graphics are parts of a package; "psys" is the whole platform, on some machines only.
bool IsCounted(const std::string& name) { return name.starts_with("package") || name == "dram"; }

// The folders of the counters: "intel-rapl:0", "intel-rapl:0:1", on processors of AMD too. Those of intel-rapl-mmio
// count the same packages again.
std::vector<fs::path> FoldersIn(const std::string& root) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::directory_iterator at(root, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().starts_with("intel-rapl:")) folders.push_back(at->path());
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

Result<HostEnergy> HostEnergy::Open(const Environment& environment) {
  const auto chosen = environment("HELIOSTAT_POWERCAP");
  const std::string root = chosen && !chosen->empty() ? *chosen : "/sys/class/powercap";
  HostEnergy host;
  std::string refused;
  for (const fs::path& folder : FoldersIn(root)) {
    Counter counter{LineOf(folder / "name"), folder / "energy_uj"};
    if (!IsCounted(counter.name)) continue;
    const auto count = CountIn(counter.path);
    if (!count) {
      refused = counter.path;
      continue;
    }
    counter.last_uj = *count;
    counter.range_uj = CountIn(folder / "max_energy_range_uj").value_or(0);
    host.counters_.push_back(std::move(counter));
  }
  if (!host.counters_.empty()) return host;
  if (refused.empty()) {
    return Fail(ErrorCode::kUnsupported, root, "has no energy counter of processors (RAPL)",
                "virtual machines and some processors have none");
  }
  return Fail(ErrorCode::kPermissionDenied, refused, "may not be read",
              fmt::format("permit it with: sudo chmod a+r {}/intel-rapl:*/energy_uj", root));
}

void HostEnergy::Sample() {
  for (Counter& counter : counters_) {
    const auto now = CountIn(counter.path);
    if (!now) continue;
    const std::uint64_t before = std::exchange(counter.last_uj, *now);
    // After its highest value a counter starts again at 0.
    const std::uint64_t used = *now >= before              ? *now - before
                               : counter.range_uj > before ? counter.range_uj - before + *now
                                                           : *now;
    energy_ += Joules{static_cast<double>(used) / 1e6};
  }
}

std::vector<std::string> HostEnergy::names() const {
  std::vector<std::string> names;
  for (const Counter& counter : counters_) names.push_back(counter.name);
  return names;
}

}  // namespace heliostat::device
