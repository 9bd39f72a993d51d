#include "heliostat/node/agent/rights.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::agent {
namespace {

using device::Knob;
using local_socket::Peer;

template <typename T>
bool Holds(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool IsWithin(const std::optional<Bounds>& bounds, const device::Setting& setting) {
  if (!bounds) return true;
  const double unit = setting.knob == Knob::kPowerLimit ? 1e3 : 1.0;
  return static_cast<double>(setting.low) / unit >= bounds->lowest &&
         static_cast<double>(setting.high) / unit <= bounds->highest;
}

bool Covers(const Allowance& allowance, const WriteWish& wish) {
  return IsWithin(allowance.BoundsOf(wish.setting.knob), wish.setting) && wish.ttl <= allowance.max_ttl &&
         wish.leases_held < allowance.max_leases;
}

io::Json DescribeBounds(const std::optional<Bounds>& bounds) {
  return bounds ? io::Json(io::Json::Array{bounds->lowest, bounds->highest}) : io::Json();
}

io::Json Describe(const Allowance& allowance) {
  io::Json json;
  io::Json::Array gpus(allowance.gpus.begin(), allowance.gpus.end());
  io::Json::Array knobs;
  for (const Knob knob : allowance.knobs) knobs.emplace_back(device::NameOf(knob));
  json.Set("gpus", std::move(gpus)).Set("knobs", std::move(knobs));
  json.Set("power_limit_w", DescribeBounds(allowance.power_limit_w));
  json.Set("core_clock_mhz", DescribeBounds(allowance.core_clock_mhz));
  json.Set("memory_clock_mhz", DescribeBounds(allowance.memory_clock_mhz));
  json.Set("max_ttl_s", static_cast<std::int64_t>(allowance.max_ttl.count()));
  json.Set("max_leases", allowance.max_leases).Set("text", TextOf(allowance));
  return json;
}

}  // namespace

bool AppliesTo(const Allowance& allowance, const Peer& peer) {
  return Holds(allowance.uids, peer.uid) ||
         std::any_of(peer.gids.begin(), peer.gids.end(), [&](gid_t gid) { return Holds(allowance.gids, gid); });
}

Status CheckRight(const std::vector<Allowance>& allowances, const Peer& peer, const WriteWish& wish) {
  const std::string where = fmt::format("GPU {}", wish.gpu.index);
  if (wish.leases_held >= kMostLeases) {
    return Fail(ErrorCode::kPermissionDenied, where, fmt::format("user {} holds {} leases", peer.uid, wish.leases_held),
                fmt::format("at most {} are allowed", kMostLeases));
  }
  if (peer.is_root()) return {};
  std::string allowed;
  for (const Allowance& allowance : allowances) {
    if (!AppliesTo(allowance, peer) || !Names(allowance.gpus, wish.gpu) || !Holds(allowance.knobs, wish.setting.knob)) {
      continue;
    }
    if (Covers(allowance, wish)) return {};
    allowed += fmt::format("{}{} for up to {}, at most {} leases", allowed.empty() ? "" : "; or ",
                           TextOf(wish.setting.knob, allowance.BoundsOf(wish.setting.knob)),
                           FormatDuration(allowance.max_ttl), allowance.max_leases);
  }
  if (allowed.empty()) {
    return Fail(ErrorCode::kPermissionDenied, where,
                fmt::format("user {} may not set its {}", peer.uid, device::NameOf(wish.setting.knob)),
                "needs an [[allow]] table in the agent's policy file");
  }
  return Fail(
      ErrorCode::kPermissionDenied, where,
      fmt::format("user {} may not set its {} to {} for {} while holding {} leases", peer.uid,
                  device::NameOf(wish.setting.knob), wish.setting.Text(), FormatDuration(wish.ttl), wish.leases_held),
      "allowed: " + allowed);
}

io::Json DescribeRights(const std::vector<Allowance>& allowances, const Peer& peer) {
  io::Json::Array allowed;
  for (const Allowance& allowance : allowances) {
    if (AppliesTo(allowance, peer)) allowed.push_back(Describe(allowance));
  }
  io::Json json;
  json.Set("uid", static_cast<std::int64_t>(peer.uid)).Set("is_root", peer.is_root());
  json.Set("allowed", std::move(allowed));
  return json;
}

}  // namespace heliostat::agent
