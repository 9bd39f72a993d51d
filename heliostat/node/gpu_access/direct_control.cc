#include "heliostat/node/gpu_access/direct_control.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>

#include "heliostat/base/core/log.h"
#include "heliostat/node/lease/folder.h"
#include "heliostat/node/lease/gpu_leases.h"

namespace heliostat::gpu_access {
namespace {

lease::Owner Owner() {
  const uid_t uid = ::getuid();
  const struct passwd* const entry = ::getpwuid(uid);
  return {uid, entry == nullptr ? std::to_string(uid) : entry->pw_name, std::nullopt, ""};
}

}  // namespace

struct DirectControl::Opened {
  lease::Folder folder;  // the lock: destroyed after the leases
  lease::GpuLeases leases;
};

Result<DirectControl::Opened> DirectControl::OpenLeases(device::Gpu& gpu, lease::OpenPurpose purpose) {
  auto folder = lease::Folder::Open(folder_, kPatience);
  if (!folder) return Propagate(folder);
  const auto say = [](LogLevel level, const std::string& line) { LogLine(level, line); };
  auto leases =
      lease::GpuLeases::Open(lease::JournalPath(folder_, gpu.identity().uuid), gpu, *machine_, say, {purpose, {}});
  if (!leases) return Propagate(leases);
  return Opened{std::move(*folder), std::move(*leases)};
}

Result<lease::Grant> DirectControl::Take(device::Gpu& gpu, const SettingWish& wish) {
  lease::LeaseRequest request{Owner(), wish.setting, wish.ttl};
  request.owner.job = wish.job;
  if (wish.pid) {
    request.owner.process = machine_->Find(*wish.pid == kThisProcess ? ::getpid() : *wish.pid);
    if (!request.owner.process) {
      return Fail(ErrorCode::kInvalidArgument, "process", fmt::format("{} does not exist", *wish.pid),
                  "the id of a running process");
    }
  }
  const std::string journal = lease::JournalPath(folder_, gpu.identity().uuid);
  std::error_code ignored;
  const bool had_journal = std::filesystem::exists(journal, ignored);
  auto opened = OpenLeases(gpu, lease::OpenPurpose::kServe);
  if (!opened) return Propagate(opened);
  const auto grant = opened->leases.Take(request);
  if (!grant) {
    // A refusal leaves no trace. The folder is still locked, so that no other program has written to the journal.
    const bool is_empty = opened->leases.leases().empty() && opened->leases.owed().empty();
    if (!had_journal && is_empty) std::filesystem::remove(journal, ignored);
    return Propagate(grant);
  }
  return lease::Grant{lease::SummaryOf(grant->lease, machine_->SinceBoot()), grant->applied};
}

Status DirectControl::Release(device::Gpu& gpu, const std::string& id) {
  auto opened = OpenLeases(gpu);
  if (!opened) return Propagate(opened);
  return opened->leases.Release(id, lease::LeaseEnd::kReleased);
}

Result<int> DirectControl::Reset(device::Gpu& gpu) {
  auto opened = OpenLeases(gpu);
  if (!opened) return Propagate(opened);
  int ended = 0;
  for (const lease::Lease& lease : opened->leases.leases()) {
    if (const auto released = opened->leases.Release(lease.id, lease::LeaseEnd::kReleased); !released)
      return Propagate(released);
    ++ended;
  }
  const auto owed = opened->leases.owed();
  if (owed.empty()) return ended;
  return Fail(ErrorCode::kInternal, gpu.identity().uuid,
              fmt::format("could not be put back to {}: {}", owed.front().setting.Text(), owed.front().why));
}

Result<std::vector<lease::LeaseSummary>> DirectControl::Leases(bool /*all*/) {
  std::vector<lease::LeaseSummary> leases;
  for (const auto& gpu : gpus_.all) {
    auto opened = OpenLeases(*gpu);
    if (!opened) return Propagate(opened);
    for (const lease::Lease& lease : opened->leases.leases())
      leases.push_back(lease::SummaryOf(lease, machine_->SinceBoot()));
  }
  return leases;
}

}  // namespace heliostat::gpu_access
