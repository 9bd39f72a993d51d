#include <fmt/format.h>

#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/forecast_files.h"

namespace heliostat::cli {
namespace {

Result<Output> ListModels() {
  Output output;
  report::HtmlTable table{.header = {"model", "fitted on", "refitted", "what it does"}, .rows = {}, .text_columns = 4};
  io::Json models{io::Json::Array{}};
  for (const forecast::ModelInfo& info : forecast::Models()) {
    table.rows.push_back(
        {std::string(info.name), info.train ? "last " + FormatDuration(*info.train) : "all earlier values",
         info.refit ? "every " + FormatDuration(*info.refit) : "every origin", std::string(info.description)});
    io::Json row;
    row.Set("name", info.name).Set("description", info.description);
    row.Set("train_s", info.train ? io::Json(info.train->count()) : io::Json());
    row.Set("refit_s", info.refit ? io::Json(info.refit->count()) : io::Json());
    models.Append(std::move(row));
  }
  output.text = TextOf(table);
  output.json.Set("models", std::move(models));
  return output;
}

}  // namespace

Command InstallForecastModels(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer("Example: heliostat forecast models --json");
  return ListModels;
}

}  // namespace heliostat::cli
