#pragma once

#include <map>
#include <string>

#include "heliostat/model/scenario/read.h"

namespace heliostat::scenario::testing {

// The files of a small valid scenario of four hours, by name, for tests to break.
inline std::map<std::string, std::string> SmallFiles() {
  return {
      {"scenario.toml", R"(name = "small"
start = 2023-06-05T00:00:00Z
step_minutes = 60
slots = 4
pue = 1.2
currency = "EUR"
performance = "headroom"

[signals]
carbon = { file = "carbon.csv", column = "carbon_g_per_kwh" }
renewable = { file = "solar.csv", column = "renewable_kw", carbon_g_per_kwh = 5 }
price = { file = "price.csv", column = "price_per_kwh" }

[[groups]]
name = "a40"
gpu = "A40"
nodes = 2
gpus_per_node = 4
gpu_idle_w = 15
node_base_w = 320.5
node_sleep_w = 12
wake_minutes = 4
wake_wh = 15

[[groups]]
name = "v100"
gpu = "V100"
nodes = 1
gpus_per_node = 2
gpu_idle_w = 26
node_base_w = 260
node_sleep_w = 400
wake_minutes = 0.5
wake_wh = 0

[profiles]
training = "training.csv"
inference = "inference.csv"

[workload]
jobs = "jobs.csv"
services = "services.csv"
)"},
      {"carbon.csv",
       "time,carbon_g_per_kwh\n2023-06-05T00:00:00Z,500\n2023-06-05T01:00:00Z,400\n2023-06-05T02:00:00Z,300\n"
       "2023-06-05T03:00:00Z,350\n2023-06-05T04:00:00Z,380\n"},
      {"solar.csv",
       "time,renewable_kw\n2023-06-05T00:00:00Z,0\n2023-06-05T00:30:00Z,1\n2023-06-05T01:00:00Z,1.5\n"
       "2023-06-05T01:30:00Z,2\n2023-06-05T02:00:00Z,3\n2023-06-05T02:30:00Z,3\n2023-06-05T03:00:00Z,2\n"
       "2023-06-05T03:30:00Z,1\n"},
      {"price.csv", "time,price_per_kwh\n2023-06-05T00:00:00Z,0.2\n2023-06-05T02:00:00Z,-0.01\n"},
      {"training.csv",
       "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w\n"
       "net,A40,1,,100,50,100\nnet,A40,1,,200,90,190\nnet,A40,1,,300,85,280\nnet,A40,2,,200,170,380\n"
       "net,V100,1,,150,60,140\nrnn,A40,1,900,,10,80\n"},
      {"inference.csv",
       "model,gpu,core_mhz,power_limit_w,batch,latency_ms,requests_per_s,power_w\n"
       "clip,A40,600,,1,18.81,53.163,62.47\nclip,A40,600,,4,30.69,130.336,63.78\n"},
      {"jobs.csv",
       "id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s\n"
       "j1,net,2023-06-05T00:10:00Z,2023-06-05T03:00:00Z,100000,1,2,1,60\n"
       "j2,rnn,2023-06-04T00:00:00Z,,5000.5,1,1,0,0\n"},
      {"services.csv",
       "id,model,latency_slo_ms,percentile,rate_file,rate_column,min_replicas,max_replicas\n"
       "s1,clip,120,0.99,rate.csv,requests_per_s,1,4\n"},
      {"rate.csv",
       "time,requests_per_s,other\n2023-06-05T00:00:00Z,10,1\n2023-06-05T01:00:00Z,20,1\n2023-06-05T02:00:00Z,30,1\n"
       "2023-06-05T03:00:00Z,40,1\n"},
  };
}

// Reads "scenario.toml" of these files.
inline Result<Scenario> ReadFiles(const std::map<std::string, std::string>& files) {
  return ReadText(files.at("scenario.toml"), "scenario.toml", [&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return Fail(ErrorCode::kNotFound, path, "cannot open: no such file");
  });
}

}  // namespace heliostat::scenario::testing
