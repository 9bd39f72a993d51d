// Any bytes are a journal, with or without damage. Records that are written again are read the same. GpuLeases opens
// the journal or returns one error, sets no knob outside the range of the GPU, and changes nothing when it is opened
// again. A damaged journal is kept.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/device_model/simulated_gpu.h"
#include "heliostat/node/lease/gpu_leases.h"

namespace {

using heliostat::Check;
using heliostat::io::Journal;
using heliostat::lease::GpuLeases;
using heliostat::lease::Machine;
using heliostat::lease::Process;

// Long journals take time and find nothing new.
constexpr std::size_t kLongest = 16384;

// A machine on which only process 10 exists; its boot id is that of the seeds.
class OneProcessMachine final : public Machine {
 public:
  std::string BootId() const override { return "boot-1"; }
  std::chrono::seconds SinceBoot() const override { return std::chrono::seconds(5000); }
  heliostat::Instant Now() const override { return heliostat::Instant(std::chrono::seconds(1'700'000'000)); }
  std::optional<Process> Find(pid_t pid) const override {
    return pid == 10 ? std::optional(Process{10, 70}) : std::nullopt;
  }
};

const std::string& Path() {
  static const std::string kPath = [] {
    const auto root = std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                : std::filesystem::temp_directory_path();
    const auto folder = root / ("heliostat_fuzz_journal_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / "gpu.journal").string();
  }();
  return kPath;
}

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Write(std::string_view bytes) { std::ofstream(Path(), std::ios::binary | std::ios::trunc) << bytes; }

std::vector<std::string> Lines(const std::vector<heliostat::io::Json>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(record.Line());
  return lines;
}

std::string WrittenAgain(const std::vector<heliostat::io::Json>& records) {
  Write("");
  Journal::Found none;
  auto journal = Journal::Open(Path(), none);
  Check(journal && journal->Replace(records), "records that were read cannot be written");
  return Bytes(Path());
}

// Writes the lines with correct checksums, so that changed bytes still reach the records.
std::string Sealed(std::string_view text) {
  std::vector<heliostat::io::Json> records;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    auto record = heliostat::io::Json::Parse(line.size() > 9 ? line.substr(9) : line, "line");
    if (record) records.push_back(std::move(*record));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return WrittenAgain(records);
}

// Opens the journal and returns how often a knob of the GPU was set.
int OpenLeases(heliostat::device_model::SimulatedGpu& gpu) {
  const OneProcessMachine machine;
  const int before = gpu.writes();
  const auto leases = GpuLeases::Open(Path(), gpu, machine, {});
  if (!leases) Check(!leases.error().Line().empty(), "an error has no text");
  const auto stands = gpu.Stands(heliostat::device::Knob::kPowerLimit);
  Check(stands && stands->high >= 200'000 && stands->high <= 700'000, "the power limit is out of range");
  if (leases) Check(leases->owed().empty(), "settings are owed to a GPU that accepts all of them");
  return gpu.writes() - before;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto found = Journal::Parse(bytes);
  const auto again = Journal::Parse(WrittenAgain(found.records));
  Check(again.troubles.empty(), "a written journal is damaged");
  Check(Lines(again.records) == Lines(found.records), "records change when they are written and read again");
  for (const std::string& journal : {std::string(bytes), Sealed(bytes)}) {
    Write(journal);
    heliostat::device_model::SimulatedGpu gpu(*heliostat::device_model::FindCardModel("H200"), 0);
    Check(OpenLeases(gpu) <= 3, "a knob is set twice");
    // Locked clocks cannot be read, so they are locked again.
    Check(OpenLeases(gpu) <= 2, "the power limit is set again");
    const auto copies = Journal::DamagedCopies(Path());
    if (Journal::Parse(journal).is_damaged && Bytes(Path()) != journal) {
      Check(copies.size() == 1 && Bytes(copies[0]) == journal, "a damaged journal is not kept");
    }
    for (const std::string& copy : copies) std::remove(copy.c_str());
    std::remove(Path().c_str());
  }
  return 0;
}
