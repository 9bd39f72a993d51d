#include "heliostat/node/lease/lease_table.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "heliostat/base/io/checksum.h"
#include "heliostat/node/device/describe.h"

namespace heliostat::lease {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kLargest = std::int64_t{1} << 53U;  // two of these can be added without overflow

// Reads the members of a record. Keeps the first error; values that are read after it are meaningless.
class Fields {
 public:
  explicit Fields(const io::Json& record) : record_(record) {}

  std::int64_t Integer(std::string_view key, std::int64_t low, std::int64_t high) {
    const auto member = Member(key);
    if (!member) return low;
    const auto value = Take(member->Integer(), low);
    if (value < low || value > high) Refuse(fmt::format("{} is {}", key, value));
    return value;
  }
  std::optional<std::int64_t> IntegerIfAny(std::string_view key, std::int64_t low, std::int64_t high) {
    if (record_.Find(key) == nullptr) return std::nullopt;
    return Integer(key, low, high);
  }
  std::string Text(std::string_view key) {
    const auto member = Member(key);
    return member ? Take(member->Text(), std::string()) : std::string();
  }
  bool Flag(std::string_view key) {
    const auto member = Member(key);
    return member && Take(member->Boolean(), false);
  }
  device::Setting Setting(std::string_view key) {
    const auto member = Member(key);
    return member ? Take(device::ReadSetting(*member), device::Setting()) : device::Setting();
  }
  std::optional<device::Setting> SettingIfAny(std::string_view key) {
    if (record_.Find(key) == nullptr) return std::nullopt;
    return Setting(key);
  }
  device::Knob Knob(std::string_view key) {
    const std::string name = Text(key);
    const auto knob = device::KnobOf(name);
    if (!knob) Refuse(fmt::format("'{}' is not a knob", name));
    return knob.value_or(device::Knob::kPowerLimit);
  }
  void Refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }
  Status status() const {
    if (why_.empty()) return {};
    return Fail(ErrorCode::kCorrupt, "record", why_);
  }

 private:
  std::optional<io::Json> Member(std::string_view key) {
    const auto member = record_.Get(key);
    if (!member) Refuse(member.error().what);
    return member ? std::optional(**member) : std::nullopt;
  }
  template <typename T>
  T Take(const Result<T>& value, T otherwise) {
    if (!value) Refuse(value.error().Line());
    return value ? *value : otherwise;
  }

  const io::Json& record_;
  std::string why_;
};

io::Json OrNull(const std::optional<device::Setting>& setting) {
  return setting ? device::Describe(*setting) : io::Json();
}

io::Json OwnerRecord(const Owner& owner) {
  io::Json json;
  json.Set("uid", static_cast<std::int64_t>(owner.uid)).Set("user", owner.user).Set("job", owner.job);
  if (owner.process) {
    json.Set("pid", owner.process->pid).Set("start", static_cast<std::int64_t>(owner.process->start_ticks));
  }
  return json;
}

Result<Owner> ReadOwner(const io::Json& record) {
  const auto json = record.Get("owner");
  if (!json) return Propagate(json);
  Fields fields(**json);
  Owner owner;
  owner.uid = static_cast<uid_t>(fields.Integer("uid", 0, std::numeric_limits<uid_t>::max()));
  owner.user = fields.Text("user");
  owner.job = fields.Text("job");
  if (const auto pid = fields.IntegerIfAny("pid", 1, std::numeric_limits<pid_t>::max())) {
    owner.process = Process{static_cast<pid_t>(*pid), static_cast<std::uint64_t>(fields.Integer("start", 0, kLargest))};
  }
  if (const auto good = fields.status(); !good) return Propagate(good);
  return owner;
}

}  // namespace

LeaseTable::LeaseTable(std::string gpu) : gpu_(std::move(gpu)), prefix_(fmt::format("{:08x}-", io::Crc32(gpu_))) {}

std::string LeaseTable::IdOf(std::uint64_t number) const { return prefix_ + std::to_string(number); }

std::optional<std::uint64_t> LeaseTable::NumberOf(std::string_view id) const {
  if (id.substr(0, prefix_.size()) != prefix_) return std::nullopt;
  const std::string_view digits = id.substr(prefix_.size());
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  // "017" would be a second name for "17".
  if (number >= static_cast<std::uint64_t>(kLargest) || IdOf(number) != id) return std::nullopt;
  return number;
}

io::Json LeaseTable::KnobRecord(device::Knob knob) const {
  const LeasedKnob& leased = knobs.at(knob);
  io::Json json;
  json.Set("what", "knob").Set("knob", NameOf(knob)).Set("base", device::Describe(leased.base));
  json.Set("asked", device::Describe(leased.asked)).Set("stands", device::Describe(leased.stands));
  json.Set("pending", OrNull(leased.pending)).Set("boot", leased.boot).Set("reloaded", leased.is_reloaded);
  return json.Set("counter_mj", leased.counter_mj ? io::Json(*leased.counter_mj) : io::Json());
}

io::Json LeaseTable::FreeRecord(device::Knob knob) { return io::Json().Set("what", "free").Set("knob", NameOf(knob)); }

io::Json LeaseTable::LeaseRecord(std::uint64_t number) const {
  const KeptLease& entry = entries.at(number);
  const Lease& lease = entry.lease;
  io::Json json;
  json.Set("what", "lease").Set("id", lease.id).Set("owner", OwnerRecord(lease.owner));
  json.Set("wanted", device::Describe(lease.wanted)).Set("previous", device::Describe(lease.previous));
  json.Set("granted", static_cast<std::int64_t>(lease.granted.time_since_epoch().count()));
  json.Set("expires", static_cast<std::int64_t>(lease.expires.count())).Set("boot", entry.boot);
  return json.Set("overridden", lease.state == LeaseState::kOverridden);
}

io::Json LeaseTable::EndRecord(std::uint64_t number, LeaseEnd why) const {
  return io::Json().Set("what", "end").Set("id", IdOf(number)).Set("why", NameOf(why));
}

std::vector<io::Json> LeaseTable::Snapshot() const {
  std::vector<io::Json> records;
  io::Json header;
  header.Set("what", "book").Set("version", kVersion).Set("gpu", gpu_).Set("next", static_cast<std::int64_t>(next_));
  records.push_back(std::move(header));
  for (const auto& [knob, leased] : knobs) records.push_back(KnobRecord(knob));
  for (const auto& [number, entry] : entries) records.push_back(LeaseRecord(number));
  return records;
}

Status LeaseTable::Replay(const io::Json& record) {
  Fields fields(record);
  const std::string what = fields.Text("what");
  if (const auto good = fields.status(); !good) return good;
  if (what == "book") return ReplayHeader(record);
  if (what == "knob") return ReplayKnob(record);
  if (what == "lease") return ReplayLease(record);
  if (what == "free") {
    const device::Knob knob = fields.Knob("knob");
    if (const auto good = fields.status(); !good) return good;
    knobs.erase(knob);
    return {};
  }
  if (what == "end") {
    const auto number = NumberOf(fields.Text("id"));
    if (!number) return Fail(ErrorCode::kCorrupt, "record", "ends a lease with an invalid id");
    entries.erase(*number);
    next_ = std::max(next_, *number + 1);
    return {};
  }
  return Fail(ErrorCode::kCorrupt, "record", fmt::format("'{}' is unknown", Printable(what, 40)));
}

Status LeaseTable::ReplayHeader(const io::Json& record) {
  Fields fields(record);
  const std::int64_t version = fields.Integer("version", 1, kLargest);
  const std::string gpu = fields.Text("gpu");
  const std::int64_t next = fields.Integer("next", 1, kLargest);
  if (const auto good = fields.status(); !good) return good;
  if (version > kVersion) {
    return Fail(ErrorCode::kUnsupported, "journal", fmt::format("is of version {}", version),
                fmt::format("this program reads version {}", kVersion));
  }
  if (gpu != gpu_) {
    return Fail(ErrorCode::kUnsupported, "journal", fmt::format("is of {}", Printable(gpu, 80)),
                fmt::format("must be of {}", gpu_));
  }
  next_ = std::max(next_, static_cast<std::uint64_t>(next));
  return {};
}

Status LeaseTable::ReplayKnob(const io::Json& record) {
  Fields fields(record);
  const device::Knob knob = fields.Knob("knob");
  LeasedKnob leased;
  leased.base = fields.Setting("base");
  leased.asked = fields.Setting("asked");
  leased.stands = fields.Setting("stands");
  leased.pending = fields.SettingIfAny("pending");
  leased.boot = fields.Text("boot");
  leased.is_reloaded = record.Find("reloaded") != nullptr && fields.Flag("reloaded");
  leased.counter_mj = fields.IntegerIfAny("counter_mj", 0, std::numeric_limits<std::int64_t>::max());
  const bool is_one_knob = leased.base.knob == knob && leased.asked.knob == knob && leased.stands.knob == knob &&
                           (!leased.pending || leased.pending->knob == knob);
  if (!is_one_knob) fields.Refuse("settings of two knobs");
  if (const auto good = fields.status(); !good) return good;
  knobs[knob] = std::move(leased);
  return {};
}

Status LeaseTable::ReplayLease(const io::Json& record) {
  Fields fields(record);
  KeptLease entry;
  Lease& lease = entry.lease;
  lease.id = fields.Text("id");
  lease.gpu = gpu_;
  lease.wanted = fields.Setting("wanted");
  lease.previous = fields.Setting("previous");
  lease.granted = Instant(std::chrono::seconds(fields.Integer("granted", 0, std::int64_t{1} << 40U)));
  lease.expires = std::chrono::seconds(fields.Integer("expires", 0, kLargest));
  lease.state = fields.Flag("overridden") ? LeaseState::kOverridden : LeaseState::kInForce;
  entry.boot = fields.Text("boot");
  if (lease.wanted.knob != lease.previous.knob) fields.Refuse("settings of two knobs");
  const auto number = NumberOf(lease.id);
  if (!number) fields.Refuse("the id of the lease is invalid");
  const auto owner = ReadOwner(record);
  if (!owner) fields.Refuse(owner.error().what);
  if (const auto good = fields.status(); !good) return good;
  lease.owner = *owner;
  next_ = std::max(next_, *number + 1);
  entries.insert_or_assign(*number, std::move(entry));
  return {};
}

}  // namespace heliostat::lease
