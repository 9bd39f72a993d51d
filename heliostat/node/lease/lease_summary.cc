#include "heliostat/node/lease/lease_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "heliostat/node/device/describe.h"

namespace heliostat::lease {
namespace {

constexpr std::array kStates{LeaseState::kInForce, LeaseState::kOutdone, LeaseState::kOverridden, LeaseState::kWaiting};

Result<std::string> TextAt(const io::Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Text();
}

template <typename T>
Result<T> NumberAt(const io::Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  const auto number = (*member)->Integer();
  if (!number) return Propagate(number);
  if (*number < 0 || *number > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
    return Fail(ErrorCode::kCorrupt, (*member)->where(), fmt::format("{} is out of range", *number));
  }
  return static_cast<T>(*number);
}

Result<device::Setting> SettingAt(const io::Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return device::ReadSetting(**member);
}

Result<LeaseState> StateAt(const io::Json& json, std::string_view key) {
  const auto name = TextAt(json, key);
  if (!name) return Propagate(name);
  const auto found = std::ranges::find(kStates, *name, [](LeaseState state) { return NameOf(state); });
  if (found != kStates.end()) return *found;
  return Fail(ErrorCode::kCorrupt, json.where(), fmt::format("'{}' is not a state of a lease", Printable(*name, 40)));
}

Status ReadOwner(const io::Json& json, LeaseSummary& lease) {
  const auto uid = NumberAt<uid_t>(json, "uid");
  if (!uid) return Propagate(uid);
  auto user = TextAt(json, "user");
  if (!user) return Propagate(user);
  auto job = TextAt(json, "job");
  if (!job) return Propagate(job);
  lease.uid = *uid;
  lease.user = *std::move(user);
  lease.job = *std::move(job);
  if (json.Find("pid") == nullptr) return {};  // Null: it is tied to no process.
  const auto pid = NumberAt<pid_t>(json, "pid");
  if (!pid) return Propagate(pid);
  lease.pid = *pid;
  return {};
}

Status ReadTimes(const io::Json& json, LeaseSummary& lease) {
  const auto granted = TextAt(json, "granted");
  if (!granted) return Propagate(granted);
  const auto instant = ParseInstant(*granted, json.where());
  if (!instant) return Propagate(instant);
  const auto left = NumberAt<std::int64_t>(json, "expires_in_s");
  if (!left) return Propagate(left);
  lease.granted = *instant;
  lease.left = std::chrono::seconds(*left);
  return {};
}

}  // namespace

LeaseSummary SummaryOf(const Lease& lease, std::chrono::seconds since_boot) {
  const Owner& owner = lease.owner;
  return {.id = lease.id,
          .gpu = lease.gpu,
          .uid = owner.uid,
          .user = owner.user,
          .pid = owner.process ? std::optional(owner.process->pid) : std::nullopt,
          .job = owner.job,
          .wanted = lease.wanted,
          .previous = lease.previous,
          .granted = lease.granted,
          .left = std::max(std::chrono::seconds(0), lease.expires - since_boot),
          .state = lease.state};
}

io::Json Describe(const LeaseSummary& lease) {
  io::Json owner;
  owner.Set("uid", static_cast<std::int64_t>(lease.uid)).Set("user", lease.user);
  owner.Set("pid", lease.pid ? io::Json(*lease.pid) : io::Json()).Set("job", lease.job);
  io::Json json;
  json.Set("id", lease.id).Set("gpu", lease.gpu).Set("owner", std::move(owner));
  json.Set("wanted", device::Describe(lease.wanted)).Set("previous", device::Describe(lease.previous));
  json.Set("granted", FormatInstant(lease.granted));
  json.Set("expires_in_s", static_cast<std::int64_t>(lease.left.count()));
  return json.Set("state", NameOf(lease.state));
}

Result<LeaseSummary> ReadSummary(const io::Json& json) {
  LeaseSummary lease;
  auto id = TextAt(json, "id");
  if (!id) return Propagate(id);
  auto gpu = TextAt(json, "gpu");
  if (!gpu) return Propagate(gpu);
  lease.id = *std::move(id);
  lease.gpu = *std::move(gpu);
  const auto owner = json.Get("owner");
  if (!owner) return Propagate(owner);
  if (const auto read = ReadOwner(**owner, lease); !read) return Propagate(read);
  const auto wanted = SettingAt(json, "wanted");
  if (!wanted) return Propagate(wanted);
  const auto previous = SettingAt(json, "previous");
  if (!previous) return Propagate(previous);
  lease.wanted = *wanted;
  lease.previous = *previous;
  if (const auto read = ReadTimes(json, lease); !read) return Propagate(read);
  const auto state = StateAt(json, "state");
  if (!state) return Propagate(state);
  lease.state = *state;
  return lease;
}

io::Json Describe(const std::vector<LeaseSummary>& leases) {
  io::Json list{io::Json::Array{}};
  for (const LeaseSummary& lease : leases) list.Append(Describe(lease));
  return list;
}

Result<std::vector<LeaseSummary>> ReadSummaries(const io::Json& json) {
  const auto rows = json.Elements();
  if (!rows) return Propagate(rows);
  std::vector<LeaseSummary> leases;
  for (const io::Json& row : **rows) {
    auto lease = ReadSummary(row);
    if (!lease) return Propagate(lease);
    leases.push_back(*std::move(lease));
  }
  return leases;
}

io::Json Describe(const Grant& grant) {
  io::Json json;
  json.Set("lease", Describe(grant.lease));
  return json.Set("applied", device::Describe(grant.applied));
}

Result<Grant> ReadGrant(const io::Json& json) {
  const auto lease = json.Get("lease");
  if (!lease) return Propagate(lease);
  auto summary = ReadSummary(**lease);
  if (!summary) return Propagate(summary);
  const auto applied = json.Get("applied");
  if (!applied) return Propagate(applied);
  auto outcome = device::ReadApplied(**applied);
  if (!outcome) return Propagate(outcome);
  return Grant{*std::move(summary), *std::move(outcome)};
}

}  // namespace heliostat::lease
