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

// A decision log as a world: each step is one line of it. Orders have no effect; what came of them stands in the lines
// that follow. Plans arrive at the steps at which they did, made in as many rounds.
class RecordedWorld : public World, public MovingOutlook, public policy::Planning {
 public:
  struct Header {
    std::string policy;
    policy::PolicyOptions options;
    policy::Capabilities capabilities;
    Instant horizon;
    Duration planning_time{0};
  };
  // Reads the header and the first step. An empty log, or one cut off before its first step ends, is refused.
  static Result<std::unique_ptr<RecordedWorld>> Open(const std::string& path);

  const Header& header() const { return header_; }
  // The decision that the log has for this step.
  const std::string& decision() const { return decision_; }
  // Of the present step, counted from 1.
  std::size_t step() const { return step_; }
  // Whether the log has a decision for the present time: false between two of its steps.
  bool is_on_record() const { return is_on_record_; }
  // Whether this is the first step of its policy, which was made or restarted then.
  bool is_first() const { return is_first_; }
  // Why the log cannot be read on, once Wait() has said that it is over.
  const Status& status() const { return status_; }

  std::shared_ptr<const scenario::Site> site() const override { return site_; }
  policy::Capabilities capabilities() const override { return header_.capabilities; }
  Instant horizon() const override { return header_.horizon; }
  Instant now() const override { return now_; }
  // Between two steps everything stands as at the first of them.
  WorldView Look() override;
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
  std::optional<io::Json> next_;  // the step that follows
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
