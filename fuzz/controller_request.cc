// Any bytes are one request to the controller of a cluster, and get one line: an answer or an error with an exit
// status. A user who is no operator changes nothing, and sees no job of others where the cluster hides them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/control/controller/answers.h"

namespace {

using heliostat::Check;
using heliostat::controller::Answers;
using heliostat::controller::Asker;
using heliostat::controller::Mode;
using heliostat::controller::Report;

std::shared_ptr<const Report> MakeReport() {
  auto report = std::make_shared<Report>();
  report->version = "slurm 22.05.8";
  report->private_data = {"jobs", "nodes"};
  for (const auto& [number, user] : {std::pair{17, "ann"}, std::pair{18, "hidden-user"}}) {
    auto& job = report->jobs.emplace_back().job.Own();
    job.key = {number, {}, {}};
    job.user = user;
    job.state = heliostat::cluster::JobState::kWaiting;
  }
  report->nodes.emplace_back().node.name = "hidden-node";
  return report;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const Report> kReport = MakeReport();
  const std::string_view request(reinterpret_cast<const char*>(data), size);
  bool may_write = false;
  const Answers answers({[] { return kReport; },
                         [&](Mode) { Check(may_write, "a user who is no operator sets the mode"); },
                         "/dev/null/state"});
  for (const Asker& asker : {Asker{"ann", false}, Asker{"root", true}}) {
    may_write = asker.is_operator;
    const std::string line = answers.To(asker, request);
    Check(line.find('\n') == std::string::npos, "an answer has several lines");
    const auto json = heliostat::io::Json::Parse(line, "answer");
    Check(json.has_value(), "an answer is not JSON");
    const heliostat::io::Json* const error = json->Find("error");
    Check((error != nullptr) != (json->Find("answer") != nullptr), "neither or both of answer and error");
    if (error != nullptr) Check(*(*error->Get("status"))->Integer() > 0, "an error without an exit status");
    // An error quotes the request.
    const bool is_hidden = asker.is_operator || error != nullptr || line.find("hidden-") == std::string::npos;
    Check(is_hidden, "a user sees what the cluster hides");
  }
  return 0;
}
