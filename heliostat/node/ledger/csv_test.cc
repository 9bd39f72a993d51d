#include "heliostat/node/ledger/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "heliostat/base/io/csv.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/testing/plausible_run.h"

namespace heliostat::ledger {
namespace {

// Rows by the names of their columns.
std::vector<std::map<std::string, std::string>> RowsOf(const std::string& text) {
  io::CsvReader csv(text, "run.csv");
  std::vector<std::map<std::string, std::string>> rows;
  if (!csv.NextRow()) return rows;
  const auto names = csv.texts();
  while (csv.NextRow()) {
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = csv.cell(i);
    rows.push_back(std::move(row));
  }
  EXPECT_TRUE(csv.status()) << csv.status().error().Line();
  return rows;
}

RC_GTEST_PROP(CsvLaw, ColumnsAddUpToTheBill, (std::uint64_t seed, std::string why)) {
  ledger::Run run = PlausibleRun(seed);
  std::erase(why, '\0');
  run.periods[1].why = why;
  const auto rows = RowsOf(CsvOf(run));
  RC_ASSERT(rows.size() == run.periods.size());
  double carbon = 0;
  double energy = 0;
  for (const auto& row : rows) {
    energy += std::stod(row.at("energy_kwh"));
    if (!row.at("carbon_g").empty()) carbon += std::stod(row.at("carbon_g"));
  }
  const Bill bill = BillOf(run);
  RC_ASSERT(std::abs(energy - InKilowattHours(bill.run.energy)) < 1e-9);
  RC_ASSERT(std::abs(carbon - bill.run.carbon.value) < 1e-6);
  RC_ASSERT(rows[1].at("why") == why);
}

}  // namespace
}  // namespace heliostat::ledger
