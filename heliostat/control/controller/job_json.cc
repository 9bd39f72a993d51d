#include "heliostat/control/controller/job_json.h"

#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using io::Json;

Json KeepJob(const ClusterJob& job) {
  Json json = Json()
                  .Set("key", cluster_account::TextOf(job.key))
                  .Set("run", job.run_number)
                  .Set("user", job.user)
                  .Set("account", job.account)
                  .Set("name", job.name)
                  .Set("comment", job.comment)
                  .Set("waits", job.state == cluster::JobState::kWaiting || job.state == cluster::JobState::kHeld)
                  .Set("nodes", io::CompressHosts(job.nodes))
                  .Set("requeue", job.may_requeue);
  if (!job.partitions.empty()) json.Set("partition", job.partitions.front());
  Json gpus{Json::Object{}};
  for (const auto& [type, count] : job.gpus_allocated) gpus.Set("gpu:" + type, count);
  json.Set("gpus", std::move(gpus));
  if (job.start) json.Set("start", FormatInstant(*job.start));
  if (job.end) json.Set("end", FormatInstant(*job.end));
  if (job.time_limit) json.Set("time_limit_s", static_cast<std::int64_t>(job.time_limit->count()));
  return json;
}

Result<ClusterJob> KeptJob(const Json& json) {
  loop::LogFields fields(json);
  ClusterJob job;
  const auto key = cluster_account::KeyOf(fields.Text("key"));
  job.run_number = fields.Integer("run");
  job.user = fields.Text("user");
  job.account = fields.Text("account");
  job.name = fields.Text("name");
  job.comment = fields.Text("comment");
  const bool waits = fields.Boolean("waits");
  auto nodes = io::ExpandHostlist(fields.Text("nodes"));
  job.may_requeue = fields.Boolean("requeue");
  if (fields.Has("partition")) job.partitions.push_back(fields.Text("partition"));
  job.start = fields.MaybeTime("start");
  job.end = fields.MaybeTime("end");
  if (fields.Has("time_limit_s")) job.time_limit = Duration{fields.Integer("time_limit_s")};
  if (!fields.status()) return Propagate(fields.status());
  if (!key) return Fail(ErrorCode::kCorrupt, json.where(), "is no job");
  if (!nodes) return Propagate(nodes);
  job.key = *key;
  job.nodes = *std::move(nodes);
  job.state = job.end ? cluster::JobState::kEnded : waits ? cluster::JobState::kWaiting : cluster::JobState::kRunning;
  const auto gpus = json.Get("gpus");
  if (!gpus) return Propagate(gpus);
  const auto members = (*gpus)->Members();
  if (!members) return Propagate(members);
  for (const auto& [type, count] : **members) {
    const auto number = count.Integer();
    if (!number) return Propagate(number);
    job.gpus_allocated[type.substr(std::string_view("gpu:").size())] = static_cast<int>(*number);
  }
  return job;
}

}  // namespace heliostat::controller
