#include "heliostat/ui/cli/fake_gpus.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "heliostat/base/core/home_path.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/core/split.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::cli {
namespace {

constexpr std::string_view kLibrary = "libnvidia-ml-double.so";
constexpr std::string_view kStandIn = "stand-in-train";
constexpr std::size_t kMostGpus = 16;  // of the double
// A path at which no process can listen.
constexpr const char* kNoAgent = "/proc/no-agent";

// The folder of the program: the library is beside it, in an installation or in a build folder.
Result<std::filesystem::path> ProgramFolder() {
  std::error_code failure;
  auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure) return program.parent_path();
  return Fail(ErrorCode::kInternal, "/proc/self/exe", failure.message());
}

Result<std::filesystem::path> FindLibrary(const std::filesystem::path& program_folder) {
  const auto lib = program_folder.parent_path() / "lib";
  std::error_code ignored;
  for (const auto& path : {lib / "heliostat" / kLibrary, lib / kLibrary}) {
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return Fail(ErrorCode::kNotFound, (lib / "heliostat" / kLibrary).string(), "made-up GPUs are not installed",
              "install Heliostat as a whole: cmake --install");
}

// "2xH200,A40": the same GPUs have the same name in whatever form they were given.
std::string NameOf(const std::vector<std::string>& gpus) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t end = i;
    while (end < gpus.size() && gpus[end] == gpus[i]) ++end;
    parts.push_back(end - i == 1 ? gpus[i] : fmt::format("{}x{}", end - i, gpus[i]));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

// By host: a home folder may be shared by several machines, and their processes cannot share a lock.
Result<std::filesystem::path> FolderOf(const std::vector<std::string>& gpus, const Environment& environment) {
  const auto folder =
      HomePath({"folder of made-up GPUs", "HELIOSTAT_FAKE_GPUS", HomeFolder::kState, "fake-gpus"}, environment);
  if (!folder) return Propagate(folder);
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  const auto path = std::filesystem::absolute(*folder) / (host[0] == '\0' ? "host" : host.data()) / NameOf(gpus);
  if (const auto made = io::MakeDirectories(path.string()); !made) return Propagate(made);
  return path;
}

}  // namespace

Result<std::vector<std::string>> ParseFakeGpus(const std::string& text) {
  const auto known = profile::LibraryGpus();
  std::vector<std::string> gpus;
  for (const std::string& part : SplitAtCommas(text)) {
    std::size_t count = 1;
    std::string name = part;
    const char* const end = part.data() + part.size();
    if (const auto number = std::from_chars(part.data(), end, count);
        number.ec == std::errc{} && number.ptr != end && *number.ptr == 'x') {
      name.assign(number.ptr + 1, end);
    }
    if (std::ranges::find(known, name) == known.end()) {
      return Fail(ErrorCode::kInvalidArgument, "--fake-gpu",
                  fmt::format("there is no model of '{}'", Printable(name, 40)),
                  fmt::format("{}; several as 2xH200 or H200,A40", OneOf(name, known)));
    }
    if (count == 0 || count > kMostGpus || gpus.size() + count > kMostGpus) {
      return Fail(ErrorCode::kInvalidArgument, "--fake-gpu", fmt::format("'{}' is out of range", Printable(text, 40)),
                  fmt::format("1 to {} GPUs", kMostGpus));
    }
    gpus.insert(gpus.end(), count, name);
  }
  return gpus;
}

Status UseFakeGpus(const std::string& text, const Environment& environment) {
  const auto gpus = ParseFakeGpus(text);
  if (!gpus) return Propagate(gpus);
  const auto program_folder = ProgramFolder();
  if (!program_folder) return Propagate(program_folder);
  const auto library = FindLibrary(*program_folder);
  if (!library) return Propagate(library);
  const auto folder = FolderOf(*gpus, environment);
  if (!folder) return Propagate(folder);
  // The stand-in for a training program is beside the library, or in a build folder beside the program.
  const std::string path = fmt::format("{}:{}:{}", environment("PATH").value_or("/usr/bin:/bin"),
                                       library->parent_path().string(), program_folder->string());
  const std::map<const char*, std::string> variables{
      {"HELIOSTAT_NVML", library->string()},
      {"HELIOSTAT_DOUBLE", (*folder / "gpus.state").string()},
      {"HELIOSTAT_DOUBLE_GPUS", fmt::format("{}", fmt::join(*gpus, ","))},
      {"HELIOSTAT_STATE", (*folder / "leases").string()},
      {"HELIOSTAT_AGENT", kNoAgent},
      {"PATH", path}};
  for (const auto& [name, value] : variables) {
    if (::setenv(name, value.c_str(), 1) != 0) return Fail(ErrorCode::kInternal, name, "cannot be set");
  }
  return {};
}

void TellHowToLoadFakeGpus(const std::vector<std::string>& program) {
  if (program.empty() || std::filesystem::path(program.front()).filename() == kStandIn) return;
  Log(LogLevel::kInfo, "made-up GPUs are idle under a program of this machine; {} --around -- {} loads them", kStandIn,
      Printable(fmt::format("{}", fmt::join(program, " ")), 60));
}

}  // namespace heliostat::cli
