#include "heliostat/node/gpu_access/direct_control.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

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
  lease::Folder folder;  // goes last: it is the lock
  lease::GpuLeases book;
};

Result<DirectControl::Opened> DirectControl::BookOf(device::Gpu& gpu) {
  auto folder = lease::Folder::Open(folder_, kPatience);
  if (!folder) return Propagate(folder);
  const auto say = [](LogLevel level, const std::string& line) { LogLine(level, line); };
  auto book = lease::GpuLeases::Open(lease::JournalPath(folder_, gpu.identity().uuid), gpu, *machine_, say);
  if (!book) return Propagate(book);
  return Opened{std::move(*folder), std::move(*book)};
}

Result<lease::Grant> DirectControl::Take(device::Gpu& gpu, const SettingWish& wish) {
  auto book = BookOf(gpu);
  if (!book) return Propagate(book);
  lease::LeaseRequest request{Owner(), wish.setting, wish.ttl};
  request.owner.job = wish.job;
  if (wish.pid) {
    request.owner.process = machine_->Find(*wish.pid);
    if (!request.owner.process) {
      return Fail(ErrorCode::kInvalidArgument, "process", fmt::format("there is no process {}", *wish.pid));
    }
  }
  const auto grant = book->book.Take(request);
  if (!grant) return Propagate(grant);
  return lease::Grant{lease::SummaryOf(grant->lease, machine_->SinceBoot()), grant->applied};
}

Status DirectControl::Release(device::Gpu& gpu, const std::string& id) {
  auto book = BookOf(gpu);
  if (!book) return Propagate(book);
  return book->book.Release(id, lease::LeaseEnd::kReleased);
}

Result<int> DirectControl::Reset(device::Gpu& gpu) {
  auto book = BookOf(gpu);
  if (!book) return Propagate(book);
  int ended = 0;
  for (const lease::Lease& lease : book->book.leases()) {
    if (const auto released = book->book.Release(lease.id, lease::LeaseEnd::kReleased); !released)
      return Propagate(released);
    ++ended;
  }
  const auto owed = book->book.owed();
  if (owed.empty()) return ended;
  return Fail(ErrorCode::kInternal, gpu.identity().uuid,
              fmt::format("could not be put back to {}: {}", owed.front().setting.Text(), owed.front().why));
}

Result<std::vector<lease::LeaseSummary>> DirectControl::Leases(bool /*all*/) {
  std::vector<lease::LeaseSummary> leases;
  for (const auto& gpu : gpus_.all) {
    auto book = BookOf(*gpu);
    if (!book) return Propagate(book);
    for (const lease::Lease& lease : book->book.leases())
      leases.push_back(lease::SummaryOf(lease, machine_->SinceBoot()));
  }
  return leases;
}

}  // namespace heliostat::gpu_access
