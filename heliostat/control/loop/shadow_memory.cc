// What outlives a restart of a shadow.
#include <fmt/format.h>

#include "heliostat/control/loop/fields.h"
#include "heliostat/control/loop/record_json.h"
#include "heliostat/control/loop/shadow_world.h"

namespace heliostat::loop {
namespace {

using io::Json;

Json UseJson(const scenario::GroupUse& use) {
  return Json()
      .Set("on_s", use.nodes_on.count())
      .Set("off_s", use.nodes_off.count())
      .Set("busy_gpu_s", use.busy_gpus.count())
      .Set("running_j", use.running.value)
      .Set("wake_ups", use.wake_ups);
}

scenario::GroupUse UseOf(LogFields& fields) {
  scenario::GroupUse use;
  use.nodes_on = Seconds{fields.Number("on_s")};
  use.nodes_off = Seconds{fields.Number("off_s")};
  use.busy_gpus = Seconds{fields.Number("busy_gpu_s")};
  use.running = Joules{fields.Number("running_j")};
  use.wake_ups = fields.Count("wake_ups");
  return use;
}

}  // namespace

Json ShadowWorld::Keep() const {
  Json groups{Json::Array{}};
  for (const Group& group : groups_) {
    Json waking{Json::Array{}};
    for (const Instant when : group.waking) waking.Append(FormatInstant(when));
    groups.Append(Json().Set("up", group.up).Set("waking", std::move(waking)).Set("use", UseJson(group.use)));
  }
  Json jobs{Json::Array{}};
  for (const auto& [id, job] : jobs_) {
    if (!IsOver(job.phase)) jobs.Append(Json().Set("asked", ToJson(job.asked)).Set("state", ToJson(id, job)));
  }
  Json lengths{Json::Array{}};
  for (const auto& [id, samples] : true_samples_) {
    lengths.Append(Json().Set("job", static_cast<std::int64_t>(id)).Set("samples", samples));
  }
  Json services{Json::Array{}};
  for (const policy::ServiceState& service : services_) services.Append(ToJson(service));
  // Not in one expression, which would copy it all.
  Json json;
  json.Set("drawn_until", FormatInstant(drawn_until_))
      .Set("slot", slot_)
      .Set("groups", std::move(groups))
      .Set("jobs", std::move(jobs))
      .Set("lengths", std::move(lengths))
      .Set("services", std::move(services))
      .Set("it_j", balance_.it.value)
      .Set("facility_j", balance_.facility.value)
      .Set("grid_j", balance_.grid.value)
      .Set("renewable_used_j", balance_.renewable_used.value)
      .Set("carbon_g", balance_.carbon.value)
      .Set("cost", balance_.cost)
      .Set("done", done_)
      .Set("late", late_);
  return json;
}

Status ShadowWorld::Restore(const Json& kept) {
  LogFields fields(kept);
  drawn_until_ = fields.Time("drawn_until");
  slot_ = static_cast<std::size_t>(fields.Integer("slot"));
  balance_ = {Joules{fields.Number("it_j")},    Joules{fields.Number("facility_j")},
              Joules{fields.Number("grid_j")},  Joules{fields.Number("renewable_used_j")},
              Grams{fields.Number("carbon_g")}, fields.Number("cost")};
  done_ = static_cast<std::size_t>(fields.Integer("done"));
  late_ = static_cast<std::size_t>(fields.Integer("late"));
  const auto& groups = fields.Elements("groups");
  if (groups.size() != real_.site()->groups.size())
    return Fail(ErrorCode::kCorrupt, kept.where(), "is of other groups");
  for (const Json& entry : groups) {
    LogFields group(entry);
    Group& restored = groups_.emplace_back();
    restored.up = group.Count("up");
    for (const Json& when : group.Elements("waking")) {
      const auto text = when.Text();
      const auto time = text ? ParseInstant(*text, when.where()) : Result<Instant>(Propagate(text));
      if (!time) return Propagate(time);
      restored.waking.push_back(*time);
    }
    if (!group.Has("use")) return Fail(ErrorCode::kCorrupt, entry.where(), "lacks its use");
    LogFields use(*entry.Find("use"));
    restored.use = UseOf(use);
    if (!group.status()) return group.status();
    if (!use.status()) return use.status();
  }
  for (const Json& entry : fields.Elements("jobs")) {
    if (entry.Find("asked") == nullptr || entry.Find("state") == nullptr) {
      return Fail(ErrorCode::kCorrupt, entry.where(), "is no job");
    }
    policy::JobState state;
    auto asked = JobFromJson(*entry.Find("asked"));
    if (!asked) return Propagate(asked);
    state.asked = *std::move(asked);
    if (const Status bad = ReadState(*entry.Find("state"), state); !bad) return bad;
    jobs_.Add(static_cast<policy::JobId>(LogFields(*entry.Find("state")).Integer("job")), std::move(state));
  }
  for (const Json& entry : fields.Elements("lengths")) {
    LogFields length(entry);
    true_samples_[static_cast<policy::JobId>(length.Integer("job"))] = length.Number("samples");
    if (!length.status()) return length.status();
  }
  for (const Json& entry : fields.Elements("services")) {
    auto service = ServiceFromJson(entry);
    if (!service) return Propagate(service);
    services_.push_back(*std::move(service));
  }
  book_.Follow(real_.site(), capabilities());
  is_first_ = false;
  return fields.status();
}

}  // namespace heliostat::loop
