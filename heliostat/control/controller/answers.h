#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "heliostat/base/io/json.h"
#include "heliostat/control/controller/report.h"

namespace heliostat::controller {

// Who asks.
struct Asker {
  std::string user;
  bool is_operator = false;
};

// Whether Slurm's PrivateData names it: "jobs", "nodes", "usage".
bool Hides(const Report& report, std::string_view what);

// Answers requests about a cluster. A request is a JSON object on one line: {"ask": "status"}, {"ask": "why", "job":
// "17"}; an answer is {"answer": …} or {"error": {"where", "what", "allowed", "status"}}, with the exit status of a
// command. What Slurm's PrivateData hides from a user is left out of the answer. Thread-safe.
class Answers {
 public:
  struct Source {
    std::function<std::shared_ptr<const Report>()> report;
    std::function<void(Mode)> request_mode;
    std::string state;  // folder of the archive
  };
  explicit Answers(Source source) : source_(std::move(source)) {}

  std::string To(const Asker& asker, std::string_view request) const;

 private:
  Result<io::Json> Answer(const Asker& asker, const io::Json& request) const;
  Result<io::Json> Ended(const Asker& asker, const Report& report) const;
  static std::string JobsText(const Asker& asker, const Report& report);
  Result<io::Json> Why(const Asker& asker, const Report& report, const io::Json& request) const;
  Result<std::string> HistoryText(const Asker& asker, const Report& report) const;
  Result<io::Json> ChangeMode(const Asker& asker, const io::Json& request) const;

  Source source_;
};

// Parts of answers, as `heliostat cluster` and later services show them.
io::Json UsedJson(const account::Balance& used);
io::Json StatusJson(const Report& report);
io::Json JobJson(const JobReport& job, Mode mode);
// With all that is known of it; and of an ended one, as the archive keeps it.
io::Json WhyJson(const JobReport& job, Mode mode);
io::Json ArchiveOf(const JobReport& job);
io::Json NodeJson(const NodeReport& node);
// With the jobs that `is_seen` accepts.
io::Json PlanJson(const Report& report, const std::function<bool(const JobReport&)>& is_seen);
io::Json SlotJson(const PastSlot& slot);

}  // namespace heliostat::controller
