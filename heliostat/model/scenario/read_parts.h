#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/model/scenario/read.h"
#include "heliostat/signals/signal_files/signal_table.h"

namespace heliostat::scenario {

// The tables of a scenario. `text` is the file's, `file` its name for messages. Rows are checked as they are read,
// against what the scenario holds so far.
Status ReadTraining(std::string_view text, const std::string& file, Scenario& scenario);
Status ReadInference(std::string_view text, const std::string& file, Scenario& scenario);
// Needs horizon, groups and training profiles.
Status ReadJobs(std::string_view text, const std::string& file, Scenario& scenario);

// What a services table says of one row beside the service itself.
struct RateSource {
  std::string file;  // as written
  std::string column;
  std::string scenarios;  // file of its paths, or nothing
  std::string where;      // "services.csv:2"
};
// Needs horizon, groups and inference profiles; rates are for the caller to read, one source a service.
Result<std::vector<RateSource>> ReadServices(std::string_view text, const std::string& file, Scenario& scenario);

// What a signal of a scenario stands for; decides unit and range.
enum class SignalRole { kCarbon, kRenewable, kPrice, kRate };

// Signal files, each opened and parsed once however many columns of it are asked for.
class SignalFiles {
 public:
  explicit SignalFiles(FileSource files) : files_(std::move(files)) {}

  // One value a slot, in g/kWh, kW, money a kWh or requests a second: time-weighted means where the file's step is
  // another. Refuses what does not cover the horizon, and the first hour that is missing.
  Result<std::vector<double>> PerSlot(const std::string& path, const std::string& column, SignalRole role,
                                      const Scenario& scenario);
  // What the column says of the time before the scenario, in the same units; nothing when it begins with it.
  std::optional<signal::StepSeries> Before(const std::string& path, const std::string& column, SignalRole role,
                                           const Scenario& scenario);
  // PerSlot() for every column of a file, in its order.
  Result<std::vector<std::vector<double>>> AllPerSlot(const std::string& path, SignalRole role,
                                                      const Scenario& scenario);

 private:
  Result<const signal_files::SignalTable*> Open(const std::string& path);

  FileSource files_;
  std::map<std::string, signal_files::SignalTable> tables_;
};

// Files of paths, one path a column. All must have as many: path k of one belongs to path k of the others.
class PathReader {
 public:
  // Both must outlive the reader; the scenario has its horizon by the time the first file is read.
  PathReader(SignalFiles& files, const Scenario& scenario) : files_(files), scenario_(scenario) {}

  Status Read(const std::string& file, SignalRole role);
  Status ReadRates(const std::string& file, std::size_t service);
  const Paths& paths() const { return paths_; }

 private:
  Result<std::vector<std::vector<double>>> Open(const std::string& file, SignalRole role);

  SignalFiles& files_;
  const Scenario& scenario_;
  Paths paths_;
  std::string first_;  // the file that said how many
};

}  // namespace heliostat::scenario
