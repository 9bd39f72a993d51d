#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/control/policy/observation.h"
#include "heliostat/control/policy/policy.h"

namespace heliostat::loop {

// Observations and decisions as JSON and back, without loss: each number read equals the number written. Quantities are
// in SI units. Readers fail on members that are missing or of the wrong type, with an error that names the place.

io::Json ToJson(const scenario::Site& site);
Result<scenario::Site> SiteFromJson(const io::Json& json);
io::Json ToJson(const policy::Capabilities& capabilities);
Result<policy::Capabilities> CapabilitiesFromJson(const io::Json& json);
io::Json ToJson(const policy::PolicyOptions& options);
Result<policy::PolicyOptions> OptionsFromJson(const io::Json& json);

io::Json ToJson(const scenario::Job& job);
Result<scenario::Job> JobFromJson(const io::Json& json);
// The state of a job, without JobState::asked.
io::Json ToJson(policy::JobId id, const policy::JobState& state);
// Updates `state` from what ToJson() has written. Leaves `asked` as it is.
Status ReadState(const io::Json& json, policy::JobState& state);
// A job that runs goes on until then as it does.
void RunOn(policy::JobState& state, Instant until);
io::Json ToJson(const policy::ServiceState& service);
Result<policy::ServiceState> ServiceFromJson(const io::Json& json);
io::Json ToJson(const policy::GroupState& group);
Result<policy::GroupState> GroupFromJson(const io::Json& json);
io::Json ToJson(const policy::Receipt& receipt);
Result<policy::Receipt> ReceiptFromJson(const io::Json& json);
io::Json ToJson(const policy::Decision& decision);

}  // namespace heliostat::loop
