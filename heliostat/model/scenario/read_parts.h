#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/model/scenario/read.h"
#include "heliostat/signals/signal_files/signal_table.h"

namespace heliostat::scenario {

// Read the tables of a scenario. `text` is the content of the file, `file` its name in messages. Each row is checked
// against the scenario as read so far.
Status ReadTraining(std::string_view text, const std::string& file, Scenario& scenario);
Status ReadInference(std::string_view text, const std::string& file, Scenario& scenario);
// The scenario must have its horizon, groups and training profiles.
Status ReadJobs(std::string_view text, const std::string& file, Scenario& scenario);

// What a row of the services table has in addition to the service.
struct RateSource {
  std::string file;  // as written in the table
  std::string column;
  std::string scenarios;  // file of its paths, or empty
  std::string where;      // "services.csv:2"
};
// The scenario must have its horizon, groups and inference profiles. The caller reads the rates: one source per
// service.
Result<std::vector<RateSource>> ReadServices(std::string_view text, const std::string& file, Scenario& scenario);

// What a signal of a scenario is; sets its unit and range.
enum class SignalRole { kCarbon, kRenewable, kPrice, kRate };

// A column of a signal file, as a scenario names it.
struct SignalSource {
  std::string path;
  std::string column;
  std::string unit{};  // "EUR/MWh"; empty: the file states it
};

// Signal files. Opens and parses each file once. Not thread-safe.
class SignalFiles {
 public:
  explicit SignalFiles(FileSource files) : files_(std::move(files)) {}

  // One value per slot, in g/kWh, kW, money per kWh or requests per second; time-weighted means where the file has
  // another step. Fails when the unit is not known, when the file does not cover the horizon, and at the first value
  // that is missing, or negative and not a price.
  Result<std::vector<double>> PerSlot(const SignalSource& source, SignalRole role, const Scenario& scenario);
  // The values of the column before the scenario, in the same units. Nothing when there are none.
  std::optional<signal::StepSeries> Before(const SignalSource& source, SignalRole role, const Scenario& scenario);
  // PerSlot() for every column of a file, in its order. A column without a unit is in that of a canonical file.
  Result<std::vector<std::vector<double>>> AllPerSlot(const std::string& path, SignalRole role,
                                                      const Scenario& scenario);

 private:
  Result<const signal_files::SignalTable*> Open(const SignalSource& source, SignalRole role, const Scenario& scenario);

  FileSource files_;
  std::map<std::string, signal_files::SignalTable> tables_;
};

// Reads files of paths, with one path per column. All files must have the same number of columns. Not thread-safe.
class PathReader {
 public:
  // Both must outlive the reader. The scenario must have its horizon before the first Read().
  PathReader(SignalFiles& files, const Scenario& scenario) : files_(files), scenario_(scenario) {}

  Status Read(const std::string& file, SignalRole role);
  Status ReadRates(const std::string& file, std::size_t service);
  const Paths& paths() const { return paths_; }

 private:
  Result<std::vector<std::vector<double>>> Open(const std::string& file, SignalRole role);

  SignalFiles& files_;
  const Scenario& scenario_;
  Paths paths_;
  std::string first_;  // the file that set the count
};

}  // namespace heliostat::scenario
