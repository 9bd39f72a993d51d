#include "heliostat/model/profile/read_gavel.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "heliostat/base/io/number.h"
#include "heliostat/model/profile/cells.h"

namespace heliostat::profile {
namespace {

constexpr std::array<std::string_view, 4> kColumns{"gpu", "job_type", "scale_factor", "steps_per_s"};
constexpr std::string_view kSpread = "_unconsolidated";

// "ResNet-18 (batch size 16)"; a job type without a batch counts steps.
struct JobType {
  std::string model;
  int batch = 1;
};

std::optional<JobType> ParseJobType(std::string_view text) {
  constexpr std::string_view kBatch = " (batch size ";
  const std::size_t at = text.find(kBatch);
  if (at == std::string_view::npos) return JobType{std::string(text), 1};
  std::string_view number = text.substr(at + kBatch.size());
  if (at == 0 || number.empty() || number.back() != ')') return std::nullopt;
  number.remove_suffix(1);
  const auto batch = io::ParseInteger(number);
  if (!batch || *batch < 1) return std::nullopt;
  return JobType{std::string(text.substr(0, at)), *batch};
}

}  // namespace

Result<std::vector<Measurement>> ReadGavel(const Source& source) {
  scenario::CsvTable table = source.Table(kColumns);
  std::vector<Measurement> rows;
  while (table.NextRow()) {
    const std::string gpu = table.Text("gpu");
    const std::string job_type = table.Text("job_type");
    const auto job = ParseJobType(job_type);
    if (!job) {
      table.Stop(Fail(ErrorCode::kInvalidArgument, table.where(),
                      fmt::format("job_type is '{}'", Printable(job_type, 40)), "such as 'LM (batch size 5)'"));
      continue;
    }
    Measurement row{.model = job->model, .gpu = source.GpuOr(gpu)};
    row.line = table.line();
    row.workers = PositiveWhole(table, "scale_factor");
    row.batch = job->batch;
    const bool does_not_fit = table.Number("steps_per_s") == 0.0;
    if (!table.status()) continue;
    if (does_not_fit || gpu.ends_with(kSpread)) continue;
    row.per_s = PositiveNumber(table, "steps_per_s") * job->batch;
    if (!table.status()) continue;
    rows.push_back(std::move(row));
  }
  if (!table.status()) return Propagate(table.status());
  return rows;
}

}  // namespace heliostat::profile
