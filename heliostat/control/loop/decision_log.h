#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/control/loop/driver.h"
#include "heliostat/control/loop/threaded_planning.h"

namespace heliostat::loop {

// Forwards to another outlook and records whether the policy has asked for a forecast since the last MoveTo(). Does not
// own the other outlook, which must outlive it. Not thread-safe.
class RecordingOutlook : public MovingOutlook {
 public:
  explicit RecordingOutlook(MovingOutlook& inner) : inner_(inner) {}

  void MoveTo(Instant now, std::size_t slot) override {
    was_asked_ = false;
    inner_.MoveTo(now, slot);
  }
  policy::Forecast Ahead() override {
    was_asked_ = true;
    return inner_.Ahead();
  }
  CarbonIntensity CarbonNow() const override { return inner_.CarbonNow(); }
  Watts RenewableNow() const override { return inner_.RenewableNow(); }
  std::optional<double> PriceNow() const override { return inner_.PriceNow(); }
  CarbonIntensity DirtiestOfDay() const override { return inner_.DirtiestOfDay(); }

  bool was_asked() const { return was_asked_; }

 private:
  MovingOutlook& inner_;
  bool was_asked_ = false;
};

// A policy's observations and decisions as JSON lines: a header (policy, its options, site, capabilities), then one
// line per step with what has changed since the step before, which plans have arrived, and the decision. A job that
// runs on as it did has not changed: the line says until when it ran (version 2). RecordedWorld reads the file. Used
// from one thread.
class DecisionLog : public StepListener {
 public:
  // Creates or replaces the file. `outlook` and `planning` must be those of the driver, and must outlive the log. Fails
  // when the file cannot be written.
  static Result<std::unique_ptr<DecisionLog>> Create(const std::string& path, const std::string& policy_name,
                                                     const policy::PolicyOptions& options,
                                                     const RecordingOutlook& outlook, RecordingPlanning& planning);

  void Stepped(const policy::Observation& observation, const policy::Decision& decision) override;
  // Closes the file. Fails when any line could not be written. No step may follow.
  Status Close();

 private:
  DecisionLog(std::string path, std::string policy_name, const policy::PolicyOptions& options,
              const RecordingOutlook& outlook, RecordingPlanning& planning);
  void WriteHeader(const policy::Observation& observation);
  // Returns the jobs that are new or have changed, as text.
  std::string AddJobs(const policy::Observation& observation, io::Json& line);
  // Adds the plans that have arrived in this step.
  void AddPlans(io::Json& line);
  void AddSignals(const policy::Observation& observation, io::Json& line);

  std::string path_;
  std::string policy_name_;
  policy::PolicyOptions options_;
  const RecordingOutlook& outlook_;
  RecordingPlanning& planning_;
  std::ofstream file_;
  std::shared_ptr<const scenario::Site> site_;      // as last written
  std::map<policy::JobId, policy::JobState> jobs_;  // as last written
  std::string services_;
  std::string groups_;
  std::string forecast_;
};

}  // namespace heliostat::loop
