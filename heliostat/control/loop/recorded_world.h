#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/loop/driver.h"
#include "heliostat/control/policy/snapshot.h"

namespace heliostat::loop {

// A decision log as a world: each step is one line of the log. Orders have no effect; their recorded effects are in the
// lines that follow. Plans arrive at the recorded steps and are made again in the recorded number of rounds. Also the
// outlook and the planning of the recorded policy. Used from one thread.
class RecordedWorld : public World, public MovingOutlook, public policy::Planning {
 public:
  struct Header {
    std::string policy;
    policy::PolicyOptions options;
    policy::Capabilities capabilities;
    Instant horizon;
    Duration planning_time{0};
  };
  // Reads the header and the first step. Fails on a log that is empty or ends within its first step.
  static Result<std::unique_ptr<RecordedWorld>> Open(const std::string& path);

  const Header& header() const { return header_; }
  // The recorded decision of this step, as one line of JSON.
  const std::string& decision() const { return decision_; }
  // The number of the present step, counted from 1.
  std::size_t step() const { return step_; }
  // Whether the log has a step at the present time. False between two steps.
  bool is_on_record() const { return is_on_record_; }
  // Whether the policy was new or restarted in this step.
  bool is_first() const { return is_first_; }
  // The error that ended the log, after Wait() has returned false. Success at the end of the file.
  const Status& status() const { return status_; }

  std::shared_ptr<const scenario::Site> site() const override { return site_; }
  policy::Capabilities capabilities() const override { return header_.capabilities; }
  Instant horizon() const override { return header_.horizon; }
  Instant now() const override { return now_; }
  // Between two steps the view is that of the former step, without news.
  WorldView Look() override;
  // Has no effect and gives no receipts: receipts come from the log.
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override;
  bool Wait(Instant until) override;

  void MoveTo(Instant /*now*/, std::size_t /*slot*/) override {}
  policy::Forecast Ahead() override { return forecast_.Show(); }
  CarbonIntensity CarbonNow() const override { return carbon_; }
  Watts RenewableNow() const override { return renewable_; }
  std::optional<double> PriceNow() const override { return price_; }
  CarbonIntensity DirtiestOfDay() const override { return dirtiest_; }

  Duration time() const override { return header_.planning_time; }
  void Begin(std::shared_ptr<policy::PlanTask> task, Instant now) override;
  bool IsBusy() const override { return task_ != nullptr; }
  bool Take(Instant now) override;
  void Drop() override { task_.reset(); }
  std::optional<Instant> NextArrival(Instant /*now*/) const override { return std::nullopt; }
  int rounds() const override { return rounds_; }

 private:
  explicit RecordedWorld(std::string path) : path_(std::move(path)) {}
  Status ReadNext();
  std::optional<Result<io::Json>> NextLine();
  Status ReadHeader(const io::Json& json);
  Status ReadStep(const io::Json& json);
  Status ReadJobs(const io::Json& json);
  Status ReadForecast(const io::Json& json);

  std::string path_;
  std::ifstream file_;
  std::size_t line_ = 0;
  Header header_;
  std::size_t step_ = 0;
  bool is_on_record_ = false;
  std::optional<io::Json> next_;  // the next step
  Instant next_time_;
  Status status_;
  Instant now_;
  bool is_first_ = false;
  std::shared_ptr<const scenario::Site> site_;
  policy::JobTable jobs_;
  std::vector<policy::JobId> arrived_;
  std::vector<policy::JobId> ended_;
  std::vector<policy::JobId> interrupted_;
  std::vector<policy::Receipt> receipts_;
  std::vector<policy::ServiceState> services_;
  std::vector<policy::GroupState> groups_;
  account::Balance spent_;
  CarbonIntensity carbon_;
  CarbonIntensity dirtiest_;
  Watts renewable_;
  std::optional<double> price_;
  policy::KeptForecast forecast_;
  std::shared_ptr<policy::PlanTask> task_;
  std::vector<int> arrivals_;  // rounds of the plans that arrive in this step and are not taken yet, the next one last
  int rounds_ = 0;
  std::string decision_;
};

}  // namespace heliostat::loop
